//! Cuts Markdown into units a person would call one thing: a heading, a paragraph, a list item, a
//! row of a table, a code block. Border: finds boundaries, keeps every byte; merges nothing.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

/// Parts the targets in the key of an entry block that points at several files.
pub(crate) const TARGETS_SEPARATOR: char = '\n';

/// Characters before the colon of a line such as `Port: 8080`; more are prose.
const LABEL_CHARS_MAX: usize = 40;

/// Words before that colon.
const LABEL_WORDS_MAX: usize = 4;

/// What a unit is, as far as merging treats it differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// A heading; holds what follows until the next one of its level.
    Heading(u8),
    /// Prose.
    Paragraph,
    /// The own lines of a list item; holds nested items.
    Item,
    /// A line of a paragraph that is a list without bullets, see [`is_list_of_lines`].
    ListLine,
    /// A code block, quote, HTML block or the head of a table: never mixed inside.
    Whole,
    /// A row of a table; its head holds it.
    Row,
    /// One entry block of an index.
    Entry,
    /// Any other single line.
    Line,
    /// One field of a frontmatter.
    Field,
}

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit<'t> {
    /// The blank lines before it.
    pub(crate) gap: &'t str,
    /// Its lines, blank ones only inside; always ends its last line.
    pub(crate) text: &'t str,
    /// What it is.
    pub(crate) shape: Shape,
    /// What identifies it whatever its text, if anything does.
    pub(crate) key: Option<String>,
    /// The unit that holds it: its heading or its list item.
    pub(crate) parent: Option<usize>,
}

/// A whole text in units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Units<'t> {
    /// The units in order.
    pub(crate) units: Vec<Unit<'t>>,
    /// The blank lines after the last one.
    pub(crate) tail: &'t str,
}

/// Where a unit starts, found by the parser.
struct Start {
    line: usize,
    /// The first line after what is certainly its own.
    end: usize,
    shape: Shape,
    /// How many list items hold it.
    depth: usize,
}

/// Whether a unit is a line of dashes, stars or underscores that parts what is around it.
pub(crate) fn is_rule(unit: &Unit<'_>) -> bool {
    let marks: Vec<char> = unit.text.chars().filter(|c| !c.is_whitespace()).collect();
    unit.shape == Shape::Line
        && marks.len() >= 3
        && ['-', '*', '_'].contains(&marks[0])
        && marks.iter().all(|mark| *mark == marks[0])
}

/// Cuts a Markdown text whose last line is ended.
pub(crate) fn split(text: &str) -> Units<'_> {
    let offsets = line_offsets(text);
    let starts = starts(text, &offsets);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut owner: Vec<Option<usize>> = vec![None; lines.len()];
    for (at, start) in starts.iter().enumerate() {
        let next = starts.get(at + 1).map_or(lines.len(), |next| next.line);
        for line in owner.iter_mut().take(start.end.min(next)).skip(start.line) {
            *line = Some(at);
        }
    }
    let mut builder = Builder {
        text,
        units: Vec::new(),
        gap: 0,
        open: 0,
        current: None,
        items: Vec::new(),
        headings: Vec::new(),
        table: None,
    };
    for (at, line) in lines.iter().enumerate() {
        let unit = owner[at].map(|unit| (unit, &starts[unit]));
        builder.line(offsets[at], line, unit);
    }
    builder.finish()
}

/// The byte offset of each line.
fn line_offsets(text: &str) -> Vec<usize> {
    let mut at = 0;
    let next = |line: &str| {
        at += line.len();
        at - line.len()
    };
    text.split_inclusive('\n').map(next).collect()
}

