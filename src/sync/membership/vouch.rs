//! Ways out of a refusal on top of it: an admin accepts what was refused, or takes its content out
//! again.
//! Border: an admin's explicit decision, made on everything that would come in. Putting the remote
//! back is `over_refused`, following one that was rewritten `rewrite`.

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::effect;
use crate::config::policy::POLICY_PATH;
use crate::gate::Gate;
use crate::gate::envelope::of_commit;
use crate::gate::verdict::Reason;
use crate::git::command::Git;
use crate::git::tree::TreeFile;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::pull_push::{Direction, exchange_locked};
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::message;
use crate::sync::repo::remote::Sent;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::fetch::first_parent_tree;
use crate::sync::verify::incoming::{check_by_lists_here, open_offered, verify};
use crate::sync::verify::judge::Judge;
use crate::sync::verify::verdict::{TipVerdict, judge_tip};
use crate::trust::authorize::Standing;
use crate::trust::roster::{MemberId, ROSTER_PATH, Role, Roster};
use crate::trust::verdict::Refusal;

/// What an admin decides about refused commits.
#[derive(Clone, Debug)]
pub struct VouchRequest {
    /// The commits, by id or a part of it; none means all that are refused.
    pub commits: Vec<String>,
    /// Whether their content goes again: the last good tree is put on top.
    pub undo: bool,
    /// Whether to ask even where nothing but what was named comes in.
    pub always_asks: bool,
    /// Whether the answer is yes whatever is asked: then new admins must be named.
    pub is_answered: bool,
    /// Members who may become admin by it; `everybody` where trust may become open.
    pub new_admins: Vec<String>,
}

/// Vouches are shown up to this many lines; a question nobody reads to its end protects nobody.
const SHOWN_LINES_MAX: usize = 200;

/// Accepts commits that the rule refused: one signed commit on top of them that names them.
pub fn vouch(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    request: &VouchRequest,
) -> Result<ExchangeOutcome, SyncError> {
    let (mut team, remote, offered) = open_offered(place, actor, git)?;
    team.with_gate(actor, |team, gate| {
        let known = team.tracking()?;
        let verdict = judge_tip(team, offered)?;
        let named = named(team, &verdict, known, &request.commits)?;
        let member = member_in(&verdict, actor)?;
        let good = team.repo.commit(known.map_or_else(|| team.tip(), Ok)?)?.tree;
        let offered_tree = team.repo.commit(offered)?.tree;
        let tree = if request.undo { good } else { mended(team, offered_tree, good)? };
        confirm(team, gate, actor, request, (&verdict, &named), (good, tree))?;
        // What was granted is stated before it is taken away: only then is it a removal that also
        // counts against what grew on the grant elsewhere.
        let took_effect =
            |(_, refusal): &(ObjectId, Refusal)| matches!(refusal, Refusal::Revoked(_));
        let stated = match request.undo && verdict.faults().iter().any(took_effect) {
            true => with_grants(team, good, offered_tree)?,
            false => tree,
        };
        let words = message::of_vouch(team, actor, (good, member), &named);
        let mut vouching = commit(team, actor, (stated, offered), words)?;
        if stated != tree {
            let words = message::of_undo(team, actor, stated, &named);
            vouching = commit(team, actor, (tree, vouching), words)?;
        }
        if let Some(refused) = verify(team, gate, known, vouching)?.refused {
            return Err(SyncError::StillRefused(refused.message));
        }
        team.repo.make_objects_durable()?;
        match remote.push(team, vouching, Some(offered))? {
            Sent::Accepted => Ok(()),
            Sent::LostRace => Err(SyncError::LostRaces { races: 1, waited: actor.wait }),
        }
    })?;
    exchange_locked(&mut team, actor, &remote, Direction::Pull)
}

