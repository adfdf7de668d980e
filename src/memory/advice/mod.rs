//! What is better not saved: what passes, what was pasted, what code or git history say, what is said already.
//! Border: values in, values out; it advises and never refuses. What is gone from a project is for a flow
//! to look up.

pub mod text;
mod words;
mod pasted;
mod passing;
mod derivable;
pub mod repeats;
pub mod evidence;
#[cfg(test)]
mod tests;

use crate::base::display::Escaped;
use crate::base::text::Position;
use crate::memory::document::Document;
use crate::memory::problem::{Problem, Severity};

use self::repeats::Known;
use self::text::Lines;

/// What the text of one memory alone gives reason to say, in the order of the text. An agent's hook
/// may ask it before a memory is written.
pub fn advice(text: &str) -> Vec<Problem> {
    let document = Document::parse(text);
    let lines = Lines::of(text, &document);
    let mut found = Vec::new();
    found.extend(pasted::trace(&lines));
    found.extend(pasted::diff(&lines));
    found.extend(pasted::tree(&lines));
    let log = pasted::log(&lines);
    if log.is_none() {
        found.extend(derivable::commits(&lines));
    }
    found.extend(log);
    found.extend(pasted::listing(&lines));
    found.extend(passing::relative_date(&lines));
    found.extend(passing::in_progress(&lines));
    found.extend(derivable::paths(&lines));
    found.extend(derivable::fix_recipe(&lines));
    found.sort_by_key(|problem| (problem.position, problem.rule));
    found
}

/// Whether a memory says what one of the texts says already. `own` is the name it is known by, where
/// it is one of them.
pub fn repeated(text: &str, known: &Known, own: Option<&str>) -> Option<Problem> {
    let by = Escaped(known.holding(Document::parse(text).body(), own)?);
    let next = "Keep it in one place: forget the memory, or let the other text go.";
    Some(said(None, "advice-repeats", format!("it says what `{by}` says already"), next))
}

/// An entry of the index whose memory another one takes the place of.
pub fn superseded(at: Position, target: &str, by: &str) -> Problem {
    let message = format!("`{}` takes the place of `{}`", Escaped(by), Escaped(target));
    let next =
        "Take the entry out, or `memsync forget` the older memory: agents read the newer one.";
    said(Some(at), "advice-superseded", message, next)
}

/// A piece of advice. `message` is ready to show.
fn said(at: Option<Position>, rule: &'static str, message: String, next: &str) -> Problem {
    Problem { position: at, rule, severity: Severity::Warning, message, next_step: next.to_owned() }
}
