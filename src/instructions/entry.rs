//! One file of what an agent is told, or that it is not told, and why.
//! Border: values and their words; who decides is `chain` and `codex`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::base::text::Position;
use crate::instructions::scope::Read;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Instructions of the organisation, on the machine.
    Managed,
    /// A person's own, for all projects.
    User,
    /// A project's, checked in.
    Project,
    /// A person's own for one project.
    Local,
    /// A rule, of whichever level.
    Rule,
    /// A file that another one imports.
    Import,
    /// The index of the private memory.
    Memory,
}

/// Whose instructions a file belongs to; for rules and imports, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The organisation's.
    Managed,
    /// The person's, for all projects.
    User,
    /// The project's.
    Project,
    /// The person's, for one project.
    Local,
}

/// Why a file is loaded, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// At the start of every session.
    Start,
    /// Because the file that imports it is.
    Imported,
    /// When a file in its folder is touched.
    Touched(PathBuf),
    /// Because its patterns match a file.
    Fired {
        /// The file.
        path: PathBuf,
        /// The first pattern that does.
        pattern: String,
    },
    /// Not: its patterns match no file that was named.
    Waiting(Vec<String>),
    /// Not: a setting leaves it out.
    Excluded(String),
    /// Not: it is too many imports away.
    TooDeep(usize),
    /// Not: it is outside the project, and nobody allowed that.
    Outside,
    /// Not: its extension is not one of text files.
    NotText,
    /// Not: it is not there.
    Missing,
    /// Not: it is a folder, a pipe or a device.
    NoFile,
    /// Not: it has more bytes than the client reads.
    TooLarge(u64),
    /// Not: the system refuses.
    Unreadable(String),
    /// Not: nothing is in it beside frontmatter and comments.
    Empty,
    /// Not: the project has instructions of the client's own name.
    Shadowed(PathBuf),
    /// Not: it is switched off, and by what.
    Off(String),
    /// Not: more files than memsync reads.
    Beyond,
}

impl State {
    /// Whether the agent gets the file.
    pub fn is_loaded(&self) -> bool {
        matches!(self, Self::Start | Self::Imported | Self::Touched(_) | Self::Fired { .. })
    }

    /// The reason in words; `shown` writes a path.
    pub fn reason(&self, shown: &dyn Fn(&Path) -> String) -> String {
        match self {
            Self::Start => "loaded in every session".to_owned(),
            Self::Imported => "imported".to_owned(),
            Self::Touched(path) => format!("in a folder above {}", shown(path)),
            Self::Fired { path, pattern } => {
                format!("its pattern `{pattern}` matches {}", shown(path))
            }
            Self::Waiting(patterns) => {
                let patterns: Vec<String> = patterns.iter().map(|p| format!("`{p}`")).collect();
                format!("waits for a file that matches {}", patterns.join(", "))
            }
            Self::Excluded(pattern) => format!("left out by the setting `{pattern}`"),
            Self::TooDeep(hops) => format!("more than {hops} imports away"),
            Self::Outside => {
                "outside the project, which has to be approved in the client".to_owned()
            }
            Self::NotText => {
                "its extension is not one of the text files that are imported".to_owned()
            }
            Self::Missing => "is not there".to_owned(),
            Self::NoFile => "is no regular file".to_owned(),
            Self::TooLarge(limit) => format!("has more than {limit} bytes"),
            Self::Unreadable(why) => format!("cannot be read: {why}"),
            Self::Empty => "has no text beside frontmatter and comments".to_owned(),
            Self::Shadowed(by) => format!("is not read where {} is", shown(by)),
            Self::Off(why) => format!("switched off: {why}"),
            Self::Beyond => "there are more files than memsync reads".to_owned(),
        }
    }
}

/// Where a file was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Importer {
    /// The file that imports.
    pub path: PathBuf,
    /// The `@` in it.
    pub at: Position,
    /// What is written there.
    pub written: String,
}

/// One file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it is, as the client names it.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Whose it is.
    pub level: Level,
    /// Why it is loaded, or not.
    pub state: State,
    /// Bytes on disk; 0 where it was not read.
    pub bytes: u64,
    /// Who imports it.
    pub importer: Option<Importer>,
    /// What its frontmatter says; `None` without one.
    pub front: Option<Read>,
    /// The whole text; empty where it was not read.
    pub raw: Arc<str>,
    /// What the model sees of it.
    pub told: String,
    /// Whether the whole of it is told: an index or a chain may be cut.
    pub cut: Option<String>,
    /// Where the patterns of a rule start.
    pub base: Option<PathBuf>,
}

impl Entry {
    /// A file that was not read.
    pub fn unread(path: PathBuf, kind: Kind, level: Level, state: State) -> Self {
        let raw = Arc::from("");
        let (bytes, told) = (0, String::new());
        Self {
            path,
            kind,
            level,
            state,
            bytes,
            importer: None,
            front: None,
            raw,
            told,
            cut: None,
            base: None,
        }
    }
}

/// What is told, as one text: each file that is loaded, in order, under a line that names it.
pub fn assembled(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries.iter().filter(|entry| entry.state.is_loaded()) {
        let kind = serde_json::to_value(entry.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default().to_owned();
        text.push_str(&format!(
            "Contents of {} ({kind}):\n\n{}\n\n",
            entry.path.display(),
            entry.told
        ));
        if let Some(cut) = &entry.cut {
            text.push_str(&format!("[{cut}]\n\n"));
        }
    }
    text
}
