//! What is wrong with instruction files: what fails in silence, goes in circles, or is said twice.
//! Border: names faults; what is loaded is decided in the rooms below.

pub mod fault;
pub mod faults;
pub mod circles;
pub mod repeats;
