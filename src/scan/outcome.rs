//! What a scan found, read, skipped and could not read.
//! Border: values only; how they are written is `report`.

use crate::base::id::ObjectId;
use crate::secrets::Finding;
use crate::secrets::masking::without_values;

/// A finding and where its text was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file, as it was named or found, a credential in its name masked.
    pub path: String,
    /// The commit that first holds it; `None` outside a history.
    pub commit: Option<ObjectId>,
    /// The finding.
    pub finding: Finding,
}

/// Something that could not be scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The file or object.
    pub path: String,
    /// Why, in a few words.
    pub reason: String,
}

/// So many findings are kept, some 1 KB each: what is full of credentials must not fill the memory.
pub const FINDINGS_MAX: usize = 100_000;

/// Everything a scan has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanOutcome {
    /// Findings that are not accepted, by path and place.
    pub findings: Vec<Located>,
    /// Findings beyond [`FINDINGS_MAX`]; they count, and are listed nowhere.
    pub unlisted: usize,
    /// Findings that a list, a baseline or a comment accepts.
    pub allowed: usize,
    /// Texts scanned.
    pub files: usize,
    /// Bytes scanned.
    pub bytes: u64,
    /// Files that hold no text.
    pub binary: usize,
    /// Texts of `files` that an earlier scan with the same rules found clean.
    pub known: usize,
    /// Places where history is cut off, so that what lies before was not scanned.
    pub cuts: usize,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Objects of a history, by their class, with a finding, accepted ones too.
    pub(crate) touched: Vec<(ObjectId, u128)>,
}

impl ScanOutcome {
    /// Takes in what another part of the same scan found.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.unlisted += other.unlisted;
        let room = FINDINGS_MAX.saturating_sub(self.findings.len());
        self.unlisted += other.findings.len().saturating_sub(room);
        self.findings.extend(other.findings.into_iter().take(room));
        self.allowed += other.allowed;
        self.files += other.files;
        self.bytes += other.bytes;
        self.binary += other.binary;
        self.known += other.known;
        self.cuts += other.cuts;
        self.touched.extend(other.touched);
        self.unreadable.extend(other.unreadable);
        self
    }

    /// Puts everything into one order, whatever order it was found in.
    pub(crate) fn sorted(mut self) -> Self {
        self.findings.sort_by(|a, b| {
            let key = |f: &Located| (f.path.clone(), f.finding.start, f.commit);
            key(a).cmp(&key(b))
        });
        self.findings.dedup();
        for unreadable in &mut self.unreadable {
            unreadable.path = without_values(&unreadable.path, b"", &[]);
        }
        self.unreadable.sort_by(|a, b| a.path.cmp(&b.path));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Scanner;

    #[test]
    fn findings_beyond_the_limit_are_counted_and_not_kept() {
        let token = ["ghp", "_", "ba8D1rTkY0WxZ", "q3mVnL5sJ7cHfE2g", "u0XfRi5"].concat();
        let finding = Scanner::builtin().scan("a.md", token.as_bytes()).remove(0);
        let outcome = |count: usize| {
            let located =
                Located { path: "a.md".to_owned(), commit: None, finding: finding.clone() };
            ScanOutcome { findings: vec![located; count], ..ScanOutcome::default() }
        };
        let full = outcome(FINDINGS_MAX - 1).merge(outcome(1));
        assert_eq!((full.findings.len(), full.unlisted), (FINDINGS_MAX, 0));
        let over = full.merge(outcome(2)).merge(outcome(1));
        assert_eq!((over.findings.len(), over.unlisted), (FINDINGS_MAX, 3));
    }
}
