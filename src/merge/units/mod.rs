//! Cuts texts into units, lines two sides up with their base, and puts one text together.
//! Border: knows no kind of file; what a unit means is `kinds`'.

pub(crate) mod blocks;
pub(crate) mod align;
pub(crate) mod lineup;
pub(crate) mod identity;
pub(crate) mod twins;
pub(crate) mod slots;
pub(crate) mod orphans;
pub(crate) mod order;
pub(crate) mod place;
pub(crate) mod render_units;
pub(crate) mod merge_units;
