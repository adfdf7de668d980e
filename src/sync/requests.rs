//! Membership requests on the remote: each key has a ref of its own, so that nobody needs another channel
//! to ask.
//! Border: sends and reads request lines; whoever may push can write any, so an admin decides by the
//! fingerprint.

use std::path::Path;

use serde::{Serialize, Serializer};

use super::error::SyncError;
use super::members::request;
use super::remote::{Remote, Sent};
use super::team::{Caller, Team};
use super::trust::roster_at;
use crate::base::display::Escaped;
use crate::gate::envelope::of_commit;
use crate::git::command::Git;
use crate::git::commit::CommitDraft;
use crate::secrets::masking::masked;
use crate::trust::key::PublicKey;
use crate::trust::request::MemberRequest;

/// Where requests are on the remote, one ref for each key.
pub(super) const REQUESTS: &str = "refs/memsync/requests";
/// Most requests that are read at once.
const REQUESTS_MAX: usize = 100;

/// A request that waits for an admin.
#[derive(Clone, Debug, Serialize)]
pub struct PendingRequest {
    /// The id the person asks for.
    pub id: String,
    /// The name, escaped.
    pub name: String,
    /// The key, to be compared with what the person says over another channel.
    pub fingerprint: String,
    /// The line for `member add`; where it is listed, credentials in it are masked.
    #[serde(serialize_with = "as_masked")]
    pub line: String,
}

/// Sends the caller's request line to the remote; gives the line.
pub fn send(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    git: &Git,
) -> Result<String, SyncError> {
    let line = request(team_path, project_root, caller)?;
    let team = Team::open(team_path, project_root)?;
    let remote = remote(&team, git)?;
    let key = caller.signer.as_ref().ok_or(SyncError::NoKey)?.public_key();
    let name = ref_of(&key);
    let refs = git.list_below(&remote.url, REQUESTS)?;
    let before = refs.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
    let now = caller.clock.now();
    let draft = CommitDraft {
        tree: team.repo.write_tree(None, &[])?,
        parents: Vec::new(),
        author: caller.person.clone(),
        author_time: now,
        committer: caller.person.clone(),
        committer_time: now,
        message: format!("Ask for membership\n\n{line}\n"),
    };
    team.refuse_envelope(&of_commit(&draft.encode()), caller)?;
    let commit = team.repo.write_commit(&draft.encode())?;
    if before != Some(commit) {
        match remote.push_ref(&team, &name, commit, before)? {
            Sent::Taken => {}
            Sent::LostRace => {
                return Err(SyncError::LostRaces { races: 1, waited: caller.wait });
            }
        }
    }
    Ok(line)
}

/// The requests on the remote whose keys are not in the roster; what is no request is left out.
pub fn pending(
    team_path: &Path,
    project_root: Option<&Path>,
    git: &Git,
) -> Result<Vec<PendingRequest>, SyncError> {
    let team = Team::open(team_path, project_root)?;
    let remote = remote(&team, git)?;
    let store = team.state.root_commit.ok_or_else(|| SyncError::Unborn(team.path.clone()))?;
    let roster = roster_at(&team, team.repo.commit(team.tip()?)?.tree)?.unwrap_or_default();
    let mut refs = git.list_below(&remote.url, REQUESTS)?;
    refs.truncate(REQUESTS_MAX);
    if refs.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<(&str, &str)> =
        refs.iter().map(|(name, _)| (name.as_str(), name.as_str())).collect();
    remote.fetch(&team, &names)?;
    let mut found = Vec::new();
    for (name, id) in &refs {
        let commit = team.repo.commit(*id);
        // Nothing here stays: a request is read once and is no part of the team's history.
        team.repo.delete_ref(name)?;
        let Ok(commit) = commit else { continue };
        let lines = commit.message.lines();
        let requests =
            lines.filter_map(|line| Some((line, MemberRequest::parse(line, store).ok()?)));
        for (line, request) in requests.take(1) {
            if ref_of(&request.key) == *name && roster.holder(&request.key).is_none() {
                found.push(PendingRequest {
                    id: request.id.to_string(),
                    name: Escaped(&masked(&request.name)).to_string(),
                    fingerprint: request.key.fingerprint().to_string(),
                    line: line.to_owned(),
                });
            }
        }
    }
    found.sort_by(|a, b| (&a.id, &a.fingerprint).cmp(&(&b.id, &b.fingerprint)));
    Ok(found)
}

/// The one pending request by an id or a fingerprint.
pub fn find(
    team_path: &Path,
    project_root: Option<&Path>,
    git: &Git,
    who: &str,
) -> Result<PendingRequest, SyncError> {
    let mut fits = pending(team_path, project_root, git)?;
    fits.retain(|request| request.id == who || request.fingerprint == who);
    match (fits.pop(), fits.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(_), false) => Err(SyncError::ManyRequests(Escaped(who).to_string())),
        (None, _) => Err(SyncError::NoRequest(Escaped(who).to_string())),
    }
}

fn as_masked<S: Serializer>(line: &str, to: S) -> Result<S::Ok, S::Error> {
    // The name is percent-encoded: what stands for a blank would be part of a word.
    let mut plain = line.to_owned();
    while let Some(at) = plain.find('%').filter(|at| plain.is_char_boundary(at + 3)) {
        plain.replace_range(at..at + 3, "   ");
    }
    let shown = masked(&plain);
    to.serialize_str(if shown == plain { line } else { &shown })
}

fn remote<'a>(team: &Team, git: &'a Git) -> Result<Remote<'a>, SyncError> {
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    Ok(Remote { git, url })
}

/// The ref of a key's request.
pub(super) fn ref_of(key: &PublicKey) -> String {
    let hex: String = key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{REQUESTS}/{hex}")
}