/// The member whom the caller's key stands for in what judges a commit on top of the offered tip.
/// Nobody is asked about a vouch that would not count.
fn member_in(verdict: &TipVerdict, actor: &Actor) -> Result<Option<MemberId>, SyncError> {
    let key = actor.signer.as_ref().map(|signer| signer.public_key());
    let Some(rights) = verdict.rights() else { return Ok(None) };
    match key.and_then(|key| rights.holder(&key)) {
        Some((id, role)) if role < Role::Admin && !rights.is_open => {
            Err(SyncError::StillRefused(Refusal::VouchNotAllowed(id.clone()).to_string()))
        }
        holder => Ok(holder.map(|(id, _)| id.clone())),
    }
}

fn commit(
    team: &Team,
    actor: &Actor,
    (tree, parent): (ObjectId, ObjectId),
    message: String,
) -> Result<ObjectId, SyncError> {
    let draft = actor.draft(tree, vec![parent], message);
    team.commit(&draft, actor)
}

/// The commits that were named, or all that are refused.
fn named(
    team: &Team,
    verdict: &TipVerdict,
    known: Option<ObjectId>,
    texts: &[String],
) -> Result<Vec<ObjectId>, SyncError> {
    let faults = verdict.faults();
    if faults.is_empty() {
        return Err(SyncError::NothingRefused);
    }
    if texts.is_empty() {
        return Ok(faults.into_iter().map(|(id, _)| id).collect());
    }
    let mut range = team.repo.range(known, verdict.tip)?;
    range.extend(faults.into_iter().map(|(id, _)| id));
    range.sort_unstable();
    range.dedup();
    texts.iter().map(|text| find(&range, text)).collect()
}

fn find(range: &[ObjectId], text: &str) -> Result<ObjectId, SyncError> {
    let text = text.to_ascii_lowercase();
    let is_meant = |id: &&ObjectId| text.len() >= 7 && id.to_string().starts_with(&text);
    let found: Vec<ObjectId> = range.iter().filter(is_meant).copied().collect();
    let text = Escaped(&text).to_string();
    match found.as_slice() {
        [only] => Ok(*only),
        [] => Err(SyncError::NoCommit(text)),
        several => {
            let candidates = several.iter().map(ToString::to_string).collect();
            Err(SyncError::Ambiguous { text, candidates })
        }
    }
}

/// A tree with the last good policy and roster put back where what is there cannot be used: with
/// those, nothing on top of it could ever be judged, and no vouch would help.
fn mended(team: &Team, tree: ObjectId, good: ObjectId) -> Result<ObjectId, SyncError> {
    match &*Judge::new(team).standing(tree)? {
        Standing::Roster(roster) if roster.has_admin() => return Ok(tree),
        Standing::Open(_) => return Ok(tree),
        _ => {}
    }
    let mut edits = Vec::new();
    for path in [POLICY_PATH, ROSTER_PATH] {
        let blob = team.repo.tree_file(good, path)?.map(|file| file.id);
        let path = MemoryPath::parse(path).expect("because policy and roster have valid paths");
        edits.push((path, blob));
    }
    Ok(team.repo.write_tree(Some(tree), &edits)?)
}

/// The last good tree with everything its roster is given in another tree: members, roles, keys.
fn with_grants(team: &Team, good: ObjectId, other: ObjectId) -> Result<ObjectId, SyncError> {
    let judge = Judge::new(team);
    let (before, granted) = (judge.standing(good)?, judge.standing(other)?);
    let (Some(before), Some(granted)) = (before.roster(), granted.roster()) else {
        return Ok(good);
    };
    let mut members = before.members().to_vec();
    for given in granted.members() {
        let Some(known) = members.iter_mut().find(|known| known.id == given.id) else {
            members.push(given.clone());
            continue;
        };
        known.role = known.role.max(given.role);
        let has = |key| before.holder(key).is_some();
        known.keys.extend(given.keys.iter().filter(|entry| !has(&entry.key)).cloned());
    }
    // A key under two ids stands for neither: nobody was given anything by it.
    let Ok(roster) = Roster::from_members(members) else { return Ok(good) };
    let path = MemoryPath::parse(ROSTER_PATH).expect("because the roster has a valid path");
    let blob = team.repo.write_blob(roster.render().as_bytes())?;
    Ok(team.repo.write_tree(Some(good), &[(path, Some(blob))])?)
}

