//! Recalls the memories that matter for a prompt, from the private layer and the team's.
//! Border: reads and ranks; which memory matters is `recall`, showing it the doors'. A memory that
//! cannot be read is named and left out; nothing is ever written.

use std::path::Path;

use rayon::prelude::*;

use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::memory::document::{Document, FieldValue};
use crate::memory::kind::{Kind, Scope};
use crate::recall::candidate::{Candidate, Indexed, index};
use crate::recall::excerpt::{EXCERPT_BYTES_MAX, age_advice, age_days, excerpt};
use crate::recall::query::{Query, Request};
use crate::recall::ranking::{Ranking, rank_indexed};
use crate::recall::terms::Reader;
use crate::seal::envelope::is_sealed;
use crate::system::files::{ClosedFolder, FileError, FileKind, Root, WalkLimits};

/// So many of the newest memories are candidates.
pub const CANDIDATES_MAX: usize = 200;
/// The team memory's folder inside the memory directory.
const TEAM: &str = "team";
/// The journal's folder, whose days are no memories.
const JOURNAL: &str = "logs";
/// Files that one thread reads at a time; each batch meets its words anew.
const FILES_A_BATCH: usize = 50;

/// What was recalled, and why.
#[derive(Debug)]
pub struct Recalled {
    /// The memories, best first; empty when none is certain to help.
    pub memories: Vec<Memory>,
    /// All candidates as the ranking numbers them.
    pub candidates: Vec<Candidate>,
    /// The verdict on each.
    pub ranking: Ranking,
    /// Memories that could not be read, with the reason.
    pub unread: Vec<(String, FileError)>,
    /// How many older memories were not looked at.
    pub older: usize,
}

/// A recalled memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Below the memory directory: `x.md`, `team/x.md`.
    pub path: String,
    /// The layer it is in.
    pub layer: Scope,
    /// Its kind, if it is one of the four.
    pub kind: Option<Kind>,
    /// How well it answers.
    pub score: f64,
    /// Whole days since it last changed.
    pub age_days: u64,
    /// Who wrote it, where the memory says so.
    pub author: Option<String>,
    /// Its text, at most 4,096 bytes; of a sealed one only the frontmatter.
    pub text: String,
    /// How many bytes of it are left out.
    pub cut_bytes: u64,
    /// Whether its text is sealed.
    pub is_sealed: bool,
}

impl Memory {
    /// What to know before relying on it: layer, kind, author, and from the second day on its age.
    pub fn facts(&self) -> Vec<String> {
        let mut facts = vec![self.layer.name().to_owned()];
        facts.extend(self.kind.map(|kind| kind.to_string()));
        facts.extend(self.author.as_ref().map(|author| format!("by {author}")));
        facts.extend(age_advice(self.age_days));
        facts
    }
}

/// A file that may be a candidate.
struct Found {
    layer: Scope,
    /// Below the layer's folder.
    file: String,
    modified_ns: i64,
}

/// A file that was read.
struct Loaded {
    candidate: Candidate,
    indexed: Indexed,
    memory: Memory,
}

/// Recalls at most `limit` memories for a query. `now` is in seconds since the epoch.
pub fn recall(memdir: &Path, query: &Query, limit: usize, now: i64) -> Result<Recalled, FileError> {
    let layers = [(Scope::Private, memdir.to_owned()), (Scope::Team, memdir.join(TEAM))];
    let mut roots = Vec::new();
    let mut found = Vec::new();
    for (layer, folder) in layers {
        let Some(root) = open_if_there(&folder)? else { continue };
        list(&root, layer, &mut found)?;
        roots.push((layer, root));
    }
    found.sort_by(|one, other| {
        let newest = other.modified_ns.cmp(&one.modified_ns);
        newest.then_with(|| path_of(one).cmp(&path_of(other)))
    });
    let older = found.len().saturating_sub(CANDIDATES_MAX);
    found.truncate(CANDIDATES_MAX);

    let request = Request::of(&mut Reader::default(), query);
    let read = read_all(&roots, &found, &request, now);
    let (mut candidates, mut indexed, mut read_memories) = (Vec::new(), Vec::new(), Vec::new());
    let mut unread = Vec::new();
    for one in read {
        match one {
            Ok(loaded) => {
                candidates.push(loaded.candidate);
                indexed.push(loaded.indexed);
                read_memories.push(Some(loaded.memory));
            }
            Err(reason) => unread.push(reason),
        }
    }
    let ranking = rank_indexed(&candidates, indexed, query, &request, limit);
    let mut memories = Vec::new();
    for judged in ranking.judged.iter().filter(|judged| judged.is_chosen) {
        let memory = read_memories[judged.place].take();
        memories.extend(memory.map(|memory| Memory { score: judged.score, ..memory }));
    }
    Ok(Recalled { memories, candidates, ranking, unread, older })
}

