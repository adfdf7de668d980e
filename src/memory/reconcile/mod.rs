//! Makes an index and the memories beside it agree, and says each change.
//! Border: on values; deterministic and idempotent; a line that needs no change keeps every byte.
//!
//! The one rule, whoever asks. Every memory is reachable (`reach`); one that is not gets an entry. An
//! entry goes only with its memory: what never was there stays and is noted. A line that is no entry
//! never goes and never moves. An entry follows its memory (`follow`). A folder entry stands for all
//! memories in that folder, and a folder with an index of its own lists its memories there.

mod compose;
mod since;
mod known;
mod reach;
mod duplicate;
mod kept_out;
mod follow;
mod notes;
mod place;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

pub use self::kept_out::{lone_entries, with_words_of, without_entries};
pub use self::since::{Since, is_quiet_edit};

use self::compose::Style;
use self::duplicate::Duplicates;
use self::follow::{Followed, follow};
use self::known::{Known, Meaning};
use self::reach::Orphan;
use super::index::{Block, BlockKind, Entry, Index};
use super::limits::INDEX_FILE_BYTES_MAX;
use super::problem::Problem;
use super::snapshot::Files;
use crate::base::display::Escaped;
use crate::base::text::dominant_eol;

/// Passes until nothing changes. A second one is needed only where a dropped line changes how the
/// next is read; more than three have not been met.
const PASSES_MAX: usize = 8;

/// The folder an index is reconciled with.
pub struct Setting<'a> {
    /// Its files.
    pub files: &'a dyn Files,
    /// What became of them since the index was last in line with them.
    pub since: &'a Since,
    /// Names that are no memories but that an entry may mean, for example `images/` or a file whose
    /// name no team memory may have. One that ends in `/` is a folder.
    pub others: &'a [String],
    /// The folder's own path, `/` between components. A target that starts with the end of it means a
    /// file in the folder.
    pub own: &'a str,
    /// How large the index may become by entries that are added.
    pub bytes_max: usize,
}

impl<'a> Setting<'a> {
    /// A folder without history, with nothing in it but these files.
    pub fn of(files: &'a dyn Files, since: &'a Since) -> Self {
        Self { files, since, others: &[], own: "", bytes_max: INDEX_FILE_BYTES_MAX }
    }
}

/// An index that agrees with its files, and what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconciliation {
    /// The reconciled text; the same bytes where nothing had to change.
    pub text: String,
    /// What was done, in the order of the lines.
    pub changes: Vec<IndexChange>,
    /// The text of every dropped entry.
    pub removed: Vec<Removed>,
    /// What a person should look at, by the lines of the new text.
    pub notes: Vec<Problem>,
    /// What a person should look at, by the lines of the old text.
    pub notes_before: Vec<Problem>,
}

/// One change of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", content = "entry", rename_all = "lowercase")]
pub enum IndexChange {
    /// Nothing led to a memory; the line is that of the new text.
    Added(Entry),
    /// The memory of an entry was deleted; the line is that of the old text.
    Dropped(Entry),
    /// An entry stood twice in the same words; the line is that of the one that went.
    Folded(Entry),
    /// An entry follows its memory to a new path or description: how it reads now.
    Followed(Entry),
}

/// Lines that went with an entry, and where they stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// The file the entry pointed at.
    pub target: String,
    /// What went: whole lines, or what the entry said in a line that others share.
    pub text: String,
    /// The nearest line above that is not blank; `None` where there was none.
    pub above: Option<String>,
    /// Blank lines between that line and these.
    #[serde(default)]
    pub blank: usize,
}

impl IndexChange {
    /// The entry that came, went or changed.
    pub fn entry(&self) -> &Entry {
        match self {
            Self::Added(entry)
            | Self::Dropped(entry)
            | Self::Folded(entry)
            | Self::Followed(entry) => entry,
        }
    }

    /// The change in one line, escaped for display: what comes, goes (`-`, `=` where the same words
    /// stand above) or reads so now (`~`).
    pub fn shown(&self) -> String {
        let sign = match self {
            Self::Added(_) => '+',
            Self::Dropped(_) => '-',
            Self::Folded(_) => '=',
            Self::Followed(_) => '~',
        };
        let Entry { target, title, hook, .. } = self.entry();
        let hook = if hook.is_empty() { String::new() } else { format!(" — {}", Escaped(hook)) };
        format!("{sign} {} [{}]{hook}", Escaped(target), Escaped(title))
    }
}

