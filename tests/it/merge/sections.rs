//! Laws about where lines stand: how often, under which heading, together with what.
//! Border: generated texts of sections in every usual shape; whole team memories are `laws`.

use std::collections::{BTreeMap, BTreeSet};

use memsync::base::path::MemoryPath;
use memsync::merge::{FileMerge, Input, file};
use proptest::prelude::*;

use crate::merge::origin;

/// How the lines of a text are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Bullets,
    Numbers,
    Labels,
    Paragraphs,
    Rows,
    Entries,
}

/// A line: its number, which says which one it is, and how often it was edited.
type Line = (usize, usize);

/// A heading with what stands under it. The title is known by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    title: usize,
    level: usize,
    lines: Vec<Line>,
}

/// One edit: what, where, with what.
type Edit = (u8, u8, u8);

fn write(sections: &[Section], style: Style) -> String {
    let mut text = "# All\n".to_owned();
    for section in sections {
        text.push_str(&format!("\n{} Part {}\n", "#".repeat(section.level), section.title));
        text.push_str(match style {
            Style::Paragraphs => "",
            Style::Rows => "\n| k | v |\n|---|---|\n",
            _ => "\n",
        });
        for (at, (number, edit)) in section.lines.iter().enumerate() {
            let said = if *edit == 0 { String::new() } else { format!(" edit{edit}") };
            text.push_str(&match style {
                Style::Bullets => format!("- thing {number} is so{said}\n"),
                Style::Numbers => format!("{}. thing {number} is so{said}\n", at + 1),
                Style::Labels => format!("Key {number}: value{said}\n"),
                Style::Paragraphs => format!("\nThing {number} is so{said}.\n"),
                Style::Rows => format!("| k{number} | v{said} |\n"),
                Style::Entries => format!("- [T{number}](m{number}.md) — hook{said}\n"),
            });
        }
    }
    text
}

/// The sections after some edits. What a side adds has numbers of its own, from `own` on.
fn changed(base: &[Section], edits: &[Edit], own: usize, may_move: bool) -> Vec<Section> {
    let mut sections = base.to_vec();
    for (nth, (what, place, seed)) in edits.iter().enumerate() {
        let number = own + 10 * nth;
        let count = sections.len();
        let at = usize::from(*place) % count.max(1);
        let Some(section) = sections.get_mut(at) else { continue };
        let line = usize::from(*seed) % section.lines.len().max(1);
        match what % 8 {
            0 | 1 => section.lines.push((number, 0)),
            2 => section.lines.insert(line.min(section.lines.len()), (number, 0)),
            3 => {
                if let Some(line) = section.lines.get_mut(line) {
                    line.1 = number;
                }
            }
            4 if section.lines.len() > 1 => drop(section.lines.remove(line)),
            5 => {
                let lines = vec![(number, 0), (number + 1, 0)];
                let level = 2 + usize::from(*seed) % 2;
                sections.insert(at + 1, Section { title: number, level, lines });
            }
            6 if count > 1 => drop(sections.remove(at)),
            7 if may_move && section.lines.len() > 1 && at + 1 < count => {
                let line = section.lines.remove(line);
                sections[at + 1].lines.push(line);
            }
            _ => {}
        }
    }
    sections
}

#[derive(Clone)]
struct Case {
    style: Style,
    base: Vec<Section>,
    ours: Vec<Section>,
    theirs: Vec<Section>,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [base, ours, theirs] = self.texts();
        write!(f, "\n######## BASE\n{base}\n######## OURS\n{ours}\n######## THEIRS\n{theirs}")
    }
}

impl Case {
    fn texts(&self) -> [String; 3] {
        [&self.base, &self.ours, &self.theirs].map(|sections| write(sections, self.style))
    }

    fn merged(&self) -> (String, FileMerge) {
        let [base, ours, theirs] = self.texts();
        let merged = merged(self.style, &base, &ours, &theirs);
        (String::from_utf8(merged.content.clone()).unwrap(), merged)
    }
}

/// Merges both ways and checks that they agree.
fn merged(style: Style, base: &str, ours: &str, theirs: &str) -> FileMerge {
    let path = if style == Style::Entries { "MEMORY.md" } else { "m.md" };
    let path = MemoryPath::parse(path).unwrap();
    let (one, two) = (origin(1), origin(2));
    let ours = Input { content: ours.as_bytes(), origin: &one };
    let theirs = Input { content: theirs.as_bytes(), origin: &two };
    let merged = file(&path, Some(base.as_bytes()), ours, theirs);
    assert_eq!(merged, file(&path, Some(base.as_bytes()), theirs, ours), "swapped");
    merged
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![
        Just(Style::Bullets),
        Just(Style::Numbers),
        Just(Style::Labels),
        Just(Style::Paragraphs),
        Just(Style::Rows),
        Just(Style::Entries),
    ]
}

fn case(may_move: bool) -> impl Strategy<Value = Case> {
    let edits = || proptest::collection::vec(any::<Edit>(), 0..5);
    let sizes = proptest::collection::vec(1..4_usize, 1..5);
    (style(), sizes, edits(), edits()).prop_map(move |(style, sizes, ours, theirs)| {
        let section = |(title, size): (usize, &usize)| {
            let lines = (0..*size).map(|line| (10 * (title + 1) + line, 0)).collect();
            Section { title, level: 2, lines }
        };
        let base: Vec<Section> = sizes.iter().enumerate().map(section).collect();
        let ours = changed(&base, &ours, 1_000, may_move);
        let theirs = changed(&base, &theirs, 2_000, may_move);
        Case { style, base, ours, theirs }
    })
}

