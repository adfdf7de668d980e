//! The one pass over a text that finds every place where a rule might match.
//! Border: says where a keyword stands and what it starts; judges nothing.
//!
//! A bit set over hashed byte triples rejects almost every place; what is left is compared with the
//! few keywords of its bucket. Unlike an automaton this is built in some ten microseconds, which is
//! what a hook that scans one small file pays for.

use std::borrow::Cow;
use std::ops::Range;

/// What stands behind a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// A rule with a pattern, by its place in the rule set.
    Rule(usize),
    /// A rule whose value stands near a vendor's word.
    Near(usize),
    /// A word that may be part of a name for a credential.
    Name,
    /// A Kubernetes `Secret`.
    Kubernetes,
    /// A word that announces the words of a wallet.
    Wallet,
    /// Words that announce recovery codes.
    Codes,
}

/// How the letters of a keyword are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// As they are written: the pattern behind it would not match otherwise.
    Exact,
    /// In either case.
    Any,
}

/// A keyword and what it starts.
#[derive(Debug)]
struct Word {
    bytes: Cow<'static, [u8]>,
    case: Case,
    /// Where in the keyword its rarest bytes are.
    anchor: usize,
    trigger: Trigger,
}

/// Bits of the hash of a triple.
const HASH_BITS: u32 = 16;
/// A bucket covers this many neighbouring hashes.
const BUCKET_BITS: u32 = 4;
const BUCKETS: usize = 1 << (HASH_BITS - BUCKET_BITS);

/// All keywords, found by their rarest bytes.
#[derive(Debug)]
pub(crate) struct Keywords {
    /// The triples that keywords are found by.
    triples: BitSet,
    /// Those of keywords that end with them.
    short: BitSet,
    /// The triples of longer keywords with the byte behind: most places that pass the first test
    /// fail this one.
    fours: BitSet,
    /// Where the words of each bucket begin in `order`.
    heads: Vec<u16>,
    order: Vec<Place>,
    words: Vec<Word>,
}

/// A word in its bucket, with what rejects most places without looking at the word.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The word from its anchor on, eight bytes at most, letters in one case.
    start: u64,
    /// Which of the eight bytes belong to the word.
    mask: u64,
    word: u16,
}

/// One bit per hash of a few bytes.
#[derive(Debug)]
struct BitSet(Box<[u64; 1 << (HASH_BITS - 6)]>);

impl BitSet {
    fn empty() -> Self {
        Self(Box::new([0; 1 << (HASH_BITS - 6)]))
    }

    fn add(&mut self, hash: usize) {
        self.0[hash >> 6] |= 1 << (hash & 63);
    }

    fn has(&self, hash: usize) -> bool {
        self.0[hash >> 6] >> (hash & 63) & 1 == 1
    }
}

