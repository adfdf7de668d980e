//! The record of an open conflict, `.memsync/conflicts/<id>.yaml`: what each side wanted, and whose.
//! Border: a value with one spelling; `memsync resolve` decides about it.
//!
//! The id is derived from the content, so both machines that merge one pair write the same bytes.

mod record;
mod render;
mod form;
mod area;
pub(crate) mod proof;
pub mod resolve;

pub use self::area::record_area;
pub use self::form::ConflictError;
pub use self::record::{
    CONFLICT_FORMAT, CONFLICTS_FOLDER, Conflict, ConflictSide, Content, Origin,
};
pub use crate::merge::unresolved::{Part, Reason};

#[cfg(test)]
mod tests;
