//! `memsync recall --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::local::recall::{Memory, Recalled};
use crate::recall::candidate::Field;
use crate::recall::excerpt::age_advice;
use crate::recall::ranking::{Judged, Note};
use crate::recall::subject::Replaced;

/// Format of [`RecallDocument`].
pub const RECALL_FORMAT: &str = "memsync.recall/1";

/// What was recalled.
#[derive(Clone, Debug, Serialize)]
pub struct RecallDocument<'a> {
    /// Best first; empty when none is certain to help.
    pub memories: Vec<RecalledMemory<'a>>,
    /// The verdict on every candidate; only with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained<'a>>,
}

/// A recalled memory.
#[derive(Clone, Debug, Serialize)]
pub struct RecalledMemory<'a> {
    /// Below the memory directory: `x.md`, `team/x.md`.
    pub path: &'a str,
    /// `private` or `team`.
    pub layer: &'static str,
    /// `user`, `feedback`, `project` or `reference`; `null` for anything else.
    pub kind: Option<&'static str>,
    /// How well it answers, to three places; to be compared within one answer only.
    pub score: f64,
    /// Whole days since it last changed.
    pub age_days: u64,
    /// From the second day on: how old it is, and to verify it.
    pub advice: Option<String>,
    /// Who wrote it, where the memory says so.
    pub author: Option<&'a str>,
    /// Its text, at most 4,096 bytes; of a sealed memory only the frontmatter.
    pub text: &'a str,
    /// How many bytes of it are left out.
    pub cut_bytes: u64,
    /// Whether its text is sealed.
    pub sealed: bool,
}

/// Where the line was drawn, and every candidate.
#[derive(Clone, Debug, Serialize)]
pub struct Explained<'a> {
    /// What the best one had to reach.
    pub line: f64,
    /// What the others had to reach beside it.
    pub beside: f64,
    /// Whether the prompt says that it carries all it needs, which lowers every score.
    pub self_contained: bool,
    /// How many older memories were not looked at.
    pub older: usize,
    /// Best first; those that are left out whatever they score come last.
    pub candidates: Vec<ExplainedCandidate<'a>>,
}

/// The verdict on a candidate.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedCandidate<'a> {
    /// Below the memory directory.
    pub path: &'a str,
    /// Its score.
    pub score: f64,
    /// Whether it is recalled.
    pub chosen: bool,
    /// What it answers, the heaviest first.
    pub matches: Vec<ExplainedMatch<'a>>,
    /// What raised, lowered or barred it, as sentences.
    pub notes: Vec<String>,
}

/// A word of the prompt that a memory answers.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedMatch<'a> {
    /// The word of the prompt.
    pub word: &'a str,
    /// The meaning they share, where the memory has another word.
    pub meaning: Option<&'static str>,
    /// `name`, `description`, `body`.
    pub fields: Vec<&'static str>,
    /// What it added.
    pub weight: f64,
}

impl<'a> RecallDocument<'a> {
    /// Describes what was recalled.
    pub fn of(recalled: &'a Recalled, explain: bool) -> Self {
        let memories = recalled.memories.iter().map(RecalledMemory::of).collect();
        Self { memories, explained: explain.then(|| Explained::of(recalled)) }
    }
}

impl<'a> RecalledMemory<'a> {
    fn of(memory: &'a Memory) -> Self {
        Self {
            path: &memory.path,
            layer: memory.layer.name(),
            kind: memory.kind.map(|kind| kind.name()),
            score: rounded(memory.score),
            age_days: memory.age_days,
            advice: age_advice(memory.age_days),
            author: memory.author.as_deref(),
            text: &memory.text,
            cut_bytes: memory.cut_bytes,
            sealed: memory.is_sealed,
        }
    }
}

impl<'a> Explained<'a> {
    fn of(recalled: &'a Recalled) -> Self {
        let ranking = &recalled.ranking;
        let candidate = |judged: &'a Judged| ExplainedCandidate {
            path: &recalled.candidates[judged.place].path,
            score: rounded(judged.score),
            chosen: judged.is_chosen,
            matches: judged.matches.iter().map(ExplainedMatch::of).collect(),
            notes: judged.notes.iter().map(|note| sentence(*note, recalled)).collect(),
        };
        Self {
            line: rounded(ranking.line),
            beside: rounded(ranking.beside),
            self_contained: ranking.is_self_contained,
            older: recalled.older,
            candidates: ranking.judged.iter().map(candidate).collect(),
        }
    }
}

impl<'a> ExplainedMatch<'a> {
    fn of(matched: &'a crate::recall::score::Match) -> Self {
        let fields = matched.fields.iter().map(|field: &Field| field.name()).collect();
        let weight = rounded(matched.weight);
        Self { word: &matched.word, meaning: matched.meaning, fields, weight }
    }
}

/// A note as a sentence; paths are as they are on disk.
fn sentence(note: Note, recalled: &Recalled) -> String {
    let path = |place: usize| &recalled.candidates[place].path;
    match note {
        Note::WarnsAboutTool => "it warns about a tool in use".to_owned(),
        Note::DocumentsTool => "left out: the plain reference of a tool in use".to_owned(),
        Note::Surfaced => "left out: already shown".to_owned(),
        Note::ReplacedBy(new, Replaced::BySaying) => {
            format!("`{}` says that it replaces it", path(new))
        }
        Note::ReplacedBy(new, Replaced::ByLikeness) => {
            format!("`{}` is newer and on the same subject", path(new))
        }
        Note::Replaces(old) => format!("stands in for the older `{}`", path(old)),
        Note::ReplacedBySurfaced(new) => {
            format!("left out: `{}`, already shown, replaces it", path(new))
        }
        Note::AnsweredBefore => "a memory that was already shown answers better".to_owned(),
    }
}

/// To three places, so that documents are the same on every machine.
fn rounded(score: f64) -> f64 {
    (score * 1_000.0).round() / 1_000.0
}
