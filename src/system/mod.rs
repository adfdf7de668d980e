//! The operating system
//! Border:  files beneath a root, locks, processes, clock, environment.:The only module that reads or writes the disk outside git.
