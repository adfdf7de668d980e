//! Files and symbols of the project that a memory names, so that a flow can see whether they are there.
//! Border: reads the text; whether something is gone is looked up elsewhere.

use super::derivable::is_path;
use super::said;
use super::text::{Line, Lines, Place};
use super::words::{any, words};
use crate::base::display::Escaped;
use crate::base::text::Position;
use crate::memory::document::Document;
use crate::memory::problem::Problem;

/// So many are looked up in one memory.
const NAMED_MAX: usize = 200;
/// A line that says so speaks of what is gone, or of what is not there yet.
const TOLD: &[&str] = &[
    "removed|deleted|dropped|gone|retired",
    "renamed|moved|replaced|merged",
    "no longer|more",
    "formerly|former|old|was|were|used",
    "create|creates|created|add|adds|generate|generates|generated|write|writes|written",
    "new|planned|will|would|future",
    "never|don't|not|without|missing",
    "example|examples|such|like|e",
    "entfernt|gelöscht|umbenannt",
    "supprimé|renommé",
    "eliminado|borrado",
    "removido|apagado",
    "other|another|upstream",
    "удалён|удален",
];

/// A file that a memory names, and perhaps a symbol in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Where.
    pub at: Position,
    /// The path, from the project's folder or from one below.
    pub path: String,
    /// What is said to be in it.
    pub symbol: Option<String>,
}

impl Named {
    /// Says that the file is gone.
    pub fn gone(&self) -> Problem {
        let message = format!("`{}` is not in the project any more", Escaped(&self.path));
        said(Some(self.at), "advice-gone", message, NEXT)
    }

    /// Says that the file has the symbol no longer.
    pub fn without_symbol(&self) -> Option<Problem> {
        let symbol = self.symbol.as_ref()?;
        let (path, symbol) = (Escaped(&self.path), Escaped(symbol));
        let message = format!("`{symbol}` is not in `{path}` any more");
        Some(said(Some(self.at), "advice-gone", message, NEXT))
    }
}

const NEXT: &str = "See whether the memory still holds, and correct or forget it.";

/// What a memory names in backticks, in order.
pub fn named(text: &str) -> Vec<Named> {
    let document = Document::parse(text);
    let lines = Lines::of(text, &document);
    let mut found: Vec<Named> = Vec::new();
    for line in lines.all.iter().filter(|line| line.place == Place::Body) {
        if any(&words(&line.prose), TOLD) {
            continue;
        }
        for new in of_line(line) {
            let is_known =
                found.iter().any(|known| known.path == new.path && known.symbol == new.symbol);
            if !is_known && found.len() < NAMED_MAX {
                found.push(new);
            }
        }
    }
    found
}

fn of_line(line: &Line<'_>) -> Vec<Named> {
    let spans = line.spans();
    let mut found = Vec::new();
    for (number, (at, span)) in spans.iter().enumerate() {
        let Some((path, inside)) = file_of(span) else { continue };
        let between = |one: usize, other: usize| {
            let from = spans[one].0 + spans[one].1.len() + 1;
            line.raw.get(from..spans[other].0 - 1).unwrap_or_default().trim().to_lowercase()
        };
        let before = number.checked_sub(1).filter(|before| {
            const IN: &[&str] = &["in", "(", "from", "is in", "lives in", "is defined in"];
            IN.contains(&between(*before, number).as_str())
        });
        let after = Some(number + 1).filter(|after| {
            *after < spans.len()
                && ["(", "has", "defines", "contains", "holds"]
                    .contains(&between(number, *after).as_str())
        });
        let symbol = inside
            .or_else(|| before.and_then(|before| symbol(spans[before].1)))
            .or_else(|| after.and_then(|after| symbol(spans[after].1)));
        found.push(Named { at: line.at(*at), path, symbol });
    }
    found
}

/// The file of a span, and a symbol after it: `src/a.rs`, `./src/a.rs:12`, `src/a.rs::parse`.
fn file_of(span: &str) -> Option<(String, Option<String>)> {
    let span = span.strip_prefix("./").unwrap_or(span);
    let (path, rest) = match span.find([':', '#']) {
        Some(at) => (&span[..at], span[at..].trim_start_matches([':', '#'])),
        None => (span, ""),
    };
    is_path(path).then(|| (path.to_owned(), symbol(rest)))
}

/// A name that only code has: with `_`, `::`, `()`, or a capital inside.
fn symbol(text: &str) -> Option<String> {
    let call = text.find('(').map_or(text, |at| &text[..at]);
    let is_call = call.len() < text.len();
    let last = call.rsplit(['.', ':', '#']).next().unwrap_or_default();
    let is_name = !last.is_empty()
        && last.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !last.chars().next().is_some_and(|c| c.is_ascii_digit());
    let is_of_code = is_call
        || last.contains('_')
        || call.contains("::")
        || last.chars().skip(1).any(|c| c.is_ascii_uppercase());
    let is_whole = call.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#'));
    (is_name && is_of_code && is_whole && last.len() >= 4).then(|| last.to_owned())
}
