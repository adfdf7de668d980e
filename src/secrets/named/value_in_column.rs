//! Values below the heading of their column: Markdown tables, with and without outer bars, and
//! lines parted by commas, semicolons or tabs.
//! Border: grammar only; the value is judged in `value`.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::candidate::{Candidate, Link};
use super::names::Name;

/// A longer heading is a sentence.
const HEADING_BYTES_MAX: usize = 80;
/// No further column is looked at.
const COLUMNS_MAX: usize = 64;
/// So much of a table is read below its heading.
const TABLE_BYTES_MAX: usize = 64 * 1024;

/// Bytes that part cells where there are no bars.
const MARKS: [u8; 3] = [b',', b';', b'\t'];

/// What parts the cells of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bar {
    /// A bar that no backslash takes away.
    Pipe,
    /// One byte.
    Mark(u8),
}

/// The values in the column that a name heads; `None` where the name is no heading.
pub(super) fn column(text: &[u8], name: &Name) -> Option<Vec<Candidate>> {
    let heading = line_at(text, name.span.start, HEADING_BYTES_MAX * COLUMNS_MAX)?;
    let below = line_from(text, heading.end)?;
    if name.span.end > heading.end {
        return None;
    }
    let bar = bar(text, &heading, &text[below.clone()], &name.span)?;
    let cells = cells(text, &heading, bar);
    let at =
        cells.iter().position(|cell| cell.start <= name.span.start && name.span.end <= cell.end)?;
    if cells[at].len() > HEADING_BYTES_MAX || at >= COLUMNS_MAX {
        return None;
    }
    let mut values = Vec::new();
    let mut next = if bar == Bar::Pipe { line_from(text, below.end) } else { Some(below) };
    while let Some(line) = next.filter(|line| line.end - heading.end < TABLE_BYTES_MAX) {
        let row = &text[line.clone()];
        let width = self::cells(text, &line, bar);
        // Another rule: its heading is the line before, which has values of its own below it.
        if row.trim_ascii().is_empty() || is_rule(row) || width.len() < 2 {
            break;
        }
        values.extend(width.get(at).and_then(|cell| value(text, cell)));
        next = line_from(text, line.end);
    }
    Some(values)
}

/// The line around a place, without its end; `None` where it is longer than a heading may be.
fn line_at(text: &[u8], at: usize, bytes_max: usize) -> Option<Range<usize>> {
    let floor = at.saturating_sub(bytes_max);
    let before = memrchr(b'\n', &text[floor..at]);
    let start = match before {
        Some(end) => floor + end + 1,
        None if floor == 0 => 0,
        None => return None,
    };
    let ceiling = text.len().min(at + bytes_max);
    let end = memchr(b'\n', &text[at..ceiling]).map(|end| at + end);
    end.map(|end| start..end)
}

/// The line that begins behind the end of another one.
fn line_from(text: &[u8], end: usize) -> Option<Range<usize>> {
    let start = end + 1;
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let length = memchr(b'\n', rest).unwrap_or(rest.len());
    Some(start..start + length)
}

/// What parts the cells of a heading: bars where a rule stands below it, else a mark that parts
/// the line below into as many.
fn bar(text: &[u8], line: &Range<usize>, below: &[u8], name: &Range<usize>) -> Option<Bar> {
    let heading = &text[line.clone()];
    if is_rule(below) {
        return heading.contains(&b'|').then_some(Bar::Pipe);
    }
    // The cell of the name is at least this; most names stand in sentences, which it shows soonest.
    let is_mark = |b: &u8| MARKS.contains(b);
    let before = text[line.start..name.start].iter().rposition(is_mark);
    let start = before.map_or(line.start, |at| line.start + at + 1);
    let behind = text[name.end..line.end].iter().position(is_mark);
    let end = behind.map_or(line.end, |at| name.end + at);
    if !is_plain(&text[start..end]) {
        return None;
    }
    let count = |line: &[u8], mark: u8| line.iter().filter(|b| **b == mark).count();
    MARKS.into_iter().find_map(|mark| {
        let marks = count(heading, mark);
        let even = marks > 0 && marks == count(below, mark);
        (even && heading.split(|b| *b == mark).all(is_plain)).then_some(Bar::Mark(mark))
    })
}

/// Tells that a cell may head a column whose cells only a mark parts.
fn is_plain(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    (1..=24).contains(&cell.len())
        && cell.split(|b| *b == b' ').count() <= 3
        && cell.iter().all(|b| b.is_ascii_alphanumeric() || b"_ -\"".contains(b) || *b >= 0x80)
}

