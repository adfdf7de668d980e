//! What editors, vaults and systems leave beside memories: passed over in silence, never a refusal.
//! Border: names only. A name that could be a memory, or that git obeys, is the gate's business.

/// Ends of names that editors, merges and downloads leave.
const ENDS: [&[u8]; 14] = [
    b"~",
    b".swp",
    b".swo",
    b".swx",
    b".tmp",
    b".temp",
    b".bak",
    b".orig",
    b".rej",
    b".part",
    b".crdownload",
    b".icloud",
    b".lnk",
    b".url",
];

/// Names that systems and editors give files of their own.
const NAMES: [&[u8]; 5] = [b"thumbs.db", b"ehthumbs.db", b"desktop.ini", b"icon\r", b"4913"];

/// Starts of names of lock files and shadows: LibreOffice, Word, macOS on other file systems, Emacs.
const STARTS: [&[u8]; 4] = [b".~lock.", b"~$", b"._", b".#"];

/// Whether a path that team memory does not know is a leftover, or lies in a folder of a program.
pub(crate) fn is_leftover(path: &[u8]) -> bool {
    let mut parts = path.split(|b| *b == b'/').rev();
    let name = parts.next().unwrap_or(path).to_ascii_lowercase();
    let in_programs_folder = parts.any(|folder| is_hidden(&folder.to_ascii_lowercase()));
    let is_emacs_save = name.len() > 2 && name.starts_with(b"#") && name.ends_with(b"#");
    in_programs_folder
        || (is_hidden(&name) && !name.ends_with(b".md"))
        || is_emacs_save
        || NAMES.contains(&name.as_slice())
        || ENDS.iter().any(|end| name.ends_with(end))
        || STARTS.iter().any(|start| name.starts_with(start))
}

/// A hidden name that neither git nor memsync gives a meaning.
fn is_hidden(name: &[u8]) -> bool {
    let obeyed = [&b".git/"[..], b".gitattributes/", b".gitmodules/", b".memsync/"];
    let with_end = [name, b"/"].concat();
    name.starts_with(b".") && !obeyed.contains(&with_end.as_slice())
}

#[cfg(test)]
mod tests {
    use super::is_leftover;

    #[test]
    fn leftovers_of_editors_vaults_and_systems_are_told_from_memories() {
        let leftovers = [
            "#a.md#",
            ".#a.md",
            "sub/.#b.md",
            "a.md.orig",
            "a.md~",
            ".a.md.swp",
            "a.md.swo",
            ".obsidian/app.json",
            ".obsidian/plugins/x/main.js",
            ".trash/old.md",
            ".logseq/a.md",
            ".DS_Store",
            "sub/.DS_Store",
            "Thumbs.db",
            "._a.md",
            "~$a.md",
            ".~lock.a.md#",
            "4913",
            ".vscode/settings.json",
            ".gitignore",
            "a.md.rej",
            ".stversions/a.md",
            ".Trash-1000/x.md",
        ];
        for path in leftovers {
            assert!(is_leftover(path.as_bytes()), "{path}");
        }
        let others = [
            "a.md",
            "sub/a.md",
            ".draft.md",
            "notes.txt",
            ".memsync/policy.yaml",
            ".git/config",
            "sub/.git/config",
            ".gitattributes",
            ".gitmodules",
            "#a.md",
            "orig.md",
            "MEMORY.md",
            ".GIT/x",
            "a (conflicted copy).md",
            "#",
        ];
        for path in others {
            assert!(!is_leftover(path.as_bytes()), "{path}");
        }
    }
}
