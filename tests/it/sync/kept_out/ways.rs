//! The ways in which a file can go bad, and how a person puts each right.
//! Border: changes files of one member; what then must hold is claimed beside it.
#![expect(clippy::disallowed_methods, reason = "puts things in the place of files by hand")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::support::{Member, memory, token};

/// A way in which a file can go bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Credential,
    HiddenCharacter,
    Control,
    NotUtf8,
    Nul,
    TooLarge,
    ConflictMarkers,
    UserKind,
    BadYaml,
    NoFrontmatter,
    Symlink,
    Folder,
    FullFolder,
    Pipe,
    Executable,
    /// Taken away, where a team cannot be used without it.
    Gone,
    /// A file that nobody may have under this name.
    BadName,
}

pub(super) const WAYS: [Way; 17] = [
    Way::Credential,
    Way::HiddenCharacter,
    Way::Control,
    Way::NotUtf8,
    Way::Nul,
    Way::TooLarge,
    Way::ConflictMarkers,
    Way::UserKind,
    Way::BadYaml,
    Way::NoFrontmatter,
    Way::Symlink,
    Way::Folder,
    Way::FullFolder,
    Way::Pipe,
    Way::Executable,
    Way::Gone,
    Way::BadName,
];

/// Names that no team memory takes, whatever is in the file.
pub(super) const BAD_NAMES: [&str; 5] =
    ["CON.md", "memory.md", "un\u{200B}seen.md", "notes.txt", "sub/trailing .md "];

/// Whether a file steers the team.
pub(super) fn steers(file: &str) -> bool {
    file.starts_with(".memsync/")
}

impl Way {
    /// Whether the gate has anything against it in a file.
    pub(super) fn is_for(self, file: &str) -> bool {
        match self {
            Self::BadName => BAD_NAMES.contains(&file),
            _ if BAD_NAMES.contains(&file) => false,
            Self::UserKind | Self::NoFrontmatter => file != "MEMORY.md" && !steers(file),
            Self::BadYaml => file != "MEMORY.md",
            Self::Gone => [".memsync/policy.yaml", ".memsync/roster.yaml"].contains(&file),
            _ => true,
        }
    }

    /// What is added to a file, where that is what makes it bad. `mark` starts a line that means nothing.
    fn addition(self, mark: &str) -> Option<Vec<u8>> {
        Some(match self {
            Self::Credential => format!("{mark} the key is {}\n", token()).into_bytes(),
            Self::HiddenCharacter => format!("{mark} un\u{200B}seen\n").into_bytes(),
            Self::Control => format!("{mark} \u{202E}turned\n").into_bytes(),
            Self::NotUtf8 => [mark.as_bytes(), b" \xff\n"].concat(),
            Self::Nul => [mark.as_bytes(), b" \0\n"].concat(),
            Self::TooLarge => format!("{mark} {}\n", "many words ".repeat(96_000)).into_bytes(),
            Self::ConflictMarkers => {
                let sign = |c: &str| c.repeat(7);
                let (one, two, three) = (sign("<"), sign("="), sign(">"));
                format!("{one} HEAD\n{mark} ours\n{two}\n{mark} theirs\n{three} side\n")
                    .into_bytes()
            }
            _ => return None,
        })
    }

    /// Makes a file bad that is there and good; one with a bad name is put there.
    pub(super) fn spoil(self, member: &Member, file: &str) {
        let path = member.team().join(file);
        match self {
            Self::BadName => return member.write(file, memory("stray", "Body.")),
            Self::Executable => {
                return fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
            Self::Symlink | Self::Folder | Self::FullFolder | Self::Pipe | Self::Gone => {
                return self.replace(&path);
            }
            _ => {}
        }
        let good = fs::read_to_string(&path).unwrap();
        let bad = match (self, self.addition(mark(file))) {
            (_, Some(addition)) => [good.as_bytes(), &addition].concat(),
            (Self::UserKind, _) => good.replace("type: project", "type: user").into_bytes(),
            (Self::NoFrontmatter, _) => good.replacen("---\n", "", 1).into_bytes(),
            _ if steers(file) => format!("{good}STRAY: [\n").into_bytes(),
            _ => good.replace("description: ", "description: a: ").into_bytes(),
        };
        fs::write(path, bad).unwrap();
    }

    fn replace(self, path: &std::path::Path) {
        fs::remove_file(path).unwrap();
        match self {
            Self::Symlink => symlink("elsewhere.md", path).unwrap(),
            Self::Folder => fs::create_dir(path).unwrap(),
            Self::FullFolder => {
                fs::create_dir(path).unwrap();
                fs::write(path.join("notes.txt"), "x").unwrap();
            }
            Self::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            _ => {}
        }
    }

    /// Corrects it, as a person would: takes out what is wrong and keeps the rest.
    pub(super) fn correct(self, member: &Member, file: &str) {
        let path = member.team().join(file);
        match self {
            Self::Symlink | Self::Pipe | Self::BadName => fs::remove_file(&path).unwrap(),
            Self::Folder | Self::FullFolder => fs::remove_dir_all(&path).unwrap(),
            Self::Executable => {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            }
            Self::Gone => {}
            _ => return self.correct_text(&path, file),
        }
        // A team cannot be used without the files that steer it: a deletion would stay kept out.
        if steers(file) && !path.is_file() {
            member.git(&["checkout", "--", file]);
        }
    }

    fn correct_text(self, path: &std::path::Path, file: &str) {
        if let Some(bad) = self.addition(mark(file)) {
            let text = fs::read(path).unwrap();
            let at = text.windows(bad.len()).position(|part| part == bad);
            let at = at.unwrap_or_else(|| {
                let shown = String::from_utf8_lossy(&text);
                panic!(
                    "{file}: {:?} is not in one piece in {shown:?}",
                    String::from_utf8_lossy(&bad)
                )
            });
            return fs::write(path, [&text[..at], &text[at + bad.len()..]].concat()).unwrap();
        }
        let text = fs::read_to_string(path).unwrap();
        let good = match self {
            Self::UserKind => text.replace("type: user", "type: project"),
            Self::NoFrontmatter => format!("---\n{text}"),
            _ if steers(file) => text.replace("STRAY: [\n", ""),
            _ => text.replace("description: a: ", "description: "),
        };
        fs::write(path, good).unwrap();
    }
}

/// What starts a line that says nothing: an item of a memory, a comment of YAML.
fn mark(file: &str) -> &'static str {
    if steers(file) { "#" } else { "-" }
}
