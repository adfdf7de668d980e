//! `memsync member`: who is in the team.
//! Border: the flow is `sync::members`.

use clap::{Args, Subcommand, ValueEnum};
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::member::{MEMBER_FORMAT, MemberDocument};
use memsync::sync::members::{Change, MemberEntry, change, list, request};
use memsync::trust::roster::{MemberId, Role};

use crate::Outcome;
use crate::args::Format;
use crate::failure::Failure;
use crate::say::{self, FAINT, STRONG};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync member`.
#[derive(Debug, Args)]
pub(crate) struct MemberArgs {
    #[command(subcommand)]
    action: MemberAction,
}

/// What to do with the roster.
#[derive(Debug, Subcommand)]
enum MemberAction {
    /// List the members
    List,
    /// Print the line that asks an admin to let you in
    Request,
    /// Let in who sent a request line
    Add {
        /// The line that `memsync member request` printed
        line: String,
        /// What they may do
        #[arg(long, value_enum, default_value_t = RoleArg::Writer)]
        role: RoleArg,
        /// Give a member who is in the roster already this key in place of earlier ones
        #[arg(long)]
        new_key: bool,
    },
    /// Take a member out; what they shared stays
    Remove {
        /// The member
        id: String,
    },
    /// Give a member another role
    Role {
        /// The member
        id: String,
        /// What they may do
        #[arg(value_enum)]
        role: RoleArg,
    },
}

/// The roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RoleArg {
    /// May change everything, also the roster and the policy
    Admin,
    /// May change memories
    Writer,
    /// May read
    Reader,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Admin => Self::Admin,
            RoleArg::Writer => Self::Writer,
            RoleArg::Reader => Self::Reader,
        }
    }
}

/// Runs the chosen action.
pub(crate) fn run(args: MemberArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let (team, root) = (located.team(), located.project_root.as_deref());
    let caller = session.caller(None, false, KeyNeed::IfThere)?;
    let wanted = match args.action {
        MemberAction::List => {
            let own = caller.signer.as_ref().map(|signer| signer.public_key());
            say_members(ui, &list(&team, root, own)?);
            return Ok(Exit::Done);
        }
        MemberAction::Request => {
            ui.line(request(&team, root, &caller)?);
            ui.next("Send this line to an admin, who runs `memsync member add LINE` and `memsync push`.");
            return Ok(Exit::Done);
        }
        MemberAction::Add { line, role, new_key } => {
            Change::Add { line, role: role.into(), replaces: new_key }
        }
        MemberAction::Remove { id } => Change::Remove(member_id(&id)?),
        MemberAction::Role { id, role } => Change::SetRole(member_id(&id)?, role.into()),
    };
    let outcome = change(&team, root, &caller, &wanted)?;
    say::changes(ui, &outcome.staged.changes);
    say::held_back(ui, &outcome.staged.held_back);
    ui.next("Share it with `memsync push`.");
    Ok(say::exchange_exit(&outcome, false))
}

fn member_id(text: &str) -> Result<MemberId, Failure> {
    MemberId::parse(text)
        .map_err(|error| Failure::usage(error.to_string(), "`memsync member list` shows the ids."))
}

fn say_members(ui: &mut Ui, members: &[MemberEntry]) {
    if ui.format() != Format::Human {
        ui.json(&Document::new(MEMBER_FORMAT, MemberDocument { members }));
        return;
    }
    for member in members {
        let you = if member.is_you { " (you)" } else { "" };
        ui.line(format!("{STRONG}{}{STRONG:#} {}, {}{you}", member.id, member.role, member.name));
        for key in &member.keys {
            ui.line(format!("  {FAINT}{key}{FAINT:#}"));
        }
    }
    if members.is_empty() {
        ui.note(
            "this team memory has no roster: everyone who may push to the remote may change it",
        );
    }
}
