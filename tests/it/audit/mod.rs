//! `memsync audit`, `blame` and the page, on histories that were written by hand.
//! Border: whole program on real repositories; the rules of trust have tests of their own.

mod blame;
mod forge;
mod page;
mod reports;
mod verdicts;
