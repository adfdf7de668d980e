//! Makes team memories and changes of them for the laws: small words, every kind of edit.
//! Border: only values; each number drawn means one edit, so a failing case shrinks well.

use std::sync::Arc;

use memsync::base::path::MemoryPath;
use memsync::memory::snapshot::Snapshot;
use proptest::prelude::*;

/// One edit: what, where, with what.
pub(crate) type Edit = (u8, u8, u8);

/// Words of the generated texts.
const WORDS: [&str; 12] = [
    "deploy", "freeze", "ask", "Ada", "on", "Friday", "the", "pager", "部署", "`make`", "é",
    "tests",
];

pub(crate) fn path(text: &str) -> MemoryPath {
    MemoryPath::parse(text).unwrap()
}

fn name(number: u8) -> String {
    format!("m{}", number % 8)
}

fn sentence(seed: u8) -> String {
    let word = |i: u8| {
        WORDS[usize::from(seed.wrapping_mul(7).wrapping_add(i * (seed % 5 + 1))) % WORDS.len()]
    };
    format!("{} {seed}", (0..6).map(word).collect::<Vec<_>>().join(" "))
}

/// A block of Markdown: a paragraph, a list, a heading, code, a table, a quote.
fn block(seed: u8) -> String {
    let text = sentence(seed);
    match seed % 9 {
        0 => format!("- {text}\n- {}\n", sentence(seed.wrapping_add(1))),
        1 => format!("## {text}\n"),
        2 => format!("```\n{text}\nnext {seed}\n```\n"),
        3 => format!("| a | b |\n|---|---|\n| {text} | {seed} |\n"),
        4 => format!("> {text}\n"),
        5 => format!("{text}\n{}\n", sentence(seed.wrapping_add(3))),
        6 => format!("- {text}\n  - nested {seed}\n"),
        _ => format!("{text}\n"),
    }
}

/// A memory like no other: two alike would be one that was renamed.
fn memory(number: u8, seed: u8) -> String {
    let head = format!(
        "---\nname: n{number}-{seed}\ndescription: {}\ntype: project\n",
        sentence(seed).replace('`', "")
    );
    let more = match seed % 3 {
        0 => "metadata: \n  modified: 2026-05-01T10:00:00Z\n  tags: [a, b]\n",
        1 => "tags: [a, b]\n",
        _ => "",
    };
    let blocks: Vec<String> =
        (0..seed % 5 + 1).map(|i| block(seed.wrapping_mul(3).wrapping_add(i))).collect();
    format!("{head}{more}---\n{}", blocks.join("\n"))
}

fn entry(number: u8, seed: u8) -> String {
    format!("- [T{}]({}.md) — {}\n", number % 8, name(number), sentence(seed))
}

/// A team memory: some memories, and an index with an entry for each.
pub(crate) fn team() -> impl Strategy<Value = Snapshot> {
    proptest::collection::btree_map(0..8_u8, any::<u8>(), 0..7).prop_map(|memories| {
        let mut index = "# Memory\n\nRead me first.\n\n".to_owned();
        let mut snapshot = Snapshot::default();
        for (number, seed) in memories {
            index.push_str(&entry(number, seed));
            snapshot
                .insert(path(&format!("{}.md", name(number))), memory(number, seed).into_bytes());
        }
        snapshot.insert(path("MEMORY.md"), index.into_bytes());
        snapshot
    })
}

/// Changes a side makes.
pub(crate) fn edits() -> impl Strategy<Value = Vec<Edit>> {
    proptest::collection::vec(any::<Edit>(), 0..7)
}

/// The team memory after the changes. Each memory keeps its entry, as a staged folder has it.
pub(crate) fn changed(base: &Snapshot, edits: &[Edit]) -> Snapshot {
    let mut snapshot = base.clone();
    for edit in edits {
        apply(&mut snapshot, *edit);
    }
    snapshot
}

fn apply(snapshot: &mut Snapshot, (what, place, seed): Edit) {
    let index = path("MEMORY.md");
    let file = path(&format!("{}.md", name(place)));
    let text = |snapshot: &Snapshot, path: &MemoryPath| {
        let content: Option<Arc<[u8]>> = snapshot.get(path).cloned();
        content.map(|content| String::from_utf8(content.to_vec()).unwrap())
    };
    let known = text(snapshot, &file);
    let entries = text(snapshot, &index).unwrap();
    let about = format!("({}.md)", name(place));
    let (mut new_file, mut new_index) = (known.clone(), entries.clone());
    match (what % 8, known) {
        (0 | 1, None) => {
            new_file = Some(memory(place % 8, seed));
            new_index = insert_line(&entries, &entry(place, seed), seed);
        }
        (1, Some(_)) => {
            new_file = None;
            new_index = without(&entries, &about);
        }
        (2, Some(known)) => new_file = Some(format!("{known}\n{}", block(seed))),
        (3, Some(known)) => new_file = Some(edit_line(&known, seed)),
        (4, Some(known)) => new_file = Some(drop_block(&known, seed)),
        (5, Some(known)) => {
            let date = format!("2026-05-{:02}T10", seed % 27 + 2);
            new_file = Some(
                known.replace("2026-05-01T10", &date).replace("type: project", "type: reference"),
            );
        }
        (6, Some(_)) => {
            new_index = without(&entries, &about);
            new_index = insert_line(&new_index, &entry(place, seed), seed);
        }
        (7, _) => new_index = insert_line(&entries, &format!("Note {seed}.\n"), seed),
        _ => {}
    }
    snapshot.insert(index, new_index.into_bytes());
    match new_file {
        Some(text) => snapshot.insert(file, text.into_bytes()),
        None => drop(snapshot.remove(&file)),
    }
}

fn without(text: &str, part: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains(part)).collect()
}

fn insert_line(text: &str, line: &str, seed: u8) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = 4 + usize::from(seed) % (lines.len().saturating_sub(3)).max(1);
    lines.insert(at.min(lines.len()), line);
    lines.concat()
}

/// Edits one line of the body, or the description.
fn edit_line(text: &str, seed: u8) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let body = lines.iter().rposition(|line| *line == "---\n").unwrap_or(0);
    let at = if seed.is_multiple_of(4) {
        2
    } else {
        body + 1 + usize::from(seed) % (lines.len() - body).max(1)
    };
    let edited = |(i, line): (usize, &&str)| match line.split_once(' ') {
        Some((start, rest)) if i == at && !line.starts_with(['`', '|']) => {
            format!("{start} edit{seed} {rest}")
        }
        _ => (*line).to_owned(),
    };
    lines.iter().enumerate().map(edited).collect()
}

fn drop_block(text: &str, seed: u8) -> String {
    let Some((head, body)) = text.rsplit_once("---\n") else { return text.to_owned() };
    let mut blocks: Vec<&str> = body.split("\n\n").collect();
    blocks.remove(usize::from(seed) % blocks.len());
    format!("{head}---\n{}", blocks.join("\n\n"))
}
