//! Names that mean something to git, Windows, macOS, editors or agents.
//! Border: one component at a time; text in, yes or no out.

use super::characters::is_hfs_ignorable;
use super::rule::{self, Rule};

/// The index. Only this spelling, only at the root.
pub(super) const INDEX: &str = "MEMORY.md";

/// Files git obeys beside `.git`, without their leading dot.
const GIT_FILES: [&str; 11] = [
    "gitmodules",
    "gitattributes",
    "gitignore",
    "gitconfig",
    "gitmessage",
    "gitkeep",
    "gitreview",
    "git-blame-ignore-revs",
    "git-credentials",
    "mailmap",
    "lfsconfig",
];

/// Files that agents load as instructions wherever they lie, without `.md`.
const INSTRUCTION_STEMS: [&str; 12] = [
    "claude",
    "claude.local",
    "agents",
    "agents.override",
    "agent",
    "gemini",
    "qwen",
    "crush",
    "warp",
    "copilot-instructions",
    "skill",
    "replit",
];

/// What locks, downloads, merges and editors leave beside a file.
const LEFTOVER_SUFFIXES: [&str; 12] = [
    "~",
    ".lock",
    ".tmp",
    ".temp",
    ".swp",
    ".swo",
    ".swx",
    ".orig",
    ".rej",
    ".bak",
    ".part",
    ".crdownload",
];

/// Device names of Windows without a number (`CON.txt` is the console, too).
const DEVICES: [&str; 7] = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// Whether a name resolves to `.git` somewhere, and by which rule.
pub(super) fn dot_git(name: &str) -> Option<&'static Rule> {
    if name.eq_ignore_ascii_case(".git") {
        return Some(rule::DOT_GIT);
    }
    let visible = without_hfs_ignorables(name);
    let visible = visible.as_deref().unwrap_or(name);
    if ![".git", "git~1"].iter().any(|git| is_ntfs_alias(visible, git)) {
        return None;
    }
    Some(if visible.len() == name.len() { rule::NTFS_DOT_GIT } else { rule::HFS_DOT_GIT })
}

/// Whether git obeys a file of this name, NTFS and HFS+ aliases included.
pub(super) fn is_git_special(name: &str) -> bool {
    let visible = without_hfs_ignorables(name);
    let visible = visible.as_deref().unwrap_or(name);
    let Some(rest) = visible.strip_prefix('.') else { return false };
    GIT_FILES.iter().any(|file| is_ntfs_alias(rest, file))
}

/// Whether NTFS takes `name` for `target`: any case, then dots and spaces, then an end or a stream.
fn is_ntfs_alias(name: &str, target: &str) -> bool {
    let Some((head, rest)) = name.split_at_checked(target.len()) else { return false };
    let rest = rest.trim_start_matches(['.', ' ']);
    head.eq_ignore_ascii_case(target) && (rest.is_empty() || rest.starts_with(':'))
}

/// The name as HFS+ compares it; `None` when that is the name itself.
fn without_hfs_ignorables(name: &str) -> Option<String> {
    let has_any = !name.is_ascii() && name.chars().any(is_hfs_ignorable);
    has_any.then(|| name.chars().filter(|c| !is_hfs_ignorable(*c)).collect())
}

/// Whether Windows takes the name for a device: the part before the first dot or colon counts.
pub(super) fn is_device(name: &str) -> bool {
    let base = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    if DEVICES.iter().any(|device| base.eq_ignore_ascii_case(device)) {
        return true;
    }
    let Some((port, number)) = base.split_at_checked(3) else { return false };
    // Windows reserves the superscript digits of Latin-1 as well.
    let is_number = matches!(number.as_bytes(), [b'0'..=b'9']) || ["¹", "²", "³"].contains(&number);
    is_number && (port.eq_ignore_ascii_case("com") || port.eq_ignore_ascii_case("lpt"))
}

/// Whether the name has the 8.3 form (`GIT~1`, `MEMORY~1.MD`) by which Windows may know another file.
pub(super) fn is_short_name(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or_default();
    let Some((_, number)) = base.rsplit_once('~') else { return false };
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether the name is kept for others: an alias of the index, a lock, a backup, a leftover.
pub(super) fn is_reserved(name: &str, is_whole_path: bool) -> bool {
    if name.eq_ignore_ascii_case(INDEX) {
        return !(is_whole_path && name == INDEX);
    }
    let editor_lock = name.len() > 1 && name.starts_with('#') && name.ends_with('#');
    editor_lock || LEFTOVER_SUFFIXES.iter().any(|suffix| ends_with_ignore_case(name, suffix))
}

fn ends_with_ignore_case(name: &str, suffix: &str) -> bool {
    let start = name.len().checked_sub(suffix.len());
    start.and_then(|at| name.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

/// Whether agents load a file of this stem as instructions.
pub(super) fn is_instruction_stem(stem: &str) -> bool {
    INSTRUCTION_STEMS.iter().any(|known| stem.eq_ignore_ascii_case(known))
}

/// Whether a path below `.memsync/` is one of the files memsync keeps there.
pub(super) fn is_policy_file(below: &str) -> bool {
    if matches!(below, "policy.yaml" | "roster.yaml" | "allow.yaml") {
        return true;
    }
    let id = below.strip_prefix("conflicts/").and_then(|name| name.strip_suffix(".yaml"));
    // Ids are digests; 8 digits is the shortest anyone shows, 64 is SHA-256 whole.
    id.is_some_and(|id| {
        (8..=64).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    })
}

/// Stems of files that no look-alike may imitate.
pub(super) fn protected_stems() -> impl Iterator<Item = &'static str> {
    ["memory", "readme"].into_iter().chain(INSTRUCTION_STEMS)
}
