//! `member`: who is in the team, asking to be let in, letting in, removing, roles.
//! Border: every change is one signed commit; whether it is allowed is `trust`'s rule.

use serde::Serialize;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::gate::envelope::of_text;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::change::commit;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::roster::{member_at, roster_at};
use crate::sync::repo::team::{Actor, Team};
use crate::sync::seal_error::SealError;
use crate::sync::sealed::history::{Exposed, exposed_to};
use crate::sync::sealed::reseal::{Affected, ResealOutcome, affected_by, reseal_affected};
use crate::sync::worktree::writable::writable;
use crate::system::files::Durability;
use crate::trust::key::{AgeRecipient, PublicKey};
use crate::trust::request::MemberRequest;
use crate::trust::roster::{Day, Member, MemberId, MemberKey, ROSTER_PATH, Role, Roster};

/// Characters of a name that cannot be used which are shown.
const SHOWN_CHARS_MAX: usize = 60;

/// A member as it is shown.
#[derive(Clone, Debug, Serialize)]
pub struct MemberEntry {
    /// The id.
    pub id: String,
    /// The name, escaped.
    pub name: String,
    /// `admin`, `writer` or `reader`.
    pub role: &'static str,
    /// Fingerprints of keys that are not revoked.
    pub keys: Vec<String>,
    /// The same keys with the machines they are on, as far as those are named.
    pub devices: Vec<DeviceEntry>,
    /// The age recipient that sealed memories are sealed to in place of the keys.
    pub age: Option<String>,
    /// Whether the caller's key is one of them.
    pub is_you: bool,
}

/// A key of a member as it is shown.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceEntry {
    /// The fingerprint.
    pub key: String,
    /// The machine, escaped.
    pub device: Option<String>,
    /// Since when.
    pub added: Option<String>,
}

/// Lists the members of a team; empty for an open team without a roster.
pub fn list(place: &TeamPlace, own: Option<PublicKey>) -> Result<Vec<MemberEntry>, SyncError> {
    let team = Team::open(place)?;
    let Some(roster) = roster_at(&team, team.repo.commit(team.tip()?)?.tree)? else {
        return Ok(Vec::new());
    };
    let entry = |member: &Member| {
        let live = member.keys.iter().filter(|key| key.revoked.is_none());
        MemberEntry {
            id: member.id.to_string(),
            name: Escaped(&member.name).to_string(),
            role: member.role.as_str(),
            keys: live.clone().map(|key| key.key.fingerprint().to_string()).collect(),
            devices: live
                .clone()
                .map(|key| DeviceEntry {
                    key: key.key.fingerprint().to_string(),
                    device: key.device.as_deref().map(|name| Escaped(name).to_string()),
                    added: key.added.as_ref().map(ToString::to_string),
                })
                .collect(),
            age: member.age.as_ref().map(ToString::to_string),
            is_you: own.is_some_and(|own| live.clone().any(|key| key.key == own)),
        }
    };
    Ok(roster.members().iter().map(entry).collect())
}

/// The line that asks an admin to let the caller in.
pub fn request(place: &TeamPlace, actor: &Actor) -> Result<String, SyncError> {
    let team = Team::open(place)?;
    team.refuse_plain_clone()?;
    let signer = actor.signer.as_ref().ok_or(SyncError::NoKey)?;
    let store = team.state.root_commit.ok_or_else(|| SyncError::Unborn(team.path.clone()))?;
    team.refuse_envelope(&of_text("display name", &actor.person.name), actor)?;
    let name = &actor.person.name;
    let line =
        MemberRequest::compose(signer.as_ref(), store, own_id(actor)?, name, actor.age.clone())?;
    // What an admin could not read would wait for nobody.
    match MemberRequest::parse(&line, store) {
        Ok(_) => Ok(line),
        Err(problem) => {
            let shown: String = name.chars().take(SHOWN_CHARS_MAX).collect();
            Err(SyncError::OwnRequest(Escaped(&shown).to_string(), problem))
        }
    }
}

/// The caller's member, by the key that signs.
pub fn own_member(place: &TeamPlace, actor: &Actor) -> Result<MemberId, SyncError> {
    let team = Team::open(place)?;
    let tree = team.repo.commit(team.tip()?)?.tree;
    member_at(&team, actor, Some(tree)).ok_or_else(|| SealError::NotAMember.into())
}

/// The id the caller goes by: named with `--as`, else made of the name or address.
pub(crate) fn own_id(actor: &Actor) -> Result<MemberId, SyncError> {
    let bad = |text: &str| SyncError::NoMemberId(Escaped(text).to_string());
    if let Some(id) = &actor.member {
        return MemberId::parse(id).map_err(|_| bad(id));
    }
    let person = &actor.person;
    MemberId::suggest(&person.name)
        .or_else(|| MemberId::suggest(&person.email))
        .ok_or_else(|| bad(&person.name))
}

