//! A whole audit: the events that were asked for, totals, members and memories.
//! Border: counts and sorts; every event comes judged.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::event::{ChangeKind, Event, as_text};
use super::verdict::Class;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::trust::key::Fingerprint;
use crate::trust::roster::{Role, Roster};

/// A memory that nobody touched for so many days is worth a look: half a year is two planning cycles.
pub const QUIET_DAYS: i64 = 180;

const DAY_SECONDS: i64 = 86_400;

/// What was asked for; everything where nothing is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// Only changes from then on, as RFC 3339.
    pub since: Option<String>,
    /// Only changes by this member, or by an author of this name.
    pub member: Option<String>,
    /// Only changes of this memory, under all names it had.
    pub memory: Option<String>,
}

/// Where the audited history is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The first commit, which names the team repository.
    pub introduction: Option<ObjectId>,
    /// The key that the introduction pins; `None` for a team whose trust began open.
    pub founder: Option<String>,
    /// The shared branch.
    pub branch: String,
    /// Its newest commit here.
    pub tip: ObjectId,
    /// `roster` or `open`.
    pub trust: &'static str,
    /// When the audit was made, as RFC 3339.
    #[serde(serialize_with = "as_text")]
    pub made: Timestamp,
}

/// Counts over the events that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// All changes.
    pub changes: usize,
    /// Changes by class; a class without any is left out.
    pub classes: BTreeMap<&'static str, usize>,
    /// Changes that are refused.
    pub refused: usize,
    /// Changes that nobody is proven for and that open trust accepted.
    pub unproven: usize,
    /// Merges with content of their own.
    pub altered_merges: usize,
    /// Credentials that came in, accepted ones left out.
    pub secrets: usize,
    /// Of those, how many the newest state still holds.
    pub secrets_present: usize,
    /// Changes of each agent, `(none)` for those without.
    pub agents: BTreeMap<String, usize>,
}

/// A member, now or once, and what they did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemberLine {
    /// The id.
    pub id: String,
    /// The name people read; `None` for somebody who left.
    pub name: Option<String>,
    /// The role now; `None` for somebody who left.
    pub role: Option<Role>,
    /// Their keys that may sign now.
    pub keys: Vec<Fingerprint>,
    /// Changes that are proven to be theirs, over the whole history.
    pub changes: usize,
    /// The newest of them, as RFC 3339.
    pub last: Option<String>,
    /// Whether they can write and never did.
    pub silent: bool,
}

/// A memory as it is now, and its history in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryLine {
    /// The file.
    pub path: String,
    /// Changes of it, under all its names.
    pub changes: usize,
    /// The newest change.
    pub commit: Option<ObjectId>,
    /// When that was, as RFC 3339.
    pub last: Option<String>,
    /// Who made it.
    pub by: Option<String>,
    /// Whole days from then to the audit.
    pub days: i64,
    /// Whether nobody touched it for [`QUIET_DAYS`].
    pub quiet: bool,
}

/// Something that could not be read and therefore was not scanned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The file.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// A whole audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// Where the history is from.
    pub origin: Origin,
    /// What was asked for.
    pub filter: Filter,
    /// Counts over `events`.
    pub totals: Totals,
    /// The changes, newest first.
    pub events: Vec<Event>,
    /// The members, and those who were.
    pub members: Vec<MemberLine>,
    /// The memories of the newest state.
    pub memories: Vec<MemoryLine>,
    /// What could not be read.
    pub unread: Vec<Unread>,
}

impl Audit {
    /// Counts a whole history, newest first, and keeps the events that were asked for.
    pub fn new(
        origin: Origin,
        history: Vec<Event>,
        roster: Option<&Roster>,
        memories: &[String],
        (filter, wanted): (Filter, impl Fn(&Event) -> bool),
    ) -> Self {
        let members = members(&history, roster);
        let memories = memory_lines(&history, memories, origin.made);
        let events: Vec<Event> = history.into_iter().filter(wanted).collect();
        let totals = Totals::of(&events);
        Self { origin, filter, totals, events, members, memories, unread: Vec::new() }
    }

