//! Remembers which tips passed every rule with all that precedes them, so that a pull judges only what
//! is new.
//! Border: a cache below the git dir. It counts only when nobody else could have written it; a ref
//! alone proves nothing, because plain git moves refs. Without it the whole history is judged again.

use super::team::Team;
use crate::base::id::ObjectId;
use crate::store::state::STATE_FOLDER;
use crate::system::files::Durability;
use crate::system::private::read_private;

/// The file in [`STATE_FOLDER`].
const NAME: &str = "verified";
/// Tips that are remembered, the newest last; a clone needs the last one, a rescue a few more.
const TIPS_MAX: usize = 200;
/// Far more than that many ids take.
const BYTES_MAX: u64 = 64 * 1_024;

/// The tips that passed, the newest first.
pub(crate) fn tips(team: &Team) -> Vec<ObjectId> {
    let mut tips = read(team);
    tips.reverse();
    tips
}

/// Whether a tip and all that precedes it passed every rule of this team before.
pub(crate) fn holds(team: &Team, tip: ObjectId) -> bool {
    read(team).contains(&tip)
}

/// Remembers a tip that has just passed. The record is only a cache and may fail.
pub(crate) fn remember(team: &Team, tip: ObjectId) {
    let mut tips = read(team);
    if tips.contains(&tip) {
        return;
    }
    tips.push(tip);
    let kept = &tips[tips.len().saturating_sub(TIPS_MAX)..];
    let lines: String = kept.iter().map(|tip| format!("{tip}\n")).collect();
    let text = format!("{}\n{lines}", heading(team));
    let name = format!("{STATE_FOLDER}/{NAME}");
    drop(team.git_root.write_private(&name, text.as_bytes(), Durability::Relaxed));
}

/// The tips, none when the file is not this user's alone or was made for another introduction.
fn read(team: &Team) -> Vec<ObjectId> {
    let path = team.repo.git_dir().join(STATE_FOLDER).join(NAME);
    let Ok(bytes) = read_private(&path, BYTES_MAX) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    if lines.next() != Some(heading(team).as_str()) {
        return Vec::new();
    }
    lines.map_while(|line| line.parse().ok()).collect()
}

/// What the tips were verified against; another pinned root or ref makes them worthless.
fn heading(team: &Team) -> String {
    let root = team.state.root_commit.map(|root| root.to_string()).unwrap_or_default();
    let signer = team.state.root_signer.as_deref().unwrap_or_default();
    format!("memsync.verified/1 {root} {signer} {}", team.branch_ref())
}
