//! Reads, checks and reconciles the index of a folder of memories.
//! Border: one folder, without git and without a lock; the rules are `memory::index` and `memory::reconcile`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::base::text::Position;
use crate::memory::document::Document;
use crate::memory::index::{INDEX_OVER_CAP, INDEX_OVER_CAP_ADVICE, Index};
use crate::memory::limits::{INDEX_FILE_BYTES_MAX, index_bytes_max};
use crate::memory::problem::{Problem, Severity};
use crate::memory::reconcile::{IndexChange, Reconciliation, Setting, Since, reconcile};
use crate::memory::snapshot::Files;
use crate::secrets::Scanner;
use crate::store::folder::Folder;
use crate::system::files::{Durability, FileError, Root};
use crate::system::lock::LockError;

/// The name of the index in every folder.
const INDEX: &str = "MEMORY.md";

/// What is true of the index of a folder.
#[derive(Debug)]
pub struct IndexOutcome {
    /// The folder.
    pub folder: PathBuf,
    /// The index as it is in the folder now.
    pub index: Index,
    /// What reconciliation changes, or has changed when `written`.
    pub reconciliation: Reconciliation,
    /// Whether the reconciled index was written.
    pub written: bool,
    /// What is wrong, by file: first the index, then each memory in path order.
    pub problems: Vec<(String, Problem)>,
}

/// Why the index of a folder cannot be worked on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The folder has neither an index nor a memory.
    #[error("`{}` holds neither `MEMORY.md` nor a memory", folder.display())]
    NoMemories {
        /// The folder.
        folder: PathBuf,
    },
    /// The index is not text.
    #[error("`{}` is not valid UTF-8", path.display())]
    NotUtf8 {
        /// The index.
        path: PathBuf,
    },
    /// Someone else wrote the index while it was reconciled.
    #[error("`{}` changed while it was reconciled", path.display())]
    Changed {
        /// The index.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// The folder or the index cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl IndexOutcome {
    /// Whether the index in the folder is reconciled and an agent sees all of it.
    pub fn is_good(&self) -> bool {
        (self.written || self.reconciliation.changes.is_empty()) && self.index.size().fits()
    }
}

/// A folder and its index as they were read, before anything is changed.
#[derive(Debug)]
pub struct FolderIndex {
    files: Folder,
    before: Option<String>,
    index: Index,
}

impl FolderIndex {
    /// Reads a folder that holds an index or a memory.
    ///
    /// # Errors
    /// A folder with neither, or one that cannot be read.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let files = Folder::open(folder)?;
        let before = read(&files)?;
        let index = Index::parse(before.as_deref().unwrap_or_default());
        Ok(Self { files, before, index })
    }

    /// What reconciling with the files makes of the index; nothing is written.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn reconcile(&self, since: &Since) -> Result<Reconciliation, IndexError> {
        reconciled(&self.files, &self.index, since)
    }

    /// Replaces the index by what reconciling made of it, unless it is no longer what was read.
    ///
    /// # Errors
    /// [`IndexError::Changed`], or a file that cannot be written.
    pub fn write(&mut self, reconciliation: &Reconciliation) -> Result<(), IndexError> {
        write(self.files.root(), self.before.as_deref(), &reconciliation.text)?;
        self.index = Index::parse(&reconciliation.text);
        Ok(())
    }

    /// What is true of the folder now, each memory looked at.
    ///
    /// # Errors
    /// A memory that cannot be read.
    pub fn outcome(
        self,
        reconciliation: Reconciliation,
        written: bool,
    ) -> Result<IndexOutcome, IndexError> {
        let notes = if written { &reconciliation.notes } else { &reconciliation.notes_before };
        let problems = problems(&self.files, &self.index, notes)?;
        let folder = self.files.root().path().to_owned();
        Ok(IndexOutcome { folder, index: self.index, reconciliation, written, problems })
    }
}

/// What reconciling makes of the index of a folder, and what was in it before: nothing is written,
/// and an index that is no text counts as none.
pub(crate) fn preview(folder: &Path) -> Result<(Option<String>, Reconciliation), IndexError> {
    let files = Folder::open(folder)?;
    let before = files.root().read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?;
    let before = before.and_then(|raw| String::from_utf8(raw).ok());
    let index = Index::parse(before.as_deref().unwrap_or_default());
    Ok((before, reconciled(&files, &index, &Since::default())?))
}

