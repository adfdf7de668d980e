//! What the frontmatter of a memory says that an index repeats.
//! Border: reads one memory; the entry made of it is `reconcile`'s business.

use super::document::Document;
use super::kind::Kind;

/// What a memory says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Its `name`.
    pub name: Option<String>,
    /// Its `description`.
    pub description: Option<String>,
    /// Its `type`, where that is a known one.
    pub kind: Option<Kind>,
}

impl Head {
    /// Reads a memory.
    pub fn of(content: &[u8]) -> Self {
        let text = String::from_utf8_lossy(content);
        let document = Document::parse(&text);
        Self {
            name: document.name().map(str::to_owned),
            description: document.description().map(str::to_owned),
            kind: document.kind().and_then(Result::ok),
        }
    }

    /// The bytes of its texts.
    pub fn len(&self) -> usize {
        [&self.name, &self.description].into_iter().flatten().map(String::len).sum()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
