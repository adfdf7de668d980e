//! The words of answers: within what a client takes, each with the revision it speaks of.
//! Border: text only. `structuredContent` is never used: a model would then see nothing else.

use sha2::{Digest as _, Sha256};

use crate::report::advice::Advised;
use crate::store::locate::TeamPlace;
use crate::sync::repo::team::Team;

/// A longer answer would go to a file instead of to the model.
pub(super) const ANSWER_CHARACTERS_MAX: usize = 40_000;
/// Hex digits that name a text.
const REVISION_DIGITS: usize = 12;

/// What a tool says: done, or why not.
pub(super) type Said = Result<String, String>;

/// An error as a model can act on it: what it is, its causes, what to do.
pub(super) fn told<E: Advised>(error: E) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    format!("{text}\nNext: {}", error.advice().next_step)
}

/// The name of a text: two that differ have different ones.
pub(super) fn revision_of(text: &[u8]) -> String {
    let digest = Sha256::digest(text);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..REVISION_DIGITS].to_owned()
}

/// The state of the team memory that an answer speaks of.
pub(super) fn team_revision(place: &TeamPlace) -> String {
    match Team::open(place).and_then(|team| team.tip()) {
        Ok(tip) => format!("team memory at revision {}", tip.short()),
        Err(_) => "there is no team memory here".to_owned(),
    }
}

/// Lines as far as an answer holds them, and a line that says how many are left out.
pub(super) fn within_limit(lines: Vec<String>, how_to_see_more: &str) -> String {
    let total = lines.len();
    let mut text = String::new();
    let mut characters = 0;
    for (at, line) in lines.into_iter().enumerate() {
        characters += line.chars().count() + 1;
        if characters > ANSWER_CHARACTERS_MAX {
            text += &format!("[{} of {total} lines are left out. {how_to_see_more}]\n", total - at);
            break;
        }
        text += &line;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_it_leaves_out() {
        let lines = vec!["x".repeat(9_999); 7];
        let text = within_limit(lines, "Ask for less.");
        assert!(text.ends_with("[3 of 7 lines are left out. Ask for less.]\n"));
        assert!(text.chars().count() < ANSWER_CHARACTERS_MAX + 100);
        assert_ne!(revision_of(b"a"), revision_of(b"b"));
    }
}
