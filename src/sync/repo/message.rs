//! Commit messages: what changed in a line, and trailers that say for whom and where.
//! Border: composes text; the signature over it is made when the commit is written.

use super::team::{Actor, Team};
use crate::base::id::ObjectId;
use crate::base::text::count;
use crate::config::policy::POLICY_PATH;
use crate::merge::conflict::CONFLICTS_FOLDER;
use crate::secrets::allow::ALLOW_PATH;
use crate::sync::outcome::{ChangeKind, FileChange};
use crate::sync::repo::roster::member_at;
use crate::trust::roster::{MemberId, ROSTER_PATH};
use crate::trust::trailers::{Trailers, clean_origin};

/// Names in a subject line before it counts instead.
const NAMES_MAX: usize = 3;

/// Lines in a message body before it counts instead.
const LINES_MAX: usize = 50;

/// The message of a commit that holds these changes.
pub(crate) fn of_changes(
    team: &Team,
    actor: &Actor,
    tree: ObjectId,
    changes: &[FileChange],
) -> String {
    with_trailers(team, actor, Some(tree), &body(changes))
}

/// What changed, without trailers.
fn body(changes: &[FileChange]) -> String {
    let mut message = subject(changes);
    if changes.len() > 1 {
        let line =
            |change: &FileChange| format!("\n{} {}", verb(change.kind).to_lowercase(), change.path);
        message.push('\n');
        message.extend(changes.iter().take(LINES_MAX).map(line));
        if changes.len() > LINES_MAX {
            message += &format!("\nand {} more", changes.len() - LINES_MAX);
        }
    }
    message
}

/// Adds the trailers of this team, member, agent and session. `tree` holds the roster that counts.
pub(crate) fn with_trailers(
    team: &Team,
    actor: &Actor,
    tree: Option<ObjectId>,
    message: &str,
) -> String {
    trailers(team, actor, tree).compose(message)
}

fn trailers(team: &Team, actor: &Actor, tree: Option<ObjectId>) -> Trailers {
    Trailers {
        store: team.state.root_commit,
        reference: Some(team.branch_ref()),
        member: member_at(team, actor, tree),
        agent: actor.agent.as_deref().map(clean_origin),
        session: actor.session.as_deref().map(clean_origin),
        ..Trailers::default()
    }
}

/// The message of a commit that is made again on a tree: who wrote it stays, who signs is new.
pub(crate) fn again(team: &Team, actor: &Actor, tree: ObjectId, message: &str) -> String {
    let old = Trailers::parse(message).unwrap_or_default();
    let body = if old.store.is_some() {
        message.trim_end().rsplit_once("\n\n").map_or(message, |(body, _)| body)
    } else {
        message
    };
    let mut new = trailers(team, actor, Some(tree));
    if old.store.is_some() {
        (new.agent, new.session) = (old.agent, old.session);
    }
    new.compose(body.trim_end())
}

/// The message of a commit that is made again with other changes, for the same agent and session.
pub(crate) fn again_of(
    team: &Team,
    actor: &Actor,
    tree: ObjectId,
    old: &str,
    changes: &[FileChange],
) -> String {
    let old = Trailers::parse(old).unwrap_or_default();
    let new = trailers(team, actor, Some(tree));
    Trailers { agent: old.agent, session: old.session, ..new }.compose(&body(changes))
}

/// The message of a first commit that stands for earlier ones.
pub(crate) fn of_renewal(
    team: &Team,
    actor: &Actor,
    tree: ObjectId,
    replaces: Vec<ObjectId>,
    text: &str,
) -> String {
    let plain = trailers(team, actor, Some(tree));
    Trailers { store: None, replaces, ..plain }.compose(text)
}

