//! Advice on memories: what their texts alone give reason to say, what is said elsewhere, what is gone.
//! Border: reads the memory directory, instruction files and the project; advises, and refuses nothing.
//! What cannot be read is left out.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ignore::gitignore::Gitignore;

use crate::base::text::Position;
use crate::instructions::{Files, Kind};
use crate::local::disk::Disk;
use crate::local::instructions::{Agent, Question, told};
use crate::local::layers::{LayerFile, Layers, TEAM, stem};
use crate::local::walk::files_of;
use crate::memory::advice::evidence::{Named, named};
use crate::memory::advice::repeats::Known;
use crate::memory::advice::{advice, repeated, superseded};
use crate::memory::document::Document;
use crate::memory::index::Index;
use crate::memory::kind::Scope;
use crate::memory::limits::{INDEX_FILE_BYTES_MAX, MEMORY_BYTES_MAX};
use crate::memory::problem::Problem;
use crate::seal::envelope::is_sealed;
use crate::system::env::Environment;
use crate::system::files::Root;

const INDEX: &str = "MEMORY.md";
/// Where the paths of the team's memories begin.
const TEAM_PREFIX: &str = "team/";
/// Memories that others are compared with.
const MEMORIES_MAX: usize = 5_000;
/// A file in which a symbol is looked for.
const SOURCE_BYTES_MAX: u64 = 1_000_000;

/// Where memories are, and what is around them.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The memory directory.
    pub memdir: &'a Path,
    /// The folder an agent runs in, for its instruction files.
    pub folder: &'a Path,
    /// The environment it runs in.
    pub environment: &'a Environment,
    /// The project that memories speak of; `None` where none is known.
    pub project: Option<&'a Path>,
}

/// What advice is given from: read once, asked for each memory.
#[derive(Debug)]
pub struct Advisor {
    instructions: Known,
    memories: Known,
    texts: BTreeMap<String, String>,
    /// The team's index.
    index: String,
    project: Option<Project>,
}

impl Advisor {
    /// Reads what memories are compared with.
    pub fn read(around: Around<'_>) -> Self {
        let mut instructions = Known::default();
        let question = Question {
            agent: Agent::ClaudeCode,
            folder: around.folder,
            environment: around.environment,
            memdir: None,
            touched: &[],
        };
        for entry in told(&question).entries.iter().filter(|entry| entry.kind != Kind::Memory) {
            instructions.add(entry.path.to_string_lossy().into_owned(), &entry.told);
        }
        let (mut memories, mut texts) = (Known::default(), BTreeMap::new());
        for (path, text) in all(around.memdir) {
            memories.add(path.clone(), Document::parse(&text).body());
            texts.insert(path, text);
        }
        let index = Root::open(&around.memdir.join(TEAM))
            .and_then(|root| root.read(INDEX, INDEX_FILE_BYTES_MAX as u64))
            .map(|raw| String::from_utf8_lossy(&raw).into_owned());
        let (index, project) = (index.unwrap_or_default(), around.project.map(Project::at));
        Self { instructions, memories, texts, index, project }
    }

    /// Advice on one memory, by its path below the memory directory; its text need not be there yet.
    pub fn of(&self, path: &str, text: &str) -> Vec<Problem> {
        let mut found = advice(text);
        let copy = repeated(text, &self.instructions, None);
        found.extend(copy.or_else(|| repeated(text, &self.memories, Some(path))));
        if let Some(project) = &self.project {
            found.extend(named(text).iter().filter_map(|named| project.lost(named)));
        }
        found
    }

    /// Advice on a memory that is there.
    pub fn of_file(&self, path: &str) -> Vec<Problem> {
        self.texts.get(path).map(|text| self.of(path, text)).unwrap_or_default()
    }

    /// Advice on every memory of the team: paths below its folder, in order. Of two copies the later
    /// one is told.
    pub fn of_team(&self) -> Vec<(String, Problem)> {
        let mut found = self.superseded_entries();
        for (path, text) in &self.texts {
            let Some(below) = path.strip_prefix(TEAM_PREFIX) else { continue };
            let mut problems = self.of(path, text);
            if self.has_later_copy(path, text) {
                problems.retain(|problem| problem.rule != "advice-repeats");
            }
            found.extend(problems.into_iter().map(|problem| (below.to_owned(), problem)));
        }
        found
    }