    /// Memories that nobody touched for long.
    pub fn quiet_memories(&self) -> impl Iterator<Item = &MemoryLine> {
        self.memories.iter().filter(|memory| memory.quiet)
    }

    /// Members who can write and never did.
    pub fn silent_members(&self) -> impl Iterator<Item = &MemberLine> {
        self.members.iter().filter(|member| member.silent)
    }
}

impl Totals {
    fn of(events: &[Event]) -> Self {
        let mut totals = Self { changes: events.len(), ..Self::default() };
        for event in events {
            let class = event.verdict.class;
            *totals.classes.entry(class.name()).or_default() += 1;
            totals.refused += usize::from(class.is_refused());
            totals.unproven += usize::from(class == Class::Open);
            totals.altered_merges += usize::from(event.altered_merge);
            totals.secrets += event.secrets.len();
            totals.secrets_present += event.secrets.iter().filter(|leak| leak.present).count();
            let agent = event.agent.clone().unwrap_or_else(|| "(none)".to_owned());
            *totals.agents.entry(agent).or_default() += 1;
        }
        totals
    }
}

fn members(history: &[Event], roster: Option<&Roster>) -> Vec<MemberLine> {
    let mut lines: BTreeMap<String, MemberLine> = BTreeMap::new();
    for member in roster.into_iter().flat_map(Roster::members) {
        let live = member.keys.iter().filter(|entry| entry.revoked.is_none());
        let keys: Vec<Fingerprint> = live.map(|entry| entry.key.fingerprint()).collect();
        let line = MemberLine {
            id: member.id.to_string(),
            name: Some(member.name.clone()),
            role: Some(member.role),
            silent: member.role != Role::Reader && !keys.is_empty(),
            keys,
            changes: 0,
            last: None,
        };
        lines.insert(line.id.clone(), line);
    }
    for event in history.iter().filter(|event| event.taken) {
        let Some(id) = &event.member else { continue };
        let left = || MemberLine {
            id: id.clone(),
            name: None,
            role: None,
            keys: Vec::new(),
            changes: 0,
            last: None,
            silent: false,
        };
        let line = lines.entry(id.clone()).or_insert_with(left);
        line.changes += 1;
        line.silent = false;
        line.last.get_or_insert_with(|| event.time.to_string());
    }
    lines.into_values().collect()
}

/// One line per memory, its changes counted under all its names.
fn memory_lines(history: &[Event], memories: &[String], made: Timestamp) -> Vec<MemoryLine> {
    let mut lines: Vec<MemoryLine> = memories.iter().map(|path| MemoryLine::new(path)).collect();
    let mut names: HashMap<String, usize> =
        memories.iter().enumerate().map(|(at, path)| (path.clone(), at)).collect();
    for event in history.iter().filter(|event| event.taken) {
        for file in &event.files {
            let Some(at) = names.get(&file.path).copied() else { continue };
            let line = &mut lines[at];
            line.changes += 1;
            if line.commit.is_none() {
                line.commit = Some(event.commit);
                line.last = Some(event.time.to_string());
                line.by = Some(event.who().to_owned());
                line.days = made.seconds.saturating_sub(event.time.seconds).max(0) / DAY_SECONDS;
                line.quiet = line.days >= QUIET_DAYS;
            }
            match (file.deed, &file.from) {
                (ChangeKind::Renamed, Some(from)) => {
                    names.remove(&file.path);
                    names.insert(from.clone(), at);
                }
                (ChangeKind::Added, _) => drop(names.remove(&file.path)),
                _ => {}
            }
        }
    }
    lines
}

