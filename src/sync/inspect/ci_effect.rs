//! What a range does to the team memory, as a reviewer reads it: memories that come, change and go, and who
//! may do what afterwards.
//! Border: compares two trees; whether that may be is `ci`'s.

use std::collections::BTreeMap;

use serde::Serialize;

use super::log::LogEntry;
use crate::audit::event::{ChangeKind, Touched};
use crate::audit::fields::Digest;
use crate::audit::verdict::Class;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::memory::document::Document;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::secrets::masking::masked;
use crate::sync::error::SyncError;
use crate::sync::repo::changed_files::touched;
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::Team;
use crate::trust::roster::{Member, Roster};
use crate::trust::verdict::Area;

/// Longest name or description that is shown.
const SHOWN_CHARS_MAX: usize = 200;

/// What a range does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// Memories that are other than before, in path order.
    pub memories: Vec<MemoryEffect>,
    /// Members whose rights or keys are other than before.
    pub members: Vec<MemberEffect>,
    /// Other files, the index and the roster left out: policy, accepted findings, conflict records.
    pub settings: Vec<String>,
}

/// What becomes of a memory. All texts are escaped, and credentials in them masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryEffect {
    /// The file.
    pub path: String,
    /// Its name before, when it was renamed.
    pub from: Option<String>,
    /// What happened to it.
    pub deed: ChangeKind,
    /// The memory's name, or its last one.
    pub name: Option<String>,
    /// Its type.
    pub kind: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Which of its fields are other than before; `text` is its body.
    pub fields: Vec<String>,
    /// Who changed it.
    pub by: Vec<Author>,
}

/// Somebody who changed something, and whether that is proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Author {
    /// The member, else the name in the commit.
    pub who: String,
    /// The verdict on the change.
    pub class: Class,
}

/// What becomes of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberEffect {
    /// The member's id.
    pub id: String,
    /// The role before; `None` for a new member.
    pub before: Option<&'static str>,
    /// The role after; `None` for a removed one.
    pub after: Option<&'static str>,
    /// Whether the keys are others.
    pub has_other_keys: bool,
}

/// Compares where a range begins with where it ends; `changes` are those of the range.
pub(crate) fn effect(
    team: &Team,
    base: Option<ObjectId>,
    head: ObjectId,
    changes: &[LogEntry],
) -> Result<Effect, SyncError> {
    let tree = |id: ObjectId| Ok::<_, SyncError>(team.repo.commit(id)?.tree);
    // The shared branch may have moved on: what it has and the proposal has not was not taken away.
    let base = base.map(|base| team.repo.merge_base(base, head)).transpose()?.flatten();
    let (old, new) = (base.map(tree).transpose()?, tree(head)?);
    let mut effect = Effect::default();
    for file in touched(&team.repo, &team.repo.tree_changes(old, Some(new))?)? {
        match Area::of(&file.path) {
            Area::Memory => effect.memories.push(memory(team, file, changes)),
            Area::Index | Area::Roster => {}
            _ => effect.settings.push(masked(&file.path)),
        }
    }
    let roster = |tree| roster_at(team, tree).ok().flatten().unwrap_or_default();
    effect.members = members(&old.map(roster).unwrap_or_default(), &roster(new));
    Ok(effect)
}

fn memory(team: &Team, file: Touched, changes: &[LogEntry]) -> MemoryEffect {
    // What cannot be read as a memory is refused by the gate, and has no name here.
    let text = |id: Option<ObjectId>| {
        let content = id.and_then(|id| team.repo.blob(id, MEMORY_BYTES_MAX as u64).ok());
        content.map(|content| String::from_utf8_lossy(&content).into_owned()).unwrap_or_default()
    };
    let (before, after) = (text(file.old), text(file.new));
    let document = Document::parse(if file.new.is_some() { &after } else { &before });
    let kind = document.kind().map(|kind| kind.map_or_else(shown, |kind| kind.name().to_owned()));
    let digest = |text: &str| Digest::of(&file.path, text.as_bytes());
    let fields = match (file.old, file.new) {
        (Some(_), Some(_)) => Digest::changes(&digest(&before), &digest(&after)),
        _ => Vec::new(),
    };
    let mut by: Vec<Author> = Vec::new();
    let names = [Some(&file.path), file.from.as_ref()];
    for entry in changes {
        if entry.changes.iter().any(|change| names.contains(&Some(&change.path))) {
            let who = entry.member.clone().unwrap_or_else(|| entry.author.clone());
            let author = Author { who: shown(&who), class: entry.verdict.class };
            if !by.contains(&author) {
                by.push(author);
            }
        }
    }
    MemoryEffect {
        name: document.name().map(shown),
        description: document.description().map(shown),
        kind,
        deed: file.deed,
        from: file.from.as_deref().map(masked),
        path: masked(&file.path),
        fields: fields.iter().map(|field| masked(field)).collect(),
        by,
    }
}

/// A text of others: masked, escaped, not too long.
fn shown(text: &str) -> String {
    let cut: String = masked(text).chars().take(SHOWN_CHARS_MAX).collect();
    Escaped(&cut).to_string()
}

fn members(before: &Roster, after: &Roster) -> Vec<MemberEffect> {
    let mut pairs: BTreeMap<&str, [Option<&Member>; 2]> = BTreeMap::new();
    for (at, roster) in [before, after].into_iter().enumerate() {
        for member in roster.members() {
            pairs.entry(member.id.as_str()).or_default()[at] = Some(member);
        }
    }
    let mut found = Vec::new();
    for (id, [old, new]) in pairs {
        let role = |member: Option<&Member>| member.map(|member| member.role.as_str());
        let has_other_keys = match (old, new) {
            (Some(old), Some(new)) => old.keys != new.keys || old.age != new.age,
            _ => false,
        };
        if role(old) != role(new) || has_other_keys {
            let (before, after) = (role(old), role(new));
            found.push(MemberEffect { id: id.to_owned(), before, after, has_other_keys });
        }
    }
    found
}
