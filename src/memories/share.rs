//! Moves memories between the private layer and the team: all of those named, or none.
//! Border: copy first, remove last. Cut off between the two, a memory is in both layers with one text, and
//! the same command finishes.

use std::path::Path;

use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::folder::entry::{
    edit_index, edit_private_index, entry_line, entry_text, with_entry, without_entry,
};
use crate::folder::index::IndexError;
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::local::layers::{LayerFile, Layers};
use crate::memories::error::MoveError;
use crate::memories::kept::{Change, Kept};
use crate::memories::pick::{pick, refuse_meeting};
use crate::memory::document::Document;
use crate::memory::kind::{Kind, Scope};
use crate::memory::limits::{INDEX_FILE_BYTES_MAX, MEMORY_BYTES_MAX};
use crate::memory::personal::{Machine, Personal, personal, without};
use crate::seal::envelope::is_sealed;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::change::change_or;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::worktree::writable::writable;
use crate::sync::write::remember::check;
use crate::system::files::{Durability, Root};

const INDEX: &str = "MEMORY.md";

/// Where the memories are.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The memory directory.
    pub memdir: &'a Path,
    /// The team memory in it.
    pub team: &'a TeamPlace,
}

/// A memory that is to be moved.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its path, below the layer it is in and below the one it goes to.
    pub path: MemoryPath,
    /// The text as it is on disk.
    pub before: String,
    /// The text that goes.
    pub text: String,
    /// What is personal in the text on disk.
    pub personal: Vec<Personal>,
    /// Its entry in the index it leaves, with what the entry owns.
    entry: Option<String>,
}

/// What would be moved.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The memories, in the order in which they were named.
    pub items: Vec<Item>,
}

impl Plan {
    fn paths(&self) -> Vec<&str> {
        self.items.iter().map(|item| item.path.as_str()).collect()
    }

    /// Takes out what is personal in the texts.
    pub fn take_out_personal(&mut self) {
        for item in &mut self.items {
            item.text = without(&item.before, &item.personal);
        }
    }
}

/// Looks at private memories that are to go to the team; nothing is changed.
///
/// # Errors
/// A name that means none or several, and everything that speaks against one of them.
pub fn plan_share(
    places: Places<'_>,
    names: &[String],
    machine: Machine<'_>,
) -> Result<Plan, MoveError> {
    let mut plan = plan(places, names, Scope::Private)?;
    for item in &mut plan.items {
        let document = Document::parse(&item.before);
        if document.kind() == Some(Ok(Kind::User)) {
            return Err(MoveError::AboutAPerson(item.path.to_string()));
        }
        item.personal = personal(&item.before, machine);
    }
    Ok(plan)
}

/// Looks at team memories that are to go to the private layer; nothing is changed.
///
/// # Errors
/// A name that means none or several, a sealed memory, and a private one of that path.
pub fn plan_unshare(places: Places<'_>, names: &[String]) -> Result<Plan, MoveError> {
    let plan = plan(places, names, Scope::Team)?;
    if let Ok(private) = Root::open(places.memdir) {
        refuse_taken(&private, Scope::Private, &plan)?;
    }
    match plan.items.iter().find(|item| is_sealed(&Document::parse(&item.before))) {
        Some(item) => Err(MoveError::Sealed(item.path.to_string())),
        None => Ok(plan),
    }
}

fn plan(places: Places<'_>, names: &[String], from: Scope) -> Result<Plan, MoveError> {
    let layers = Layers::open(places.memdir)?;
    let mut items: Vec<Item> = Vec::new();
    for name in names {
        let file = pick(&layers, from, name)?;
        let path = MemoryPath::parse(&file.file)
            .map_err(|_| MoveError::Path(Escaped(&file.file).to_string()))?;
        if items.iter().any(|item| item.path == path) {
            continue;
        }
        let Some(root) = layers.root(from) else { continue };
        let before = text(root, &path)?;
        let index = root.read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?.unwrap_or_default();
        let entry = entry_text(&String::from_utf8_lossy(&index), path.as_str());
        let personal = Vec::new();
        items.push(Item { path, text: before.clone(), before, personal, entry });
    }
    Ok(Plan { items })
}

fn text(root: &Root, path: &MemoryPath) -> Result<String, MoveError> {
    let raw = root.read(path.as_str(), MEMORY_BYTES_MAX as u64)?;
    String::from_utf8(raw).map_err(|_| MoveError::NotUtf8(path.to_string()))
}

/// A text of the other layer under one of the paths is somebody's, and stays; the same text is what an
/// interrupted run left.
fn refuse_taken(other: &Root, layer: Scope, plan: &Plan) -> Result<(), MoveError> {
    for item in &plan.items {
        let there = other.read_if_there(item.path.as_str(), MEMORY_BYTES_MAX as u64)?;
        if there.is_some_and(|there| there != item.text.as_bytes()) {
            return Err(MoveError::Taken { path: item.path.to_string(), layer: layer.name() });
        }
    }
    Ok(())
}

/// Asks the gate whether all of it may go to the team; nothing is changed.
///
/// # Errors
/// Every reason of every memory that may not.
pub fn check_share(places: Places<'_>, actor: &Actor, plan: &Plan) -> Result<(), MoveError> {
    let mut team = Team::open(places.team)?;
    refuse_taken(&team.root, Scope::Team, plan)?;
    let mut files = Layers::open(places.memdir)?.files()?;
    files.retain(|file| file.layer == Scope::Team);
    for item in &plan.items {
        // The file itself is there where an earlier run was cut off.
        files.retain(|file| file.file != item.path.as_str());
        refuse_meeting(&files, &item.path, Scope::Team)?;
        let file = item.path.to_string();
        files.push(LayerFile { layer: Scope::Team, file, modified_ns: 0 });
    }
    let reasons = team.with_gate(actor, |_, gate| refused(gate, plan))?;
    if reasons.is_empty() { Ok(()) } else { Err(MoveError::Refused { reasons }) }
}