/// Where units start, in line order, at most one a line.
fn starts(text: &str, offsets: &[usize]) -> Vec<Start> {
    let line_of =
        |offset: usize| offsets.partition_point(|start| *start <= offset).saturating_sub(1);
    let mut starts: Vec<Start> = Vec::new();
    let mut whole_until = 0;
    // The table whose rows are units, and how many list items hold it.
    let (mut table_until, mut table_depth) = (0, 0);
    let mut item_ends: Vec<usize> = Vec::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let shape = match event {
            Event::Start(Tag::Heading { level, .. }) => Shape::Heading(rank(level)),
            Event::Start(Tag::Paragraph) => Shape::Paragraph,
            Event::Start(Tag::Item) => Shape::Item,
            Event::Start(Tag::TableRow) if range.start < table_until => {
                let line = line_of(range.start);
                starts.push(Start { line, end: line + 1, shape: Shape::Row, depth: table_depth });
                continue;
            }
            Event::Start(
                Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock | Tag::BlockQuote(_),
            ) => Shape::Whole,
            Event::Rule => Shape::Line,
            _ => continue,
        };
        if range.start < whole_until || range.is_empty() {
            continue;
        }
        if shape == Shape::Whole {
            whole_until = range.end;
        }
        item_ends.retain(|end| *end > range.start);
        let depth = item_ends.len();
        if shape == Shape::Item {
            item_ends.push(range.end);
        }
        let (line, end) = (line_of(range.start), line_of(range.end - 1) + 1);
        match starts.last_mut() {
            // `- # Title`: what shares the item's first line is the item.
            Some(last) if last.line >= line => {
                last.end = if shape == Shape::Item { last.end.max(end) } else { end };
                if shape == Shape::Whole {
                    last.shape = Shape::Whole;
                }
            }
            _ if matches!(event, Event::Start(Tag::Table(_))) => {
                (table_until, table_depth) = (range.end, depth);
                starts.push(Start { line, end, shape, depth });
            }
            _ if shape == Shape::Paragraph && depth == 0 && is_list_of_lines(&text[range]) => {
                let shape = Shape::ListLine;
                starts.extend((line..end).map(|at| Start { line: at, end: at + 1, shape, depth }));
            }
            _ => starts.push(Start { line, end, shape, depth }),
        }
    }
    starts
}

/// Whether each line of a paragraph says something of its own: `Port: 8080`, `| a row |`, `✅ done`,
/// or a line that ends in a hard break. Lines of prose continue each other.
fn is_list_of_lines(paragraph: &str) -> bool {
    let last = paragraph.lines().count().saturating_sub(1);
    last > 0
        && paragraph.lines().enumerate().all(|(at, line)| {
            let is_broken = line.ends_with("  ") || line.ends_with('\\');
            (is_broken && at < last) || (is_broken_before(paragraph, at) || is_labelled(line))
        })
}

fn is_broken_before(paragraph: &str, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| paragraph.lines().nth(at));
    before.is_some_and(|line| line.ends_with("  ") || line.ends_with('\\'))
}

/// Whether a line starts with a label and a colon, or with a sign that is no letter, digit or quote.
fn is_labelled(line: &str) -> bool {
    let line = line.trim();
    let sign = |c: char| !c.is_alphanumeric() && !"\"'`(_*[<&@#“„«".contains(c);
    if line.starts_with(sign) || line.starts_with("**") {
        return true;
    }
    let colon = line.find(": ").or_else(|| line.find('：'));
    let Some(colon) = colon.or_else(|| line.strip_suffix(':').map(str::len)) else { return false };
    let label = &line[..colon];
    label.chars().count() <= LABEL_CHARS_MAX
        && label.split_whitespace().count() <= LABEL_WORDS_MAX
        && !label.contains(['.', ',', ';', '?', '!'])
}

fn rank(level: HeadingLevel) -> u8 {
    level as u8
}

/// Collects lines into units.
struct Builder<'t> {
    text: &'t str,
    units: Vec<Unit<'t>>,
    /// Where the gap before the open unit starts.
    gap: usize,
    /// Where the next gap starts: after the last line that is not blank.
    open: usize,
    /// The start the open unit came from.
    current: Option<usize>,
    /// The open list items: depth and unit.
    items: Vec<(usize, usize)>,
    /// The open headings: level and unit.
    headings: Vec<(u8, usize)>,
    /// The head of the table whose rows follow.
    table: Option<usize>,
}

impl<'t> Builder<'t> {
    fn line(&mut self, offset: usize, line: &'t str, start: Option<(usize, &Start)>) {
        if line.trim().is_empty() {
            return;
        }
        let end = offset + line.len();
        let same = start.is_some_and(|(at, _)| self.current == Some(at));
        if same && let Some(unit) = self.units.last_mut() {
            unit.text = &self.text[self.gap + unit.gap.len()..end];
        } else {
            let shape = start.map_or(Shape::Line, |(_, start)| start.shape);
            let parent = self.parent(shape, start.map_or(0, |(_, start)| start.depth));
            self.gap = self.open;
            let gap = &self.text[self.gap..offset];
            self.units.push(Unit { gap, text: &self.text[offset..end], shape, key: None, parent });
        }
        self.current = start.map(|(at, _)| at);
        self.open = end;
    }

