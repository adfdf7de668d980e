//! One text at a time: is it text, what does the scanner say, what of it is accepted.
//! Border: bytes in memory; where they come from is `files` and `history`.

use std::borrow::Cow;

use super::Scan;
use super::outcome::{Located, ScanOutcome};
use crate::base::id::ObjectId;
use crate::base::text::Position;
use crate::secrets::Finding;
use crate::secrets::masking::without_values;

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
        self.judge_as(Coding::of(content), place, content)
    }

    /// Scans a part of a file whose coding its beginning told; `None` stands for binary.
    pub(super) fn judge_as(
        &self,
        coding: Option<Coding>,
        place: Place<'_>,
        content: &[u8],
    ) -> ScanOutcome {
        self.progress.add(content.len() as u64);
        let mut outcome =
            ScanOutcome { bytes: content.len() as u64, files: 1, ..ScanOutcome::default() };
        let Some(text) = coding.map(|coding| coding.text(content)) else {
            return ScanOutcome { files: 0, binary: 1, ..outcome };
        };
        let commit = place.commit.map(|id| id.to_string());
        let found = self.scanner.scan_in(place.path, commit.as_deref(), &text);
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

/// How the bytes of a file make up text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// As they are.
    Plain,
    /// UTF-16, as its byte order mark says.
    Wide { big: bool },
}

impl Coding {
    /// The coding a file's beginning tells; `None` for binary content.
    pub(super) fn of(beginning: &[u8]) -> Option<Self> {
        match beginning {
            [0xFF, 0xFE, ..] => Some(Self::Wide { big: false }),
            [0xFE, 0xFF, ..] => Some(Self::Wide { big: true }),
            _ if beginning[..beginning.len().min(SNIFF_BYTES)].contains(&0) => None,
            _ => Some(Self::Plain),
        }
    }

    /// The text of a part of the file: as it is, or UTF-16 turned into UTF-8.
    pub(super) fn text(self, part: &[u8]) -> Cow<'_, [u8]> {
        let Self::Wide { big } = self else { return Cow::Borrowed(part) };
        let units = part.chunks_exact(2).map(|pair| match big {
            true => u16::from_be_bytes([pair[0], pair[1]]),
            false => u16::from_le_bytes([pair[0], pair[1]]),
        });
        let text = char::decode_utf16(units.filter(|unit| *unit != BYTE_ORDER_MARK));
        let text: String = text.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Cow::Owned(text.into_bytes())
    }
}

/// Stands at the beginning of UTF-16; elsewhere it is an invisible character.
const BYTE_ORDER_MARK: u16 = 0xFEFF;

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
