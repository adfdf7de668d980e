//! A value found while a text is scanned, still as a place in it, and why a candidate is none.
//! Border: passed between the parts of the scanner; what callers see is [`super::Finding`].

use std::ops::Range;

use crate::secrets::finding::level::{Confidence, Severity};

/// A shorter keyword is no mark of a vendor.
pub(crate) const MARK_BYTES_MIN: usize = 3;

/// A value found, still as a place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) rule: String,
    pub(crate) about: String,
    pub(crate) severity: Severity,
    pub(crate) confidence: Confidence,
    pub(crate) value: Range<usize>,
    /// The value in plain where the text holds it in disguise; for the fingerprint only.
    pub(crate) plain: Option<Vec<u8>>,
}

/// Why something that was looked at is no finding. Later ones came closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rejection {
    /// The pattern does not match at the keyword.
    Pattern,
    /// It is part of a longer word.
    Boundary,
    /// The words around do not link it.
    Context,
    /// A structure test says it cannot be one.
    Structure,
    /// It is made of words.
    Words,
    /// It does not vary enough.
    Entropy,
    /// It stands for a value.
    Placeholder,
}
