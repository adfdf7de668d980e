//! What the scanner reports: where, which rule, how sure, and a fingerprint.
//! Border: holds no part of the value but what the mask leaves.

use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::base::text::Position;
use crate::secrets::finding::level::{Confidence, Severity};

/// One credential found. The value itself is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it, as in its rule file.
    pub rule: String,
    /// How bad a leak is.
    pub severity: Severity,
    /// How sure the scanner is.
    pub confidence: Confidence,
    /// Where the value starts.
    pub start: Position,
    /// Where the value ends; the character after its last one.
    pub end: Position,
    /// The byte range of the value in the scanned text.
    pub bytes: Range<usize>,
    /// Stands for the value: the same value has the same fingerprint wherever it is.
    pub fingerprint: String,
    /// The line around the value, the value masked.
    pub excerpt: String,
    /// What was found, in words.
    pub message: String,
}

/// The fingerprint of a value: 128 bits of SHA-256 over the key and the value.
///
/// The key keeps a fingerprint of a weak password from being looked up in a table.
pub fn fingerprint(key: &[u8], value: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(b"memsync.finding/1\0");
    hash.update(u64::try_from(key.len()).unwrap_or(u64::MAX).to_le_bytes());
    hash.update(key);
    hash.update(value);
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