/// Shows what would come in and who would be a member, and asks.
fn confirm(
    team: &Team,
    gate: &Gate<'_>,
    actor: &Actor,
    request: &VouchRequest,
    (verdict, named): (&TipVerdict, &[ObjectId]),
    (good, tree): (ObjectId, ObjectId),
) -> Result<(), SyncError> {
    let mut lines = Vec::new();
    for (id, refusal) in verdict.faults() {
        let commit = team.repo.commit(id)?;
        let mark = if named.contains(&id) { "" } else { " (not named)" };
        let author = Escaped(&commit.author.name).to_string();
        lines.push(format!("{} by {author}: {refusal}{mark}", id.short()));
        if let Refusal::Forbidden(forbidden) = refusal {
            return Err(SyncError::NotVouchable { commit: id, message: forbidden.message });
        }
    }
    let mut is_grave = false;
    let reasons = reasons(team, gate, verdict)?;
    let said =
        |reason: &Reason| format!("{}: {} ({})", reason.place(), reason.message, reason.rule);
    if request.undo {
        lines.push("the content goes back to the last good state".to_owned());
        // The commits stay, so whoever has the history has what they hold.
        let secrets = reasons.iter().filter(|reason| reason.is_secret());
        lines.extend(secrets.map(|reason| format!("{}; it stays in the history", said(reason))));
        is_grave |= reasons.iter().any(Reason::is_secret);
    } else {
        let (content, steers) = incoming(team, (good, tree))?;
        lines.extend(content);
        lines.extend(reasons.iter().map(said));
        // A policy that breaks a rule is among the faults already, and put right.
        let is_new = |reason: &Reason| !reason.path.starts_with(".memsync/") || reason.is_secret();
        is_grave |= steers || reasons.iter().any(is_new);
    }
    let members = members(team, good, tree)?;
    is_grave |= !members.is_empty();
    lines.extend(members);
    let more = lines.len().saturating_sub(SHOWN_LINES_MAX);
    lines.truncate(SHOWN_LINES_MAX);
    if more > 0 {
        lines.push(format!("and {more} lines more: see `memsync diff --incoming`"));
    }
    let is_asked = request.always_asks || is_grave || request.commits.is_empty();
    let verb = if request.undo { "Take this out again" } else { "Accept this" };
    let unnamed = unnamed_admins(team, request, good, tree)?;
    if request.is_answered && !unnamed.is_empty() {
        return Err(SyncError::UnnamedAdmins(unnamed));
    }
    let question = format!("{}\n{verb} for the whole team?", lines.join("\n"));
    if is_asked && !actor.confirms(&question) {
        return Err(SyncError::VouchUnconfirmed(lines));
    }
    Ok(())
}

/// Who would become admin and was not named.
fn unnamed_admins(
    team: &Team,
    request: &VouchRequest,
    good: ObjectId,
    tree: ObjectId,
) -> Result<Vec<String>, SyncError> {
    let judge = Judge::new(team);
    let (before, after) = (judge.standing(good)?.rights(), judge.standing(tree)?.rights());
    let mut new: Vec<String> = match before.is_open {
        true => Vec::new(),
        false => after
            .admins()
            .filter(|id| before.level_of_member(id) < Some(Role::Admin))
            .map(ToString::to_string)
            .collect(),
    };
    if after.is_open && !before.is_open {
        new.push(EVERYBODY.to_owned());
    }
    new.retain(|id| !request.new_admins.contains(id));
    Ok(new)
}

/// How a vouch that opens a team is named.
const EVERYBODY: &str = "everybody";

