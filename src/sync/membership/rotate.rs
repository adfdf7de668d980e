//! `key rotate`: a new key for a member, in the team's roster and in the key file.
//! Border: the roster first, signed by the old key and pushed; only then do the files change, so that
//! whatever is cut off, one of both keys still signs and running it again finishes.

use std::path::{Path, PathBuf};

use super::members::{Change, Sealed, change_locked, own_id, today};
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::gate::Gate;
use crate::git::command::Git;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::keys::signing_key::{
    KeyError, KeyOutcome, generate_key, import_key, read_key, show_key, write_key,
};
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::message;
use crate::sync::repo::remote::{Remote, Sent};
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::fetch::fetch;
use crate::sync::verify::incoming::verify;
use crate::sync::worktree::writable::writable;
use crate::system::files::Root;
use crate::trust::key::{Passphrase, PublicKey};
use crate::trust::request::MemberRequest;
use crate::trust::roster::{Day, MemberId, ROSTER_PATH, Role};
use crate::trust::signature::Signer;

/// How often the change is made again when other writers were faster.
const RACES_MAX: usize = 20;

/// Where the new key comes from.
#[derive(Debug)]
pub enum NewKey<'a> {
    /// It is made, with a passphrase or without.
    Made(Option<Passphrase>),
    /// It is an existing key file, private or public (for ssh-agent).
    Copied(&'a Path),
}

/// What became of the roster.
#[derive(Debug)]
pub enum InRoster {
    /// The commit that names the new key is shared, or was before.
    Shared,
    /// It is committed; there is no remote yet.
    Committed(Box<ExchangeOutcome>),
    /// Only an admin may: this line asks for it.
    Asked(String),
    /// The team has no roster.
    NotNeeded,
}

/// The key that will replace the one at `path`, in a file beside it; made unless an earlier run did.
pub fn prepare(path: &Path, new: &NewKey<'_>) -> Result<KeyOutcome, KeyError> {
    let next = beside(path, "next");
    match show_key(&next) {
        Err(KeyError::Missing(_)) => {}
        known => return known,
    }
    match new {
        NewKey::Made(passphrase) => generate_key(&next, "memsync", passphrase.as_ref()),
        NewKey::Copied(from) => import_key(from, &next),
    }
}

/// Puts the prepared key in place and keeps the old one aside; gives where the old one is.
pub fn install(path: &Path, day: &Day) -> Result<PathBuf, KeyError> {
    let next = beside(path, "next");
    let (old, new) = (show_key(path)?, show_key(&next)?);
    let aside = place_aside(path, day);
    if old.public != new.public {
        write_key(&aside, &read_key(path)?, old.public, "", false)?;
        write_key(path, &read_key(&next)?, new.public, "memsync", true)?;
    }
    remove_pair(&next)?;
    Ok(aside)
}

/// Moves a key that nobody's roster needs to a place beside, where it still opens what was sealed for
/// it; gives that place.
pub fn set_aside(path: &Path, day: &Day) -> Result<PathBuf, KeyError> {
    let old = show_key(path)?;
    let aside = place_aside(path, day);
    write_key(&aside, &read_key(path)?, old.public, "", false)?;
    remove_pair(path)?;
    Ok(aside)
}

/// A name beside a key file that is not taken.
fn place_aside(path: &Path, day: &Day) -> PathBuf {
    (1..)
        .map(|n| if n == 1 { format!("old-{day}") } else { format!("old-{day}-{n}") })
        .map(|end| beside(path, &end))
        .find(|aside| !aside.exists())
        .expect("because not every number is taken")
}

/// Removes a key file and its public half.
fn remove_pair(path: &Path) -> Result<(), KeyError> {
    for file in [path, &beside(path, "pub")] {
        let folder = file.parent().unwrap_or(Path::new("."));
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = folder.canonicalize().map_err(|_| KeyError::Place(file.to_owned()))?;
        // A public half that is gone already is as good as removed.
        drop(Root::open(&folder)?.remove(name));
    }
    Ok(())
}

/// `id` becomes `id.next`.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{end}"));
    PathBuf::from(name)
}

