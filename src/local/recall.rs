//! Recalls the memories that matter for a prompt, from the private layer and the team's.
//! Border: reads and ranks; which memory matters is `recall`, showing it the doors'. A memory that
//! cannot be read is named and left out; nothing is ever written.

use std::path::Path;

use rayon::prelude::*;

use crate::base::time::Timestamp;
use crate::local::layers::{LayerFile, Layers};
use crate::memory::document::Document;
use crate::memory::kind::{Kind, Scope};
use crate::recall::candidate::{Candidate, Indexed, index};
use crate::recall::excerpt::{EXCERPT_BYTES_MAX, age_advice, age_days, excerpt};
use crate::recall::query::{Query, Request};
use crate::recall::ranking::{Ranking, rank_indexed};
use crate::recall::terms::Reader;
use crate::seal::envelope::is_sealed;
use crate::system::files::FileError;

/// So many of the newest memories are candidates.
pub const CANDIDATES_MAX: usize = 200;
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

/// A file that was read.
struct Loaded {
    candidate: Candidate,
    indexed: Indexed,
    memory: Memory,
}

/// Recalls at most `limit` memories for a query. `now` is in seconds since the epoch.
pub fn recall(memdir: &Path, query: &Query, limit: usize, now: i64) -> Result<Recalled, FileError> {
    let layers = Layers::open(memdir)?;
    let mut found = layers.files()?;
    let older = found.len().saturating_sub(CANDIDATES_MAX);
    found.truncate(CANDIDATES_MAX);

    let request = Request::of(&mut Reader::default(), query);
    let read = read_all(&layers, &found, &request, now);
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

/// Reads and counts the files, several at a time, in their order.
fn read_all(
    layers: &Layers,
    found: &[LayerFile],
    request: &Request,
    now: i64,
) -> Vec<Result<Loaded, (String, FileError)>> {
    let pairs = request.pairs();
    let batch = |files: &[LayerFile]| -> Vec<_> {
        let mut reader = Reader::default();
        let read = files.iter().filter_map(|file| {
            let root = layers.root(file.layer)?;
            let path = file.path();
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

/// A file as the ranking sees it and as it is handed out.
fn take_in(
    file: &LayerFile,
    path: String,
    head: &[u8],
    bytes: u64,
    now: i64,
) -> (Candidate, Memory) {
    let text = String::from_utf8_lossy(head);
    let document = Document::parse(&text);
    let parts = document.parts();
    let frontmatter = parts.as_ref().and_then(|parts| parts.0.as_ref());
    let scalar = |key: &str| {
        let frontmatter = frontmatter?;
        let top = frontmatter.scalar(&[key]).filter(|value| !value.is_empty());
        top.or_else(|| frontmatter.scalar(&["metadata", key]).filter(|value| !value.is_empty()))
    };
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
        supersedes: frontmatter.map(|head| head.names(&["supersedes"])).unwrap_or_default(),
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
