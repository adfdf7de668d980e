//! What the scanner reports: where, which rule, how sure, and a fingerprint.
//! Border: holds no part of the value but what the mask leaves.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::text::Position;

/// How bad it is when the credential leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Little harm: short-lived or read-only.
    Low,
    /// Harm within one service.
    Medium,
    /// Access to a service or to data.
    High,
    /// Access to money, infrastructure or everything a person can do.
    Critical,
}

/// How sure the scanner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The words around it say so and the value looks like one.
    Medium,
    /// The value has the shape of a vendor's credential.
    High,
    /// The value proves itself: a checksum or a decoded structure is right.
    Proven,
}

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

/// Characters of context an excerpt keeps on each side of the mask.
const EXCERPT_SIDE_CHARS: usize = 40;

/// What an excerpt shows in place of a value. Its length says nothing about the value's.
pub const MASK: &str = "[…]";

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

/// What must not be shown anywhere: the places of values and every few bytes of them.
#[derive(Debug, Default)]
pub(crate) struct Masked {
    ranges: Vec<Range<usize>>,
    windows: HashSet<[u8; MASKED_BYTES]>,
}

/// As many bytes of a value in a row are shown nowhere.
pub(crate) const MASKED_BYTES: usize = 5;

impl Masked {
    /// Masks a place; places are added in the order of the text.
    pub(crate) fn add(&mut self, range: Range<usize>) {
        self.ranges.push(range);
    }

    /// Masks every part of a value, wherever it stands.
    pub(crate) fn add_value(&mut self, value: &[u8]) {
        self.windows.extend(
            value.windows(MASKED_BYTES).filter_map(|w| <[u8; MASKED_BYTES]>::try_from(w).ok()),
        );
    }

    /// The line around a value with everything masked that must not be shown.
    pub(crate) fn excerpt(&self, text: &[u8], value: &Range<usize>) -> String {
        let side = EXCERPT_SIDE_CHARS * 4;
        let floor = value.start.saturating_sub(side);
        let from = text[floor..value.start]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(floor, |at| floor + at + 1);
        let ceiling = text.len().min(value.end + side);
        let to = text[value.end..ceiling]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(ceiling, |at| value.end + at);
        let mut hidden = vec![false; to - from];
        let at = self.ranges.partition_point(|range| range.end <= from);
        for range in self.ranges[at..].iter().take_while(|range| range.start < to) {
            hidden[range.start.max(from) - from..range.end.min(to) - from].fill(true);
        }
        for (at, window) in text[from..to].windows(MASKED_BYTES).enumerate() {
            if self.windows.contains(window) {
                hidden[at..at + MASKED_BYTES].fill(true);
            }
        }
        let mut shown = String::new();
        for part in
            text[from..to].iter().zip(&hidden).collect::<Vec<_>>().chunk_by(|a, b| a.1 == b.1)
        {
            if *part[0].1 {
                shown.push_str(MASK);
            } else {
                let bytes: Vec<u8> = part.iter().map(|(byte, _)| **byte).collect();
                shown.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
        trim_around_mask(shown.trim())
    }
}

/// Keeps at most [`EXCERPT_SIDE_CHARS`] before the first mask and after the last.
fn trim_around_mask(line: &str) -> String {
    let (Some(first), Some(last)) = (line.find(MASK), line.rfind(MASK)) else {
        return MASK.to_owned();
    };
    let before: Vec<char> = line[..first].chars().collect();
    let after: Vec<char> = line[last + MASK.len()..].chars().collect();
    let mut shown = String::new();
    if before.len() > EXCERPT_SIDE_CHARS {
        shown.push('…');
    }
    shown.extend(&before[before.len().saturating_sub(EXCERPT_SIDE_CHARS)..]);
    shown.push_str(&line[first..last + MASK.len()]);
    shown.extend(after.iter().take(EXCERPT_SIDE_CHARS));
    if after.len() > EXCERPT_SIDE_CHARS {
        shown.push('…');
    }
    shown
}

/// Turns increasing byte offsets into positions in one walk over the text.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    /// Everything before this was walked.
    at: usize,
    place: Position,
}

impl<'a> Lines<'a> {
    /// Starts at the beginning of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, place: Position { line: 1, column: 1 } }
    }

    /// The position of an offset. One before the last is walked to from the beginning.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        if offset < self.at {
            *self = Self::new(self.text);
        }
        while let Some(next) = self.text[self.at..offset].iter().position(|b| *b == b'\n') {
            self.at += next + 1;
            self.place = Position { line: self.place.line + 1, column: 1 };
        }
        // Characters are counted as bytes that do not continue one, so invalid UTF-8 counts too.
        let rest = self.text[self.at..offset].iter();
        self.place.column += rest.filter(|b| **b & 0xC0 != 0x80).count();
        self.at = offset;
        self.place
    }
}
