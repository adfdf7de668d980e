//! Whose a repository is, and whose word makes one of another owner safe: git's `safe.directory`.
//! Border: owners and the person's own configuration; the repository's own has no say here.

use std::path::{Path, PathBuf};

use crate::git::GitError;
use crate::git::setup::person::safe_directories;

/// Refuses a repository when one of its places belongs to somebody else and the person has not named
/// it in `safe.directory`.
pub(in crate::git) fn refuse_foreign<'p>(
    places: impl Iterator<Item = &'p Path>,
    named: &Path,
) -> Result<(), GitError> {
    let foreign: Vec<&Path> = places.filter(|place| !is_own(place)).collect();
    if foreign.is_empty() {
        return Ok(());
    }
    let path = named.canonicalize().unwrap_or_else(|_| named.to_owned());
    match is_safe(&path, &safe_directories()?) {
        true => Ok(()),
        false => Err(GitError::ForeignOwner { path }),
    }
}

/// Whether a path belongs to this user; what is not there belongs to nobody else.
#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(stat) = std::fs::symlink_metadata(path) else { return true };
    owns(rustix::process::geteuid().as_raw(), sudo_user(), stat.uid())
}

/// Where owners are another matter, git asks the system's own way.
#[cfg(not(unix))]
fn is_own(_: &Path) -> bool {
    true
}

/// Root through `sudo` may use what is the user's who called it, as git lets it.
#[cfg(unix)]
fn sudo_user() -> Option<u32> {
    crate::system::env::Environment::of_process().text("SUDO_UID")?.parse().ok()
}

#[cfg(unix)]
fn owns(user: u32, sudo: Option<u32>, owner: u32) -> bool {
    owner == user || user == 0 && sudo == Some(owner)
}

/// Whether a list of `safe.directory` names a path. An empty entry takes back those before it.
fn is_safe(path: &Path, list: &[String]) -> bool {
    let mut safe = false;
    for entry in list {
        safe = match entry.as_str() {
            "" => false,
            "*" => true,
            folder => {
                let below = folder.strip_suffix("/*").map(PathBuf::from);
                let names = |folder: &Path| {
                    folder == path || folder.canonicalize().is_ok_and(|real| real == path)
                };
                let covers = |folder: &Path| {
                    let real = folder.canonicalize();
                    path.starts_with(folder) || real.is_ok_and(|real| path.starts_with(real))
                };
                safe || match &below {
                    Some(folder) => covers(folder),
                    None => names(Path::new(folder)),
                }
            }
        };
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_safe_folders_is_read_as_git_reads_it() {
        let path = Path::new("/srv/team/memory");
        let check = |list: &[&str]| {
            is_safe(path, &list.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>())
        };
        for (list, safe) in [
            (&[][..], false),
            (&["*"], true),
            (&["/srv/team/memory"], true),
            (&["/srv/team"], false),
            (&["/srv/team/*"], true),
            (&["/srv/te/*"], false),
            (&["/other", "/srv/*"], true),
            (&["*", ""], false),
            (&["", "*"], true),
        ] {
            assert_eq!(check(list), safe, "{list:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_somebody_elses_is_not_ours() {
        for (user, sudo, owner, own) in [
            (1000, None, 1000, true),
            (1000, None, 0, false),
            (1000, Some(1001), 1001, false),
            (0, None, 1000, false),
            (0, Some(1000), 1000, true),
            (0, Some(1000), 0, true),
            (0, Some(1000), 1001, false),
        ] {
            assert_eq!(owns(user, sudo, owner), own, "{user} {sudo:?} {owner}");
        }
        assert!(is_own(Path::new("/not/there")));
    }
}
