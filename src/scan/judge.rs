//! One text at a time: is it text, what does the scanner say, what of it is accepted.
//! Border: bytes in memory; where they come from is `files` and `history`.

use std::borrow::Cow;

use super::Scan;
use super::outcome::{Located, ScanOutcome};
use crate::base::id::ObjectId;
use crate::base::text::Position;
use crate::secrets::Finding;
use crate::secrets::sighting::without_values;

/// This much of a file decides whether it is text, as git does it.
const SNIFF_BYTES: usize = 8_000;

/// Where a text stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) path: &'a str,
    pub(super) commit: Option<ObjectId>,
    /// Where the text begins in its file.
    pub(super) start: Position,
}

impl Scan<'_> {
    /// Scans one text, or counts it as binary.
    pub(super) fn judge(&self, place: Place<'_>, content: &[u8]) -> ScanOutcome {
        self.progress.add(content.len() as u64);
        let mut outcome =
            ScanOutcome { bytes: content.len() as u64, files: 1, ..ScanOutcome::default() };
        let Some(text) = text_of(content) else {
            return ScanOutcome { files: 0, binary: 1, ..outcome };
        };
        let commit = place.commit.map(|id| id.to_string());
        let found = self.scanner.scan(place.path, &text);
        let shown = match found.is_empty() {
            true => String::new(),
            false => without_values(place.path, &text, &found),
        };
        for finding in found {
            let finding = moved(finding, place.start);
            if self.allow.allows(&finding, place.path, commit.as_deref()) {
                outcome.allowed += 1;
            } else {
                let path = shown.clone();
                outcome.findings.push(Located { path, commit: place.commit, finding });
            }
        }
        outcome
    }
}

/// The text of a file: as it is, or UTF-16 turned into UTF-8. `None` for binary content.
pub(super) fn text_of(content: &[u8]) -> Option<Cow<'_, [u8]>> {
    let wide = |big: bool| {
        let units = content[2..].chunks_exact(2).map(|pair| match big {
            true => u16::from_be_bytes([pair[0], pair[1]]),
            false => u16::from_le_bytes([pair[0], pair[1]]),
        });
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Some(Cow::Owned(text.into_bytes()))
    };
    match content {
        [0xFF, 0xFE, ..] => wide(false),
        [0xFE, 0xFF, ..] => wide(true),
        _ if content[..content.len().min(SNIFF_BYTES)].contains(&0) => None,
        _ => Some(Cow::Borrowed(content)),
    }
}

/// Moves a finding from its window to its place in the file.
fn moved(mut finding: Finding, start: Position) -> Finding {
    let shift = |place: Position| match place.line {
        1 => Position { line: start.line, column: place.column + start.column - 1 },
        line => Position { line: line + start.line - 1, column: place.column },
    };
    finding.start = shift(finding.start);
    finding.end = shift(finding.end);
    finding
}
