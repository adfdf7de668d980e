//! A sealed memory as a file: clear frontmatter that names the readers, and an armored age file as body.
//! Border: reads and writes the file; who may be named is `readers`, opening is `unlock`.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::SealProblem;
use super::audience::{Audience, Wanted};
use super::header::{ARMOR_BEGIN, ARMOR_END, Header};
use crate::memory::document::{Document, FieldValue, Frontmatter};
use crate::trust::roster::MemberId;

/// The frontmatter field that names the readers.
pub const SEALED_FIELD: &str = "sealed";
/// The field that keeps what was asked, where that is more than the readers: roles.
pub const SEALED_FOR_FIELD: &str = "sealed_for";
/// The field that says why a sealed text may hold a credential.
pub const SECRETS_FIELD: &str = "sealed_secrets";

/// A sealed memory, read without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// For whom, as the frontmatter says.
    pub audience: Audience,
    /// What the age file shows.
    pub header: Header,
    /// The armored age file.
    pub armor: String,
}

/// Whether a document is sealed or claims to be.
pub fn is_sealed(document: &Document) -> bool {
    let named = document.frontmatter().is_some_and(|head| head.field(&[SEALED_FIELD]).is_some());
    named || document.body().trim_start().starts_with(ARMOR_BEGIN)
}

/// Whether a text is a sealed memory or claims to be. Cheap for one that is not.
pub fn is_sealed_text(text: &str) -> bool {
    (text.contains(SEALED_FIELD) || text.contains(ARMOR_BEGIN)) && is_sealed(&Document::parse(text))
}

/// The text with every age file in it replaced by a note that differs where they do, for people.
pub fn without_armor(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(ARMOR_BEGIN) {
        let Some(length) = rest[start..].find(ARMOR_END) else { break };
        let end = start + length + ARMOR_END.len();
        shown += &rest[..start];
        let hash = Sha256::digest(&rest.as_bytes()[start..end]);
        let short: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        shown += &format!(
            "(sealed, {} bytes, {short}; `memsync open` shows it to its readers)",
            end - start
        );
        rest = &rest[end..];
    }
    shown + rest
}

impl Envelope {
    /// Reads a sealed memory and checks all that can be checked without roster and key: the list is
    /// the one that was sealed, and the text is nothing but an age file.
    pub fn read(document: &Document) -> Result<Self, SealProblem> {
        let head = document.frontmatter().ok_or(SealProblem::Frontmatter)?;
        if head.field(&[SEALED_FIELD]).is_none() {
            return Err(SealProblem::Unnamed);
        }
        let audience = read_audience(head)?;
        let header = Header::read(document.body())?;
        Self { audience, header, armor: document.body().to_owned() }.checked()
    }

    /// Reads a sealed memory whatever its list says: for a reader who says anew for whom it is.
    pub fn read_unchecked(document: &Document) -> Result<Self, SealProblem> {
        let head = document.frontmatter().ok_or(SealProblem::Frontmatter)?;
        let audience = read_audience(head).unwrap_or_default();
        let header = Header::read(document.body())?;
        Ok(Self { audience, header, armor: document.body().to_owned() })
    }

    fn checked(self) -> Result<Self, SealProblem> {
        let (header, audience) = (&self.header, &self.audience);
        if let Some(sealed) = &header.named
            && *sealed != audience.names()
        {
            let shown = |names: &[String]| {
                let text = names.join(", ");
                crate::base::display::Escaped(&text).to_string()
            };
            let (listed, sealed) = (shown(&audience.names()), shown(sealed));
            return Err(SealProblem::OtherReaders { listed, sealed });
        }
        if header.named.is_none() && header.anonymous > 0 {
            return Err(SealProblem::Anonymous);
        }
        Ok(self)
    }

    /// Whether the age file itself names the readers, so that opening it proves the list.
    pub fn is_named(&self) -> bool {
        self.header.named.is_some()
    }
}

/// Whom a frontmatter says the text is sealed for; empty where it does not say.
fn read_audience(head: &Frontmatter) -> Result<Audience, SealProblem> {
    let list = |field: &'static str| match head.field(&[field]).map(|field| &field.value) {
        Some(FieldValue::List(items)) if !items.is_empty() => Ok(Some(items)),
        None => Ok(None),
        Some(_) => Err(SealProblem::List(field)),
    };
    let ids = list(SEALED_FIELD)?.into_iter().flatten();
    let readers: Result<BTreeSet<MemberId>, _> = ids.map(|id| MemberId::parse(id)).collect();
    let readers = readers.map_err(|_| SealProblem::List(SEALED_FIELD))?;
    let wanted = match list(SEALED_FOR_FIELD)? {
        None => readers.iter().cloned().map(Wanted::Member).collect(),
        Some(parts) => parts
            .iter()
            .map(|part| Wanted::parse(part))
            .collect::<Result<_, _>>()
            .map_err(|_| SealProblem::List(SEALED_FOR_FIELD))?,
    };
    Ok(Audience { wanted, readers })
}

/// The frontmatter of a memory sealed for an audience.
pub fn seal_head(head: &mut Frontmatter, audience: &Audience) -> Result<(), SealProblem> {
    let readers: Vec<String> = audience.readers.iter().map(MemberId::to_string).collect();
    let mut set = head.set_list(&[SEALED_FIELD], &readers);
    if audience.is_plain() {
        head.remove(&[SEALED_FOR_FIELD]);
    } else {
        let wanted: Vec<String> = audience.wanted.iter().map(Wanted::to_string).collect();
        set &= head.set_list(&[SEALED_FOR_FIELD], &wanted);
    }
    if set { Ok(()) } else { Err(SealProblem::Frontmatter) }
}

/// The frontmatter of a memory that is not sealed any more.
pub fn unseal_head(head: &mut Frontmatter) {
    for field in [SEALED_FIELD, SEALED_FOR_FIELD, SECRETS_FIELD] {
        head.remove(&[field]);
    }
}