/// A memory directory that is not there holds nothing; a link in its place is not followed.
fn open_if_there(folder: &Path) -> Result<Option<Root>, FileError> {
    match Root::open(folder) {
        Ok(root) => Ok(Some(root)),
        Err(FileError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Adds the memories of a layer. Other files, links, pipes and names that cannot be shown are none.
fn list(root: &Root, layer: Scope, found: &mut Vec<Found>) -> Result<(), FileError> {
    let elsewhere: &[&str] = if layer == Scope::Private { &[TEAM, JOURNAL] } else { &[] };
    let limits = WalkLimits { closed: ClosedFolder::List, ..WalkLimits::default() };
    for file in root.walk_except(limits, elsewhere)? {
        let Ok(name) = String::from_utf8(file.path) else { continue };
        if file.stat.kind == FileKind::File && is_memory_name(&name, layer) {
            found.push(Found { layer, file: name, modified_ns: file.stat.modified_ns });
        }
    }
    Ok(())
}

/// Whether a file is a memory by its name: Markdown, not the index, nothing hidden. In the team's
/// layer the path gate has its say too.
fn is_memory_name(path: &str, layer: Scope) -> bool {
    if layer == Scope::Team && !MemoryPath::parse(path).is_ok_and(|path| path.is_memory()) {
        return false;
    }
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    let stem = path.strip_suffix(".md").unwrap_or_default();
    let aside = stem.eq_ignore_ascii_case("memory") || stem.eq_ignore_ascii_case("readme");
    !stem.is_empty() && !hidden && !aside && !path.chars().any(char::is_control)
}

/// Reads and counts the files, several at a time, in their order.
fn read_all(
    roots: &[(Scope, Root)],
    found: &[Found],
    request: &Request,
    now: i64,
) -> Vec<Result<Loaded, (String, FileError)>> {
    let pairs = request.pairs();
    let batch = |files: &[Found]| -> Vec<_> {
        let mut reader = Reader::default();
        let read = files.iter().filter_map(|file| {
            let root = roots.iter().find(|root| root.0 == file.layer).map(|root| &root.1)?;
            let path = path_of(file);
            Some(match root.read_head(&file.file, EXCERPT_BYTES_MAX) {
                Ok((head, bytes)) => {
                    let (candidate, memory) = take_in(file, path, &head, bytes, now);
                    let indexed = index(&mut reader, &candidate, &pairs);
                    Ok(Loaded { candidate, indexed, memory })
                }
                Err(error) => Err((path, error)),
            })
        });
        read.collect()
    };
    found.par_chunks(FILES_A_BATCH).map(batch).collect::<Vec<_>>().into_iter().flatten().collect()
}

fn path_of(file: &Found) -> String {
    match file.layer {
        Scope::Private => file.file.clone(),
        Scope::Team => format!("{TEAM}/{}", file.file),
    }
}

/// A file as the ranking sees it and as it is handed out.
fn take_in(file: &Found, path: String, head: &[u8], bytes: u64, now: i64) -> (Candidate, Memory) {
    let text = String::from_utf8_lossy(head);
    let document = Document::parse(&text);
    let parts = document.parts();
    let frontmatter = parts.as_ref().and_then(|parts| parts.0.as_ref());
    let scalar = |key: &str| {
        let frontmatter = frontmatter?;
        let top = frontmatter.scalar(&[key]).filter(|value| !value.is_empty());
        top.or_else(|| frontmatter.scalar(&["metadata", key]).filter(|value| !value.is_empty()))
    };
    let supersedes =
        frontmatter.and_then(|head| head.field(&["supersedes"])).map(|field| &field.value);
    let is_sealed = is_sealed(&document);
    let modified = scalar("modified").and_then(Timestamp::parse);
    let modified = modified.map_or(file.modified_ns / 1_000_000_000, |time| time.seconds);
    let kind = scalar("type").and_then(Kind::parse);
    let candidate = Candidate {
        path: path.clone(),
        name: scalar("name").unwrap_or_default().to_owned(),
        description: scalar("description").unwrap_or_default().to_owned(),
        kind,
        body: if is_sealed {
            String::new()
        } else {
            parts.as_ref().map_or(&*text, |parts| parts.1).to_owned()
        },
        modified,
        supersedes: match supersedes {
            Some(FieldValue::List(names)) => names.clone(),
            Some(FieldValue::Scalar(name)) if !name.is_empty() => vec![name.clone()],
            _ => Vec::new(),
        },
    };
    let (text, cut_bytes) = if is_sealed {
        (frontmatter.map(|head| head.render()).unwrap_or_default(), 0)
    } else {
        let (text, cut) = excerpt(&text, bytes);
        (text.to_owned(), cut)
    };
    let author = scalar("author").map(str::to_owned);
    let age_days = age_days(modified, now);
    let memory = Memory {
        path,
        layer: file.layer,
        kind,
        score: 0.0,
        age_days,
        author,
        text,
        cut_bytes,
        is_sealed,
    };
    (candidate, memory)
}
