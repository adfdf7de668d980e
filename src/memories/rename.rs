//! Gives a memory another name: its file, its entry with hook and place, the links that lead to it.
//! Border: one layer; the new file is written first and the old one removed last.

use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::folder::entry::{edit_index, edit_private_index};
use crate::local::layers::{LayerFile, Layers};
use crate::memories::error::MoveError;
use crate::memories::kept::{Change, Kept};
use crate::memories::pick::{pick_any, refuse_meeting};
use crate::memories::share::Places;
use crate::memory::document::Document;
use crate::memory::kind::Scope;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::memory::rename::{Names, index, links, own_text};
use crate::seal::envelope::is_sealed;
use crate::sync::exchange::change::change_or;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::team::Actor;
use crate::sync::worktree::writable::writable;
use crate::sync::write::remember::{check, path_for};
use crate::system::files::{Durability, Root};

/// What renaming changes.
#[derive(Clone, Debug)]
pub struct RenamePlan {
    /// The layer.
    pub layer: Scope,
    /// The path before, below the layer.
    pub from: String,
    /// The path after.
    pub to: MemoryPath,
    before: String,
    text: String,
    old_name: Option<String>,
    new_name: Option<String>,
    /// Other memories whose links change: path, text before, text after.
    linked: Vec<(String, String, String)>,
}

impl RenamePlan {
    /// The other memories whose links change.
    pub fn linked(&self) -> impl Iterator<Item = &str> {
        self.linked.iter().map(|(path, ..)| path.as_str())
    }

    fn names(&self) -> (Names<'_>, Names<'_>) {
        (
            Names { file: &self.from, name: self.old_name.as_deref() },
            Names { file: self.to.as_str(), name: self.new_name.as_deref() },
        )
    }
}

/// Looks at what a new name changes; nothing is written. A new name that ends in `.md` is a file's.
///
/// # Errors
/// A name that means none or several, and a new one that is taken or none.
pub fn plan_rename(places: Places<'_>, old: &str, new: &str) -> Result<RenamePlan, MoveError> {
    let layers = Layers::open(places.memdir)?;
    let file = pick_any(&layers, old)?;
    let missing =
        || MoveError::NoMemory { name: Escaped(old).to_string(), layer: file.layer.name() };
    let root = layers.root(file.layer).ok_or_else(missing)?;
    let to = match new.strip_suffix(".md") {
        Some(_) => MemoryPath::parse(new).map_err(|_| MoveError::Path(Escaped(new).to_string()))?,
        // A name is no path: nobody means `x.md` by `../x`.
        None if new.contains(['/', '\\']) || new.chars().any(char::is_control) => {
            return Err(MoveError::Path(Escaped(new).to_string()));
        }
        None => beside(&file, &path_for(new)?)?,
    };
    let others: Vec<LayerFile> = layers.files()?;
    let others = others.into_iter().filter(|one| one.layer == file.layer && *one != file);
    let others: Vec<LayerFile> = others.collect();
    refuse_meeting(&others, &to, file.layer)?;
    let before = read(root, &file.file)?;
    let document = Document::parse(&before);
    let old_name = document.name().map(str::to_owned);
    let new_name = old_name.as_ref().map(|old| match new.strip_suffix(".md") {
        Some(_) => old.clone(),
        None => new.to_owned(),
    });
    let text = match &new_name {
        Some(name) => own_text(&before, name),
        None => before.clone(),
    };
    let linked = Vec::new();
    let mut plan = RenamePlan {
        layer: file.layer,
        from: file.file.clone(),
        to,
        before,
        text,
        old_name,
        new_name,
        linked,
    };
    let (old, new) = plan.names();
    let mut linked = Vec::new();
    for other in &others {
        // A memory that is no text, or cannot be read, has no link that could be told.
        let Ok(text) = read(root, &other.file) else { continue };
        let after = links(&text, old, new);
        if after != text && !is_sealed(&Document::parse(&text)) {
            linked.push((other.file.clone(), text, after));
        }
    }
    plan.text = links(&plan.text, old, new);
    plan.linked = linked;
    Ok(plan)
}

/// The new file in the folder of the old one.
fn beside(file: &LayerFile, new: &MemoryPath) -> Result<MemoryPath, MoveError> {
    let Some((folder, _)) = file.file.rsplit_once('/') else { return Ok(new.clone()) };
    let path = format!("{folder}/{new}");
    MemoryPath::parse(&path).map_err(|_| MoveError::Path(path))
}

fn read(root: &Root, file: &str) -> Result<String, MoveError> {
    let raw = root.read(file, MEMORY_BYTES_MAX as u64)?;
    String::from_utf8(raw).map_err(|_| MoveError::NotUtf8(file.to_owned()))
}

/// Renames, and in the team commits it here.
///
/// # Errors
/// What the gate says of the new file, and files that cannot be written.
pub fn rename(
    places: Places<'_>,
    actor: &Actor,
    plan: &RenamePlan,
) -> Result<Option<ExchangeOutcome>, MoveError> {
    if plan.layer == Scope::Private {
        let root = Root::open(places.memdir)?;
        let mut paths = vec![plan.from.as_str(), plan.to.as_str()];
        paths.extend(plan.linked());
        let kept = Kept::begin(places.memdir, Change::Renamed, &paths);
        carry_out(&root, plan)?;
        kept.end();
        return Ok(None);
    }
    let mut team = writable(places.team, actor.wait)?;
    let done = change_or(&mut team, actor, |team, gate| {
        check(gate, &plan.to, &plan.text)?;
        carry_out(&team.root, plan)
    })?;
    Ok(Some(done))
}

fn carry_out(root: &Root, plan: &RenamePlan) -> Result<(), MoveError> {
    if root.exists(plan.to.as_str())? {
        return Err(MoveError::Taken { path: plan.to.to_string(), layer: plan.layer.name() });
    }
    let (old, new) = plan.names();
    root.write_atomic(plan.to.as_str(), plan.text.as_bytes(), Durability::Durable)?;
    let edit = |text: &str| {
        let after = index(text, old, new);
        (after != text).then_some(after)
    };
    match plan.layer {
        Scope::Private => edit_private_index(root, edit)?,
        // Under the lock of the team.
        Scope::Team => edit_index(root, edit)?,
    };
    for (path, before, after) in &plan.linked {
        // One that was written meanwhile keeps what it says; its link is told by `check`.
        if read(root, path).is_ok_and(|now| now == *before) {
            root.write_atomic(path, after.as_bytes(), Durability::Durable)?;
        }
    }
    if read(root, &plan.from)? == plan.before {
        root.remove(&plan.from)?;
    }
    Ok(())
}