/// Reconciles an index with its folder.
pub fn reconcile(index: &Index, setting: &Setting<'_>) -> Reconciliation {
    let known = Known::new(setting);
    let mut current = index.clone();
    let (mut changes, mut removed) = (Vec::new(), Vec::new());
    let mut notes = Vec::new();
    let mut notes_before = None;
    for _ in 0..PASSES_MAX {
        let pass = pass(&current, &known, setting.bytes_max);
        notes = pass.notes;
        notes_before.get_or_insert_with(|| notes.clone());
        if pass.changes.is_empty() {
            break;
        }
        changes.extend(pass.changes);
        removed.extend(pass.removed);
        current = Index::parse(&pass.text);
    }
    number_added(&mut changes, &current);
    let notes_before = notes_before.unwrap_or_default();
    Reconciliation { text: current.render(), changes, removed, notes, notes_before }
}

/// What one pass did.
#[derive(Default)]
struct Pass {
    text: String,
    changes: Vec<IndexChange>,
    removed: Vec<Removed>,
    notes: Vec<Problem>,
}

/// One pass over all blocks.
fn pass(index: &Index, known: &Known<'_>, bytes_max: usize) -> Pass {
    let mut pass = Pass::default();
    let mut duplicates = Duplicates::default();
    let mut absent = Vec::new();
    let meanings = index.blocks().iter().map(|block| meanings(block, known)).collect();
    let meanings: Vec<Vec<Meaning<'_>>> = without_taken_names(meanings);
    let mut kept = Vec::with_capacity(index.blocks().len());
    let mut above = Above::default();
    for (block, meanings) in index.blocks().iter().zip(&meanings) {
        let text = match follow(block, meanings, known) {
            Followed::Text(text, followed) => {
                pass.changes.extend(followed.into_iter().map(IndexChange::Followed));
                Cow::Owned(text)
            }
            other => {
                if let Followed::Stuck(entries) = other {
                    pass.notes.extend(entries.iter().map(notes::cannot_follow));
                }
                trimmed((block, &above), meanings, &mut duplicates, &mut pass)
            }
        };
        above.pass(&text);
        kept.push(text);
        // A name in backticks is an entry only where the file is there.
        let is_link = block.raw.contains("](") || block.raw.contains("[[");
        let lost = block.entries.iter().zip(meanings).filter(|(_, m)| **m == Meaning::Absent);
        absent.extend(lost.filter(|_| is_link).map(|(entry, _)| entry.clone()));
    }
    pass.notes.extend(duplicates.notes());
    pass.notes.extend(notes::absent(&absent));
    let pointed: Vec<Meaning<'_>> = meanings.into_iter().flatten().collect();
    let orphans = reach::orphans(known, &pointed, &index.render());
    add(&mut pass, index, &kept, &orphans, bytes_max);
    pass
}

/// What stands above the next block.
#[derive(Default)]
struct Above {
    line: Option<String>,
    blank: usize,
}

impl Above {
    fn pass(&mut self, text: &str) {
        for line in text.lines() {
            if line.trim().is_empty() {
                self.blank += 1;
            } else {
                *self = Self { line: Some(line.to_owned()), blank: 0 };
            }
        }
    }
}

/// Gives every memory without a way its entry, and puts the text together.
fn add(
    pass: &mut Pass,
    index: &Index,
    kept: &[Cow<'_, str>],
    orphans: &[Orphan<'_>],
    bytes_max: usize,
) {
    let style = Style::of(index);
    let eol = dominant_eol(&index.render());
    let places = place::Places::of(index, kept);
    let mut added: BTreeMap<Option<usize>, String> = BTreeMap::new();
    let mut room = bytes_max.saturating_sub(kept.iter().map(|text| text.len()).sum());
    for (number, orphan) in orphans.iter().enumerate() {
        let place = places.place(orphan.kind);
        let entry = compose::entry(orphan);
        let line = format!("{}{}{eol}", places.indentation(place), compose::line(&entry, &style));
        let Some(left) = room.checked_sub(line.len() + 2 * eol.len()) else {
            pass.notes.push(notes::full(orphans.len() - number, bytes_max));
            break;
        };
        room = left;
        added.entry(place).or_default().push_str(&line);
        pass.changes.push(IndexChange::Added(entry));
    }
    pass.text = places.assemble(kept, &added, eol);
}

fn meanings<'a>(block: &Block, known: &Known<'a>) -> Vec<Meaning<'a>> {
    block.entries.iter().map(|entry| known.meaning(block, entry)).collect()
}