/// Reconciles the index of a folder by the one rule. A memory whose entry would say a credential gets
/// none: the gate keeps the memory out, and would keep out the index with it.
fn reconciled(files: &Folder, index: &Index, since: &Since) -> Result<Reconciliation, IndexError> {
    let others = others(files, index)?;
    let folder = files.root().path();
    let own = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let own = own.to_string_lossy().replace('\\', "/");
    let bytes_max = index_bytes_max(files.paths().filter(|path| path.is_memory()).count());
    let setting =
        |files| Setting { others: &others, own: &own, bytes_max, ..Setting::of(files, since) };
    let whole = reconcile(index, &setting(files));
    let written = whole.changes.iter().filter_map(|change| match change {
        IndexChange::Added(entry) | IndexChange::Followed(entry) => Some(entry),
        _ => None,
    });
    let is_secret = |text: &str| !Scanner::builtin().scan(INDEX, text.as_bytes()).is_empty();
    let secret: Vec<&str> = written
        .filter(|entry| is_secret(&format!("- [{}](x.md) — {}", entry.title, entry.hook)))
        .map(|entry| entry.target.as_str())
        .collect();
    if secret.is_empty() {
        return Ok(whole);
    }
    Ok(reconcile(index, &setting(&Without { files, paths: &secret })))
}

/// A folder as if some files were not there.
struct Without<'a> {
    files: &'a Folder,
    paths: &'a [&'a str],
}

impl Files for Without<'_> {
    fn paths(&self) -> Box<dyn Iterator<Item = &MemoryPath> + '_> {
        Box::new(self.files.paths().filter(|path| !self.paths.contains(&path.as_str())))
    }

    fn content(&self, path: &MemoryPath) -> Option<Arc<[u8]>> {
        self.files.content(path).filter(|_| !self.paths.contains(&path.as_str()))
    }
}

/// The text of the index; `None` when there is none.
fn read(files: &Folder) -> Result<Option<String>, IndexError> {
    let raw = files.root().read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?;
    if raw.is_none() && !files.paths().any(|path| path.is_memory()) {
        return Err(IndexError::NoMemories { folder: files.root().path().to_owned() });
    }
    let path = || files.root().path().join(INDEX);
    raw.map(|raw| String::from_utf8(raw).map_err(|_| IndexError::NotUtf8 { path: path() }))
        .transpose()
}

/// Names that entries may mean besides memories: other files, and folders without any file.
fn others(files: &Folder, index: &Index) -> Result<Vec<String>, IndexError> {
    let mut others = files.others().to_vec();
    for entry in index.entries().filter(|entry| entry.target.ends_with('/')) {
        let folder = entry.target.trim_end_matches('/');
        let is_plain =
            !folder.is_empty() && !folder.split('/').any(|part| matches!(part, "" | "." | ".."));
        if is_plain && files.root().exists(folder).unwrap_or(false) {
            others.push(format!("{folder}/"));
        }
    }
    Ok(others)
}

/// Replaces the index, unless it is no longer what was read.
fn write(root: &Root, before: Option<&str>, text: &str) -> Result<(), IndexError> {
    let now = root.read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?;
    if now.as_deref() != before.map(str::as_bytes) {
        return Err(IndexError::Changed { path: root.path().join(INDEX) });
    }
    Ok(root.write_atomic(INDEX, text.as_bytes(), Durability::Durable)?)
}

fn problems(
    files: &Folder,
    index: &Index,
    notes: &[Problem],
) -> Result<Vec<(String, Problem)>, IndexError> {
    let mut problems = Vec::new();
    let notes = notes.iter().cloned().chain(over_cap(index));
    problems.extend(notes.map(|note| (INDEX.to_owned(), note)));
    for path in files.paths().filter(|path| path.is_memory()) {
        let found = match files.read(path).map(String::from_utf8) {
            Ok(Ok(text)) => Document::parse(&text).problems().to_vec(),
            Ok(Err(_)) => {
                vec![unreadable("memory-utf8", "the memory is not valid UTF-8".to_owned())]
            }
            Err(error @ FileError::TooLarge { .. }) => {
                vec![unreadable("memory-too-large", Escaped(&error.to_string()).to_string())]
            }
            Err(error) => return Err(error.into()),
        };
        problems.extend(found.into_iter().map(|problem| (path.as_str().to_owned(), problem)));
    }
    Ok(problems)
}

fn unreadable(rule: &'static str, message: String) -> Problem {
    let next_step = "Save it as UTF-8 text, in several files if it is too large.".to_owned();
    Problem { position: None, rule, severity: Severity::Error, message, next_step }
}

/// Says that an agent does not see all of the index.
fn over_cap(index: &Index) -> Option<Problem> {
    let over = index.over_cap()?;
    Some(Problem {
        position: over.hidden.first().map(|entry| Position { line: entry.line, column: 1 }),
        rule: INDEX_OVER_CAP,
        severity: Severity::Error,
        message: over.message(),
        next_step: INDEX_OVER_CAP_ADVICE.to_owned(),
    })
}