/// Gives the caller's member the new key in the team's roster; the caller signs with the old one.
pub fn in_roster(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    new: &dyn Signer,
) -> Result<InRoster, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let Some(url) = team.remote()? else {
        let tree = team.repo.commit(team.tip()?)?.tree;
        return match standing(&team, actor, new, tree)? {
            Standing::May(id, old) => {
                let change = Change::Rotate(id, old, new.public_key());
                let outcome = change_locked(&mut team, actor, &change, Sealed::Stay)?;
                Ok(InRoster::Committed(Box::new(outcome.exchange)))
            }
            other => other.settled(&team, new, &actor.person.name),
        };
    };
    let remote = Remote { git, url };
    for _ in 0..RACES_MAX {
        let done = team.with_gate(actor, |team, gate| offer(team, actor, gate, &remote, new))?;
        if let Some(done) = done {
            return Ok(done);
        }
    }
    Err(SyncError::LostRaces { races: RACES_MAX, waited: actor.wait })
}

/// Where the caller stands with the old and the new key.
enum Standing {
    /// The old key, which stands beside, may name the new one.
    May(MemberId, PublicKey),
    /// The new key is in the roster already.
    Done,
    /// Only an admin may name it.
    MustAsk(MemberId),
    /// There is no roster.
    NoRoster,
}

fn standing(
    team: &Team,
    actor: &Actor,
    new: &dyn Signer,
    tree: ObjectId,
) -> Result<Standing, SyncError> {
    let Some(roster) = roster_at(team, tree)? else { return Ok(Standing::NoRoster) };
    let live = |key: PublicKey| roster.holder(&key).filter(|(_, entry)| entry.revoked.is_none());
    if live(new.public_key()).is_some() {
        return Ok(Standing::Done);
    }
    let old = actor.signer.as_ref().ok_or(SyncError::NoKey)?.public_key();
    Ok(match live(old) {
        Some((member, _)) if member.role != Role::Reader => Standing::May(member.id.clone(), old),
        Some((member, _)) => Standing::MustAsk(member.id.clone()),
        None => Standing::MustAsk(own_id(actor)?),
    })
}

impl Standing {
    fn settled(self, team: &Team, new: &dyn Signer, name: &str) -> Result<InRoster, SyncError> {
        let store = team.state.root_commit.ok_or_else(|| SyncError::Unborn(team.path.clone()))?;
        Ok(match self {
            Self::MustAsk(id) => {
                InRoster::Asked(MemberRequest::compose(new, store, id, name, None)?)
            }
            Self::NoRoster => InRoster::NotNeeded,
            Self::Done | Self::May(..) => InRoster::Shared,
        })
    }
}

/// Makes the commit on the remote's verified tip and pushes it; `None` when somebody was faster.
fn offer(
    team: &Team,
    actor: &Actor,
    gate: &Gate<'_>,
    remote: &Remote<'_>,
    new: &dyn Signer,
) -> Result<Option<InRoster>, SyncError> {
    let known = team.tracking()?;
    let offered = fetch(team, remote)?.ok_or_else(|| SyncError::NoRemoteBranch {
        remote: remote.url.to_string(),
        branch: team.branch.clone(),
    })?;
    if let Some(refused) = verify(team, gate, known, offered)?.refused {
        return Err(SyncError::RotationWaits(refused.message));
    }
    let tree = team.repo.commit(offered)?.tree;
    let (id, old) = match standing(team, actor, new, tree)? {
        Standing::May(id, old) => (id, old),
        other => return other.settled(team, new, &actor.person.name).map(Some),
    };
    let mut roster = roster_at(team, tree)?.unwrap_or_default();
    let changed = roster.replace_key(&id, &old, new.public_key(), today(actor));
    changed.map_err(SyncError::RosterChange)?;
    let path = MemoryPath::parse(ROSTER_PATH).expect("because the roster has a valid path");
    let blob = team.repo.write_blob(roster.render().as_bytes())?;
    let draft = actor.draft(
        team.repo.write_tree(Some(tree), &[(path, Some(blob))])?,
        vec![offered],
        message::with_trailers(team, actor, Some(tree), &format!("New key of {id}")),
    );
    let commit = team.commit(&draft, actor)?;
    if let Some(refused) = verify(team, gate, known, commit)?.refused {
        return Err(SyncError::RotationWaits(refused.message));
    }
    team.repo.make_objects_durable()?;
    match remote.push(team, commit, Some(offered))? {
        Sent::Accepted => Ok(Some(InRoster::Shared)),
        Sent::LostRace => Ok(None),
    }
}
