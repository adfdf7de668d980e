//! The text of a hook file with memsync's block in it, and without.
//! Border: bytes in, bytes out. The block stands right after the shebang, so that an `exec` of the
//! person's own hook cannot hide it, and taking it out gives back every byte.

use std::path::Path;

/// A git hook that memsync has a script for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookName {
    /// Before a commit is made.
    PreCommit,
    /// Before commits are sent.
    PrePush,
    /// On the server, before commits are taken in.
    PreReceive,
}

/// What the block says of a file that memsync made.
const CREATED: &str = "# memsync made this file.\n";

/// The line of the scripts that names the program, replaced at installation; the second one like
/// it, for when that program is gone, stays.
const PROGRAM_LINE: &str = "memsync_program=memsync\n";

/// Shells that read the block.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// Why a block cannot go into an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It is no shell script.
    NotAShellScript,
    /// It has the beginning of a block without its end.
    BrokenBlock,
}

/// What a hook file is without the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// There was no block.
    NoBlock,
    /// Nothing: memsync made the file.
    Nothing,
    /// These bytes.
    Bytes(Vec<u8>),
}

impl HookName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::PreCommit, Self::PrePush, Self::PreReceive];

    /// Its file name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreCommit => "pre-commit",
            Self::PrePush => "pre-push",
            Self::PreReceive => "pre-receive",
        }
    }

    /// The hook of a file name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hook| hook.as_str() == name)
    }

    /// The script as it stands in `hooks/git/`.
    pub fn script(self) -> &'static str {
        match self {
            Self::PreCommit => include_str!("../../../hooks/git/pre-commit"),
            Self::PrePush => include_str!("../../../hooks/git/pre-push"),
            Self::PreReceive => include_str!("../../../hooks/git/pre-receive"),
        }
    }

    fn opening(self) -> String {
        format!("# >>> memsync {} >>>", self.as_str())
    }

    fn closing(self) -> String {
        format!("# <<< memsync {} <<<\n", self.as_str())
    }

    /// The block, calling a program by its path first.
    fn block(self, program: &Path) -> String {
        let script = self.script();
        let from = script.find("# >>>").unwrap_or_default();
        let quoted = format!("'{}'", program.to_string_lossy().replace('\'', r"'\''"));
        script[from..].replacen(PROGRAM_LINE, &format!("memsync_program={quoted}\n"), 1)
    }
}

/// The hook file with the block: a new file, or the existing one with the block put in or renewed.
pub fn with_block(
    hook: HookName,
    existing: Option<&[u8]>,
    program: &Path,
) -> Result<Vec<u8>, Obstacle> {
    let block = hook.block(program);
    let Some(existing) = existing else {
        let (first, rest) = block.split_at(block.find('\n').map_or(0, |at| at + 1));
        return Ok(format!("#!/bin/sh\n{first}{CREATED}{rest}").into_bytes());
    };
    match without_block(hook, existing)? {
        Rest::Nothing => with_block(hook, None, program),
        Rest::Bytes(own) => insert(&own, &block),
        Rest::NoBlock => insert(existing, &block),
    }
}

/// Puts the block after the shebang line.
fn insert(own: &[u8], block: &str) -> Result<Vec<u8>, Obstacle> {
    let shebang = own.starts_with(b"#!");
    let end = match own.iter().position(|b| *b == b'\n') {
        _ if !shebang => 0,
        Some(at) => at + 1,
        None => own.len(),
    };
    if !is_shell_script(own, &own[..end]) {
        return Err(Obstacle::NotAShellScript);
    }
    let mut text = own[..end].to_vec();
    if shebang && text.last() != Some(&b'\n') {
        // The one case with a byte before the block: the block then lacks its own last newline.
        text.push(b'\n');
        text.extend_from_slice(block.trim_end().as_bytes());
    } else {
        text.extend_from_slice(block.as_bytes());
    }
    text.extend_from_slice(&own[end..]);
    Ok(text)
}

/// Git runs a file without shebang with `sh`, if it is text.
fn is_shell_script(own: &[u8], shebang: &[u8]) -> bool {
    if shebang.is_empty() {
        return !own.contains(&0);
    }
    let line = String::from_utf8_lossy(&shebang[2..]).replace('\\', "/");
    let mut words = line.split_whitespace();
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut program = words.next().map(name).unwrap_or_default();
    if program == "env" {
        program = words.find(|word| !word.starts_with('-')).map(name).unwrap_or_default();
    }
    SHELLS.contains(&program.trim_end_matches(".exe"))
}

