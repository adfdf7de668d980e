//! `git merge-file` as oracle: where git merges a body cleanly, we give the same bytes.
//! Border: bodies; the reasoned differences are [`DIFFERENCES`] and the order in [`added_in_one_place`].
#![expect(clippy::disallowed_methods, reason = "asks git for its result on files")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use memsync::base::path::MemoryPath;
use memsync::merge::{Input, file};
use proptest::prelude::*;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::merge::origin;

/// Bodies compared where it counts, and while working.
const ORACLE_CASES: u32 = if option_env!("CI").is_some() { 1_000 } else { 120 };

/// Tells whether a reason applies to base, ours and theirs.
type Applies = fn(&[&str; 3]) -> bool;

/// Why our bytes may differ from git's, each with a test of the three inputs.
const DIFFERENCES: [(&str, Applies); 2] = [
    ("both sides added an equal line: git may keep it twice, here it stands once", added_by_both),
    ("a side moved a line: git sees a deletion and an insertion, here the line moves", moved),
];

/// Whether both sides put new text behind the same line, or one where the other deleted. Git has a
/// conflict there, unless its alignment of blank lines happens to part the two; then ours takes the
/// first place. Here their order is the same on both machines, so only the order may differ.
fn added_in_one_place([base, ours, theirs]: &[&str; 3]) -> bool {
    let base = lines(base);
    let places = |side: &str| -> BTreeSet<usize> {
        capture_diff_slices(Algorithm::Myers, &base, &lines(side))
            .iter()
            .filter(|op| !matches!(op.tag(), DiffTag::Equal | DiffTag::Delete))
            .flat_map(|op| op.old_range().start..=op.old_range().end)
            .collect()
    };
    !places(ours).is_disjoint(&places(theirs))
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines = lines(text);
    lines.sort_unstable();
    lines
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

fn added_by_both([base, ours, theirs]: &[&str; 3]) -> bool {
    let base: BTreeSet<&str> = lines(base).into_iter().collect();
    let theirs: BTreeSet<&str> = lines(theirs).into_iter().collect();
    lines(ours).iter().any(|line| !base.contains(line) && theirs.contains(line))
}

fn moved([base, ours, theirs]: &[&str; 3]) -> bool {
    let base = lines(base);
    [ours, theirs].iter().any(|side| {
        let side = lines(side);
        let order: Vec<usize> =
            side.iter().filter_map(|line| base.iter().position(|b| b == line)).collect();
        !order.is_sorted() || order.windows(2).any(|pair| pair[0] == pair[1])
    })
}

/// A body of distinct lines in the usual shapes.
fn body(count: usize) -> Vec<String> {
    let line = |i: usize| match i % 7 {
        0 => format!("## Heading {i}"),
        1 | 2 => format!("Paragraph {i} says that deploys wait for person {i}."),
        3 | 4 => format!("- item {i} of the list"),
        5 => format!("Wrapped {i} first line\nsecond line of {i}\nthird line of {i}"),
        _ => format!("```\ncode {i}\nmore {i}\nlast {i}\n```"),
    };
    (0..count).map(line).collect()
}

fn change(blocks: &[String], edits: &[(u8, u8)], name: &str) -> String {
    let mut blocks: Vec<Option<String>> = blocks.iter().cloned().map(Some).collect();
    for (what, place) in edits {
        let at = usize::from(*place) % blocks.len();
        let Some(block) = blocks[at].clone() else { continue };
        blocks[at] = match what % 4 {
            0 => None,
            1 => Some(format!("{block}\n\nNew paragraph {what} {place} by {name}.")),
            2 => Some(block.replacen("line", &format!("row{name}"), 1).replacen(
                "deploys",
                &format!("ships{name}"),
                1,
            )),
            _ => Some(block.replace("item", &format!("thing{name}"))),
        };
    }
    blocks.into_iter().flatten().collect::<Vec<_>>().join("\n\n") + "\n"
}

/// What git makes of it; `None` where it has a conflict.
fn git(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut git = Command::new("git");
    git.current_dir(folder.path()).args(["merge-file", "-p", "-q", "ours", "base", "theirs"]);
    let output = git.output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ORACLE_CASES) })]

    #[test]
    fn where_git_merges_a_body_cleanly_we_give_the_same_bytes(
        count in 2..14_usize,
        ours in proptest::collection::vec(any::<(u8, u8)>(), 0..4),
        theirs in proptest::collection::vec(any::<(u8, u8)>(), 0..4),
    ) {
        let blocks = body(count);
        let base = blocks.join("\n\n") + "\n";
        let (ours, theirs) = (change(&blocks, &ours, "X"), change(&blocks, &theirs, "Y"));
        if DIFFERENCES.iter().any(|(_, applies)| applies(&[&base, &ours, &theirs])) {
            return Ok(());
        }
        let Some(expected) = git(&base, &ours, &theirs) else { return Ok(()) };
        let (one, two) = (origin(1), origin(2));
        let path = MemoryPath::parse("m.md").unwrap();
        let merged = file(
            &path,
            Some(base.as_bytes()),
            Input { content: ours.as_bytes(), origin: &one },
            Input { content: theirs.as_bytes(), origin: &two },
        );
        prop_assert!(merged.conflicts.is_empty(), "git is clean, we record {:?}", merged.conflicts);
        let merged = String::from_utf8(merged.content).unwrap();
        if added_in_one_place(&[&base, &ours, &theirs]) {
            prop_assert_eq!(sorted(&merged), sorted(&expected));
        } else {
            prop_assert_eq!(merged, expected);
        }
    }
}

