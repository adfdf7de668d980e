//! Turns any library error into what the program shows: the text with its causes, and the advice.
//! Border: the advice itself is `memsync::report::advice`.

use memsync::report::advice::{Advice, Advised, Exit};

/// An error on its way to the person.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The error and its causes, joined with `: `.
    pub(crate) message: String,
    /// Exit code and next step.
    pub(crate) advice: Advice,
}

impl Failure {
    /// A mistake in how the command was called.
    pub(crate) fn usage(message: impl Into<String>, next_step: impl Into<String>) -> Self {
        let advice = Advice { exit: Exit::Usage, next_step: next_step.into() };
        Self { message: message.into(), advice }
    }

    /// Something that cannot be unless memsync is wrong.
    pub(crate) fn bug(message: impl Into<String>) -> Self {
        let next_step = "This is a bug in memsync. Please report it with the command you ran.";
        let advice = Advice { exit: Exit::Bug, next_step: next_step.to_owned() };
        Self { message: message.into(), advice }
    }
}

impl<E: Advised> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            message = format!("{message}: {inner}");
            cause = inner.source();
        }
        Self { message, advice: error.advice() }
    }
}
