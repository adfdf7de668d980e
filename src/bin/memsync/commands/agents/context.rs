//! `memsync context`: what an agent is told about memory, for a session or for one turn.
//! Border: arguments and words; the flow is `local::context`.

use std::path::PathBuf;

use clap::Args;
use memsync::base::display::{Escaped, escape_block};
use memsync::base::text::count;
use memsync::context::block::joined;
use memsync::context::budget::{Budget, Fitted, fit};
use memsync::context::{session as of_session, turn as of_turn};
use memsync::local::context::{TurnQuestion, for_session, for_turn};
use memsync::recall::query::Query;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::agents::context::{CONTEXT_FORMAT, ContextDocument};
use memsync::system::clock::Clock;

use super::instructions::Client;
use crate::Outcome;
use crate::commands::memories::recall::piped;
use crate::global::Format;
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync context`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("part").required(true).args(["for_session", "for_turn"]))]
pub(crate) struct ContextArgs {
    /// What holds for a whole session: how memory works here, both indexes, how far to trust them
    #[arg(long = "static")]
    for_session: bool,
    /// What holds for one turn: memories that matter, rules that apply, date, freshness, conflicts
    #[arg(long = "turn")]
    for_turn: bool,
    /// The prompt of the turn; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", conflicts_with = "for_session")]
    prompt: Option<String>,
    /// Files the agent works on: rules that match them are told
    #[arg(long = "for", value_name = "PATH", num_args = 1.., conflicts_with = "for_session")]
    touched: Vec<PathBuf>,
    /// Memories that were already shown: path, file or name
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "for_session")]
    surfaced: Vec<String>,
    /// Tools in use: their reference is left out, warnings about them are not
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "for_session")]
    tools: Vec<String>,
    /// At most so many tokens, estimated; what matters least gives way first
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Keep within what one hook answer of this client may hold
    #[arg(long, value_enum)]
    agent: Option<Client>,
}

/// Shows the blocks.
pub(crate) fn run(args: ContextArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let memdir = session.locate()?.memdir;
    let (context, first_kept): (_, &[&str]) = if args.for_session {
        (for_session(&memdir)?, &of_session::FIRST_KEPT)
    } else {
        let text = match args.prompt {
            Some(text) if text == "-" => Some(piped(session)?),
            other => other,
        };
        let query = text.map(|text| Query { text, tools: args.tools, surfaced: args.surfaced });
        let question = TurnQuestion {
            memdir: &memdir,
            agent: args.agent.unwrap_or(Client::ClaudeCode).agent(),
            folder: &session.folder,
            environment: &session.environment,
            query: query.as_ref(),
            touched: &args.touched,
            now: Clock::from_environment(&session.environment)?.now(),
        };
        (for_turn(&question)?, &of_turn::FIRST_KEPT)
    };
    for note in &context.notes {
        ui.warn(Escaped(note).to_string());
    }
    let characters = args.agent.and_then(Client::answer_characters_max);
    let fitted = fit(context.blocks, first_kept, Budget { tokens: args.budget, characters });
    match ui.format() {
        Format::Human => say(&fitted, ui),
        _ => ui.json(&Document::new(CONTEXT_FORMAT, ContextDocument::of(&fitted))),
    }
    Ok(Exit::Done)
}

fn say(fitted: &Fitted, ui: &mut Ui) {
    if !fitted.blocks.is_empty() {
        ui.line(escape_block(joined(&fitted.blocks).trim_end()));
    }
    let tokens: usize = fitted.blocks.iter().map(|block| block.tokens).sum();
    let blocks = count(fitted.blocks.len(), "block", "blocks");
    ui.note(format!("{blocks}, about {}", count(tokens, "token", "tokens")));
    for (names, what) in [(&fitted.cut, "cut"), (&fitted.left_out, "left out")] {
        if !names.is_empty() {
            ui.note(format!("{what} for want of room: {}", names.join(", ")));
        }
    }
}
