//! What a change of a file that steers a team does, in words a person can agree to: members, roles and
//! keys; keys of the policy; accepted findings.
//! Border: two texts in, lines out, ready to show; nobody is asked here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::config::policy::POLICY_PATH;
use crate::secrets::allow::{ALLOW_PATH, entries};
use crate::trust::roster::{Member, ROSTER_PATH, Roster};

/// A longer value is cut.
const VALUE_CHARS_MAX: usize = 120;

/// Whether a path steers the team, so that a change of it is shown and asked about.
pub fn steers(path: &MemoryPath) -> bool {
    path.is_git_attributes() || path.is_policy()
}

/// What changes, one line each; nothing when both say the same. `None` is a file that is not there.
pub fn effect(path: &MemoryPath, old: Option<&[u8]>, new: Option<&[u8]>) -> Vec<String> {
    if old == new {
        return Vec::new();
    }
    let text = |file: Option<&[u8]>| file.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (old, new) = (text(old), text(new));
    let said = match path.as_str() {
        ROSTER_PATH => members(old.as_deref(), new.as_deref()),
        ALLOW_PATH => accepted(old.as_deref(), new.as_deref()),
        POLICY_PATH => keys(old.as_deref(), new.as_deref()),
        _ => None,
    };
    match (said, &new) {
        (Some(said), Some(_)) if said.is_empty() => vec!["only how it is written".to_owned()],
        (Some(said), Some(_)) => said,
        (_, None) => vec!["the file is removed".to_owned()],
        (None, Some(_)) => vec!["all of it: it cannot be compared part by part".to_owned()],
    }
}

fn members(old: Option<&str>, new: Option<&str>) -> Option<Vec<String>> {
    let read = |text: Option<&str>| text.map_or(Ok(Roster::default()), Roster::parse).ok();
    let (old, new) = (read(old)?, read(new)?);
    let mut said = Vec::new();
    for after in new.members() {
        match old.member(&after.id) {
            None => said.push(format!("`{}` comes in: {}", after.id, described(after))),
            Some(before) => said.extend(changes(before, after)),
        }
    }
    let gone = old.members().iter().filter(|member| new.member(&member.id).is_none());
    said.extend(gone.map(|member| format!("`{}` goes: {}", member.id, described(member))));
    Some(said)
}

fn described(member: &Member) -> String {
    let keys: Vec<String> = live(member).into_iter().collect();
    format!("{}, {}, with {}", Escaped(&member.name), member.role, keys.join(" and "))
}

fn live(member: &Member) -> BTreeSet<String> {
    let live = member.keys.iter().filter(|key| key.revoked.is_none());
    live.map(|key| key.key.fingerprint().to_string()).collect()
}

fn changes(before: &Member, after: &Member) -> Vec<String> {
    let id = &after.id;
    let mut said = Vec::new();
    if before.role != after.role {
        said.push(format!("`{id}` becomes {}, from {}", after.role, before.role));
    }
    let (old, new) = (live(before), live(after));
    said.extend(new.difference(&old).map(|key| format!("`{id}` signs with {key} as well")));
    said.extend(old.difference(&new).map(|key| format!("`{id}` no longer signs with {key}")));
    if before.name != after.name {
        said.push(format!("`{id}` is called {}", Escaped(&after.name)));
    }
    if before.age != after.age {
        said.push(format!("`{id}` opens sealed memories with another identity"));
    }
    said
}

fn accepted(old: Option<&str>, new: Option<&str>) -> Option<Vec<String>> {
    let read = |text: Option<&str>| -> Option<BTreeMap<String, String>> {
        let list = entries(ALLOW_PATH, text.unwrap_or_default()).ok()?;
        let shown = |value: &Value| short(&value.to_string());
        let one = |entry| {
            let value = serde_json::to_value(entry).ok()?;
            Some((value["fingerprint"].as_str()?.to_owned(), shown(&value)))
        };
        list.into_iter().map(one).collect()
    };
    let (old, new) = (read(old)?, read(new)?);
    let added = new.iter().filter(|(id, entry)| old.get(*id) != Some(*entry));
    let mut said: Vec<String> =
        added.map(|(_, entry)| format!("a finding is accepted: {entry}")).collect();
    let gone = old.iter().filter(|(id, _)| !new.contains_key(*id));
    said.extend(gone.map(|(_, entry)| format!("no longer accepted: {entry}")));
    Some(said)
}

