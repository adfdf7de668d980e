//! `audit`: walks the whole history, has every change judged and scanned, and reports.
//! Border: reads only. The verdicts are `trust`'s, the findings `secrets`', the counting `audit`'s.
//!
//! What the remote offered and this machine refused is part of the audit, marked as not taken.

mod select;
mod texts;
mod walk;

use std::collections::HashMap;

pub use self::select::Query;
pub use self::texts::{FileText, TEXT_BYTES_MAX};

use self::walk::Walk;
use crate::audit::event::Event;
use crate::audit::report::{Audit, Origin};
use crate::audit::verdict::Verdict;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::config::policy::Trust;
use crate::scan::setup::allow_list;
use crate::scan::source::Source;
use crate::secrets::masking::without;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::Team;
use crate::sync::verify::judge::Judge;
use crate::sync::verify::verdict::judge_whole;
use crate::trust::history::Judged;
use crate::trust::verdict::Authorisation;

/// How far an audit is: commits looked at, and all of them.
pub type Progress<'a> = &'a dyn Fn(u64, u64);

/// An audit, and what is needed to show the texts that its events changed.
pub struct Audited {
    /// The audit.
    pub audit: Audit,
    team: Team,
    findings: walk::Findings,
    /// Values that stand in the name of a file.
    in_names: Vec<Vec<u8>>,
}

impl std::fmt::Debug for Audited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audited").field("audit", &self.audit).finish_non_exhaustive()
    }
}

/// Audits a team memory.
///
/// # Errors
/// A repository, policy or list of accepted findings that cannot be read; a member or memory that
/// is asked for and was never there.
pub fn audit(
    place: &TeamPlace,
    query: &Query,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<Audited, SyncError> {
    let team = Team::open(place)?.looking();
    let tip = team.tip()?;
    let taken = team.repo.range(None, tip)?;
    let offered = offered(&team, tip)?;
    let tree = team.repo.commit(tip)?.tree;
    let policy = team.policy_at(tree)?;
    let allow = allow_list(&Source::folder(&team.path), now).map_err(SyncError::Lists)?;
    let judge = Judge::new(&team);
    let mut walk = Walk::new(&team, &judge, allow, &policy);
    let total = (taken.len() + offered.iter().map(|(_, new)| new.len()).sum::<usize>()) as u64;
    walk.go(&taken, true, &|done| progress(done, total))?;
    for (_, new) in &offered {
        walk.go(new, false, &|done| progress(taken.len() as u64 + done, total))?;
    }
    let mut events = std::mem::take(&mut walk.events);
    let verdicts = verdicts(&team, tip, &offered)?;
    events.iter_mut().for_each(|event| settle(event, &verdicts));
    walk.mark_present(tree, &mut events)?;
    events.reverse();
    let values = std::mem::take(&mut walk.in_names);
    events.iter_mut().for_each(|event| event.mask_names(&values));
    let unread = std::mem::take(&mut walk.unread);
    let findings = walk.into_findings();
    let origin = Origin {
        introduction: team.state.root_commit,
        founder: team.state.root_signer.clone(),
        branch: team.branch.clone(),
        tip,
        trust: if policy.trust == Trust::Open { "open" } else { "roster" },
        made: now,
    };
    let roster = roster_at(&team, tree)?;
    let masked = |path: &String| without(path, values.iter().map(Vec::as_slice));
    let memories: Vec<String> = memories(&team, tree)?.iter().map(masked).collect();
    let wanted = select::wanted(query, &events, roster.as_ref(), &memories, tip)?;
    let mut audit = Audit::new(origin, events, roster.as_ref(), &memories, wanted);
    audit.unread = unread;
    Ok(Audited { audit, team, findings, in_names: values })
}

/// Commits that were offered and are not taken: each refused tip with what only it has.
fn offered(team: &Team, tip: ObjectId) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, SyncError> {
    let Some(incoming) = team.repo.find_ref(&team.incoming_ref())? else { return Ok(Vec::new()) };
    let new = team.repo.range(Some(tip), incoming)?;
    Ok(if new.is_empty() { Vec::new() } else { vec![(incoming, new)] })
}

/// The judgement of every commit, each within the history it came with.
fn verdicts(
    team: &Team,
    tip: ObjectId,
    offered: &[(ObjectId, Vec<ObjectId>)],
) -> Result<HashMap<ObjectId, Judged>, SyncError> {
    let mut verdicts = HashMap::new();
    for tip in offered.iter().map(|(refused, _)| *refused).chain([tip]) {
        let judged = judge_whole(team, tip)?.judged();
        // What was taken is judged within what was taken: it comes last and counts.
        verdicts.extend(judged.into_iter().map(|judged| (judged.id, judged)));
    }
    Ok(verdicts)
}

fn settle(event: &mut Event, verdicts: &HashMap<ObjectId, Judged>) {
    let judged = verdicts.get(&event.commit);
    event.verdict = judged.map_or_else(Verdict::unjudged, Verdict::of);
    event.member = judged.and_then(|judged| match &judged.authorisation {
        Authorisation::Good { member } => Some(member.to_string()),
        _ => None,
    });
}

/// The memories of a tree.
fn memories(team: &Team, tree: ObjectId) -> Result<Vec<String>, SyncError> {
    let files = team.repo.tree_files(tree)?;
    let memory = |raw: &Vec<u8>| {
        let path = MemoryPath::parse_bytes(raw).ok().filter(MemoryPath::is_memory)?;
        Some(path.to_string())
    };
    Ok(files.keys().filter_map(memory).collect())
}
