//! `memsync member`: who is in the team.
//! Border: the flow is `sync::members`.

use clap::{Args, Subcommand};
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::seal::AsDocument as _;
use memsync::report::json::team::member::{MEMBER_FORMAT, MemberDocument};
use memsync::sync::error::SyncError;
use memsync::sync::membership::members::{
    Change, MemberEntry, MemberOutcome, Sealed, change, list, own_member, request,
};
use memsync::sync::membership::requests::{
    Pending, PendingRequest, decline, decline_junk, find, pending, send,
};
use memsync::sync::repo::team::Actor;
use memsync::sync::sealed::reseal::Affected;
use memsync::trust::roster::{MemberId, Role};

use super::role::RoleArg;
use crate::Outcome;
use crate::commands::sealed::seal::say_resealed;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{self, FAINT, STRONG, count};
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
    List {
        /// Also look on the remote for requests that wait for an admin
        #[arg(long)]
        requests: bool,
    },
    /// Print the line that asks an admin to let you in
    Request {
        /// Also send it to a ref of its own on the remote, where admins find it
        #[arg(long, alias = "request")]
        push: bool,
    },
    /// Let in who asks
    Add {
        /// The line that `memsync member request` printed; or the id or key fingerprint of a request
        /// that waits on the remote
        #[arg(value_name = "LINE|ID|FINGERPRINT")]
        line: String,
        /// What they may do
        #[arg(long, value_enum, default_value_t = RoleArg::Writer)]
        role: RoleArg,
        /// Give a member who is in the roster already this key in place of earlier ones
        #[arg(long)]
        new_key: bool,
        /// Give a member who is in the roster already this key beside the others, for another machine
        #[arg(long, value_name = "NAME", conflicts_with_all = ["new_key", "role"])]
        device: Option<String>,
        /// Answer questions with yes
        #[arg(short, long)]
        yes: bool,
        /// Seal again, in the same commit, what is sealed for their role
        #[arg(long)]
        reseal: bool,
    },
    /// Take a request away from the remote; the person can ask again
    Decline {
        /// The id or key fingerprint of the request
        #[arg(value_name = "ID|FINGERPRINT", required_unless_present = "junk")]
        who: Option<String>,
        /// Take away everything that stands among the requests and is none
        #[arg(long, conflicts_with = "who")]
        junk: bool,
    },
    /// Take a member out; what they shared stays
    Remove {
        /// The member
        id: String,
        /// Take only the key of one machine away, by the machine's name or the key's fingerprint
        #[arg(long, value_name = "NAME|FINGERPRINT")]
        device: Option<String>,
        /// Seal again, in the same commit, what they could open
        #[arg(long)]
        reseal: bool,
    },
    /// Give a member another role
    Role {
        /// The member
        id: String,
        /// What they may do
        #[arg(value_enum)]
        role: RoleArg,
        /// Seal again, in the same commit, what the change gives or takes
        #[arg(long)]
        reseal: bool,
    },
    /// Tell the team which age identity opens sealed memories for you
    Age,
}

/// Runs the chosen action.
pub(crate) fn run(args: MemberArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let place = located.place();
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let (wanted, reseal) = match args.action {
        MemberAction::List { requests } => {
            let own = actor.signer.as_ref().map(|signer| signer.public_key());
            let members = list(&place, own)?;
            let waiting = if requests { Some(pending(&place, &session.git)?) } else { None };
            say_members(ui, &members, waiting.as_ref());
            return Ok(Exit::Done);
        }
        MemberAction::Decline { who: Some(who), .. } => {
            let gone = decline(&place, &session.git, &who)?;
            ui.line(format!("Declined `{}`, {}, {}", gone.id, gone.name, gone.fingerprint));
            return Ok(Exit::Done);
        }
        MemberAction::Decline { who: None, .. } => {
            let gone = decline_junk(&place, &session.git)?;
            ui.line(format!("Took away {} that held no request", count(gone, "ref", "refs")));
            return Ok(Exit::Done);
        }
        MemberAction::Request { push: true } => {
            ui.line(send(&place, &actor, &session.git)?);
            say_sent(ui, &actor);
            return Ok(Exit::Done);
        }
        MemberAction::Request { push: false } => {
            ui.line(request(&place, &actor)?);
            ui.next("Send this line to an admin, who runs `memsync member add LINE` and `memsync push`.");
            return Ok(Exit::Done);
        }
        MemberAction::Add { line, role, new_key, device, yes, reseal } => {
            let line = if line.contains(' ') {
                line
            } else {
                let found = find(&place, &session.git, &line)?;
                let asker = session.actor(None, yes, KeyNeed::IfThere)?;
                confirm(&asker, &found, &line, role)?;
                found.line
            };
            (Change::Add { line, role: role.into(), replaces: new_key, device }, reseal)
        }
        MemberAction::Remove { id, device: Some(device), reseal } => {
            (Change::RemoveDevice(member_id(&id)?, device), reseal)
        }
        MemberAction::Remove { id, device: None, reseal } => {
            (Change::Remove(member_id(&id)?), reseal)
        }
        MemberAction::Role { id, role, reseal } => {
            (Change::SetRole(member_id(&id)?, role.into()), reseal)
        }
        MemberAction::Age => {
            let age = actor.age.clone().ok_or_else(|| {
                Failure::usage(
                    "you have no age identity",
                    "Make one with `memsync key age --make`.",
                )
            })?;
            (Change::OpenWith(own_member(&place, &actor)?, age), false)
        }
    };
    let sealed = if reseal { Sealed::Again } else { Sealed::Stay };
    let outcome = change(&place, &actor, &wanted, sealed)?;
    if ui.format() == Format::Human {
        ui.done(words(&wanted));
        say_change(ui, &outcome);
    } else {
        ui.json(&Document::new(MemberOutcome::FORMAT, &outcome));
    }
    Ok(say::exchange_exit(&outcome.exchange, false))
}

