//! Keys, signatures, members and who may change what.
//! Border: Values only; keys are read by `system`, commits by `git`.