impl MemoryLine {
    fn new(path: &str) -> Self {
        let path = path.to_owned();
        Self { path, changes: 0, commit: None, last: None, by: None, days: 0, quiet: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::event::Touched;
    use crate::audit::verdict::Verdict;

    fn event(
        n: u8,
        days_ago: i64,
        member: &str,
        path: &str,
        deed: ChangeKind,
        from: Option<&str>,
    ) -> Event {
        let id = |n: u8| ObjectId::from_bytes(&[n; 20]).unwrap();
        let file = Touched {
            path: path.to_owned(),
            deed,
            from: from.map(str::to_owned),
            fields: Vec::new(),
            old: None,
            new: None,
        };
        Event {
            commit: id(n),
            parents: Vec::new(),
            time: Timestamp::utc(1_000 * DAY_SECONDS - days_ago * DAY_SECONDS),
            author: "Somebody".to_owned(),
            email: String::new(),
            member: (!member.is_empty()).then(|| member.to_owned()),
            claimed: None,
            agent: None,
            session: None,
            key: None,
            subject: String::new(),
            taken: true,
            verdict: Verdict::unjudged(),
            altered_merge: false,
            files: vec![file],
            secrets: Vec::new(),
        }
    }

    fn audit(history: Vec<Event>, roster: &str, memories: &[&str]) -> Audit {
        let tip = ObjectId::from_bytes(&[1; 20]).unwrap();
        let made = Timestamp::utc(1_000 * DAY_SECONDS);
        let branch = "main".to_owned();
        let trust = "roster";
        let origin = Origin { introduction: None, founder: None, branch, tip, trust, made };
        let roster = Roster::parse(roster).unwrap();
        let memories: Vec<String> = memories.iter().map(|path| (*path).to_owned()).collect();
        Audit::new(origin, history, Some(&roster), &memories, (Filter::default(), |_| true))
    }

    const EMPTY: &str = "format: memsync.roster/1\nmembers: []\n";

    #[test]
    fn a_memory_is_quiet_by_its_newest_change_under_any_name() {
        let history = vec![
            event(4, QUIET_DAYS, "ann", "old.md", ChangeKind::Edited, None),
            event(3, QUIET_DAYS - 1, "ann", "new.md", ChangeKind::Renamed, Some("was.md")),
            event(2, 400, "bob", "was.md", ChangeKind::Edited, None),
            event(1, 500, "bob", "was.md", ChangeKind::Added, None),
        ];
        let audit = audit(history, EMPTY, &["new.md", "old.md"]);
        let lines: Vec<_> =
            audit.memories.iter().map(|m| (m.path.as_str(), m.changes, m.quiet)).collect();
        assert_eq!(lines, [("new.md", 3, false), ("old.md", 1, true)]);
        assert_eq!(audit.memories[0].by.as_deref(), Some("ann"));
    }

    #[test]
    fn a_writer_who_never_wrote_is_silent_and_a_reader_is_not() {
        let key = |n: u8| {
            let seed = zeroize::Zeroizing::new([n; 32]);
            crate::trust::key::SigningKey::from_seed(&seed).public_key()
        };
        let member = |id: &str, role: &str, n: u8| {
            let key = serde_json::to_value(key(n)).unwrap();
            format!("- id: {id}\n  name: {id}\n  role: {role}\n  keys:\n  - key: {key}\n")
        };
        let members =
            member("ann", "admin", 1) + &member("bob", "writer", 2) + &member("cyd", "reader", 3);
        let roster = format!("format: memsync.roster/1\nmembers:\n{members}");
        let history = vec![
            event(2, 1, "ann", "a.md", ChangeKind::Edited, None),
            event(1, 2, "eve", "a.md", ChangeKind::Added, None),
        ];
        let audit = audit(history, &roster, &["a.md"]);
        let silent: Vec<_> = audit.silent_members().map(|member| member.id.as_str()).collect();
        assert_eq!(silent, ["bob"]);
        let left = audit.members.iter().find(|member| member.id == "eve").unwrap();
        assert_eq!((left.role, left.changes), (None, 1));
    }
}
