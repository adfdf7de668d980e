//! Installs, removes and looks at git hooks in any repository.
//! Border: files and their places; what goes into them is `script`, what they check is `run`.

use std::path::{Path, PathBuf};

use super::HooksError;
use super::script::{self, HookName, Obstacle, Rest};
use crate::git::setup::hooks_folder::HooksFolder;
use crate::system::files::{Access, Change, Durability, FileKind, Root};

/// Longest hook file that is read; git itself has no limit, people do.
const HOOK_BYTES_MAX: u64 = 1_000_000;

/// Where hooks may go when `core.hooksPath` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HooksPath {
    /// Nowhere: the folder belongs to whoever set it.
    Refuse,
    /// Into that folder, when it is inside the repository.
    UseInside,
}

/// What was done to one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookChange {
    /// A file was made.
    Created(PathBuf),
    /// The block was put into the person's own hook.
    Added(PathBuf),
    /// The block was there and has been renewed, or was as it should be.
    Kept(PathBuf),
    /// The file that memsync made is gone.
    Deleted(PathBuf),
    /// The block is out of the person's own hook.
    Removed(PathBuf),
    /// There was nothing to remove.
    Nothing(PathBuf),
}

/// What one hook of a repository does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookStatus {
    /// Which hook.
    pub hook: HookName,
    /// Its file where git looks.
    pub path: PathBuf,
    /// Whether memsync runs in it.
    pub state: HookState,
    /// Other commands that run for the same event, from git's configuration.
    pub also: Vec<String>,
}

/// Whether memsync runs in a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookState {
    /// There is no hook.
    Absent,
    /// Someone else's hook, without memsync.
    Other,
    /// It runs.
    Runs,
    /// The file has no executable bit, so git does not run it.
    NotExecutable,
    /// Something that runs stands before the block and may end the hook.
    Hidden,
    /// The block is there, but the program it names is not; the one in PATH is tried.
    ProgramGone(PathBuf),
    /// The block is in `.git/hooks`, but `core.hooksPath` makes git look elsewhere.
    Bypassed(PathBuf),
    /// Damaged block, a symlink or a folder.
    Unreadable(String),
}

/// A hooks folder, opened.
struct Place {
    folder: HooksFolder,
    root: Root,
    prefix: &'static str,
}

impl Place {
    /// The folder git reads, opened so that no symlink in it is followed.
    fn open(folder: HooksFolder) -> Result<Self, HooksError> {
        match &folder.configured {
            Some(path) => Ok(Self { root: Root::open(path)?, prefix: "", folder }),
            None => Ok(Self { root: Root::open(&folder.common_dir)?, prefix: "hooks/", folder }),
        }
    }

    fn name(&self, hook: HookName) -> String {
        format!("{}{}", self.prefix, hook.as_str())
    }

    fn path(&self, hook: HookName) -> PathBuf {
        self.folder.path().join(hook.as_str())
    }

    /// The bytes of a hook file; `None` when there is none.
    fn read(&self, hook: HookName) -> Result<Option<Vec<u8>>, HooksError> {
        Ok(self.root.read_if_there(&self.name(hook), HOOK_BYTES_MAX)?)
    }

    fn write(&self, hook: HookName, content: &[u8]) -> Result<(), HooksError> {
        let name = self.name(hook);
        let (path, access) = (name.as_str(), Access::Program);
        let change = Change::Write { path, content, access, modified: None };
        Ok(self.root.apply(&[change], Durability::Durable)?)
    }
}

/// The hooks that fit a repository: a bare one takes commits in, one with a work tree makes them.
pub fn fitting(repository: &Path) -> Result<Vec<HookName>, HooksError> {
    let bare = HooksFolder::find(repository)?.work_dir.is_none();
    Ok(if bare { vec![HookName::PreReceive] } else { vec![HookName::PreCommit, HookName::PrePush] })
}

/// Puts memsync into hooks. All files are checked before the first is changed.
pub fn install(
    repository: &Path,
    hooks: &[HookName],
    program: &Path,
    hooks_path: HooksPath,
) -> Result<Vec<HookChange>, HooksError> {
    let folder = HooksFolder::find(repository)?;
    if let Some(path) = folder.configured.clone() {
        let is_inside = folder.is_configured_inside();
        if hooks_path == HooksPath::Refuse || !is_inside {
            return Err(HooksError::ForeignFolder { path, is_inside });
        }
    }
    let place = Place::open(folder)?;
    let mut planned = Vec::new();
    for hook in hooks {
        let existing = place.read(*hook)?;
        if existing.is_some() && !is_executable(&place, *hook)? {
            return Err(HooksError::NotExecutable { path: place.path(*hook) });
        }
        let text = script::with_block(*hook, existing.as_deref(), program)
            .map_err(|obstacle| obstructed(&place, *hook, obstacle))?;
        planned.push((*hook, existing, text));
    }
    let mut changes = Vec::new();
    for (hook, existing, text) in planned {
        let path = place.path(hook);
        if existing.as_deref() != Some(&text) {
            place.write(hook, &text)?;
        }
        let had_block = |own: &Vec<u8>| script::without_block(hook, own) != Ok(Rest::NoBlock);
        changes.push(match existing {
            None => HookChange::Created(path),
            Some(own) if had_block(&own) => HookChange::Kept(path),
            Some(_) => HookChange::Added(path),
        });
    }
    Ok(changes)
}