/// The hook file without the block.
pub fn without_block(hook: HookName, existing: &[u8]) -> Result<Rest, Obstacle> {
    let Some(from) = line_start(existing, hook.opening().as_bytes()) else {
        return Ok(Rest::NoBlock);
    };
    let closing = hook.closing();
    let closing = closing.as_bytes();
    let bare = &closing[..closing.len() - 1];
    let (to, from) = match find(&existing[from..], closing) {
        Some(at) => (from + at + closing.len(), from),
        // Without newline at the end of the file: see `insert`.
        None if existing.ends_with(bare) => (existing.len(), from.saturating_sub(1)),
        None => return Err(Obstacle::BrokenBlock),
    };
    let made = find(&existing[from..to], CREATED.as_bytes()).is_some();
    let own = [&existing[..from], &existing[to..]].concat();
    Ok(if made && own == b"#!/bin/sh\n" { Rest::Nothing } else { Rest::Bytes(own) })
}

/// Whether nothing that runs stands before the block.
pub fn is_reachable(hook: HookName, existing: &[u8]) -> bool {
    line_start(existing, hook.opening().as_bytes()).is_some_and(|from| {
        let before = String::from_utf8_lossy(&existing[..from]).into_owned();
        before.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    })
}

/// The program that the block calls first.
pub fn program_of(hook: HookName, existing: &[u8]) -> Option<String> {
    let from = line_start(existing, hook.opening().as_bytes())?;
    let text = String::from_utf8_lossy(&existing[from..]).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("memsync_program="))?;
    let inner = line.strip_prefix('\'').and_then(|line| line.strip_suffix('\'')).unwrap_or(line);
    Some(inner.replace(r"'\''", "'"))
}

fn line_start(text: &[u8], needle: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = find(&text[from..], needle) {
        let at = from + at;
        if at == 0 || text[at - 1] == b'\n' {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> &'static Path {
        Path::new("/opt/it's/memsync")
    }

    #[test]
    fn the_block_goes_in_after_the_shebang_and_comes_out_byte_for_byte() {
        for own in [
            "#!/bin/sh\nexec ./lint.sh \"$@\"\n",
            "#!/usr/bin/env -S bash -e\n./x\n",
            "#!/bin/sh",
            "#!/bin/sh\n",
            "#!/bin/sh\r\necho x\r\n",
            "echo no shebang\n",
            "",
            "\n\n",
            "#!/bin/zsh -f\nno newline at end",
        ] {
            for hook in HookName::ALL {
                let with = with_block(hook, Some(own.as_bytes()), program()).unwrap();
                assert!(is_reachable(hook, &with), "{own:?}");
                assert_eq!(program_of(hook, &with).as_deref(), program().to_str());
                let rest = without_block(hook, &with).unwrap();
                assert_eq!(rest, Rest::Bytes(own.as_bytes().to_vec()), "{own:?}");
                let again = with_block(hook, Some(&with), program()).unwrap();
                assert_eq!(again, with, "{own:?}");
            }
        }
    }

    #[test]
    fn a_file_that_memsync_made_goes_as_a_whole_unless_someone_added_to_it() {
        let hook = HookName::PrePush;
        let made = with_block(hook, None, program()).unwrap();
        assert_eq!(without_block(hook, &made).unwrap(), Rest::Nothing);
        assert_eq!(with_block(hook, Some(&made), program()).unwrap(), made);
        let extended = [&made[..], b"echo mine\n"].concat();
        let rest = without_block(hook, &extended).unwrap();
        assert_eq!(rest, Rest::Bytes(b"#!/bin/sh\necho mine\n".to_vec()));
    }

    #[test]
    fn what_is_no_shell_script_and_what_is_broken_stays_untouched() {
        let hook = HookName::PreCommit;
        for own in [
            "#!/usr/bin/env python3\nprint()\n",
            "#!/usr/bin/perl\n",
            "\x7fELF\0\0",
            "#!/usr/bin/fish\n",
        ] {
            let result = with_block(hook, Some(own.as_bytes()), program());
            assert_eq!(result, Err(Obstacle::NotAShellScript), "{own:?}");
        }
        let broken = b"#!/bin/sh\n# >>> memsync pre-commit >>>\nexit 0\n";
        assert_eq!(without_block(hook, broken), Err(Obstacle::BrokenBlock));
        assert_eq!(with_block(hook, Some(broken), program()), Err(Obstacle::BrokenBlock));
    }

    #[test]
    fn a_block_that_something_runs_before_is_noticed() {
        let hook = HookName::PreCommit;
        let made = String::from_utf8(with_block(hook, None, program()).unwrap()).unwrap();
        let late = made.replacen("#!/bin/sh\n", "#!/bin/sh\nexec true\n", 1);
        assert!(!is_reachable(hook, late.as_bytes()));
    }
}
