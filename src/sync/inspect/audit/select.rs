//! Which events an audit was asked for: from a day on, of a member, of a memory under all its names.
//! Border: a member or memory that was never there is an error, so that a typo passes no check.

use std::collections::BTreeSet;

use crate::audit::event::{Event, Touched};
use crate::audit::report::Filter;
use crate::audit::trail::Trail;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::sync::error::SyncError;
use crate::trust::roster::Roster;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only changes from then on.
    pub since: Option<Timestamp>,
    /// Only changes by this member, proven or claimed, or by an author of this name.
    pub member: Option<String>,
    /// Only changes of this memory: its path or file stem, now or at any time.
    pub memory: Option<String>,
}

/// The filter for reports, and the test for one event.
pub(crate) fn wanted(
    query: &Query,
    events: &[Event],
    roster: Option<&Roster>,
    memories: &[String],
    tip: ObjectId,
) -> Result<(Filter, impl Fn(&Event) -> bool + use<>), SyncError> {
    if let Some(name) = &query.member {
        let in_roster = roster.is_some_and(|r| r.members().iter().any(|m| m.id.as_str() == name));
        if !in_roster && !events.iter().any(|event| is_by(event, name)) {
            return Err(SyncError::NoMember(Escaped(name).to_string()));
        }
    }
    let path = query.memory.as_deref().map(|name| find(name, events, memories)).transpose()?;
    let of_memory = path.as_deref().map(|path| touching(path, events, tip));
    let filter = Filter {
        since: query.since.map(|since| since.to_string()),
        member: query.member.as_deref().map(|name| Escaped(name).to_string()),
        memory: path,
    };
    let (since, member) = (query.since, query.member.clone());
    let test = move |event: &Event| {
        since.is_none_or(|since| event.time.seconds >= since.seconds)
            && member.as_deref().is_none_or(|name| is_by(event, name))
            && of_memory.as_ref().is_none_or(|ids| ids.contains(&event.commit))
    };
    Ok((filter, test))
}

fn is_by(event: &Event, name: &str) -> bool {
    let named = [event.member.as_deref(), event.claimed.as_deref(), Some(&event.author)];
    named.into_iter().flatten().any(|known| known == name)
}

/// The newest name of a memory: by its path or file stem now, else by one it once had.
fn find(name: &str, events: &[Event], memories: &[String]) -> Result<String, SyncError> {
    let stem = |path: &str| {
        path.rsplit('/').next().and_then(|file| file.strip_suffix(".md")) == Some(name)
    };
    let now = memories.iter().find(|path| *path == name);
    if let Some(path) = now.or_else(|| memories.iter().find(|path| stem(path))) {
        return Ok(path.clone());
    }
    let names = |event: &Event| -> Vec<String> {
        event
            .files
            .iter()
            .flat_map(|file| [Some(&file.path), file.from.as_ref()])
            .flatten()
            .cloned()
            .collect()
    };
    let once = |matches: &dyn Fn(&str) -> bool| {
        let found = |(at, event): (usize, &Event)| {
            Some((at, names(event).into_iter().find(|path| matches(path))?))
        };
        events.iter().enumerate().find_map(found)
    };
    let found = once(&|path| path == name).or_else(|| once(&stem));
    let (at, mut path) = found.ok_or_else(|| SyncError::NoMemory(Escaped(name).to_string()))?;
    for event in events[..=at].iter().rev() {
        let renamed = |file: &&Touched| file.from.as_deref() == Some(path.as_str());
        if let Some(file) = event.files.iter().find(renamed) {
            path = file.path.clone();
        }
    }
    Ok(path)
}

/// The changes that touched a memory under any of its names.
fn touching(path: &str, events: &[Event], tip: ObjectId) -> BTreeSet<ObjectId> {
    let mut trail = Trail::new(tip, path);
    let mut found = BTreeSet::new();
    for event in events {
        // What was offered and not taken is on no line of history from the tip.
        let hit = if event.taken {
            !trail.step(event.commit, &event.parents, &event.files).is_empty()
        } else {
            event.files.iter().any(|file| file.path == path)
        };
        if hit {
            found.insert(event.commit);
        }
    }
    found
}