/// What was done, for whom.
fn words(change: &Change) -> String {
    match change {
        Change::Add { line, role, device, .. } => {
            // The line was checked; the id stands third in it.
            let id = Escaped(line.split(' ').nth(2).unwrap_or_default()).to_string();
            match device {
                Some(device) => format!("`{id}` has a key on `{}` now.", Escaped(device)),
                None => format!("`{id}` is in the roster now, as {role}."),
            }
        }
        Change::Remove(id) => format!("`{id}` is out of the roster."),
        Change::RemoveDevice(id, device) => {
            format!("The key of `{id}` on `{}` is revoked.", Escaped(device))
        }
        Change::SetRole(id, role) => format!("`{id}` is {role} now."),
        Change::Rotate(id, ..) => format!("`{id}` has another key now."),
        Change::OpenWith(id, _) => {
            format!("`{id}` opens sealed memories with the age identity now.")
        }
    }
}

/// The change, and what it means for sealed memories.
fn say_change(ui: &mut Ui, outcome: &MemberOutcome) {
    if !ui.is_quiet() {
        say::changes(ui, &outcome.exchange.staged.changes);
    }
    say::held_back(ui, &outcome.exchange.staged.held_back);
    match &outcome.resealed {
        Some(resealed) => say_resealed(ui, resealed),
        None => say_affected(ui, &outcome.affected),
    }
    if !outcome.exposed.is_empty() {
        ui.warn("a removed member keeps what they could open: old versions stay readable to them, and what they copied");
        ui.note("change whatever these give away:");
        for one in &outcome.exposed {
            let versions = count(one.versions, "version", "versions");
            ui.line(format!("  {} ({versions})", one.path));
        }
    }
    ui.next("Share it with `memsync push`.");
}

fn say_affected(ui: &mut Ui, affected: &[Affected]) {
    if affected.is_empty() {
        return;
    }
    ui.warn(format!(
        "the readers of {} change:",
        count(affected.len(), "sealed memory", "sealed memories")
    ));
    for one in affected {
        let part = |sign: &str, ids: &[String]| {
            ids.iter().map(|id| format!(" {sign}{id}")).collect::<String>()
        };
        ui.line(format!("  {}{}{}", one.path, part("+", &one.gains), part("-", &one.loses)));
    }
    ui.next("Seal them again with `memsync reseal --all`; `--reseal` does it in the same commit.");
}

/// What stands on the remote can be by anyone who may push: an id alone says nothing about the key.
fn confirm(actor: &Actor, found: &PendingRequest, who: &str, role: RoleArg) -> Result<(), Failure> {
    let PendingRequest { id, name, fingerprint, .. } = found;
    let role = Role::from(role);
    let question = format!("Let in {name} as `{id}`, {role}, with the key {fingerprint}?");
    if who == fingerprint || actor.confirms(&question) {
        return Ok(());
    }
    let (id, fingerprint) = (id.clone(), fingerprint.clone());
    Err(SyncError::UnconfirmedRequest { id, fingerprint }.into())
}

/// Says that a request is on the remote.
pub(super) fn say_sent(ui: &mut Ui, actor: &Actor) {
    ui.note("your request waits on the remote");
    if let Some(signer) = &actor.signer {
        ui.next(format!(
            "Tell an admin your key, over another channel; they run `memsync member add {}` and `memsync push`.",
            signer.public_key().fingerprint()
        ));
    }
}

fn member_id(text: &str) -> Result<MemberId, Failure> {
    MemberId::parse(text)
        .map_err(|error| Failure::usage(error.to_string(), "`memsync member list` shows the ids."))
}

fn say_members(ui: &mut Ui, members: &[MemberEntry], requests: Option<&Pending>) {
    if ui.format() != Format::Human {
        let document = MemberDocument {
            members,
            requests: requests.map(|found| found.requests.as_slice()),
            junk: requests.map(|found| found.junk),
            unread: requests.map(|found| found.unread),
        };
        ui.json(&Document::new(MEMBER_FORMAT, document));
        return;
    }
    for member in members {
        let you = if member.is_you { " (you)" } else { "" };
        ui.line(format!("{STRONG}{}{STRONG:#} {}, {}{you}", member.id, member.role, member.name));
        for one in &member.devices {
            let device = one.device.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            let since = one.added.as_ref().map(|day| format!(", since {day}")).unwrap_or_default();
            ui.line(format!("  {FAINT}{}{device}{since}{FAINT:#}", one.key));
        }
        if let Some(age) = &member.age {
            ui.line(format!("  {FAINT}{age}{FAINT:#}"));
        }
    }
    if members.is_empty() {
        ui.note(
            "this team memory has no roster: everyone who may push to the remote may change it",
        );
    }
    for request in requests.iter().flat_map(|found| &found.requests) {
        ui.line(format!("{STRONG}{}{STRONG:#} asks to be let in, {}", request.id, request.name));
        ui.line(format!("  {FAINT}{}{FAINT:#}", request.fingerprint));
    }
    let Some(found) = requests else { return };
    if found.requests.is_empty() {
        ui.note("no request waits on the remote");
    }
    if found.junk > 0 {
        ui.warn(format!(
            "{} among the requests on the remote: no request for this team",
            count(found.junk, "ref stands", "refs stand")
        ));
        ui.next("`memsync member decline --junk` takes them away.");
    }
    if found.unread > 0 {
        ui.warn(format!(
            "{} not looked into: there are too many",
            count(found.unread, "further ref was", "further refs were")
        ));
        ui.next("`memsync member add FINGERPRINT` finds a request by its key.");
    }
}
