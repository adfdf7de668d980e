//! Membership requests on the remote: each key has a ref of its own, so that nobody needs another channel
//! to ask.
//! Border: sends and reads request lines; whoever may push can write any, so an admin decides by the
//! fingerprint.

use serde::{Serialize, Serializer};

use super::members::request;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::gate::envelope::of_commit;
use crate::git::command::Git;
use crate::git::write::Expected;
use crate::secrets::masking::masked;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::repo::own_membership::asked_ref;
use crate::sync::repo::remote::{Remote, Sent};
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::{Actor, Team};
use crate::trust::key::PublicKey;
use crate::trust::request::MemberRequest;

/// Where requests are on the remote, one ref for each key.
pub(crate) const REQUESTS: &str = "refs/memsync/requests";
/// Most requests that are shown at once.
const REQUESTS_MAX: usize = 100;
/// Most refs that one listing looks into: anyone who may push can make any number of them.
const REFS_READ_MAX: usize = 1_000;
/// Refs that are fetched at once.
const BATCH: usize = 100;

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
    /// The ref, and what it is now.
    #[serde(skip)]
    at: (String, ObjectId),
}

/// What waits on the remote, and what stands beside it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pending {
    /// The requests by people who are no members.
    pub requests: Vec<PendingRequest>,
    /// Refs that hold no request for this team.
    pub junk: usize,
    /// Refs that were not looked into, because there are too many.
    pub unread: usize,
    /// The refs that hold no request.
    #[serde(skip)]
    junk_refs: Vec<(String, ObjectId)>,
}

/// Sends the caller's request line to the remote; gives the line.
pub fn send(place: &TeamPlace, actor: &Actor, git: &Git) -> Result<String, SyncError> {
    let line = request(place, actor)?;
    let team = Team::open(place)?;
    let remote = remote(&team, git)?;
    let key = actor.signer.as_ref().ok_or(SyncError::NoKey)?.public_key();
    let name = ref_of(&key);
    let refs = git.list_below(&remote.url, REQUESTS)?;
    let before = refs.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
    let draft = actor.draft(
        team.repo.write_tree(None, &[])?,
        Vec::new(),
        format!("Ask for membership\n\n{line}\n"),
    );
    team.refuse_envelope(&of_commit(&draft.encode()), actor)?;
    let commit = team.repo.write_commit(&draft.encode())?;
    if before != Some(commit) {
        match remote.push_ref(&team, &name, commit, before)? {
            // Remembered, so that a refused push can say that the request waits.
            Sent::Accepted => {
                let (name, why) = (asked_ref(&key), "memsync: asked to be let in");
                team.repo.update_ref(&name, commit, Expected::Any, why)?;
            }
            Sent::LostRace => {
                return Err(SyncError::LostRaces { races: 1, waited: actor.wait });
            }
        }
    }
    Ok(line)
}

/// The requests on the remote whose keys are not in the roster, and how much else is there.
pub fn pending(place: &TeamPlace, git: &Git) -> Result<Pending, SyncError> {
    let team = Team::open(place)?;
    let remote = remote(&team, git)?;
    team.refuse_plain_clone()?;
    let refs = git.list_below(&remote.url, REQUESTS)?;
    look(&team, &remote, refs)
}

/// Looks into refs until enough requests are found.
fn look(
    team: &Team,
    remote: &Remote<'_>,
    refs: Vec<(String, ObjectId)>,
) -> Result<Pending, SyncError> {
    let roster = roster_at(team, team.repo.commit(team.tip()?)?.tree)?.unwrap_or_default();
    let mut found = Pending::default();
    let mut wanted = Vec::new();
    for (name, id) in refs {
        // The name says which key it is, so most of what is none costs nothing.
        match key_of(&name) {
            Some(key) if roster.holder(&key).is_some() => {}
            Some(_) => wanted.push((name, id)),
            None => found.junk_refs.push((name, id)),
        }
    }
    let mut read = 0;
    for batch in wanted.chunks(BATCH) {
        if found.requests.len() >= REQUESTS_MAX || read >= REFS_READ_MAX {
            break;
        }
        let names: Vec<(&str, &str)> =
            batch.iter().map(|(name, _)| (name.as_str(), name.as_str())).collect();
        remote.fetch(team, &names)?;
        read += batch.len();
        for (name, id) in batch {
            match read_request(team, name, *id)? {
                Some(request) => found.requests.push(request),
                None => found.junk_refs.push((name.clone(), *id)),
            }
        }
    }
    found.unread = wanted.len() - read + found.requests.len().saturating_sub(REQUESTS_MAX);
    found.requests.truncate(REQUESTS_MAX);
    found.junk = found.junk_refs.len();
    found.requests.sort_by(|a, b| (&a.id, &a.fingerprint).cmp(&(&b.id, &b.fingerprint)));
    Ok(found)
}

