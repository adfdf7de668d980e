//! The path gate itself: every rule in the order in which it is reported.
//! Border: one path; sets of paths are `name_collisions`. Takes no memory for an ASCII path.

use super::rule::{self, Rule};
use super::{
    COMPONENT_BYTES_MAX, EntryMode, PATH_BYTES_MAX, PATH_DEPTH_MAX, characters, lookalike, names,
};

/// The verdict on a path or a part of it.
type Verdict = Result<(), &'static Rule>;

/// Judges what an entry is.
pub(super) fn mode(mode: EntryMode) -> Verdict {
    match mode {
        EntryMode::File => Ok(()),
        EntryMode::Symlink => Err(rule::SYMLINK),
        EntryMode::Gitlink => Err(rule::GITLINK),
        EntryMode::Executable | EntryMode::Tree | EntryMode::Other => Err(rule::MODE),
    }
}

/// Judges a whole path.
pub(super) fn path(text: &str) -> Verdict {
    refuse_if(text.len() > PATH_BYTES_MAX, rule::LENGTH)?;
    if is_plainly_fine(text) {
        return Ok(());
    }
    if text.strip_prefix(".memsync/").is_some_and(names::is_policy_file) {
        return Ok(());
    }
    text.split('/').try_for_each(where_it_leads)?;
    let depth = text.split('/').count();
    for (at, name) in text.split('/').enumerate() {
        what_it_stands_for(name)?;
        if !name.is_ascii() {
            how_it_is_written(name)?;
        }
        which_name(name, depth == 1)?;
        let is_file = at + 1 == depth;
        let stem = if is_file { name.strip_suffix(".md") } else { None };
        how_it_looks(stem.unwrap_or(name))?;
        refuse_if(name.len() > COMPONENT_BYTES_MAX, rule::LENGTH)?;
        match stem {
            Some(stem) => refuse_if(names::is_instruction_stem(stem), rule::INSTRUCTIONS)?,
            // A folder named like a memory would give two meanings to one link.
            None => refuse_if(is_file || has_memory_extension(name), rule::EXTENSION)?,
        }
    }
    refuse_if(depth > PATH_DEPTH_MAX, rule::LENGTH)
}

/// Recognises the everyday path in one pass: `[A-Za-z0-9_-]` names, one `.md`, nothing special.
///
/// Says `false` for much that is fine, and `true` for nothing that the full check would refuse.
fn is_plainly_fine(text: &str) -> bool {
    let Some(stem) = text.strip_suffix(".md") else { return false };
    let mut depth = 0;
    for name in stem.split('/') {
        depth += 1;
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let short = name.is_empty() || name.len() < 5 && names::is_device(name);
        if !plain || short || name.len() + 3 > COMPONENT_BYTES_MAX || name.starts_with('-') {
            return false;
        }
    }
    let name = stem.rsplit('/').next().unwrap_or(stem);
    depth <= PATH_DEPTH_MAX
        && !names::is_instruction_stem(name)
        && !stem.split('/').any(lookalike::imitates_protected)
        && !name.eq_ignore_ascii_case("memory")
}

fn has_memory_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"))
}

/// Whatever is no plain step down: empty, dots only, home, separators of other systems.
fn where_it_leads(name: &str) -> Verdict {
    // Windows drops dots and spaces at the end, so `. .` is nothing but a dot.
    refuse_if(name.trim_end_matches(['.', ' ']).is_empty(), rule::RELATIVE)?;
    refuse_if(name.starts_with('~'), rule::HOME)?;
    refuse_if(name.contains('\\'), rule::BACKSLASH)
}

/// Aliases of files and devices, before any character is judged by itself.
fn what_it_stands_for(name: &str) -> Verdict {
    if let Some(rule) = names::dot_git(name) {
        return Err(rule);
    }
    refuse_if(names::is_git_special(name), rule::GIT_SPECIAL)?;
    refuse_if(names::is_device(name), rule::DEVICE)?;
    match name.chars().find_map(characters::refusal) {
        Some(rule) => Err(rule),
        None => Ok(()),
    }
}

/// Normal forms and imitated characters.
fn how_it_is_written(name: &str) -> Verdict {
    if let Some(rule) = characters::normal_form_refusal(name) {
        return Err(rule);
    }
    refuse_if(name.chars().any(lookalike::imitates_syntax), rule::NFKC)?;
    refuse_if(characters::has_odd_marks(name), rule::COMBINING)
}

/// Names that are kept, and ASCII characters with a meaning elsewhere.
fn which_name(name: &str, is_whole_path: bool) -> Verdict {
    refuse_if(name.starts_with(':'), rule::SYNTAX)?;
    refuse_if(name.contains(':'), rule::COLON)?;
    refuse_if(name.contains(['<', '>', '"', '|', '?', '*']), rule::WINDOWS_ILLEGAL)?;
    refuse_if(names::is_short_name(name), rule::SHORT_NAME)?;
    refuse_if(name.starts_with('-'), rule::OPTION)?;
    refuse_if(names::is_reserved(name, is_whole_path), rule::RESERVED)?;
    refuse_if(name.contains('%'), rule::PERCENT)?;
    refuse_if(name.starts_with('@') || name.contains("@{"), rule::SYNTAX)?;
    refuse_if(!name.chars().all(is_allowed) || !has_balanced_parentheses(name), rule::SYNTAX)?;
    refuse_if(name.ends_with(['.', ' ']), rule::TRAILING)?;
    refuse_if(name.starts_with(' ') || name.ends_with(" .md"), rule::SPACE)?;
    refuse_if(name.starts_with('.'), rule::HIDDEN)
}

/// Letters, digits and the punctuation that means nothing to a shell, git, a URL or Markdown.
fn is_allowed(c: char) -> bool {
    !c.is_ascii()
        || c.is_ascii_alphanumeric()
        || matches!(c, '_' | '-' | '.' | ' ' | '+' | '=' | ',' | '@' | '(' | ')')
}

/// `notes (2).md` is a name people have; an odd parenthesis ends a Markdown link.
fn has_balanced_parentheses(name: &str) -> bool {
    let mut open = 0_usize;
    for byte in name.bytes() {
        match byte {
            b'(' => open += 1,
            b')' if open == 0 => return false,
            b')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Names made to be mistaken for others.
fn how_it_looks(stem: &str) -> Verdict {
    let mixed = !stem.is_ascii() && lookalike::mixes_alphabets(stem);
    refuse_if(mixed || lookalike::imitates_protected(stem), rule::CONFUSABLE)
}

fn refuse_if(broken: bool, rule: &'static Rule) -> Verdict {
    if broken { Err(rule) } else { Ok(()) }
}
