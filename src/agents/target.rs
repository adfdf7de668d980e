//! Where in a memory directory a path of a client's leads, in whatever form it is written.
//! Border: looks at folders; reads and writes nothing.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Into the team memory: below its folder, `/` between components. Empty is the folder itself.
    Team(String),
    /// Into the memory directory, but not into the team memory.
    Private(String),
    /// Somewhere else.
    Elsewhere,
}

/// What paths are seen from.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    /// The memory directory.
    pub memdir: &'a Path,
    /// The team memory's folder.
    pub team: &'a Path,
    /// The folder the client works in.
    pub folder: &'a Path,
    /// The person's home.
    pub home: Option<&'a Path>,
}

impl Seen<'_> {
    /// Where a path leads. `~` is the home folder; whatever is not absolute starts at the client's folder.
    pub fn target(&self, written: &str) -> Target {
        let expanded = match (written.strip_prefix('~'), self.home) {
            (Some(""), Some(home)) => home.to_owned(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(&rest[1..]),
            _ => PathBuf::from(written),
        };
        let path = plain(&self.folder.join(expanded));
        if let Some(below) = below(&path, self.team) {
            return Target::Team(below);
        }
        match below(&path, self.memdir) {
            Some(below) => Target::Private(below),
            None => Target::Elsewhere,
        }
    }
}

/// The path without `.` and `..`, as a client works it out, before the system sees it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// What of a path is below a folder: the nearest part of it that is that folder for the system, whatever
/// links lead there and however its name is spelled.
fn below(path: &Path, folder: &Path) -> Option<String> {
    let there = identity(folder)?;
    let mut names: Vec<OsString> = Vec::new();
    for above in path.ancestors() {
        if above == folder || identity(above) == Some(there) {
            let names = names.iter().rev().map(|name| name.to_string_lossy().into_owned());
            return Some(names.collect::<Vec<_>>().join("/"));
        }
        names.push(above.file_name()?.to_owned());
    }
    None
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// Where a system tells no such numbers, the whole path says which folder it is.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "sets the scene")]
    fn every_form_of_a_path_leads_to_the_same_place() {
        let scene = tempfile::tempdir().unwrap();
        let scene = scene.path().canonicalize().unwrap();
        let (home, work) = (scene.join("home"), scene.join("work"));
        let memdir = home.join(".claude/projects/-p/memory");
        let team = memdir.join("team");
        std::fs::create_dir_all(&team).unwrap();
        std::fs::create_dir_all(&work).unwrap();
        std::os::unix::fs::symlink(&home, scene.join("link")).unwrap();
        std::os::unix::fs::symlink(&team, work.join("t")).unwrap();
        let seen = Seen { memdir: &memdir, team: &team, folder: &work, home: Some(&home) };
        let team_file = |name: &str| Target::Team(name.to_owned());
        let absolute = team.join("x.md").display().to_string();
        let by_link =
            scene.join("link/.claude/projects/-p/memory/team/a/x.md").display().to_string();
        for (written, expected) in [
            (absolute.as_str(), team_file("x.md")),
            ("~/.claude/projects/-p/memory/team/x.md", team_file("x.md")),
            ("../home/.claude/projects/-p/memory/./team/new/../x.md", team_file("x.md")),
            (by_link.as_str(), team_file("a/x.md")),
            ("t/x.md", team_file("x.md")),
            ("~/.claude/projects/-p/memory/team", team_file("")),
            ("~/.claude/projects/-p/memory/x.md", Target::Private("x.md".to_owned())),
            ("~/.claude/projects/-p/memory/teams/x.md", Target::Private("teams/x.md".to_owned())),
            ("x.md", Target::Elsewhere),
            ("~other/x.md", Target::Elsewhere),
            ("", Target::Elsewhere),
            ("/", Target::Elsewhere),
        ] {
            assert_eq!(seen.target(written), expected, "{written}");
        }
    }
}
