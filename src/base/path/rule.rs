//! The rules of the path gate by name, each with the reason a person is told.
//! Border: words only; what breaks a rule is decided in `check`.

use crate::base::display::Escaped;

/// What `memsync path check` gives as the rule of a path it accepts.
pub const ACCEPTED: &str = "ok";

/// How many characters of a refused path are shown.
const SHOWN_CHARS_MAX: usize = 160;

/// A path that was refused: which rule, why, and the path made safe to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path `{shown}` is not allowed: {reason} ({rule})")]
#[non_exhaustive]
pub struct PathProblem {
    /// The rule that refused it, as `memsync path check` names it.
    pub rule: &'static str,
    /// What is wrong, one clause without full stop.
    pub reason: &'static str,
    /// The path, escaped for display and cut when very long.
    pub shown: String,
}

/// One way in which a path is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule {
    name: &'static str,
    reason: &'static str,
}

impl Rule {
    /// The refusal of a path by this rule.
    pub(super) fn refuse(&self, raw: &[u8]) -> PathProblem {
        let text = String::from_utf8_lossy(raw);
        let mut head: String = text.chars().take(SHOWN_CHARS_MAX).collect();
        if head.len() < text.len() {
            head.push('…');
        }
        let shown = Escaped(&head).to_string();
        PathProblem { rule: self.name, reason: self.reason, shown }
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $constant:ident = $name:literal, $reason:literal;)*) => {
        $($(#[$doc])* pub(super) const $constant: &Rule = &Rule { name: $name, reason: $reason };)*
    };
}

rules! {
    // What the entry is.
    SYMLINK = "symlink", "a symbolic link could lead anywhere";
    GITLINK = "gitlink", "a submodule is another repository";
    MODE = "mode", "only plain files of mode 100644 are memories";
    // Where the path leads.
    UTF8 = "utf8", "the name is not UTF-8";
    LENGTH = "length", "the path is too long or nested too deep";
    RELATIVE = "relative", "the path is not a plain relative path";
    HOME = "relative", "a leading `~` means a home folder in shells";
    BACKSLASH = "backslash", "a backslash separates folders on Windows";
    COLON = "colon", "a colon names a drive or a stream on Windows";
    // What the name stands for.
    DOT_GIT = "dotgit", "the name is git's own folder";
    HFS_DOT_GIT = "hfs-dotgit", "the name is git's own folder on macOS, which skips some characters";
    NTFS_DOT_GIT = "ntfs-dotgit", "the name is git's own folder on Windows";
    SHORT_NAME = "ntfs-shortname", "the name has the short form of another name on Windows";
    GIT_SPECIAL = "git-special", "git reads this file as its own configuration";
    DEVICE = "win-device", "the name is a device on Windows";
    WINDOWS_ILLEGAL = "win-illegal", "the name holds a character that Windows refuses";
    TRAILING = "win-trailing", "Windows drops a dot or space at the end of a name";
    HIDDEN = "hidden", "names with a leading dot are hidden, and other programs act on them";
    RESERVED = "reserved", "the name is kept for the index, locks, backups or temporary files";
    OPTION = "option", "a leading dash reads as an option";
    SYNTAX = "syntax", "the name holds a character with a meaning for shells, git, URLs or Markdown";
    SPACE = "syntax", "a name may not start with a space or have one before `.md`";
    PERCENT = "syntax", "a percent sign may hide another name in encoded form";
    EXTENSION = "extension", "only files ending in `.md` are memories";
    INSTRUCTIONS = "extension", "agents obey this file as instructions; it is not a memory";
    // What the name looks like.
    CONTROL = "control", "the name holds a control character or a line break";
    BIDI = "bidi", "the name holds a character that reorders the text around it";
    INVISIBLE = "invisible", "the name holds a character that does not show";
    UNASSIGNED = "unassigned", "the name holds a code point without a meaning";
    PRIVATE_USE = "private-use", "the name holds a code point whose meaning is private";
    COMBINING = "combining", "the name stacks or misplaces combining marks";
    NFKC = "nfkc", "the name holds a look-alike or variant of another character";
    NFC = "nfc", "the name is not in normal form NFC, so it has a twin on some systems";
    CONFUSABLE = "confusable", "the name mixes alphabets so that it looks like another name";
}