    /// Entries of the index whose memories another one of the team takes the place of.
    fn superseded_entries(&self) -> Vec<(String, Problem)> {
        let mut found = Vec::new();
        let index = Index::parse(&self.index);
        for (path, text) in &self.texts {
            let Some(by) = path.strip_prefix(TEAM_PREFIX) else { continue };
            let document = Document::parse(text);
            let names = document.frontmatter().map(|front| front.names(&["supersedes"]));
            for name in names.unwrap_or_default() {
                let is_meant = |target: &str| {
                    let text = self.texts.get(&format!("{TEAM_PREFIX}{target}"));
                    let bears =
                        text.is_some_and(|text| Document::parse(text).name() == Some(&name));
                    target != by && (bears || stem(target) == stem(&name))
                };
                let entries = index.entries().filter(|entry| is_meant(&entry.target));
                found.extend(entries.map(|entry| {
                    let at = Position { line: entry.line, column: 1 };
                    (INDEX.to_owned(), superseded(at, &entry.target, by))
                }));
            }
        }
        found
    }

    /// Whether two memories say the same, and the other one is the one to tell.
    fn has_later_copy(&self, path: &str, text: &str) -> bool {
        let copy = |path, text| self.memories.holding(Document::parse(text).body(), Some(path));
        copy(path, text).is_some_and(|other| {
            let back = self.texts.get(other).and_then(|text| copy(other, text));
            other > path && back == Some(path)
        })
    }
}

/// The memories of both layers that are text and not sealed.
fn all(memdir: &Path) -> Vec<(String, String)> {
    let Ok(layers) = Layers::open(memdir) else { return Vec::new() };
    let files = layers.files().unwrap_or_default();
    let read = |file: &LayerFile| {
        let raw = layers.root(file.layer)?.read(&file.file, MEMORY_BYTES_MAX as u64).ok()?;
        let text = String::from_utf8(raw).ok()?;
        let is_plain = file.layer == Scope::Private || !is_sealed(&Document::parse(&text));
        is_plain.then(|| (file.path(), text))
    };
    files.iter().take(MEMORIES_MAX).filter_map(read).collect()
}

/// A project, and its files once somebody asks for them.
#[derive(Debug)]
struct Project {
    root: PathBuf,
    ignored: Gitignore,
    files: OnceLock<Option<HashMap<String, Vec<PathBuf>>>>,
}

impl Project {
    fn at(root: &Path) -> Self {
        let (ignored, _) = Gitignore::new(root.join(".gitignore"));
        Self { root: root.to_owned(), ignored, files: OnceLock::new() }
    }

    /// What a memory names and the project has no longer.
    fn lost(&self, named: &Named) -> Option<Problem> {
        let file = self.root.join(&named.path);
        if file.is_file() {
            let symbol = named.symbol.as_deref()?;
            let content = Disk.read(&file, SOURCE_BYTES_MAX).ok()?;
            return match has_word(&String::from_utf8_lossy(&content), symbol) {
                true => None,
                false => named.without_symbol(),
            };
        }
        (!file.exists() && self.is_of_project(&named.path) && !self.is_elsewhere(&named.path)?)
            .then(|| named.gone())
    }

    /// Whether a path begins in a folder of the project, and git would see it.
    fn is_of_project(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or_default();
        self.root.join(first).is_dir()
            && !self.ignored.matched_path_or_any_parents(path, false).is_ignore()
    }

    /// Whether the path is one from a folder below; `None` where the project is too large to say.
    fn is_elsewhere(&self, path: &str) -> Option<bool> {
        let files = self.files.get_or_init(|| {
            let mut by_name: HashMap<String, Vec<PathBuf>> = HashMap::new();
            for file in files_of(&self.root)? {
                let name = file.file_name()?.to_string_lossy().into_owned();
                by_name.entry(name).or_default().push(file);
            }
            Some(by_name)
        });
        let name = path.rsplit('/').next().unwrap_or(path);
        let same = files.as_ref()?.get(name);
        Some(same.is_some_and(|files| files.iter().any(|file| file.ends_with(path))))
    }
}

/// Whether a text has a word, not as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let after = text[at + word.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}