fn refused(gate: &Gate<'_>, plan: &Plan) -> Result<Vec<Reason>, SyncError> {
    let mut all = Vec::new();
    for item in &plan.items {
        match check(gate, &item.path, &item.text) {
            Ok(()) => {}
            Err(SyncError::Refused(reasons)) => all.extend(reasons),
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Moves private memories to the team and commits them here; sharing is `push`.
///
/// # Errors
/// What speaks against one of them; none was moved then.
pub fn share(places: Places<'_>, actor: &Actor, plan: &Plan) -> Result<ExchangeOutcome, MoveError> {
    let mut team = writable(places.team, actor.wait)?;
    refuse_taken(&team.root, Scope::Team, plan)?;
    let index = team.root.read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?.unwrap_or_default();
    let index = String::from_utf8_lossy(&index).into_owned();
    let mut new = Vec::new();
    for item in &plan.items {
        if !team.root.exists(item.path.as_str())? {
            // A line that was there before its memory is somebody's, and stays.
            let has_entry = entry_text(&index, item.path.as_str()).is_some();
            new.push((item, has_entry));
        }
    }
    let kept = Kept::begin(places.memdir, Change::Shared, &plan.paths());
    let done = copy(&mut team, actor, plan);
    if done.is_err() {
        take_back(&team.root, &new);
    }
    let done = done?;
    let private = Root::open(places.memdir)?;
    remove(&private, plan)?;
    kept.end();
    Ok(done)
}

/// Writes the memories into the team and commits them there.
fn copy(team: &mut Team, actor: &Actor, plan: &Plan) -> Result<ExchangeOutcome, MoveError> {
    let done = change_or(team, actor, |team, gate| {
        let reasons = refused(gate, plan)?;
        if !reasons.is_empty() {
            return Err(MoveError::Refused { reasons });
        }
        for item in &plan.items {
            let text = item.text.as_bytes();
            team.root.write_atomic(item.path.as_str(), text, Durability::Durable)?;
            add_entry(&team.root, item)?;
        }
        Ok(())
    })?;
    // What is kept out for a reason that only the whole set has is not shared, and none of the others is.
    let held = done
        .staged
        .held_back
        .iter()
        .filter(|held| plan.items.iter().any(|item| item.path.as_str() == held.path));
    let reasons: Vec<Reason> = held.flat_map(|held| held.reasons.clone()).collect();
    if !reasons.is_empty() {
        return Err(MoveError::Refused { reasons });
    }
    Ok(done)
}

/// Takes copies out of the team again, so that no later push sends what was refused.
fn take_back(team: &Root, new: &[(&Item, bool)]) {
    for (item, has_entry) in new {
        // What is not there was not written; the index may be what could not be changed.
        drop(team.remove(item.path.as_str()));
        if !has_entry {
            drop(edit_index(team, |text| without_entry(text, item.path.as_str())));
        }
    }
}

/// The entry goes before the memory is staged, so that its hand-written hook is the one that is kept.
fn add_entry(root: &Root, item: &Item) -> Result<(), IndexError> {
    let Some(entry) = &item.entry else { return Ok(()) };
    edit_index(root, |text| with_entry(text, item.path.as_str(), entry))?;
    Ok(())
}

/// Takes memories out of the private layer: the entries first, so that none leads nowhere. A file that
/// was written meanwhile stays with its entry, and is told.
fn remove(private: &Root, plan: &Plan) -> Result<(), MoveError> {
    for item in &plan.items {
        if text(private, &item.path)? != item.before {
            return Err(MoveError::Changed(item.path.to_string()));
        }
        edit_private_index(private, |text| without_entry(text, item.path.as_str()))?;
        private.remove(item.path.as_str())?;
    }
    Ok(())
}

/// Moves team memories to the private layer and commits their removal here.
///
/// # Errors
/// What speaks against one of them; none left the team then.
pub fn unshare(
    places: Places<'_>,
    actor: &Actor,
    plan: &Plan,
) -> Result<ExchangeOutcome, MoveError> {
    let mut team = writable(places.team, actor.wait)?;
    let private = Root::open(places.memdir)?;
    refuse_taken(&private, Scope::Private, plan)?;
    for item in &plan.items {
        if text(&team.root, &item.path)? != item.before {
            return Err(MoveError::Changed(item.path.to_string()));
        }
    }
    let kept = Kept::begin(places.memdir, Change::Unshared, &plan.paths());
    for item in &plan.items {
        private.write_atomic(item.path.as_str(), item.text.as_bytes(), Durability::Durable)?;
        let line = || {
            let document = Document::parse(&item.text);
            let title = document.name().unwrap_or_else(|| item.path.stem()).to_owned();
            entry_line(&title, item.path.as_str(), document.description().unwrap_or_default())
        };
        let entry = item.entry.clone().unwrap_or_else(line);
        edit_private_index(&private, |text| with_entry(text, item.path.as_str(), &entry))?;
    }
    let done = change_or(&mut team, actor, |team, _| -> Result<(), MoveError> {
        for item in &plan.items {
            team.root.remove(item.path.as_str())?;
        }
        Ok(())
    })?;
    kept.end();
    Ok(done)
}