/// The request that a fetched ref holds, signed by the key the ref is named after.
fn read_request(
    team: &Team,
    name: &str,
    id: ObjectId,
) -> Result<Option<PendingRequest>, SyncError> {
    let store = team.state.root_commit.ok_or_else(|| SyncError::Unborn(team.path.clone()))?;
    let commit = team.repo.commit(id);
    // Nothing here stays: a request is read once and is no part of the team's history.
    team.repo.delete_ref(name)?;
    let Ok(commit) = commit else { return Ok(None) };
    let mut lines = commit.message.lines();
    let request = lines.find_map(|line| Some((line, MemberRequest::parse(line, store).ok()?)));
    let request = request.filter(|(_, request)| ref_of(&request.key) == name);
    Ok(request.map(|(line, request)| PendingRequest {
        id: request.id.to_string(),
        name: Escaped(&masked(&request.name)).to_string(),
        fingerprint: request.key.fingerprint().to_string(),
        line: line.to_owned(),
        at: (name.to_owned(), id),
    }))
}

/// The one pending request by an id or a fingerprint. A fingerprint is found however many refs there
/// are, because a ref is named after its key.
pub fn find(place: &TeamPlace, git: &Git, who: &str) -> Result<PendingRequest, SyncError> {
    let team = Team::open(place)?;
    let remote = remote(&team, git)?;
    let mut refs = git.list_below(&remote.url, REQUESTS)?;
    let is_named =
        |name: &str| key_of(name).is_some_and(|key| key.fingerprint().to_string() == who);
    if refs.iter().any(|(name, _)| is_named(name)) {
        refs.retain(|(name, _)| is_named(name));
    }
    let mut fits = look(&team, &remote, refs)?.requests;
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

/// Takes one request away; the person can ask again.
pub fn decline(place: &TeamPlace, git: &Git, who: &str) -> Result<PendingRequest, SyncError> {
    let found = find(place, git, who)?;
    let team = Team::open(place)?;
    let remote = remote(&team, git)?;
    git.delete(&team.repo, &remote.url, std::slice::from_ref(&found.at))?;
    Ok(found)
}

/// Takes away what stands among the requests and is none; gives how many refs that were.
pub fn decline_junk(place: &TeamPlace, git: &Git) -> Result<usize, SyncError> {
    let found = pending(place, git)?;
    let team = Team::open(place)?;
    let remote = remote(&team, git)?;
    for batch in found.junk_refs.chunks(BATCH) {
        git.delete(&team.repo, &remote.url, batch)?;
    }
    Ok(found.junk)
}

fn remote<'a>(team: &Team, git: &'a Git) -> Result<Remote<'a>, SyncError> {
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    Ok(Remote { git, url })
}

/// The ref of a key's request.
pub(crate) fn ref_of(key: &PublicKey) -> String {
    let hex: String = key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{REQUESTS}/{hex}")
}

/// The key that a ref is named after.
fn key_of(name: &str) -> Option<PublicKey> {
    let hex = name.strip_prefix(REQUESTS)?.strip_prefix('/')?;
    let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    if hex.len() != 64 || !hex.bytes().all(is_hex) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(byte).collect();
    PublicKey::from_bytes(bytes?.try_into().ok()?).ok()
}
