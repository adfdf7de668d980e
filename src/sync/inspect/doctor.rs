//! `doctor`: looks at everything a team memory needs, says what is wrong and what to do, and
//! puts right what is safe to put right.
//! Border: repairs only memsync's own leftovers, and only when asked with `--fix`.

use super::health::{Cause, Finding, Health, because, finding};
use std::path::Path;

use super::checkup::{hooks, members_and_work};
use crate::config::policy::{Policy, Trust};
use crate::git::command::Git;
use crate::store::locate::TeamPlace;
use crate::store::locate::{Fate, Located};
use crate::store::state::{self, Journal, LastContact, LocalState};
use crate::sync::error::SyncError;
use crate::sync::repo::remote::Remote;
use crate::sync::repo::stale_locks::{Maker, is_abandoned};
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::apart::look;
use crate::system::files::WalkLimits;

/// Looks at everything; with `fix` also clears memsync's own leftovers and re-links a moved project.
pub fn doctor(located: &Located, git: &Git, actor: &Actor, fix: bool) -> Vec<Finding> {
    let mut found = vec![place(located), program(git)];
    found.extend(located.rules.iter().filter(|rule| rule.fate == Fate::Ignored).map(|rule| {
        let reason = rule.reason.clone().unwrap_or_default();
        finding(
            "settings",
            Health::Note,
            format!("{} is ignored: {reason}", rule.source),
            "set it in your own `settings.json`, or use `--memdir`",
        )
    }));
    found.extend(located.strays.iter().map(|stray| {
        finding(
            "strays",
            Health::Note,
            format!("an agent kept memories apart in `{}`", stray.display()),
            "move what is still true into the memory directory",
        )
    }));
    let place = located.place();
    match look_at_team(&place, git, fix) {
        Ok(more) => {
            found.extend(more);
            found.extend(members_and_work(&place, actor));
        }
        Err(error) => found.push(because("team", Health::Bad, error)),
    }
    found.extend(hooks(&place.folder));
    found
}

fn place(located: &Located) -> Finding {
    let shown = located.memdir.display();
    if located.memdir.is_dir() {
        finding("memory directory", Health::Good, format!("`{shown}`"), "")
    } else {
        finding(
            "memory directory",
            Health::Bad,
            format!("`{shown}` does not exist"),
            "`memsync where` shows how it was chosen; `memsync init` makes it",
        )
    }
}

fn program(git: &Git) -> Finding {
    match git.version() {
        Ok(version) => finding("git", Health::Good, format!("git {version}"), ""),
        Err(error) => finding(
            "git",
            Health::Bad,
            error.to_string(),
            "install git; fetch and push go through it",
        ),
    }
}

fn look_at_team(place: &TeamPlace, git: &Git, fix: bool) -> Result<Vec<Finding>, SyncError> {
    let mut found = Vec::new();
    let mut team = match Team::open(place) {
        Err(SyncError::OtherProject { team, owner, here }) => {
            found.push(finding("project", Health::Bad, format!("the team memory at `{}` belongs to {owner}, not to {here}", team.display()), "two projects share one key: give one of them its own directory with `MEMSYNC_MEMDIR`"));
            return Ok(found);
        }
        other => other?,
    };
    found.extend(project(&mut team, place.project_root.as_deref(), fix)?);
    found.push(match team.repo.unfinished_operation() {
        Some(operation) => finding(
            "git state",
            Health::Bad,
            format!("a git {operation} is unfinished"),
            format!("finish it, or `git -C {} {operation} --abort`", team.path.display()),
        ),
        None => finding("git state", Health::Good, "no git operation is unfinished", ""),
    });
    if state::read::<Journal>(&team.git_root)?.is_some() {
        found.push(finding(
            "journal",
            Health::Note,
            "an earlier run was interrupted",
            "any `memsync sync` completes it",
        ));
    }
    found.extend(locks(&team, fix));
    let limits = WalkLimits { depth_max: 32, ..WalkLimits::default() };
    if fix {
        let removed = team.root.remove_stale_temps(limits)?;
        if removed > 0 {
            found.push(finding(
                "leftovers",
                Health::Good,
                format!("{removed} temporary files were removed"),
                "",
            ));
        }
    }
    found.push(policy(&team));
    team.refuse_plain_clone()?;
    let there = remote(&team, git)?;
    let is_reached = there.state != Health::Bad;
    found.push(there);
    let last = state::read::<LastContact>(&team.git_root)?.unwrap_or_default();
    // What the remote finding says by now need not be said twice.
    if let Some(failure) = last.failure.filter(|_| is_reached) {
        found.push(finding("last exchange", Health::Note, failure, "run `memsync sync` again"));
    }
    if let Some(refused) = last.refused {
        let message = format!("what the remote offers is refused: {}", refused.message);
        let refused = Some(Cause::Refused(refused));
        found.push(Finding { cause: refused, ..finding("remote", Health::Bad, message, "") });
    }
    Ok(found)
}