/// A renamed memory whose new name has an entry already needs no second one.
fn without_taken_names<'a>(mut meanings: Vec<Vec<Meaning<'a>>>) -> Vec<Vec<Meaning<'a>>> {
    let mut taken: HashSet<&str> = HashSet::new();
    for meaning in meanings.iter().flatten() {
        if let Meaning::File(path) = meaning {
            taken.insert(path);
        }
    }
    for meaning in meanings.iter_mut().flatten() {
        if let Meaning::Renamed(path) = meaning
            && taken.contains(*path)
        {
            *meaning = Meaning::Deleted;
        }
    }
    meanings
}

/// The text of a block without the entries that must go; its own where nothing went.
fn trimmed<'b, 'a>(
    (block, above): (&'b Block, &Above),
    meanings: &[Meaning<'a>],
    duplicates: &mut Duplicates<'a>,
    pass: &mut Pass,
) -> Cow<'b, str> {
    let gone: Vec<bool> = meanings.iter().map(|meaning| *meaning == Meaning::Deleted).collect();
    let is_heading = block.kind == BlockKind::Section;
    let mut is_repeated =
        |at: usize| !is_heading && duplicates.is_repeated(block, at, &meanings[at]);
    let drop: Vec<bool> = (0..gone.len()).map(|at| gone[at] || is_repeated(at)).collect();
    if !drop.contains(&true) {
        return Cow::Borrowed(&block.raw);
    }
    let Some(text) = block.without(&drop).filter(|text| leaves(text, block, &drop)) else {
        let kept = block.entries.iter().zip(&gone).filter(|(_, gone)| **gone);
        pass.notes.extend(kept.map(|(entry, _)| notes::cannot_cut(entry)));
        return Cow::Borrowed(&block.raw);
    };
    for (at, entry) in block.entries.iter().enumerate().filter(|(at, _)| drop[*at]) {
        if !gone[at] {
            pass.changes.push(IndexChange::Folded(entry.clone()));
            continue;
        }
        let own = block.raw.strip_suffix(text.as_str()).unwrap_or(&block.raw);
        let whole = (block.entries.len() == 1).then(|| own.to_owned());
        let words = || block.words(at).map(|words| format!("- {words}\n"));
        pass.removed.push(Removed {
            target: entry.target.clone(),
            text: whole.or_else(words).unwrap_or_else(|| block.raw.clone()),
            above: above.line.clone(),
            blank: above.blank,
        });
        pass.changes.push(IndexChange::Dropped(entry.clone()));
    }
    // A line that stood below an entry is not to read as part of the one above.
    let is_list = above.line.as_deref().is_some_and(|line| !line.starts_with('#'));
    if drop.iter().all(|drop| *drop) && !text.is_empty() && is_list && above.blank == 0 {
        return Cow::Owned(dominant_eol(&text).to_owned() + &text);
    }
    Cow::Owned(text)
}

/// Tells whether the entries that stay read the same after the cut.
fn leaves(text: &str, block: &Block, drop: &[bool]) -> bool {
    let shown = |entry: &Entry| (entry.target.clone(), entry.title.clone(), entry.hook.clone());
    let stay =
        block.entries.iter().zip(drop).filter(|(_, drop)| !**drop).map(|(entry, _)| shown(entry));
    let stay: Vec<_> = stay.collect();
    stay.is_empty() || Index::parse(text).entries().map(shown).eq(stay)
}

/// Gives added entries the line they have in the final text.
fn number_added(changes: &mut [IndexChange], index: &Index) {
    let lines: BTreeMap<&str, usize> =
        index.entries().map(|entry| (entry.target.as_str(), entry.line)).collect();
    for change in changes {
        if let IndexChange::Added(entry) | IndexChange::Followed(entry) = change {
            entry.line = lines.get(entry.target.as_str()).copied().unwrap_or_default();
        }
    }
}