/// Takes memsync out of all hooks, byte for byte, also where `core.hooksPath` was set later.
pub fn uninstall(repository: &Path) -> Result<Vec<HookChange>, HooksError> {
    let folder = HooksFolder::find(repository)?;
    super::pin::unpin(&folder)?;
    let mut changes = Vec::new();
    for place in places(&folder) {
        let place = place?;
        for hook in HookName::ALL {
            let Some(existing) = place.read(hook)? else { continue };
            let path = place.path(hook);
            let rest = script::without_block(hook, &existing)
                .map_err(|obstacle| obstructed(&place, hook, obstacle))?;
            changes.push(match rest {
                Rest::NoBlock => HookChange::Nothing(path),
                Rest::Nothing => {
                    place.root.remove(&place.name(hook))?;
                    HookChange::Deleted(path)
                }
                Rest::Bytes(own) => {
                    place.write(hook, &own)?;
                    HookChange::Removed(path)
                }
            });
        }
    }
    Ok(changes)
}

/// What really runs.
pub fn status(repository: &Path) -> Result<Vec<HookStatus>, HooksError> {
    let folder = HooksFolder::find(repository)?;
    let default = HooksFolder { configured: None, ..folder.clone() };
    let mut found = Vec::new();
    for hook in HookName::ALL {
        let mut state = match Place::open(folder.clone()) {
            Ok(place) => state_of(&place, hook),
            Err(HooksError::File(error)) if error.is_not_found() => HookState::Absent,
            Err(error) => HookState::Unreadable(error.to_string()),
        };
        if let (HookState::Absent | HookState::Other, Some(path)) = (&state, &folder.configured)
            && let Ok(place) = Place::open(default.clone())
            && !matches!(state_of(&place, hook), HookState::Absent | HookState::Other)
        {
            state = HookState::Bypassed(path.clone());
        }
        let events = folder.from_configuration.iter().filter(|other| other.event == hook.as_str());
        let also = events.map(|other| format!("{}: {}", other.name, other.command)).collect();
        found.push(HookStatus { hook, path: folder.path().join(hook.as_str()), state, also });
    }
    Ok(found)
}

/// The folders that may hold our blocks: the default one, and one inside the repository.
fn places(folder: &HooksFolder) -> impl Iterator<Item = Result<Place, HooksError>> {
    let default = HooksFolder { configured: None, ..folder.clone() };
    let inside = folder.is_configured_inside().then(|| folder.clone());
    [Some(default), inside].into_iter().flatten().map(Place::open)
}

fn state_of(place: &Place, hook: HookName) -> HookState {
    let existing = match place.read(hook) {
        Ok(Some(existing)) => existing,
        Ok(None) => return HookState::Absent,
        Err(error) => return HookState::Unreadable(error.to_string()),
    };
    match script::without_block(hook, &existing) {
        Ok(Rest::NoBlock) => return HookState::Other,
        Ok(_) => {}
        Err(_) => return HookState::Unreadable("the block of memsync is damaged".to_owned()),
    }
    if !matches!(is_executable(place, hook), Ok(true)) {
        return HookState::NotExecutable;
    }
    if !script::is_reachable(hook, &existing) {
        return HookState::Hidden;
    }
    match script::program_of(hook, &existing).map(PathBuf::from) {
        Some(program) if program.is_absolute() && !program.exists() => {
            HookState::ProgramGone(program)
        }
        _ => HookState::Runs,
    }
}

/// Git asks for the executable bit where the system has one.
fn is_executable(place: &Place, hook: HookName) -> Result<bool, HooksError> {
    let stat = place.root.stat(&place.name(hook))?;
    Ok(stat
        .is_some_and(|stat| stat.kind == FileKind::File && (cfg!(not(unix)) || stat.is_executable)))
}

fn obstructed(place: &Place, hook: HookName, obstacle: Obstacle) -> HooksError {
    let path = place.path(hook);
    match obstacle {
        Obstacle::NotAShellScript => HooksError::NotAShellScript { path, hook: hook.as_str() },
        Obstacle::BrokenBlock => HooksError::BrokenBlock { path },
    }
}