fn keys(old: Option<&str>, new: Option<&str>) -> Option<Vec<String>> {
    let read = |text: Option<&str>| -> Option<BTreeMap<String, String>> {
        let value: Value = serde_yaml::from_str(text.unwrap_or("{}")).ok()?;
        let mut found = BTreeMap::new();
        flatten(String::new(), value.is_object().then_some(&value)?, &mut found);
        Some(found)
    };
    let (old, new) = (read(old)?, read(new)?);
    let all: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let line = |key: &&String| match (old.get(*key), new.get(*key)) {
        (before, after) if before == after => None,
        (None, Some(after)) => Some(format!("`{}` is set: {after}", Escaped(key))),
        (Some(before), None) => Some(format!("`{}` is gone, it was {before}", Escaped(key))),
        (Some(before), Some(after)) => {
            Some(format!("`{}` becomes {after}, from {before}", Escaped(key)))
        }
        (None, None) => None,
    };
    Some(all.iter().filter_map(line).collect())
}

/// Every value by the keys that lead to it; a list is one value.
fn flatten(at: String, value: &Value, found: &mut BTreeMap<String, String>) {
    let Value::Object(map) = value else {
        found.insert(at, short(&value.to_string()));
        return;
    };
    for (key, value) in map {
        let key = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        flatten(key, value, found);
    }
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(VALUE_CHARS_MAX).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", Escaped(&cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9lROuGpkkncZS9olE1YMHxKX+SBZyTFN4UGmoaEmsv";

    fn roster(role: &str) -> String {
        format!(
            "format: memsync.roster/1\nmembers:\n- id: ada\n  name: Ada\n  role: {role}\n  keys:\n  - key: {ADA}\n"
        )
    }

    fn said(path: &str, old: Option<&str>, new: Option<&str>) -> String {
        let path = MemoryPath::parse(path).unwrap();
        effect(&path, old.map(str::as_bytes), new.map(str::as_bytes)).join("\n")
    }

    #[test]
    fn a_change_is_said_in_words() {
        for (path, old, new, expected) in [
            (
                ROSTER_PATH,
                Some(roster("writer")),
                Some(roster("admin")),
                "`ada` becomes admin, from writer",
            ),
            (
                ROSTER_PATH,
                Some("format: memsync.roster/1\nmembers: []\n".to_owned()),
                Some(roster("admin")),
                "`ada` comes in: Ada, admin, with SHA256:",
            ),
            (
                ROSTER_PATH,
                Some(roster("admin")),
                Some("format: memsync.roster/1\nmembers: []\n".to_owned()),
                "`ada` goes: Ada, admin",
            ),
            (ROSTER_PATH, Some(roster("admin")), Some("broken".to_owned()), "all of it"),
            (
                POLICY_PATH,
                Some("trust: roster\n".to_owned()),
                Some("trust: open\nx: {y: 1}\n".to_owned()),
                "`trust` becomes \"open\", from \"roster\"\n`x.y` is set: 1",
            ),
            (POLICY_PATH, Some("trust: roster\n".to_owned()), None, "the file is removed"),
            (
                ALLOW_PATH,
                None,
                Some(
                    "- fingerprint: 00112233445566778899aabbccddeeff\n  reason: test\n".to_owned(),
                ),
                "a finding is accepted:",
            ),
        ] {
            let text = said(path, old.as_deref(), new.as_deref());
            assert!(text.contains(expected), "{path}: {text:?}");
        }
        assert_eq!(said(ROSTER_PATH, Some(&roster("admin")), Some(&roster("admin"))), "");
    }

    #[test]
    fn what_others_wrote_cannot_steer_a_terminal() {
        let text = said(POLICY_PATH, Some("{}"), Some("\"a\\e[2J\": \"b\\e[2J\"\n"));
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}
