//! What `doctor` asks of people and their work: membership, keys, admins, kept-out files, hooks.
//! Border: reads only; `doctor` puts it beside what it finds of places and remotes.

use std::path::Path;

use super::status::{StatusReport, status};
use crate::base::text::count;
use crate::config::policy::Trust;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::githooks::install::{self, HookState};
use crate::sync::inspect::health::{Finding, Health, because, finding};
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::{Actor, Team};
use crate::trust::roster::{Member, Roster};

/// Files that are named before they are counted.
const NAMED_MAX: usize = 5;

/// Who the caller is in the team, who else could act, and what waits to be shared.
pub(crate) fn members_and_work(place: &TeamPlace, actor: &Actor) -> Vec<Finding> {
    let looked = || -> Result<Vec<Finding>, SyncError> {
        let team = Team::open(place)?;
        let mut found = match (team.policy()?.trust, roster(&team)?) {
            (Trust::Roster, Some(roster)) => {
                vec![membership(&roster, actor), admins(&roster)]
            }
            _ => Vec::new(),
        };
        drop(team);
        found.extend(work(&status(place, actor)?));
        Ok(found)
    };
    looked().unwrap_or_else(|error| vec![because("members", Health::Bad, error)])
}

/// The roster that others agreed to; before the first exchange our own.
fn roster(team: &Team) -> Result<Option<Roster>, SyncError> {
    let agreed = team.tracking()?.map_or_else(|| team.tip(), Ok)?;
    roster_at(team, team.repo.commit(agreed)?.tree)
}

fn membership(roster: &Roster, actor: &Actor) -> Finding {
    let Some(key) = actor.signer.as_ref().map(|signer| signer.public_key()) else {
        return because("key", Health::Bad, SyncError::NoKey);
    };
    let fingerprint = key.fingerprint();
    match roster.holder(&key) {
        Some((member, entry)) if entry.revoked.is_none() => {
            let message =
                format!("you are `{}`, {}, with the key {fingerprint}", member.id, member.role);
            finding("membership", Health::Good, message, "")
        }
        Some((member, _)) => finding(
            "membership",
            Health::Bad,
            format!(
                "your key {fingerprint} of `{}` is revoked: it signs nothing any more",
                member.id
            ),
            "bring the key that replaced it here with `memsync key import FILE`, or ask an admin with \
             `memsync member request --push`",
        ),
        None => finding(
            "membership",
            Health::Note,
            format!("your key {fingerprint} is not in the roster: you can read, and share nothing"),
            "`memsync member request --push` asks an admin to let you in",
        ),
    }
}

/// Whether somebody is left when one admin, or a key, is lost.
fn admins(roster: &Roster) -> Finding {
    let admins: Vec<&Member> =
        roster.members().iter().filter(|member| member.is_working_admin()).collect();
    match admins.as_slice() {
        [only] => finding(
            "admins",
            Health::Note,
            match only.keys.iter().filter(|entry| entry.revoked.is_none()).count() {
                0 | 1 => format!(
                    "`{}` is the only admin: without that key nobody can change the roster",
                    only.id
                ),
                keys => format!(
                    "`{}` is the only admin, with {keys} keys: once all are lost nobody can change the roster",
                    only.id
                ),
            },
            "make a second one with `memsync member role ID admin`, then `memsync push`",
        ),
        several => finding("admins", Health::Good, count(several.len(), "admin", "admins"), ""),
    }
}

/// What waits for a person before everything is shared.
fn work(report: &StatusReport) -> Vec<Finding> {
    let mut found = Vec::new();
    if !report.refused.is_empty() {
        let mut named: Vec<&str> =
            report.refused.iter().take(NAMED_MAX).map(|held| held.path.as_str()).collect();
        if report.refused.len() > NAMED_MAX {
            named.push("…");
        }
        let files = count(report.refused.len(), "file is", "files are");
        found.push(finding(
            "kept out",
            Health::Note,
            format!("{files} on this machine only: {}", named.join(", ")),
            "`memsync status` says why; correct them, then `memsync sync`",
        ));
    }
    if !report.conflicts.is_empty() {
        let open = count(report.conflicts.len(), "conflict is", "conflicts are");
        found.push(finding(
            "conflicts",
            Health::Note,
            format!("{open} open"),
            "`memsync resolve` shows what each side wrote",
        ));
    }
    if report.ahead > 0 && report.remote.is_some() {
        let changes = count(report.ahead, "change is", "changes are");
        found.push(finding(
            "work",
            Health::Note,
            format!("{changes} committed here and not shared"),
            "`memsync push` shares what waits",
        ));
    }
    found
}

/// Whether git runs what memsync put into the hooks of the team repository.
pub(crate) fn hooks(team: &Path) -> Vec<Finding> {
    let Ok(states) = install::status(team) else { return Vec::new() };
    let mut found: Vec<Finding> = Vec::new();
    for hook in &states {
        if let Some((why, next_step)) = fault(&hook.state, team, &hook.path) {
            let name = hook.hook.as_str();
            let message = format!("`{name}` has memsync in it and git does not run that: {why}");
            found.push(finding("hooks", Health::Bad, message, next_step));
        }
    }
    let active: Vec<&str> = states
        .iter()
        .filter(|hook| hook.state == HookState::Runs)
        .map(|hook| hook.hook.as_str())
        .collect();
    if !active.is_empty() {
        found.push(finding("hooks", Health::Good, format!("git runs {}", active.join(", ")), ""));
    }
    found
}

/// Why a hook with memsync in it does not run it, and what mends that.
fn fault(state: &HookState, team: &Path, path: &Path) -> Option<(String, String)> {
    let again = || "`memsync hooks install` puts it in order".to_owned();
    let path = path.display();
    Some(match state {
        HookState::Runs | HookState::Absent | HookState::Other => return None,
        HookState::NotExecutable => {
            ("it is not executable".to_owned(), format!("`chmod +x {path}`"))
        }
        HookState::Hidden => ("it may end before it comes to memsync".to_owned(), again()),
        HookState::ProgramGone(program) => {
            (format!("it names `{}`, which is gone", program.display()), again())
        }
        HookState::Bypassed(folder) => (
            format!("`core.hooksPath` is `{}`", folder.display()),
            format!("`git -C {} config --unset core.hooksPath`", team.display()),
        ),
        HookState::Unreadable(why) => (
            format!("it cannot be read: {why}"),
            format!("look at it, take it away with `rm {path}`, then `memsync hooks install`"),
        ),
    })
}
