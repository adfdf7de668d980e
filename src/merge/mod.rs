//! Merges two changed team memories by meaning.
//! Border: Pure; never touches git or files.
