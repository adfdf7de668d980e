//! What an age file shows without a key: its version and the stanzas, one for each key that opens it.
//! Border: reads structure; that nobody altered it is proven only by opening it, when age checks the
//! MAC over all of this. Format: c2sp.org/age, "age-encryption.org/v1".

use std::io::Read as _;

use age::armor::ArmoredReader;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::SealProblem;
use crate::base::display::Escaped;
use crate::trust::key::PublicKey;

/// The first line of an armored age file.
pub const ARMOR_BEGIN: &str = "-----BEGIN AGE ENCRYPTED FILE-----";
/// The last line of an armored age file.
pub const ARMOR_END: &str = "-----END AGE ENCRYPTED FILE-----";
/// The only version.
const VERSION: &str = "age-encryption.org/v1";
/// What any version begins with.
const MAGIC: &str = "age-encryption.org/";
/// The stanza by which memsync names the readers; other programs skip it.
pub const READERS_STANZA: &str = "memsync-readers";
/// Largest sealed text that is looked at: a policy file's limit, more than any memory has.
pub const SEALED_BYTES_MAX: usize = crate::memory::limits::POLICY_BYTES_MAX;
/// A line of a stanza's body; a shorter one is its last.
const BODY_COLUMNS: usize = 64;
/// Bytes of a wrapped file key in base64 without padding.
const WRAPPED_KEY_CHARS: usize = 43;

/// Four bytes of the SHA-256 of an SSH key, as age shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyTag([u8; 4]);

impl KeyTag {
    /// The tag of a key.
    pub fn of(key: &PublicKey) -> Self {
        use sha2::{Digest as _, Sha256};
        let digest = Sha256::digest(key.to_blob());
        Self([digest[0], digest[1], digest[2], digest[3]])
    }
}

/// The header of an age file, as far as it is clear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// One for each SSH key it is sealed to.
    pub tags: Vec<KeyTag>,
    /// How many age identities it is sealed to; age keeps them anonymous.
    pub anonymous: usize,
    /// Whom memsync named when it sealed; `None` for a file by other means.
    pub named: Option<Vec<String>>,
}

impl Header {
    /// Reads the header of an armored age file, and that the armor is whole.
    pub fn read(armor: &str) -> Result<Self, SealProblem> {
        let raw = decode(armor)?;
        let mut lines = Lines { rest: &raw };
        let version = lines.next().ok_or(SealProblem::Damaged("it has no header"))?;
        if version != VERSION {
            let known = version.starts_with(MAGIC);
            let shown = || Escaped(&version.chars().take(60).collect::<String>()).to_string();
            return Err(if known { SealProblem::Version(shown()) } else { NOT_AGE });
        }
        let mut header = Self::default();
        let mut greases = 0;
        loop {
            let line = lines.next().ok_or(SealProblem::Damaged("its header ends early"))?;
            if line.starts_with("---") {
                break;
            }
            let stanza = line.strip_prefix("-> ").ok_or(HEADER)?;
            let words: Vec<&str> = stanza.split(' ').collect();
            let body = lines.body()?;
            match words[..] {
                ["ssh-ed25519", tag, _] if body == WRAPPED_KEY_CHARS => {
                    header.tags.push(read_tag(tag)?);
                }
                ["X25519", _] if body == WRAPPED_KEY_CHARS => header.anonymous += 1,
                [READERS_STANZA, ref names @ ..] if header.named.is_none() && body == 0 => {
                    header.named = Some(names.iter().map(|name| (*name).to_owned()).collect());
                }
                // age adds one that means nothing, so that readers learn to skip what they do not know.
                [kind, ..] if kind.ends_with("-grease") && greases == 0 => greases += 1,
                [kind, ..] => return Err(SealProblem::Kind(Escaped(kind).to_string())),
                [] => return Err(HEADER),
            }
        }
        header.tags.sort_unstable();
        Ok(header)
    }

    /// Whether it is sealed to a key.
    pub fn opens_with(&self, key: &PublicKey) -> bool {
        self.tags.binary_search(&KeyTag::of(key)).is_ok()
    }
}

const HEADER: SealProblem = SealProblem::Damaged("its header is not well-formed");
const NOT_AGE: SealProblem = SealProblem::Damaged("it is not an age file");

/// The bytes inside an armor that is exactly one armor and nothing else.
pub(super) fn decode(armor: &str) -> Result<Vec<u8>, SealProblem> {
    let text = armor.trim();
    if text.len() > SEALED_BYTES_MAX {
        return Err(SealProblem::Damaged("it is far too large"));
    }
    if !text.starts_with(ARMOR_BEGIN) {
        return Err(SealProblem::Plain);
    }
    if text.matches(ARMOR_BEGIN).count() > 1 {
        return Err(SealProblem::Damaged("it holds two sealed texts"));
    }
    match text.find(ARMOR_END) {
        None => return Err(SealProblem::Damaged("its end is missing")),
        Some(at) if at + ARMOR_END.len() < text.len() => return Err(SealProblem::Plain),
        Some(_) => {}
    }
    let mut raw = Vec::with_capacity(text.len());
    let read = ArmoredReader::new(text.as_bytes()).read_to_end(&mut raw);
    read.map_err(|_| SealProblem::Damaged("its armor is not well-formed"))?;
    Ok(raw)
}

fn read_tag(text: &str) -> Result<KeyTag, SealProblem> {
    let bytes = STANDARD_NO_PAD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.map(KeyTag).ok_or(HEADER)
}

/// The lines of the clear part; what follows the header is not text.
struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let end = self.rest.iter().position(|byte| *byte == b'\n')?;
        let (line, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        std::str::from_utf8(line).ok()
    }

    /// The characters of a stanza's body.
    fn body(&mut self) -> Result<usize, SealProblem> {
        let mut total = 0;
        loop {
            let line = self.next().ok_or(SealProblem::Damaged("its header ends early"))?;
            total += line.len();
            if line.len() > BODY_COLUMNS || line.starts_with('-') {
                return Err(HEADER);
            }
            if line.len() < BODY_COLUMNS {
                return Ok(total);
            }
        }
    }
}