/// How often each line that says something stands in a text.
fn counts(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// The heading above each line; a table's head belongs to no single one.
fn headings(text: &str) -> BTreeSet<(&str, &str)> {
    let mut heading = "";
    let mut found = BTreeSet::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("|--")) {
        if line.starts_with('#') {
            heading = line;
        } else if line != "| k | v |" {
            found.insert((line, heading));
        }
    }
    found
}

/// The text of each section, by its heading.
fn sections(text: &str) -> BTreeMap<&str, &str> {
    let mut starts: Vec<usize> =
        text.match_indices("\n#").map(|(at, _)| at + 1).chain([0]).collect();
    starts.sort_unstable();
    let ends = starts[1..].iter().copied().chain([text.len()]);
    let cut = starts.iter().zip(ends).map(|(start, end)| text[*start..end].trim_end());
    cut.map(|section| section.split_once('\n').unwrap_or((section, ""))).collect()
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn no_line_stands_more_often_than_it_was_said(case in case(true)) {
        let [base, ours, theirs] = case.texts();
        let (text, _) = case.merged();
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| counts(text));
        for (line, count) in counts(&text) {
            // The head of a table is one line of many sections: what counts is how many of them there are.
            if case.style == Style::Rows && (line == "| k | v |" || line.starts_with("|--")) {
                let sections = text.lines().filter(|line| line.starts_with("##")).count();
                prop_assert!(count <= sections, "{line:?} stands {count} times in\n{text}");
                continue;
            }
            // A line of both edits of one line was said by nobody.
            if [&base, &ours, &theirs].iter().all(|side| !side.contains_key(line)) {
                continue;
            }
            let of = |side: &BTreeMap<&str, usize>| side.get(line).copied().unwrap_or(0);
            let (base, ours, theirs) = (of(&base), of(&ours), of(&theirs));
            let both_added = ours > base && theirs > base;
            let most = if both_added { ours + theirs - base } else { ours.max(theirs) };
            prop_assert!(count <= most, "{line:?} stands {count} times in\n{text}");
        }
    }

    #[test]
    fn every_line_keeps_a_heading_it_had(case in case(false)) {
        let [_, ours, theirs] = case.texts();
        let (text, _) = case.merged();
        let (ours, theirs) = (headings(&ours), headings(&theirs));
        for (line, heading) in headings(&text) {
            // The number of an item follows from what stands before it.
            let known: Vec<_> = ours.iter().chain(&theirs).filter(|(l, _)| *l == line).collect();
            let kept = known.is_empty() || known.iter().any(|(_, h)| *h == heading);
            prop_assert!(kept, "{line:?} stands under {heading:?} in\n{text}");
        }
    }

    #[test]
    fn what_one_side_did_not_touch_is_there_as_the_other_has_it(case in case(false)) {
        let [base, ours, theirs] = case.texts();
        let (text, _) = case.merged();
        let [base, ours, theirs, after] = [&base, &ours, &theirs, &text].map(|text| sections(text));
        for (side, other) in [(&ours, &theirs), (&theirs, &ours)] {
            for (heading, said) in side {
                if base.get(heading) == Some(said) && other.contains_key(heading) {
                    prop_assert_eq!(after.get(heading), other.get(heading), "{}\n{}", heading, text);
                }
            }
        }
    }

    #[test]
    fn sections_that_repeat_are_appended_as_one_piece(
        style in style(),
        ours in proptest::collection::vec((1..4_usize, 0..3_usize), 1..4),
        theirs in proptest::collection::vec((1..4_usize, 0..3_usize), 1..4),
        with_rule in any::<bool>(),
        first in any::<bool>(),
    ) {
        let block = |sizes: &[(usize, usize)], own: usize| {
            let section = |(title, (size, more)): (usize, &(usize, usize))| {
                let lines = (0..size + more).map(|line| (own + 10 * title + line, 0)).collect();
                Section { title, level: 2, lines }
            };
            let sections: Vec<Section> = sizes.iter().enumerate().map(section).collect();
            let text = write(&sections, style);
            let text = text.strip_prefix("# All\n").unwrap();
            if with_rule { format!("\n---\n{text}") } else { text.to_owned() }
        };
        let known = [(1, 0), (2, 0), (1, 1)];
        let base = block(&known, 100);
        let (one, two) = (block(&ours, 1_000), block(&theirs, 2_000));
        let put = |new: &str| {
            if first { format!("# All\n{new}{base}") } else { format!("# All\n{base}{new}") }
        };
        let texts = [put(""), put(&one), put(&two)];
        let result = merged(style, &texts[0], &texts[1], &texts[2]);
        let text = String::from_utf8(result.content).unwrap();
        for piece in [&base, &one, &two] {
            prop_assert!(text.contains(piece.trim()), "{piece} is torn apart in\n{text}");
        }
        prop_assert!(result.conflicts.is_empty());
        let lines = |text: &str| text.lines().filter(|line| !line.is_empty()).count();
        prop_assert_eq!(lines(&text), 1 + lines(&base) + lines(&one) + lines(&two));
    }
}
