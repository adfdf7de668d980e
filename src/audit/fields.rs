//! What a change did inside a file: fields of a memory, entries of the index, members of the roster.
//! Border: compares two digests; a digest holds hashes, never a memory's text.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::base::display::Escaped;
use crate::memory::document::Document;
use crate::memory::index::Index;
use crate::trust::roster::{ROSTER_PATH, Roster};

/// Fields that one file change names; more are counted.
pub const FIELDS_MAX: usize = 20;

/// A file in short: each part by name, with a hash of what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    parts: BTreeMap<String, u64>,
}

impl Digest {
    /// Digests a file by its path. A file without parts that people know has none.
    pub fn of(path: &str, content: &[u8]) -> Self {
        let text = String::from_utf8_lossy(content);
        let parts = match path {
            "MEMORY.md" => index(&text),
            ROSTER_PATH => roster(&text),
            _ if path.starts_with('.') => BTreeMap::new(),
            _ => memory(&text),
        };
        Self { parts }
    }

    /// What differs: `+name` is new, `-name` is gone, `name` is changed. At most [`FIELDS_MAX`]
    /// and a last one that counts the rest.
    pub fn changes(old: &Self, new: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, hash) in &new.parts {
            match old.parts.get(name) {
                None => found.push(format!("+{name}")),
                Some(other) if other != hash => found.push(name.clone()),
                Some(_) => {}
            }
        }
        let gone = old.parts.keys().filter(|name| !new.parts.contains_key(*name));
        found.extend(gone.map(|name| format!("-{name}")));
        if found.len() > FIELDS_MAX {
            let more = found.len() - FIELDS_MAX;
            found.truncate(FIELDS_MAX);
            found.push(format!("and {more} more"));
        }
        found
    }
}

fn memory(text: &str) -> BTreeMap<String, u64> {
    let document = Document::parse(text);
    let fields = document.frontmatter().into_iter().flat_map(|front| &front.fields);
    let leaves = fields.filter(|field| {
        !matches!(field.value, crate::memory::document::FieldValue::Other) || field.key.len() > 1
    });
    let named = leaves.map(|field| (Escaped(&field.key.join(".")).to_string(), hash(&field.raw)));
    let mut parts: BTreeMap<String, u64> = named.collect();
    parts.insert("text".to_owned(), hash(&document.body()));
    parts
}

/// The entries by target; the other lines together.
fn index(text: &str) -> BTreeMap<String, u64> {
    let mut parts = BTreeMap::new();
    let mut others = DefaultHasher::new();
    for block in Index::parse(text).blocks() {
        if block.entries.is_empty() {
            block.raw.hash(&mut others);
        }
        for entry in &block.entries {
            let slot = parts.entry(Escaped(&entry.target).to_string()).or_insert(0_u64);
            // Several entries of one target count in any order.
            *slot = slot.wrapping_add(hash(&(&entry.title, &entry.hook)));
        }
    }
    parts.insert("other lines".to_owned(), others.finish());
    parts
}

fn roster(text: &str) -> BTreeMap<String, u64> {
    let Ok(roster) = Roster::parse(text) else {
        return BTreeMap::from([("unreadable".to_owned(), hash(&text))]);
    };
    let mut parts = BTreeMap::new();
    for member in roster.members() {
        parts.insert(format!("{} ({})", member.id, member.role), hash(&member.name));
        if let Some(age) = &member.age {
            parts.insert(format!("{} {age}", member.id), 0);
        }
        for entry in &member.keys {
            let state = if entry.revoked.is_some() { ", revoked" } else { "" };
            parts.insert(format!("{} {}{state}", member.id, entry.key.fingerprint()), 0);
        }
    }
    parts
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, old: &str, new: &str, expected: &[&str]) {
        let digest = |text: &str| {
            if text.is_empty() { Digest::default() } else { Digest::of(path, text.as_bytes()) }
        };
        assert_eq!(Digest::changes(&digest(old), &digest(new)), expected);
    }

    #[test]
    fn the_fields_of_a_memory_are_named() {
        let old = "---\nname: a\ndescription: one\ntype: project\n---\nText\n";
        check("a.md", old, &old.replace("one", "two"), &["description"]);
        check("a.md", old, &old.replace("Text", "Other"), &["text"]);
        check("a.md", old, &old.replace("type:", "tags: [x]\ntype:"), &["+tags"]);
        check("a.md", old, "no frontmatter", &["text", "-description", "-name", "-type"]);
        let nested = "---\nname: a\nmetadata:\n  type: project\n---\nText\n";
        check("a.md", nested, &nested.replace("project", "feedback"), &["metadata.type"]);
    }

    #[test]
    fn the_entries_of_an_index_are_named_and_their_order_is_not() {
        let old = "# Index\n- [A](a.md) — one\n- [B](b.md) — two\n";
        check("MEMORY.md", old, &old.replace("two", "three"), &["b.md"]);
        check("MEMORY.md", old, "# Index\n- [B](b.md) — two\n", &["-a.md"]);
        check("MEMORY.md", old, "# Index\n- [B](b.md) — two\n- [A](a.md) — one\n", &[]);
        check("MEMORY.md", old, &old.replace("# Index", "# Team"), &["other lines"]);
    }

    #[test]
    fn the_members_of_a_roster_are_named_with_their_role() {
        let member = |id: &str, role: &str| {
            format!("- id: {id}\n  name: {id}\n  role: {role}\n  keys: []\n")
        };
        let roster = |members: &str| format!("format: memsync.roster/1\nmembers:\n{members}");
        let old = roster(&(member("ann", "admin") + &member("bob", "writer")));
        let new = roster(&(member("ann", "admin") + &member("bob", "admin")));
        check(ROSTER_PATH, &old, &new, &["+bob (admin)", "-bob (writer)"]);
        check(ROSTER_PATH, "broken", "broken too", &["unreadable"]);
    }

    #[test]
    fn a_change_of_many_fields_names_some_and_counts_the_rest() {
        let entries: String = (0..50).map(|n| format!("- [x](m{n:02}.md) — x\n")).collect();
        let named =
            Digest::changes(&Digest::default(), &Digest::of("MEMORY.md", entries.as_bytes()));
        assert_eq!(named.len(), FIELDS_MAX + 1);
        assert_eq!(named.last().unwrap(), "and 31 more");
    }
}
