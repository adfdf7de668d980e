//! The text of a file before and after a change, credentials masked, for reports that show diffs.
//! Border: reads blobs within a limit; how a diff looks is `report::html`'s.

use super::Audited;
use super::walk::masked;
use crate::audit::event::{Event, Touched};
use crate::base::id::ObjectId;
use crate::secrets::masking::without;

/// A longer text is not shown in a report: nobody reads a diff of it there.
pub const TEXT_BYTES_MAX: u64 = 100_000;

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// Before; empty where it was not there.
    pub old: String,
    /// After; empty where it is not there.
    pub new: String,
}

impl Audited {
    /// The texts of an event's files, in their order; `None` for one that is too large or no text.
    pub fn texts(&self, event: &Event) -> Vec<Option<FileText>> {
        event.files.iter().map(|file| self.text(file)).collect()
    }

    fn text(&self, file: &Touched) -> Option<FileText> {
        Some(FileText { old: self.side(file.old)?, new: self.side(file.new)? })
    }

    /// One side, every value the scanner found masked, also accepted ones.
    fn side(&self, id: Option<ObjectId>) -> Option<String> {
        let Some(id) = id else { return Some(String::new()) };
        let content = self.team.repo.blob(id, TEXT_BYTES_MAX).ok()?;
        let text = std::str::from_utf8(&content).ok()?;
        let findings = self.findings.get(&id)?;
        let shown = masked(text, findings);
        Some(match self.in_names.is_empty() {
            true => shown,
            false => without(&shown, self.in_names.iter().map(Vec::as_slice)),
        })
    }
}