/// The message of a commit that vouches for others.
pub(crate) fn of_vouch(
    team: &Team,
    actor: &Actor,
    (tree, member): (ObjectId, Option<MemberId>),
    commits: &[ObjectId],
) -> String {
    let plain = trailers(team, actor, Some(tree));
    let member = member.or(plain.member.clone());
    let vouching = Trailers { vouches: commits.to_vec(), member, ..plain };
    vouching.compose(&format!("Vouch for {}", named(commits)))
}

/// The message of the commit that takes out again what was vouched for.
pub(crate) fn of_undo(team: &Team, actor: &Actor, tree: ObjectId, commits: &[ObjectId]) -> String {
    let text = format!("Take out what {} changed", named(commits));
    trailers(team, actor, Some(tree)).compose(&text)
}

/// The first few of some commits, for a subject.
fn named(commits: &[ObjectId]) -> String {
    let names: Vec<String> = commits.iter().take(5).map(ObjectId::short).collect();
    match commits.len().saturating_sub(names.len()) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

fn subject(changes: &[FileChange]) -> String {
    let named: Vec<&FileChange> = changes
        .iter()
        .filter(|c| c.path != "MEMORY.md" && !c.path.starts_with(".memsync/"))
        .collect();
    if named.is_empty() {
        return of_team(changes);
    }
    let mut parts = Vec::new();
    for kind in [ChangeKind::Added, ChangeKind::Edited, ChangeKind::Deleted] {
        let names: Vec<&str> = named
            .iter()
            .filter(|c| c.kind == kind)
            .map(|c| c.path.strip_suffix(".md").unwrap_or(&c.path))
            .collect();
        match names.len() {
            0 => {}
            1..=NAMES_MAX => parts.push(format!("{} {}", verb(kind), names.join(", "))),
            count => parts.push(format!("{} {count} memories", verb(kind))),
        }
    }
    let mut text = parts.join("; ");
    if parts.len() > 1 {
        text = format!(
            "{}{}",
            &text[..1],
            text[1..].replace("; Edit", "; edit").replace("; Delete", "; delete")
        );
    }
    text
}

/// A subject where no memory changed.
fn of_team(changes: &[FileChange]) -> String {
    let is_record = |change: &&FileChange| change.path.starts_with(CONFLICTS_FOLDER);
    let rest: Vec<&FileChange> = changes.iter().filter(|change| !is_record(change)).collect();
    match rest.as_slice() {
        [] => match changes.iter().all(|change| change.kind == ChangeKind::Deleted) {
            true => format!("Close {}", count(changes.len(), "conflict", "conflicts")),
            false => "Edit records of conflicts".to_owned(),
        },
        [only] if only.path == ROSTER_PATH => "Change the roster".to_owned(),
        [only] if only.path == POLICY_PATH => "Change the policy".to_owned(),
        [only] if only.path == ALLOW_PATH => "Change what is accepted".to_owned(),
        [only] => format!("{} {}", verb(only.kind), only.path),
        _ => "Edit team memory".to_owned(),
    }
}

fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "Add",
        ChangeKind::Edited => "Edit",
        ChangeKind::Deleted => "Delete",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_names_few_and_counts_many() {
        let change = |path: &str, kind| FileChange { path: path.to_owned(), kind };
        let mut changes = vec![change("MEMORY.md", ChangeKind::Edited)];
        assert_eq!(subject(&changes), "Edit MEMORY.md");
        let of = |path: &str, kind| subject(&[change(path, kind)]);
        assert_eq!(of(ROSTER_PATH, ChangeKind::Edited), "Change the roster");
        assert_eq!(of(".memsync/conflicts/aa.yaml", ChangeKind::Deleted), "Close 1 conflict");
        changes.push(change("deploy.md", ChangeKind::Added));
        assert_eq!(subject(&changes), "Add deploy");
        changes.push(change("old.md", ChangeKind::Deleted));
        assert_eq!(subject(&changes), "Add deploy; delete old");
        changes.extend((0..4).map(|n| change(&format!("{n}.md"), ChangeKind::Edited)));
        assert_eq!(subject(&changes), "Add deploy; edit 4 memories; delete old");
    }
}