/// The hash of packed bytes with letters in one case.
fn hash(packed: u32) -> usize {
    (packed.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

/// Brings letters of both cases together; other bytes may meet too, the comparison decides.
fn fold(byte: u8) -> u32 {
    u32::from(byte | 0x20)
}

fn pack(triple: &[u8]) -> u32 {
    fold(triple[0]) | fold(triple[1]) << 8 | fold(triple[2]) << 16
}

/// The eight bytes at a place, letters in one case; what lies behind the end counts as zeros.
fn eight(text: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    match text[at..].first_chunk() {
        Some(whole) => bytes = *whole,
        None => bytes[..text.len() - at].copy_from_slice(&text[at..]),
    }
    u64::from_le_bytes(bytes) | 0x2020_2020_2020_2020
}

impl Keywords {
    /// Builds the index. Keywords shorter than two bytes are no keywords and never hit.
    pub(crate) fn new(
        entries: impl IntoIterator<Item = (Cow<'static, str>, Case, Trigger)>,
    ) -> Self {
        let words = entries.into_iter().filter(|(word, ..)| word.len() >= 2);
        let words = words.map(|(word, case, trigger)| {
            let bytes = match word {
                Cow::Borrowed(word) => Cow::Borrowed(word.as_bytes()),
                Cow::Owned(word) => Cow::Owned(word.into_bytes()),
            };
            Word { anchor: anchor(&bytes), bytes, case, trigger }
        });
        Self::index(words.collect())
    }

    fn index(words: Vec<Word>) -> Self {
        let (mut triples, mut short, mut fours) =
            (BitSet::empty(), BitSet::empty(), BitSet::empty());
        let mut pairs: Vec<(u16, u16)> = Vec::with_capacity(words.len() + 256);
        for (number, word) in words.iter().enumerate() {
            let number = u16::try_from(number).expect("because rule sets have no 65,536 keywords");
            let mut add = |packed: u32| {
                triples.add(hash(packed));
                pairs.push(((hash(packed) >> BUCKET_BITS) as u16, number));
                hash(packed)
            };
            match word.bytes[word.anchor..] {
                [a, b] => (0..=255_u8)
                    .filter(|third| third & 0x20 != 0)
                    .for_each(|third| short.add(add(pack(&[a, b, third])))),
                [a, b, c] => short.add(add(pack(&[a, b, c]))),
                ref longer => {
                    add(pack(longer));
                    fours.add(hash(pack(longer) | fold(longer[3]) << 24));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut heads = vec![0_u16; BUCKETS + 1];
        for (bucket, _) in &pairs {
            heads[usize::from(*bucket) + 1] += 1;
        }
        for bucket in 0..BUCKETS {
            heads[bucket + 1] += heads[bucket];
        }
        let place = |(_, number): (u16, u16)| {
            let word = &words[usize::from(number)];
            let length = word.bytes.len() - word.anchor;
            let mask = if length < 8 { (1 << (8 * length)) - 1 } else { u64::MAX };
            Place { start: eight(&word.bytes, word.anchor) & mask, mask, word: number }
        };
        let order = pairs.into_iter().map(place).collect();
        Self { triples, short, fours, heads, order, words }
    }

    /// Every keyword occurrence with what it starts, overlapping ones too.
    pub(crate) fn hits(&self, text: &[u8], hit: &mut dyn FnMut(Range<usize>, Trigger)) {
        let [first, second, rest @ ..] = text else { return };
        let mut packed = fold(*first) << 8 | fold(*second) << 16;
        for (at, byte) in rest.iter().enumerate() {
            packed = packed >> 8 | fold(*byte) << 16;
            let triple = hash(packed);
            if !self.triples.has(triple) {
                continue;
            }
            let behind = text.get(at + 3).map_or(0, |byte| fold(*byte) << 24);
            if self.short.has(triple) || self.fours.has(hash(packed | behind)) {
                self.compare(text, at, triple, hit);
            }
        }
        // A keyword of two bytes at the very end has no third byte after it.
        let packed = packed >> 8 | 0x20 << 16;
        self.compare(text, text.len() - 2, hash(packed), hit);
    }

    /// Compares the text around an anchor with the keywords of its bucket.
    #[inline(never)]
    fn compare(
        &self,
        text: &[u8],
        at: usize,
        hash: usize,
        hit: &mut dyn FnMut(Range<usize>, Trigger),
    ) {
        let bucket = hash >> BUCKET_BITS;
        let range = usize::from(self.heads[bucket])..usize::from(self.heads[bucket + 1]);
        let there = eight(text, at);
        for place in &self.order[range] {
            if there & place.mask != place.start {
                continue;
            }
            let word = &self.words[usize::from(place.word)];
            let Some(start) = at.checked_sub(word.anchor) else { continue };
            let Some(part) = text.get(start..start + word.bytes.len()) else { continue };
            let same = match word.case {
                Case::Exact => *part == *word.bytes,
                Case::Any => part.eq_ignore_ascii_case(&word.bytes),
            };
            if same {
                hit(start..start + word.bytes.len(), word.trigger);
            }
        }
    }
}

/// Where the four bytes stand that are rarest in texts, or as many as there are.
fn anchor(word: &[u8]) -> usize {
    let length = word.len().min(4);
    let rarity = |at: &usize| word[*at..*at + length].iter().map(|b| rarity(*b)).sum::<u32>();
    // Of equals the first, so that hits of one name come in the order of the text.
    (0..=word.len() - length).rev().max_by_key(rarity).unwrap_or(0)
}

/// How rare a byte is in prose and code, roughly.
fn rarity(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        b' ' | b'e' | b't' | b'a' | b'i' | b'n' | b'o' | b's' | b'r' => 1,
        b'l' | b'd' | b'c' | b'u' | b'm' | b'p' | b'h' => 2,
        b'f' | b'g' | b'b' | b'y' | b'w' | b'v' | b'.' | b'-' | b'_' | b'/' | b':' | b'=' => 3,
        b'k' | b'x' | b'0'..=b'9' => 4,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let words = [
            ("pass", Case::Any),
            ("token", Case::Any),
            ("Q~", Case::Exact),
            ("://", Case::Exact),
            ("пароль", Case::Any),
            ("sk-", Case::Exact),
        ];
        let entries = words.iter().enumerate().map(|(n, (w, c))| {
            let word: Cow<'static, str> = Cow::Borrowed(*w);
            (word, *c, Trigger::Rule(n))
        });
        let keywords = Keywords::new(entries);
        let mut found = Vec::new();
        keywords.hits(text.as_bytes(), &mut |at, _| found.push((at.start, text[at].to_owned())));
        found.sort();
        let expected: Vec<_> =
            expected.iter().map(|(at, word)| (*at, (*word).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_keyword_is_found_wherever_it_stands() {
        check("pass", &[(0, "pass")]);
        check("a PassToken", &[(2, "Pass"), (6, "Token")]);
        check("Q~", &[(0, "Q~")]);
        check("xQ~", &[(1, "Q~")]);
        check("Q~x q~", &[(0, "Q~")]);
        check("https://sk-a SK-a", &[(5, "://"), (8, "sk-")]);
        check("das пароль", &[(4, "пароль")]);
        for text in ["", "p", "pa", "pas", "Q", "~"] {
            check(text, &[]);
        }
    }
}
