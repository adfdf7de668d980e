//! What a text calls a credential, and how firmly; phrases of grammar found fast.
//! Border: the shapes that the readers of grammar hand to the judge of values.

use crate::secrets::entries::{is_in, is_met};

/// How a value is tied to its name, the loosest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Link {
    /// `=`, `:`, `→`, an XML tag, a command line flag.
    Operator,
    /// A cell of the same table row.
    Table,
    /// A verb: is, 是, ist, es, est …
    Verb,
    /// `set("password", "…")`, `the password, …, expires`.
    Beside,
    /// Nothing but a space.
    Space,
}

/// A value as the text presents it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) value: std::ops::Range<usize>,
    pub(crate) link: Link,
    /// Quotes, backticks or emphasis around it.
    pub(crate) quoted: bool,
    /// The quotes or backticks around it.
    pub(crate) quote: Option<u8>,
}

/// Phrases by their second byte: most begin with a space, and the byte after it tells them apart.
pub(super) struct Phrases {
    rows: [Vec<&'static &'static str>; 256],
}

impl Phrases {
    /// Phrases of two bytes or more; each row keeps the order of the list.
    pub(super) fn new(list: &'static [&'static str]) -> Self {
        let mut rows = [const { Vec::new() }; 256];
        for phrase in list {
            let row = phrase.as_bytes()[1].to_ascii_lowercase();
            rows[usize::from(row)].push(phrase);
        }
        Self { rows }
    }

    /// The length of the first phrase that a text starts with, in whatever case.
    pub(super) fn length_at(&self, text: &[u8]) -> Option<usize> {
        let row = &self.rows[usize::from(text.get(1)?.to_ascii_lowercase())];
        let starts = |phrase: &&'static str| {
            let start = text.get(..phrase.len());
            is_in(phrase)
                && is_met(phrase, start.is_some_and(|s| s.eq_ignore_ascii_case(phrase.as_bytes())))
        };
        row.iter().copied().find(|phrase| starts(phrase)).map(|phrase| phrase.len())
    }
}