/// A project folder that was renamed takes its team memory along once it is re-linked.
fn project(team: &mut Team, here: Option<&Path>, fix: bool) -> Result<Vec<Finding>, SyncError> {
    let (Some(here), Some(owner)) = (here, team.state.project_root.clone()) else {
        return Ok(Vec::new());
    };
    if here == owner {
        return Ok(vec![finding("project", Health::Good, format!("`{}`", here.display()), "")]);
    }
    let moved =
        format!("the project was at `{}` and is now at `{}`", owner.display(), here.display());
    if !fix {
        return Ok(vec![finding(
            "project",
            Health::Note,
            moved,
            "`memsync doctor --fix` links the team memory to it",
        )]);
    }
    let state = LocalState { project_root: Some(here.to_owned()), ..team.state.clone() };
    team.save_state(state)?;
    Ok(vec![finding("project", Health::Good, format!("{moved}; linked"), "")])
}

fn locks(team: &Team, fix: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    for path in team.repo.lock_files() {
        let shown = path.display();
        let Ok(relative) = path.strip_prefix(team.repo.git_dir()) else { continue };
        let name = relative.to_string_lossy();
        if !is_abandoned(&path, Maker::Anyone) {
            found.push(finding(
                "locks",
                Health::Note,
                format!("`{shown}` exists; a git command may be running"),
                "wait for it to end",
            ));
        } else if fix && team.git_root.remove(&name).is_ok() {
            found.push(finding(
                "locks",
                Health::Good,
                format!("`{shown}` was left by a dead process and is removed"),
                "",
            ));
        } else {
            found.push(finding(
                "locks",
                Health::Bad,
                format!("`{shown}` was left by a dead process"),
                "`memsync doctor --fix` removes it",
            ));
        }
    }
    found
}

fn policy(team: &Team) -> Finding {
    let proven = |policy: Policy| policy.prove().map(|()| policy).map_err(SyncError::Policy);
    match team.policy().and_then(proven) {
        Ok(policy) => finding(
            "policy",
            Health::Good,
            format!("trust {}", if policy.trust == Trust::Open { "open" } else { "roster" }),
            "",
        ),
        Err(error) => because("policy", Health::Bad, error),
    }
}

fn remote(team: &Team, git: &Git) -> Result<Finding, SyncError> {
    let Some(url) = team.remote()? else {
        return Ok(finding(
            "remote",
            Health::Note,
            "no remote is set",
            "`memsync remote set URL`, then `memsync push`",
        ));
    };
    let shown = url.to_string();
    let found = look(team, &Remote { git, url });
    Ok(match found {
        Ok(Some(_)) => finding(
            "remote",
            Health::Good,
            format!("`{shown}` answers and has `{}`", team.branch),
            "",
        ),
        Ok(None) => finding(
            "remote",
            Health::Note,
            format!("`{shown}` answers and has no `{}` yet", team.branch),
            "`memsync push` makes it",
        ),
        Err(error) => because("remote", Health::Bad, error),
    })
}
