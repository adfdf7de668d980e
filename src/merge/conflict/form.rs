//! A conflict record as a file: its name from its content, its one spelling, and reading it.
//! Border: text in, a record out; what it means for a memory is `resolve`'s.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::record::{CONFLICT_FORMAT, CONFLICTS_FOLDER, Conflict, ConflictSide, Content, Origin};
use super::render::render;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::merge::unresolved::{Part, Reason};

/// Hexadecimal digits of a record's id; 80 bits make an accident impossible.
const ID_DIGITS: usize = 20;

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConflictError {
    /// Not a record, or damaged.
    #[error("conflict record `{path}` cannot be read: {detail}")]
    Unreadable {
        /// The record's path.
        path: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The content does not give this name: somebody changed or made it by hand.
    #[error("conflict record `{path}` was changed by hand: its content belongs to id `{id}`")]
    NotItsName {
        /// The record's path.
        path: String,
        /// The id of the content.
        id: String,
    },
}

impl Conflict {
    /// The id: the start of the SHA-256 of the record.
    pub fn id(&self) -> String {
        let digest = Sha256::digest(self.render().as_bytes());
        let mut id: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        id.truncate(ID_DIGITS);
        id
    }

    /// The path of the record.
    pub fn record_path(&self) -> MemoryPath {
        MemoryPath::parse(&format!("{CONFLICTS_FOLDER}{}.yaml", self.id()))
            .expect("because the folder and hexadecimal digits are always allowed")
    }

    /// The record as YAML: one spelling, same bytes for equal conflicts.
    pub fn render(&self) -> String {
        render(self)
    }

    /// The conflict without what its record has no room for: what stood there before, which is in the
    /// history as well.
    pub(crate) fn fitted(self) -> Self {
        match self.render().len() > POLICY_BYTES_MAX {
            true => Self { base: None, ..self },
            false => self,
        }
    }

    /// Reads a record and checks that its content belongs to its name.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, ConflictError> {
        let unreadable = |detail: String| ConflictError::Unreadable {
            path: Escaped(path).to_string(),
            detail: Escaped(detail.lines().next().unwrap_or_default()).to_string(),
        };
        let text = std::str::from_utf8(bytes).map_err(|e| unreadable(e.to_string()))?;
        let file: File = serde_yaml::from_str(text).map_err(|e| unreadable(e.to_string()))?;
        let conflict = file.into_conflict().map_err(unreadable)?;
        let id = conflict.id();
        let named = path.rsplit('/').next().and_then(|name| name.strip_suffix(".yaml"));
        if named != Some(id.as_str()) {
            return Err(ConflictError::NotItsName { path: Escaped(path).to_string(), id });
        }
        Ok(conflict)
    }
}

/// The shape of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    path: String,
    part: String,
    #[serde(default)]
    name: String,
    reason: Reason,
    #[serde(default)]
    other_path: Option<String>,
    base: FileContent,
    kept: FileSide,
    other: FileSide,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSide {
    author: String,
    date: i64,
    offset: i32,
    #[serde(default)]
    commit: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    base64: Option<String>,
    #[serde(default)]
    absent: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileContent {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    base64: Option<String>,
    #[serde(default)]
    absent: bool,
}

impl File {
    fn into_conflict(self) -> Result<Conflict, String> {
        if self.format != CONFLICT_FORMAT {
            return Err(format!("format `{}` is not `{CONFLICT_FORMAT}`", self.format));
        }
        let part = match (self.part.as_str(), self.name) {
            ("file", _) => Part::File,
            ("field", name) => Part::Field(name),
            ("body", name) => Part::Body(name),
            ("entry", name) => Part::Entry(name),
            (part, _) => return Err(format!("part `{part}` is unknown")),
        };
        let memory_path = |path: &str| {
            let path = MemoryPath::parse(path).map_err(|e| e.to_string())?;
            // Closing it would write a record that no merge made.
            match path.as_str().starts_with(CONFLICTS_FOLDER) {
                true => Err("a record is about no other record".to_owned()),
                false => Ok(path),
            }
        };
        Ok(Conflict {
            path: memory_path(&self.path)?,
            part,
            reason: self.reason,
            other_path: self.other_path.as_deref().map(memory_path).transpose()?,
            base: content(self.base)?,
            kept: side(self.kept)?,
            other: side(self.other)?,
        })
    }
}

fn side(file: FileSide) -> Result<ConflictSide, String> {
    let commit = file.commit.map(|id| id.parse::<ObjectId>().map_err(|e| e.to_string()));
    let origin = Origin {
        author: file.author,
        date: Timestamp { seconds: file.date, offset: file.offset },
        commit: commit.transpose()?,
    };
    let given = FileContent { text: file.text, base64: file.base64, absent: file.absent };
    Ok(ConflictSide { origin, content: content(given)? })
}

fn content(file: FileContent) -> Result<Option<Content>, String> {
    match file {
        FileContent { text: None, base64: None, absent: true } => Ok(None),
        FileContent { text: Some(text), base64: None, absent: false } => {
            Ok(Some(Content::Text(text)))
        }
        FileContent { text: None, base64: Some(base64), absent: false } => {
            let bytes = STANDARD.decode(base64).map_err(|e| e.to_string())?;
            Ok(Some(Content::new(&bytes)))
        }
        _ => Err("a side needs exactly one of `text`, `base64` and `absent: true`".to_owned()),
    }
}
