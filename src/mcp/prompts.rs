//! Prompts that a person picks: what memory knows, what is to be remembered.
//! Border: words; the texts come from the calls.

use rmcp::model::{Prompt, PromptArgument};

use super::answer::{Said, told};
use super::arguments;
use super::desk::Call;
use crate::context::block::joined;
use crate::local::context::for_session;

/// The prompts.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |name: &str, description: &str| {
        PromptArgument::new(name).with_description(description).with_required(true)
    };
    vec![
        Prompt::new(
            "recall",
            Some("What private and team memory know about a question"),
            Some(vec![argument("question", "The question, in your own words")]),
        ),
        Prompt::new(
            "remember",
            Some("Keep something for later sessions, in the right layer and without doubling it"),
            Some(vec![argument("what", "What is to be remembered")]),
        ),
        Prompt::new("memory", Some("How memory works here, and both indexes"), None),
    ]
}

/// The text of a prompt; `None` where there is none of this name.
pub(super) fn text(name: &str, argument: &str, call: &Call<'_>) -> Option<Said> {
    Some(match name {
        "recall" => call
            .search(&arguments::Search { query: argument.to_owned(), limit: None })
            .map(|found| {
                format!(
                    "What memory knows about: {argument}\n\n{found}\nVerify before you rely on it."
                )
            }),
        "remember" => Ok(format!(
            "Remember for later sessions: {argument}\n\nFirst memory_search for what is known about it, and correct that memory \
             rather than adding a second one. Say in which layer it should be: the team's if it helps the others, private if it \
             is about one person."
        )),
        "memory" => call
            .located()
            .and_then(|located| for_session(&located.memdir).map_err(told))
            .map(|context| joined(&context.blocks)),
        _ => return None,
    })
}