/// What to change in the roster.
#[derive(Clone, Debug)]
pub enum Change {
    /// Lets in who sent a request line.
    Add {
        /// The line.
        line: String,
        /// The role they get.
        role: Role,
        /// Whether a member of this id gets the key in place of earlier ones.
        replaces: bool,
        /// The machine it is on: the key then goes beside those that a member of this id has.
        device: Option<String>,
    },
    /// Takes a member out.
    Remove(MemberId),
    /// Takes the key of one machine, or the one with a fingerprint, from a member.
    RemoveDevice(MemberId, String),
    /// Gives a member another role.
    SetRole(MemberId, Role),
    /// Gives the caller's member a key in the place of one it has.
    Rotate(MemberId, PublicKey, PublicKey),
    /// Says what the caller's member opens sealed memories with.
    OpenWith(MemberId, AgeRecipient),
}

/// What a change of the roster did, and what it means for sealed memories.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MemberOutcome {
    /// The commit and what it holds.
    #[serde(flatten)]
    pub exchange: ExchangeOutcome,
    /// Sealed memories whose readers it changes.
    pub affected: Vec<Affected>,
    /// Those of them that were sealed again in the same commit; `None` when that was not asked for.
    pub resealed: Option<ResealOutcome>,
    /// What a removed member could open, now or in history; sealing again does not change that.
    pub exposed: Vec<Exposed>,
}

/// Whether sealed memories follow a change of the roster in its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// They are sealed again for the readers they were meant for.
    Again,
    /// They stay as they are, and are named.
    Stay,
}

/// Changes the roster in one commit; sharing it is `push`.
pub fn change(
    place: &TeamPlace,
    actor: &Actor,
    change: &Change,
    sealed: Sealed,
) -> Result<MemberOutcome, SyncError> {
    let mut team = writable(place, actor.wait)?;
    change_locked(&mut team, actor, change, sealed)
}

/// [`change()`] for a team repository that is open and locked.
pub(crate) fn change_locked(
    team: &mut Team,
    actor: &Actor,
    change: &Change,
    sealed: Sealed,
) -> Result<MemberOutcome, SyncError> {
    let tree = team.repo.commit(team.tip()?)?.tree;
    team.refuse_plain_clone()?;
    let store = team.state.root_commit.ok_or_else(|| SyncError::Unborn(team.path.clone()))?;
    let mut roster = roster_at(team, tree)?.unwrap_or_default();
    edit(&mut roster, change, store, &today(actor)).map_err(|error| *error)?;
    let path = MemoryPath::parse(ROSTER_PATH).expect("because the roster has a valid path");
    let text = roster.render();
    if let Some(reason) = team.not_entitled(actor, &path, Some(text.as_bytes()))? {
        return Err(SyncError::NotEntitled(Box::new(reason)));
    }
    let mut outcome =
        MemberOutcome { affected: affected_by(team, &roster)?, ..MemberOutcome::default() };
    if let Change::Remove(id) = change {
        outcome.exposed = exposed_to(team, id)?;
    }
    if sealed == Sealed::Again {
        outcome.resealed = Some(reseal_affected(team, actor, &roster, &outcome.affected)?);
    }
    team.root.write_atomic(path.as_str(), text.as_bytes(), Durability::Durable)?;
    outcome.exchange = commit(team, actor)?;
    Ok(outcome)
}

fn edit(
    roster: &mut Roster,
    change: &Change,
    store: ObjectId,
    today: &Day,
) -> Result<(), Box<SyncError>> {
    let refused = |problem| Box::new(SyncError::RosterChange(problem));
    match change {
        Change::Add { line, role, replaces, device } => {
            let request =
                MemberRequest::parse(line, store).map_err(|problem| Box::new(problem.into()))?;
            if let Some(device) = device {
                let added =
                    roster.add_device(&request.id, request.key, device.clone(), today.clone());
                return added.map_err(refused);
            }
            if *replaces && roster.member(&request.id).is_some() {
                roster.rotate(&request.id, request.key, today.clone()).map_err(refused)?;
                return match request.age {
                    Some(age) => roster.set_age(&request.id, Some(age)).map_err(refused),
                    None => Ok(()),
                };
            }
            roster.add(request.into_member(*role, Some(today.clone()))).map_err(refused)
        }
        Change::RemoveDevice(id, device) => {
            let key = roster.device(id, device).map_err(refused)?;
            roster.revoke(&key, today.clone()).map_err(refused)
        }
        Change::Remove(id) => roster.remove(id).map(drop).map_err(refused),
        Change::SetRole(id, role) => roster.set_role(id, *role).map_err(refused),
        Change::Rotate(id, old, new) => {
            roster.replace_key(id, old, *new, today.clone()).map_err(refused)
        }
        Change::OpenWith(id, age) => roster.set_age(id, Some(age.clone())).map_err(refused),
    }
}

/// Today as the roster writes it.
pub(crate) fn today(actor: &Actor) -> Day {
    let now = actor.clock.now().to_string();
    Day::parse(now.get(..10).unwrap_or_default()).expect("because RFC 3339 starts with a date")
}

/// The roster of a new team: the caller as its admin.
pub(crate) fn founding_roster(actor: &Actor) -> Result<Roster, SyncError> {
    let signer = actor.signer.as_ref().ok_or(SyncError::NoKey)?;
    let key = MemberKey {
        key: signer.public_key(),
        device: None,
        added: Some(today(actor)),
        revoked: None,
    };
    let member = Member {
        id: own_id(actor)?,
        name: actor.person.name.clone(),
        role: Role::Admin,
        keys: vec![key],
        age: actor.age.clone(),
    };
    Roster::from_members(vec![member]).map_err(SyncError::RosterChange)
}
