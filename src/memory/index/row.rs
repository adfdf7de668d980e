//! Table rows: where the cells are, and the entry a row makes.
//! Border: one row; whether it stands in a table is `scan`'s business.

use super::item::{self, Pointer};

/// Tells whether a line is the rule below a table header: `|---|:--:|`.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|c| "|:- \t".contains(c))
}

/// The entry a row makes: its first cell that points at a memory, the others as the hook.
pub(super) fn pointer(line: &str) -> Option<Pointer> {
    let cells = cells(line);
    let (at, mut found) = cells.iter().enumerate().find_map(|(at, cell)| {
        let mut pointers = item::pointers(cell);
        (pointers.len() == 1).then(|| (at, pointers.remove(0)))
    })?;
    let own = std::mem::take(&mut found.hook);
    let others = cells.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, cell)| *cell);
    let hooks = std::iter::once(own.as_str()).chain(others).filter(|cell| !cell.is_empty());
    found.hook = hooks.collect::<Vec<_>>().join(" | ");
    Some(found)
}

/// The cells of a row, trimmed. A bar after a backslash does not part cells, nor one inside a link.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    let mut wiki = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if line[at..].starts_with("[[") => wiki = true,
            ']' => wiki = false,
            '|' if !wiki => {
                cells.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push(line[start..].trim());
    cells
}