/// Tells that a line is the rule below the heading of a table.
fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii().trim_ascii_start();
    line.iter().all(|b| matches!(b, b'-' | b':' | b'|' | b' ' | b'\t' | b'>'))
        && line.contains(&b'-')
        && line.contains(&b'|')
}

/// The cells of a line; what stands before a first bar is none.
fn cells(text: &[u8], line: &Range<usize>, bar: Bar) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = line.start;
    for at in line.clone() {
        let parts = match bar {
            Bar::Pipe => text[at] == b'|' && (at == line.start || text[at - 1] != b'\\'),
            Bar::Mark(mark) => text[at] == mark,
        };
        if parts {
            let outer = text[start..at].iter().all(|b| matches!(b, b' ' | b'\t' | b'>'));
            if bar != Bar::Pipe || start > line.start || !outer {
                cells.push(start..at);
            }
            start = at + 1;
            if cells.len() > COLUMNS_MAX {
                return cells;
            }
        }
    }
    if start < line.end {
        cells.push(start..line.end);
    }
    cells
}

/// The value of a cell: what is in its quotes or its first word.
fn value(text: &[u8], cell: &Range<usize>) -> Option<Candidate> {
    let blank = |b: &u8| b.is_ascii_whitespace() || *b == b'*';
    let mut start = cell.start + text[cell.clone()].iter().take_while(|b| blank(b)).count();
    let mut quoted = start > cell.start && text[start - 1] == b'*';
    let first = *text[..cell.end].get(start)?;
    let end = if matches!(first, b'`' | b'"' | b'\'') {
        quoted = true;
        start += 1;
        text[start..cell.end].iter().position(|b| *b == first)
    } else {
        text[start..cell.end].iter().position(blank)
    };
    let end = end.map_or(cell.end, |end| start + end);
    (end > start).then_some(Candidate { value: start..end, link: Link::Table, quoted, quote: None })
}

#[cfg(test)]
mod tests {
    use crate::secrets::Scanner;

    /// The values found in a text, in order.
    fn values(text: &str) -> Vec<String> {
        let findings = Scanner::builtin().scan("note.md", text.as_bytes());
        findings.into_iter().map(|finding| text[finding.bytes].to_owned()).collect()
    }

    #[test]
    fn every_value_below_a_heading_is_found_once() {
        let (a, b) = (["hT5$kL", "m92xQ"].concat(), ["Xk9!mQ7v", "Lp2zRt"].concat());
        for table in [
            format!(
                "| Service | Login | Password |\n|---|---|---|\n| wiki | bot | `{a}` |\n| mail | ops | {b} |\n"
            ),
            format!("Service | pw\n:-- | --:\nwiki | {a}\nmail | **{b}**\n"),
            format!("> | **Password** | For |\n> |---|---|\n> | {a} | x |\n> | {b} (old) | y |\n"),
            format!("| 密码 | 用途 |\n|--|--|\n| {a} | x |\n| '{b}' | y |"),
            format!("```csv\nservice,login,password\nwiki,bot,{a}\nmail,ops,\"{b}\"\n```\n"),
            format!("name\tpasswort\nwiki\t{a}\nmail\t{b}\n"),
        ] {
            assert_eq!(values(&table), [a.as_str(), b.as_str()], "{table}");
        }
        let key: String = "4f9c2b7e1d8a6053".repeat(2);
        for heading in ["API key", "Access token", "Client secret", "`API_KEY`", "Token"] {
            let table = format!("| Name | {heading} |\n|---|---|\n| mail | {key} |\n\n{key}\n");
            assert_eq!(values(&table), [key.as_str()], "{table}");
        }
    }

    #[test]
    fn a_column_ends_with_its_table_and_other_columns_are_no_values() {
        let value = ["hT5$kL", "m92xQ"].concat();
        for text in [
            format!("| Password | Note |\n|---|---|\n| in the vault | {value} |\n"),
            format!("| Password | Note |\n|---|---|\n| see below | x |\n\n| a | {value} |\n"),
            format!(
                "| Password | Note |\n|---|---|\n| x | y |\n| Build | Note |\n|---|---|\n| {value} | z |\n"
            ),
            "| Password policy | Value |\n|---|---|\n| length | 14 |\n".to_owned(),
            "| test | Token refresh |\n|---|---|\n| unit | PASS |\n| e2e | FAIL(2) |\n".to_owned(),
            "| Key | Action |\n|---|---|\n| ctrl+shift+F12 | open |\n".to_owned(),
            "token, password, key\nare words, of, ours\n".to_owned(),
        ] {
            assert_eq!(values(&text), [""; 0], "{text}");
        }
    }
}
