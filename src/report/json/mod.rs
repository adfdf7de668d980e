//! The JSON documents of the program. Each type is the specification of its document.
//! Border: shapes only; a field is never renamed or removed within one `format` number.

pub mod audit;
pub mod demo;
pub mod memories;
pub mod agents;
pub mod team;
pub mod sync;
pub mod scan;

use serde::Serialize;

/// A document: its format name beside its fields.
#[derive(Clone, Debug, Serialize)]
pub struct Document<T> {
    /// `memsync.<command>/<number>`.
    pub format: &'static str,
    /// The fields of the document, on the same level as `format`.
    #[serde(flatten)]
    pub content: T,
}

impl<T: Serialize> Document<T> {
    /// Names the format of some content.
    pub fn new(format: &'static str, content: T) -> Self {
        Self { format, content }
    }
}
