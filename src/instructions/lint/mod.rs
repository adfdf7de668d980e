//! What is wrong with instruction files: what fails in silence, or goes in circles.
//! Border: names faults; what is loaded is decided in the rooms below.

pub mod fault;
pub mod faults;
pub mod circles;