/// What comes in beside the last good state, and whether something else than members that steers.
fn incoming(
    team: &Team,
    (good, tree): (ObjectId, ObjectId),
) -> Result<(Vec<String>, bool), SyncError> {
    let (mut lines, mut steers) = (Vec::new(), false);
    for change in team.repo.tree_changes(Some(good), Some(tree))? {
        let word = match (change.old, change.new) {
            (None, _) => "adds",
            (_, None) => "deletes",
            _ => "changes",
        };
        let path = String::from_utf8_lossy(&change.path);
        lines.push(format!("{word} {}", Escaped(&path)));
        // The roster is said member by member.
        if let Ok(path) = MemoryPath::parse(&path)
            && effect::steers(&path)
            && path.as_str() != ROSTER_PATH
        {
            let read = |file: Option<TreeFile>| {
                file.map(|file| team.repo.blob(file.id, POLICY_BYTES_MAX as u64)).transpose()
            };
            let (old, new) = (read(change.old)?, read(change.new)?);
            lines.extend(effect::effect(&path, old.as_deref(), new.as_deref()));
            steers = true;
        }
    }
    Ok((lines, steers))
}

/// What the gate says of each commit that comes in, the texts beside its files included.
fn reasons(team: &Team, gate: &Gate<'_>, verdict: &TipVerdict) -> Result<Vec<Reason>, SyncError> {
    let mut found = Vec::new();
    for judged in verdict.judged() {
        let commit = team.repo.commit(judged.id)?;
        let parent = first_parent_tree(team, &commit)?;
        for change in team.repo.tree_changes(parent, Some(commit.tree))? {
            match check_by_lists_here(team, gate, &commit, &change)? {
                Ok(reasons) => found.extend(reasons),
                Err(reason) => found.push(reason),
            }
        }
        found.extend(gate.envelope(&of_commit(&commit.raw)));
    }
    Ok(found)
}

/// How the members would change, one line each; none when they stay as they are.
fn members(team: &Team, good: ObjectId, tree: ObjectId) -> Result<Vec<String>, SyncError> {
    let judge = Judge::new(team);
    let (before, after) = (judge.standing(good)?, judge.standing(tree)?);
    if before == after {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    if matches!(*before, Standing::Open(_)) != matches!(*after, Standing::Open(_)) {
        let who = if matches!(*after, Standing::Open(_)) { "everybody" } else { "members" };
        lines.push(format!("from then on {who} may change team memory"));
    }
    let roster = |standing: &Standing| {
        standing.roster().map(|roster| roster.members().to_vec()).unwrap_or_default()
    };
    let (old, new) = (roster(&before), roster(&after));
    for member in &new {
        match old.iter().find(|known| known.id == member.id) {
            None => lines.push(format!("member {} joins as {}", member.id, member.role)),
            Some(known) if known.role != member.role => lines
                .push(format!("member {} becomes {}, was {}", member.id, member.role, known.role)),
            Some(known) if known.keys != member.keys => {
                lines.push(format!("member {} has other keys", member.id));
            }
            Some(_) => {}
        }
    }
    let gone = old.iter().filter(|known| new.iter().all(|member| member.id != known.id));
    lines.extend(gone.map(|member| format!("member {} is removed", member.id)));
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_an_id_that_several_commits_have_names_them() {
        let id = |end: u8| {
            let mut bytes = [0xAB; 20];
            bytes[19] = end;
            ObjectId::from_bytes(&bytes).expect("because an id has 20 bytes")
        };
        let range = [id(1), id(2)];
        assert_eq!(find(&range, &id(2).to_string()).ok(), Some(id(2)));
        let Err(SyncError::Ambiguous { text, candidates }) = find(&range, "ABABABA") else {
            panic!("it is ambiguous");
        };
        assert_eq!((text.as_str(), candidates.len()), ("abababa", 2));
        assert!(candidates.contains(&id(1).to_string()));
        for text in ["ababab", "1234567"] {
            assert!(matches!(find(&range, text), Err(SyncError::NoCommit(_))), "{text}");
        }
    }
}
