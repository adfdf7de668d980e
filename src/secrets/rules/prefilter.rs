//! The outline of a pattern: which bytes may stand at each of its first places, or anywhere in it.
//! Border: tells that a pattern cannot match; that it does match only the pattern says.
//!
//! Working out an outline costs a few microseconds, compiling a pattern a hundred and more. Most
//! keyword hits are ordinary words, and the outline turns those away before anything is compiled.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// This many places from the start are told apart.
const PLACES: usize = 48;
/// A pattern that nests deeper has no outline; it is compiled at once.
const NEST_MAX: u32 = 50;
/// A pattern that takes more steps to follow has none either; the longest of ours takes a tenth.
const STEPS_MAX: u32 = 100_000;

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bytes([u64; 4]);

impl Bytes {
    fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

/// What every match of a pattern keeps to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The shortest match; nothing is known about longer ones beyond `all`.
    len_min: usize,
    /// The bytes that may stand at each of the first places, as far as every match reaches.
    places: Vec<Bytes>,
    /// The bytes that may stand anywhere.
    all: Bytes,
}

impl Outline {
    /// The outline of a pattern of bytes. One that cannot be read has an outline that fits all.
    pub(crate) fn of(pattern: &str, any_case: bool) -> Self {
        let mut parser = ParserBuilder::new();
        parser.utf8(false).unicode(false).case_insensitive(any_case).nest_limit(NEST_MAX);
        Self::followed(&parser.build().parse(pattern).ok()).unwrap_or_default()
    }

    fn followed(hir: &Option<Hir>) -> Option<Self> {
        let hir = hir.as_ref()?;
        let len_min = hir.properties().minimum_len().unwrap_or(0);
        let mut walk =
            Walk { places: [Bytes::default(); PLACES], all: Bytes::default(), steps: STEPS_MAX };
        walk.follow(hir, 1)?;
        let places = walk.places[..len_min.min(PLACES)].to_vec();
        Some(Self { len_min, places, all: walk.all })
    }

    /// Tells that a match may begin at the start of a text.
    pub(crate) fn may_begin(&self, text: &[u8]) -> bool {
        text.len() >= self.len_min && self.places.iter().zip(text).all(|(set, b)| set.has(*b))
    }

    /// Tells that a match may stand somewhere in a text.
    pub(crate) fn may_hold(&self, text: &[u8]) -> bool {
        let mut run = 0;
        for byte in text {
            if run >= self.len_min {
                break;
            }
            run = if self.all.has(*byte) { run + 1 } else { 0 };
        }
        run >= self.len_min
    }
}

/// Follows a pattern with the set of places that have been reached, one bit each.
struct Walk {
    places: [Bytes; PLACES],
    all: Bytes,
    steps: u32,
}

impl Walk {
    /// Where a match of this part may end when it starts at one of `starts`. `None` where that
    /// takes too long, or a character of several bytes makes places uncertain.
    fn follow(&mut self, hir: &Hir, starts: u64) -> Option<u64> {
        self.steps = self.steps.checked_sub(1)?;
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Some(starts),
            HirKind::Literal(literal) => Some(literal.0.iter().fold(starts, |at, byte| {
                let mut set = Bytes::default();
                set.add(*byte);
                self.step(&set, at)
            })),
            HirKind::Class(Class::Unicode(_)) => None,
            HirKind::Class(Class::Bytes(class)) => {
                let mut set = Bytes::default();
                class.ranges().iter().flat_map(|r| r.start()..=r.end()).for_each(|b| set.add(b));
                Some(self.step(&set, starts))
            }
            HirKind::Capture(capture) => self.follow(&capture.sub, starts),
            HirKind::Concat(parts) => {
                parts.iter().try_fold(starts, |at, part| self.follow(part, at))
            }
            HirKind::Alternation(parts) => {
                parts.iter().try_fold(0, |ends, part| Some(ends | self.follow(part, starts)?))
            }
            HirKind::Repetition(repetition) => {
                let mut ends = if repetition.min == 0 { starts } else { 0 };
                let mut at = starts;
                // A place is reached by at most as many rounds as there are places.
                let rounds = repetition.max.unwrap_or(u32::MAX).min(PLACES as u32 + 1);
                for round in 1..=rounds {
                    let next = self.follow(&repetition.sub, at)?;
                    // What no longer changes will not change in further rounds either.
                    let is_last = next == 0 || next == at;
                    if round >= repetition.min || is_last {
                        ends |= next;
                    }
                    if is_last {
                        break;
                    }
                    at = next;
                }
                Some(ends)
            }
        }
    }

    fn step(&mut self, set: &Bytes, starts: u64) -> u64 {
        self.all.join(set);
        let mut open = starts;
        while open != 0 {
            self.places[open.trailing_zeros() as usize].join(set);
            open &= open - 1;
        }
        starts << 1 & ((1 << PLACES) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_always_keeps_to_the_outline() {
        for (pattern, matching, other) in [
            (r"sk-[a-f]{3,5}x?", "sk-abcx", "sk-agcx"),
            (r"(?:ab|abc)[0-9]{4}", "abc1234", "abcd1234"),
            (r"(?i)basic [A-Z0-9]{4,400}", "BASIC zz99zz", "basic a an"),
            (r"a*b{2}[^\s]", "aaabb\u{e9}", "ab b"),
            (r"(?:x[0-9]?){3}y", "x1xx2y", "x1y2"),
        ] {
            let outline = Outline::of(pattern, false);
            assert!(outline.may_begin(matching.as_bytes()), "{pattern}");
            assert!(outline.may_hold(format!("!! {matching}").as_bytes()), "{pattern}");
            assert!(!outline.may_begin(other.as_bytes()), "{pattern}");
        }
        assert!(Outline::of("(", false).may_begin(b""));
        assert!(!Outline::of("[0-9a-f]{32}", true).may_hold(b"no such thing, and 123 is short"));
    }
}