/// One edit of a line, as people make them; `None` where the line is no place for one.
fn edited(lines: &[&str], at: usize, what: usize, name: &str) -> Option<String> {
    let line = lines[at].trim_end_matches(['\n', '\r']);
    let marks = ["```", "~~~", "---", "<!--", "-->", "|-", "|:", "==="];
    let is_mark =
        |mark: &&str| line.trim_start().starts_with(*mark) || line.trim().ends_with("-->");
    if line.trim().is_empty() || marks.iter().any(is_mark) {
        return None;
    }
    let new = match what {
        0 => String::new(),
        1 => format!("{} edit{name}\n", line.trim_end_matches([' ', '|'])),
        _ => format!("{line}\n{line} new{name}\n"),
    };
    let around = [lines[..at].concat(), new, lines[at + 1..].concat()];
    Some(around.concat())
}

#[test]
fn where_git_merges_a_real_structure_cleanly_so_do_we() {
    let Some(folder) = crate::index::real_indexes() else { return };
    let (mut compared, mut wrong) = (0, Vec::new());
    let mut cases: Vec<_> =
        fs::read_dir(folder).unwrap().map(|case| case.unwrap().path()).collect();
    cases.sort();
    for case in cases {
        let Ok(base) = fs::read_to_string(case.join("MEMORY.md")) else { continue };
        let all: Vec<&str> = base.split_inclusive('\n').collect();
        let count = all.len();
        // One edit in each half, with lines between that nobody touches.
        for seed in 0..36 {
            let (what_ours, what_theirs) = (seed % 3, seed / 3 % 3);
            let (first, second) = (seed * 5 % count.max(1), seed * 7 % count.max(1));
            let (first, second) = (first.min(second), first.max(second));
            if second < first + 4 {
                continue;
            }
            let ours = edited(&all, first, what_ours, "X");
            let theirs = edited(&all, second, what_theirs, "Y");
            let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
            let texts = [base.as_str(), &ours, &theirs];
            if DIFFERENCES.iter().any(|(_, applies)| applies(&texts)) {
                continue;
            }
            let Some(expected) = git(&base, &ours, &theirs) else { continue };
            compared += 1;
            let (one, two) = (origin(1), origin(2));
            let merged = file(
                &MemoryPath::parse("MEMORY.md").unwrap(),
                Some(base.as_bytes()),
                Input { content: ours.as_bytes(), origin: &one },
                Input { content: theirs.as_bytes(), origin: &two },
            );
            if merged.content != expected.as_bytes() || !merged.conflicts.is_empty() {
                let name = case.file_name().unwrap().display();
                wrong.push(format!(
                    "{name}, lines {first} and {second}, seed {seed}, {} conflicts\n{expected}----- got\n{}",
                    merged.conflicts.len(),
                    String::from_utf8_lossy(&merged.content)
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared}\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n=====\n")
    );
    assert!(compared >= 200, "only {compared} merges were compared");
}