    /// The unit that holds the next one, and the bookkeeping for those it will hold.
    fn parent(&mut self, shape: Shape, depth: usize) -> Option<usize> {
        let next = self.units.len();
        self.items.truncate(depth);
        if shape == Shape::Row {
            return self.table;
        }
        self.table = (shape == Shape::Whole).then_some(next);
        let item = self.items.last().map(|(_, unit)| *unit);
        if shape == Shape::Item {
            self.items.push((depth, next));
        }
        item.or_else(|| self.heading_above(shape, next))
    }

    /// The heading a unit outside of lists stands under; a heading closes those of its level.
    fn heading_above(&mut self, shape: Shape, next: usize) -> Option<usize> {
        let Shape::Heading(level) = shape else {
            return self.headings.last().map(|(_, unit)| *unit);
        };
        self.headings.retain(|(above, _)| *above < level);
        let above = self.headings.last().map(|(_, unit)| *unit);
        self.headings.push((level, next));
        above
    }

    fn finish(self) -> Units<'t> {
        Units { units: self.units, tail: &self.text[self.open..] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, Shape, Option<usize>)]) {
        let split = split(text);
        let found: Vec<_> = split.units.iter().map(|u| (u.text, u.shape, u.parent)).collect();
        assert_eq!(found, expected);
        let joined: String =
            split.units.iter().flat_map(|u| [u.gap, u.text]).chain([split.tail]).collect();
        assert_eq!(joined, text);
    }

    #[test]
    fn headings_hold_paragraphs_and_items_hold_items() {
        check(
            "Intro\n\n# A\nText\nmore\n\n## B\n- one\n  - two\n    wrapped\n- three\n\n# C\n",
            &[
                ("Intro\n", Shape::Paragraph, None),
                ("# A\n", Shape::Heading(1), None),
                ("Text\nmore\n", Shape::Paragraph, Some(1)),
                ("## B\n", Shape::Heading(2), Some(1)),
                ("- one\n", Shape::Item, Some(3)),
                ("  - two\n    wrapped\n", Shape::Item, Some(4)),
                ("- three\n", Shape::Item, Some(3)),
                ("# C\n", Shape::Heading(1), None),
            ],
        );
    }

    #[test]
    fn code_and_comments_stay_whole_and_a_table_holds_its_rows() {
        check(
            "```sh\na\n\n# b\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- x\n\ny -->\n\n[r]: http://x\n",
            &[
                ("```sh\na\n\n# b\n```\n", Shape::Whole, None),
                ("| a | b |\n|---|---|\n", Shape::Whole, None),
                ("| 1 | 2 |\n", Shape::Row, Some(1)),
                ("<!-- x\n\ny -->\n", Shape::Whole, None),
                ("[r]: http://x\n", Shape::Line, None),
            ],
        );
    }

    #[test]
    fn lines_that_say_something_of_their_own_are_a_list_without_bullets() {
        check(
            "Port: 1\nHost: a\n\nThe port is 1\nand the host: a.\n",
            &[
                ("Port: 1\n", Shape::ListLine, None),
                ("Host: a\n", Shape::ListLine, None),
                ("The port is 1\nand the host: a.\n", Shape::Paragraph, None),
            ],
        );
        for (text, expected) in [
            ("**A:** b\n**C:** d\n", true),
            ("✅ one\n✅ two\n", true),
            ("| a | 1 |\n| b | 2 |\n", true),
            ("one  \ntwo  \nthree\n", true),
            ("one\ntwo\n", false),
            ("Port: 1\n", false),
            ("Ask her, then: wait\nfor it\n", false),
        ] {
            assert_eq!(is_list_of_lines(text), expected, "{text}");
        }
    }

    #[test]
    fn the_lines_of_any_text_are_all_there() {
        for text in [
            "",
            "\n",
            "\n\n  \na\n",
            "- \n",
            "-\n\n\n",
            "> a\n> - b\nlazy\n",
            "1. a\n\n   b\n\n       c\n2. d\n",
            "\0\n",
            "# \n===\n",
            "- | a |\n  |---|\n  | b |\n| c |\n\nd: e\nf: g\n",
            "> | a |\n> |---|\n> | b |\n",
        ] {
            let split = split(text);
            let joined: String =
                split.units.iter().flat_map(|u| [u.gap, u.text]).chain([split.tail]).collect();
            assert_eq!(joined, text);
        }
    }
}
