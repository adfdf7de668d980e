//! One change as an audit sees it: when, who, what, and the verdict.
//! Border: values. Every text of others is escaped for display; no secret's value is in it.

use serde::{Serialize, Serializer};

use super::verdict::Verdict;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::secrets::finding::record::FindingRecord;
use crate::secrets::masking::without;
use crate::trust::key::Fingerprint;

/// One change of team memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The commit.
    pub commit: ObjectId,
    /// What it builds on.
    pub parents: Vec<ObjectId>,
    /// When the change was written, as RFC 3339.
    #[serde(serialize_with = "as_text")]
    pub time: Timestamp,
    /// The name the commit gives for its author; anyone can write any.
    pub author: String,
    /// The address the commit gives.
    pub email: String,
    /// The member whose key signed it; `None` when nobody is proven.
    pub member: Option<String>,
    /// The member its trailer names, proven or not.
    pub claimed: Option<String>,
    /// The agent that wrote it on the member's behalf, as its trailer says.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The fingerprint of the key that signed exactly this content; `None` without such a signature.
    pub key: Option<Fingerprint>,
    /// The first line of the message.
    pub subject: String,
    /// Whether it is part of this team memory; `false` when it was offered and not taken.
    pub taken: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it is a merge whose content is not what its parents merge to.
    pub altered_merge: bool,
    /// What it changes; for a merge, beside what its parents merge to.
    pub files: Vec<Touched>,
    /// Credentials that came into the history with it.
    pub secrets: Vec<Leak>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content changed.
    Edited,
    /// It is gone.
    Deleted,
    /// It has a new name.
    Renamed,
}

/// One file of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Touched {
    /// The file, below `team/`.
    pub path: String,
    /// What happened to it.
    pub deed: ChangeKind,
    /// Its name before, when it was renamed.
    pub from: Option<String>,
    /// What of it: fields of a memory (`text` is its body), entries of the index, members of the
    /// roster; `+` is new, `-` is gone.
    pub fields: Vec<String>,
    /// Its content before.
    #[serde(skip)]
    pub old: Option<ObjectId>,
    /// Its content after.
    #[serde(skip)]
    pub new: Option<ObjectId>,
}

/// A credential in the history. The value is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leak {
    /// What was found and where; the path is `(message)` for the commit message.
    #[serde(flatten)]
    pub finding: FindingRecord,
    /// Whether the newest state still holds it. History holds it either way.
    pub present: bool,
}

/// What stands for the commit message where a file is expected.
pub const MESSAGE_PATH: &str = "(message)";

impl Event {
    /// Who it is by: the proven member, else the name the commit gives.
    pub fn who(&self) -> &str {
        self.member.as_deref().unwrap_or(&self.author)
    }

    /// Whether a person has to look at it: it is refused, a merge with content of its own, or it
    /// brought a credential.
    pub fn needs_attention(&self) -> bool {
        self.verdict.class.is_refused() || self.altered_merge || !self.secrets.is_empty()
    }

    /// Masks credentials in the names of files, also where an index or a subject names them, and the
    /// given values.
    pub fn mask_names(&mut self, values: &[Vec<u8>]) {
        let mask = |text: &mut String| *text = without(text, values.iter().map(Vec::as_slice));
        mask(&mut self.subject);
        for file in &mut self.files {
            mask(&mut file.path);
            file.from.iter_mut().for_each(mask);
            file.fields.iter_mut().for_each(mask);
        }
        self.secrets.iter_mut().for_each(|leak| mask(&mut leak.finding.path));
    }

    /// The names an event can be looked for by: the class of its verdict, `altered-merge`, `secret`.
    pub fn tags(&self) -> Vec<&'static str> {
        let mut tags = vec![self.verdict.class.name()];
        tags.extend(self.altered_merge.then_some("altered-merge"));
        tags.extend((!self.secrets.is_empty()).then_some("secret"));
        tags
    }
}

impl ChangeKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
        }
    }
}

/// Writes a moment as RFC 3339.
pub(crate) fn as_text<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(time)
}
