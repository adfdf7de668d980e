//! One entry of an index that somebody else writes as well: added or taken out by compare-and-swap.
//! Border: the index of one folder; every other line stays byte for byte.

use std::time::Duration;

use crate::base::text::dominant_eol;
use crate::folder::index::IndexError;
use crate::memory::index::Index;
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::system::files::{Durability, Root};
use crate::system::lock::Lock;

const INDEX: &str = "MEMORY.md";
/// The lock of a private layer; no memory, and hidden from agents.
const PRIVATE_LOCK: &str = ".memsync.lock";
/// An index is written in milliseconds.
const WAIT: Duration = Duration::from_secs(10);
/// An agent that writes its index all the time is not waited for.
const TRIES_MAX: usize = 20;

/// Changes the index of a folder: `edit` makes the new text of the one that is there, `None` where
/// nothing is to change. Where somebody wrote meanwhile, it is asked again with the newer text.
///
/// # Errors
/// An index that is no text, or that changes each time.
pub fn edit_index(root: &Root, edit: impl Fn(&str) -> Option<String>) -> Result<bool, IndexError> {
    let path = || root.path().join(INDEX);
    for _ in 0..TRIES_MAX {
        let before = root.read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?;
        let text = before.as_deref().map(std::str::from_utf8).transpose();
        let text = text.map_err(|_| IndexError::NotUtf8 { path: path() })?;
        let Some(new) = edit(text.unwrap_or_default()) else { return Ok(false) };
        let now = root.read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64)?;
        if now == before {
            root.write_atomic(INDEX, new.as_bytes(), Durability::Durable)?;
            return Ok(true);
        }
    }
    Err(IndexError::Changed { path: path() })
}

/// [`edit_index`] of a private layer, which no team's lock guards: two of us never write at once.
///
/// # Errors
/// As [`edit_index`], and a lock that another process holds too long.
pub fn edit_private_index(
    root: &Root,
    edit: impl Fn(&str) -> Option<String>,
) -> Result<bool, IndexError> {
    let _held = Lock::acquire(root, PRIVATE_LOCK, WAIT)?;
    edit_index(root, edit)
}

/// Adds an entry at the end; `None` where the index has one for this file.
pub fn with_entry(text: &str, target: &str, entry: &str) -> Option<String> {
    if Index::parse(text).entries().any(|one| one.target == target) {
        return None;
    }
    let eol = dominant_eol(text);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { eol };
    // Below a heading or prose a list begins after a blank line.
    let last = text.lines().next_back().unwrap_or_default();
    let is_list = last.trim().is_empty() || last.starts_with(['-', '*', '+', ' ', '\t', '|']);
    let gap = if is_list { "" } else { eol };
    Some(format!("{text}{end}{gap}{}{eol}", entry.trim_end()))
}

/// Takes the entries of a file out; `None` where there is none that can be cut out.
pub fn without_entry(text: &str, target: &str) -> Option<String> {
    let index = Index::parse(text);
    let mut is_cut = false;
    let mut new = String::with_capacity(text.len());
    for block in index.blocks() {
        let drop: Vec<bool> = block.entries.iter().map(|one| one.target == target).collect();
        match drop.contains(&true).then(|| block.without(&drop)).flatten() {
            Some(rest) => {
                is_cut = true;
                new += &rest;
            }
            None => new += &block.raw,
        }
    }
    is_cut.then_some(new)
}

/// An entry as it stands in an index, with the lines it owns; where it shares lines with others, as one
/// line of its own.
pub fn entry_text(text: &str, target: &str) -> Option<String> {
    let index = Index::parse(text);
    let block =
        index.blocks().iter().find(|block| block.entries.iter().any(|one| one.target == target))?;
    if let [_] = block.entries.as_slice()
        && block.raw.trim_start().starts_with(['-', '*', '+'])
    {
        return Some(block.raw.trim_end().to_owned());
    }
    let one = block.entries.iter().find(|one| one.target == target)?;
    Some(entry_line(&one.title, target, &one.hook))
}

/// An entry as one line.
pub fn entry_line(title: &str, target: &str, hook: &str) -> String {
    let title: String =
        title.chars().filter(|c| !c.is_control() && !matches!(c, '[' | ']')).collect();
    let hook = hook.lines().next().unwrap_or_default().trim();
    if hook.is_empty() {
        format!("- [{title}]({target})")
    } else {
        format!("- [{title}]({target}) — {hook}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str =
        "# Mine\r\n\r\n- [A](a.md) — one\r\n  more of it\r\n- [B](b.md), [C](c.md)\r\nprose\r\n";

    #[test]
    fn an_entry_comes_and_goes_and_every_other_line_stays() {
        let new = with_entry(INDEX, "d.md", "- [D](d.md) — four").unwrap();
        assert_eq!(new, format!("{INDEX}\r\n- [D](d.md) — four\r\n"));
        assert_eq!(without_entry(&new, "d.md"), Some(format!("{INDEX}\r\n")));
        let list = with_entry("- [A](a.md)\n", "d.md", "- [D](d.md)");
        assert_eq!(list.as_deref(), Some("- [A](a.md)\n- [D](d.md)\n"));
        assert_eq!(with_entry(&new, "d.md", "- [D](d.md)"), None);
        assert_eq!(without_entry(INDEX, "x.md"), None);
        let without = without_entry(INDEX, "a.md").unwrap();
        assert_eq!(without, "# Mine\r\n\r\n- [B](b.md), [C](c.md)\r\nprose\r\n");
    }

    #[test]
    fn an_entry_travels_with_what_it_owns() {
        assert_eq!(entry_text(INDEX, "a.md").as_deref(), Some("- [A](a.md) — one\r\n  more of it"));
        let row = "| what | where |\n|---|---|\n| [C](c.md) | third |\n";
        assert!(entry_text(row, "c.md").unwrap().starts_with("- [C](c.md)"));
        assert_eq!(entry_text(INDEX, "x.md"), None);
    }

    #[test]
    fn what_an_agent_writes_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let calls = std::cell::Cell::new(0);
        let done = edit_index(&root, |text| {
            calls.set(calls.get() + 1);
            if calls.get() == 1 {
                root.write_atomic("MEMORY.md", b"- [Agent](agent.md)\n", Durability::Relaxed)
                    .unwrap();
            }
            with_entry(text, "a.md", "- [A](a.md)")
        });
        assert!(done.unwrap());
        let now = root.read("MEMORY.md", 1_000).unwrap();
        assert_eq!(String::from_utf8(now).unwrap(), "- [Agent](agent.md)\n- [A](a.md)\n");
    }
}
