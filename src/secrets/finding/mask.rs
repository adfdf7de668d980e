//! What an excerpt shows of a line that holds a value: the mask in place of every few bytes of it.
//! Border: places and values are given; texts that nobody scanned yet are masked by `masking`.

use std::collections::HashSet;
use std::ops::Range;

/// Characters of context an excerpt keeps on each side of the mask.
const EXCERPT_SIDE_CHARS: usize = 40;

/// What an excerpt shows in place of a value. Its length says nothing about the value's.
pub const MASK: &str = "[…]";

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
