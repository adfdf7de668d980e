//! What the caller may change by who they are: asked before anything is committed, so that a change
//! that every member would refuse stays on disk and holds up nothing else.
//! Border: reads policy and roster that are in force; the verdict on a commit is `verify`'s.

use super::roster::roster_at;
use super::team::{Actor, Team};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::policy::Trust;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::merge::conflict::record_area;
use crate::sync::error::SyncError;
use crate::trust::rights::Rights;
use crate::trust::roster::{MemberId, ROSTER_PATH, Role, Roster, RosterChange};
use crate::trust::verdict::Area;

/// Names of admins that a message holds.
const ADMINS_SHOWN_MAX: usize = 3;

/// The rule that somebody may not change a file.
const NOT_YOURS: &str = "not-yours";

impl Team {
    /// Why the caller may not make a file what it is on disk; `None` where they may, and for memories
    /// and the index, about which a push says more.
    ///
    /// The change is seen from what the team agreed on: who takes back what was never shared changes
    /// nothing.
    pub(crate) fn not_entitled(
        &self,
        actor: &Actor,
        path: &MemoryPath,
        new: Option<&[u8]>,
    ) -> Result<Option<Reason>, SyncError> {
        let by_path = Area::of(path.as_str());
        if matches!(by_path, Area::Memory | Area::Index) {
            return Ok(None);
        }
        let agreed = self.tracking()?.map_or_else(|| self.tip(), Ok)?;
        let tree = self.repo.commit(agreed)?.tree;
        let old = self.repo.tree_file(tree, path.as_str())?.map(|file| file.id);
        if old == new.map(|content| self.repo.blob_id(content)) {
            return Ok(None);
        }
        let old = old.map(|id| self.repo.blob(id, POLICY_BYTES_MAX as u64)).transpose()?;
        let kinds = [old.as_deref(), new].into_iter().flatten().map(|content| match by_path {
            Area::Conflict => record_area(path.as_str(), content),
            kind => kind,
        });
        let kind = kinds.max().expect("because the sides differ, so one of them is there");
        if kind.is_allowed(Role::Writer) {
            return Ok(None);
        }
        // Where the team's own is unreadable, the push says what can be done.
        let (Ok(policy), Ok(roster)) = (self.policy_at(tree), roster_at(self, tree)) else {
            return Ok(None);
        };
        let rights = Rights::of(roster.as_ref(), policy.trust == Trust::Open);
        let key = actor.signer.as_ref().map(|signer| signer.public_key());
        let holder = key.and_then(|key| rights.holder(&key));
        let is_own = path.as_str() == ROSTER_PATH && is_own_keys(roster.as_ref(), new, holder);
        let role = holder.map(|(_, role)| role);
        if rights.is_open || role == Some(Role::Admin) || (is_own && role >= Some(Role::Writer)) {
            return Ok(None);
        }
        let who = match holder {
            Some((id, role)) => format!("`{id}` is {role}"),
            None if key.is_none() => "you have no key to sign with".to_owned(),
            None => "your key is not in the roster".to_owned(),
        };
        let way_back = self.way_back(path, agreed, old.is_some())?;
        Ok(Some(reason(path, kind, &who, &admins(&rights), &way_back)))
    }

    /// The command that makes a file on disk what the team has.
    fn way_back(
        &self,
        path: &MemoryPath,
        agreed: ObjectId,
        is_there: bool,
    ) -> Result<String, SyncError> {
        if !is_there {
            return Ok(format!("in `team/`, with `rm {path}`"));
        }
        let file = |id: ObjectId| -> Result<_, SyncError> {
            let tree = self.repo.commit(id)?.tree;
            Ok(self.repo.tree_file(tree, path.as_str())?.map(|file| file.id))
        };
        // Our own tip may hold what was never shared.
        let is_at_tip = file(self.tip()?)? == file(agreed)?;
        let from = if is_at_tip { String::new() } else { format!("{} ", agreed.short()) };
        Ok(format!("in `team/`, with `git checkout {from}-- {path}`"))
    }
}

/// Whether only keys of the member who asks are others than before.
fn is_own_keys(
    before: Option<&Roster>,
    after: Option<&[u8]>,
    holder: Option<(&MemberId, Role)>,
) -> bool {
    let after = after.and_then(|text| Roster::parse(std::str::from_utf8(text).ok()?).ok());
    let (Some(before), Some(after), Some((id, _))) = (before, after, holder) else { return false };
    RosterChange::between(before, &after) == RosterChange::OwnKeys(id.clone())
}

fn admins(rights: &Rights) -> String {
    let all: Vec<String> =
        rights.admins().map(|id| format!("`{}`", Escaped(&id.to_string()))).collect();
    let shown = all.iter().take(ADMINS_SHOWN_MAX).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(ADMINS_SHOWN_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn reason(path: &MemoryPath, kind: Area, who: &str, admins: &str, back: &str) -> Reason {
    Reason {
        kind: ReasonKind::Rule,
        path: path.to_string(),
        position: None,
        rule: NOT_YOURS.to_owned(),
        weight: Weight::Refused,
        message: format!("{who} and may not change {}; admins may: {admins}", kind.noun()),
        next_step: format!("take it back, {back}, and ask an admin for the change"),
    }
}
