//! What is wrong with one instruction file: what it imports in vain, and frontmatter that misleads.
//! Border: what the file says; whether rules match files, and credentials, are looked at by `local`.

use std::path::Path;

use crate::base::display::Escaped;
use crate::base::hidden::{hidden_characters, name_of_hidden};
use crate::base::text::Position;
use crate::instructions::entry::{Entry, Kind, State};
use crate::instructions::import::{Lookalike, imports, meant, missed};
use crate::instructions::lint::fault::Fault;
use crate::instructions::paths::target;
use crate::instructions::pattern::{Patterns, may_match};
use crate::instructions::profile::Profile;
use crate::instructions::scope::{Form, Scope};
use crate::instructions::text::cut;

/// Faults of one kind that are told of one file; more would bury the others.
const SHOWN_MAX: usize = 100;

/// What a look at the disk answers.
pub struct Look<'a> {
    /// Whether a file is there, links resolved.
    pub is_file: &'a dyn Fn(&Path) -> bool,
    /// The folder a file really is in.
    pub folder_of: &'a dyn Fn(&Path) -> std::path::PathBuf,
    /// The home folder.
    pub home: Option<&'a Path>,
}

/// Every fault of one file.
pub fn faults(entry: &Entry, profile: &Profile, look: &Look<'_>) -> Vec<Fault> {
    let mut found = Vec::new();
    found.extend(state(entry, look));
    if entry.raw.is_empty() || entry.kind == Kind::Memory {
        return found;
    }
    found.extend(lookalikes(entry, look));
    found.extend(frontmatter(entry, profile));
    found.extend(hidden(entry));
    found
}

/// A file that is not told though somebody wanted it.
fn state(entry: &Entry, look: &Look<'_>) -> Option<Fault> {
    let Some(importer) = &entry.importer else { return own_state(entry) };
    let shown = format!("`{}`", Escaped(&format!("@{}", importer.written)));
    let says = |why: &str, next: &str| [format!("{shown} imports nothing: {why}"), next.to_owned()];
    let at = Some(importer.at);
    let fault = |rule, says| Some(Fault::error(importer.path.clone(), at, rule, says));
    match &entry.state {
        State::Missing => {
            let folder = (look.folder_of)(&importer.path);
            let path = meant(&importer.written.replace('#', " "));
            let is_there = path
                .filter(|path| *path != importer.written)
                .and_then(|path| target(&path, &folder, look.home))
                .is_some_and(|path| (look.is_file)(&path));
            if is_there {
                let why = "what stands right behind the path is taken for a part of it";
                return fault("import-trailing", says(why, "Put a space behind the path."));
            }
            fault(
                "import-missing",
                says(
                    "there is no such file",
                    "Correct the path, which starts at the file it is in, or write the `@` in backticks.",
                ),
            )
        }
        State::TooDeep(hops) => {
            let why = format!("it is more than {hops} imports away");
            fault(
                "import-too-deep",
                says(&why, "Import it from a file that is nearer to the first one."),
            )
        }
        State::Outside => fault(
            "import-outside",
            says(
                "it is outside the folder the agent runs in, and nobody approved that",
                "Move the file inside, or approve it when the client asks; others have to do so, too.",
            ),
        ),
        State::NotText => fault(
            "import-not-text",
            says(
                "its extension is not one that the client imports",
                "Rename it to `.md` or `.txt`.",
            ),
        ),
        State::NoFile => {
            fault("import-no-file", says("it is a folder, a pipe or a device", "Name a file."))
        }
        State::TooLarge(limit) => fault(
            "file-too-large",
            says(&format!("it has more than {limit} bytes"), "Split the file."),
        ),
        State::Unreadable(why) => {
            fault("file-unreadable", says(&Escaped(why).to_string(), "Make it readable."))
        }
        State::Empty => fault(
            "import-empty",
            says(
                "it has no text beside frontmatter and comments",
                "Write something into it, or take the import out.",
            ),
        ),
        State::Excluded(pattern) => {
            let why = format!("the setting `{}` leaves it out", Escaped(pattern));
            fault("import-excluded", says(&why, "Change the setting, or take the import out."))
        }
        _ => None,
    }
}

/// A file of its own that is not told, or not whole.
fn own_state(entry: &Entry) -> Option<Fault> {
    let path = entry.path.clone();
    match &entry.state {
        State::Shadowed(by) => {
            let message = format!(
                "the agent does not read this file: it reads `{}` instead",
                Escaped(&by.to_string_lossy())
            );
            let next = "Import it there: a line `@AGENTS.md`, its path from that file.".to_owned();
            Some(Fault::error(path, None, "agents-shadowed", [message, next]))
        }
        State::TooLarge(limit) => {
            let says = [
                format!("the agent does not read this file: it has more than {limit} bytes"),
                "Split the file.".to_owned(),
            ];
            Some(Fault::error(path, None, "file-too-large", says))
        }
        State::NoFile | State::Unreadable(_) => {
            let says = [
                "the agent cannot read this file".to_owned(),
                "Put a regular file there that can be read.".to_owned(),
            ];
            Some(Fault::error(path, None, "file-unreadable", says))
        }
        _ => {
            let cut = entry.cut.as_ref()?;
            let line = entry.told.lines().count() + 1;
            let next =
                "Make it shorter: move details into files that are read when they are needed.";
            let at = entry.kind != Kind::Memory;
            let at = at.then_some(Position { line, column: 1 });
            Some(Fault::error(
                path,
                at,
                "file-cut",
                [format!("the agent gets only a part: {cut}"), next.to_owned()],
            ))
        }
    }
}

/// Places that look like an import and name a file that is there.
fn lookalikes(entry: &Entry, look: &Look<'_>) -> Vec<Fault> {
    let body = cut(&entry.raw).body;
    let text = &entry.raw[body..];
    let folder = (look.folder_of)(&entry.path);
    let mut found = Vec::new();
    for missed in missed(text, &imports(text)) {
        let is_there =
            target(&missed.path, &folder, look.home).is_some_and(|path| (look.is_file)(&path));
        if !is_there || found.len() >= SHOWN_MAX {
            continue;
        }
        let (why, next) = match missed.why {
            Lookalike::CodeSpan => {
                ("inside a code span", "Take the backticks away if it should be imported.")
            }
            Lookalike::CodeBlock => {
                ("inside a code block", "Move it out of the block if it should be imported.")
            }
            Lookalike::Comment => {
                ("inside a comment", "Move it out of the comment if it should be imported.")
            }
            Lookalike::Html => ("inside a block of HTML", "Put a blank line before and behind it."),
            Lookalike::Target => ("in an image or the target of a link", "Write it as plain text."),
            Lookalike::Glued => ("right behind another character", "Put a space before the `@`."),
            Lookalike::Form => (
                "in quotes, or begins with a character no import begins with",
                "Write `./` before the path, and a backslash before each space.",
            ),
            Lookalike::Emphasis => (
                "cut by `_` or `*`, which Markdown reads as emphasis",
                "Rename the file or folder.",
            ),
        };
        let message = format!("`@{}` imports nothing: it is {why}", Escaped(&missed.path));
        let at = Position::of(&entry.raw, body + missed.at);
        found.push(Fault::warning(
            entry.path.clone(),
            Some(at),
            "import-not-read",
            [message, next.to_owned()],
        ));
    }
    found
}

/// Frontmatter that is cut, broken, or says something else than it seems.
fn frontmatter(entry: &Entry, profile: &Profile) -> Vec<Fault> {
    let split = cut(&entry.raw);
    let (Some(range), Some(read)) = (split.frontmatter, &entry.front) else { return Vec::new() };
    let path = || entry.path.clone();
    let inner = &entry.raw[range.clone()];
    let line_of = |key: &str| {
        let is_key =
            |line: &str| line.trim_start().trim_start_matches(['"', '\'']).starts_with(key);
        let line = inner.lines().position(is_key).map_or(1, |line| line + 2);
        Some(Position { line, column: 1 })
    };
    let mut found = Vec::new();
    let end = range.end;
    let ends_line = entry.raw[end..].trim_start_matches('-').lines().next().unwrap_or_default();
    let begins_line = inner.rsplit('\n').next().unwrap_or_default();
    if !begins_line.trim().is_empty() || !ends_line.trim().is_empty() {
        let says = ["the frontmatter ends here, at the first `---`, and what follows in the line is told as text".to_owned(), "Put `---` on a line of its own, and no `---` before it.".to_owned()];
        found.push(Fault::error(
            path(),
            Some(Position::of(&entry.raw, end)),
            "frontmatter-cut",
            says,
        ));
    }
    let is_rule = matches!(entry.kind, Kind::Rule);
    match &read.form {
        Form::Broken { line, message } => {
            let at = Position { line: line.unwrap_or(1) + 1, column: 1 };
            let effect = if is_rule { ", so the rule is loaded always" } else { "" };
            let says = [
                format!("the frontmatter is not valid YAML{effect}: {}", Escaped(message)),
                "Correct this line; values with special characters go in quotes.".to_owned(),
            ];
            found.push(Fault::error(path(), Some(at), "frontmatter-yaml", says));
        }
        Form::NoFields if is_rule => {
            let says = [
                "the frontmatter has no `key: value` lines, so the rule is loaded always"
                    .to_owned(),
                "Write `paths:` and the patterns as a list.".to_owned(),
            ];
            found.push(Fault::error(
                path(),
                Some(Position { line: 2, column: 1 }),
                "frontmatter-shape",
                says,
            ));
        }
        Form::Mended => {
            let says = ["the frontmatter is not valid YAML; the client guesses the quotes, other programs refuse it".to_owned(), "Put values that start with `*`, `{`, `[`, `@` or a backtick in quotes.".to_owned()];
            found.push(Fault::warning(path(), line_of("paths"), "frontmatter-yaml", says));
        }
        _ => {}
    }
    if !is_rule {
        return found;
    }
    let has_paths = matches!(read.scope, Scope::Paths(_));
    for key in read.keys.iter().filter(|key| !has_paths && is_meant(key)) {
        let says = [
            format!("`{}` limits nothing: the rule is loaded always", Escaped(key)),
            "Write the patterns under `paths:`.".to_owned(),
        ];
        let rule = if key == "globs" { "rule-globs" } else { "rule-key" };
        found.push(Fault::error(path(), line_of(key), rule, says));
    }
    if let Scope::Paths(patterns) = &read.scope {
        found.extend(patterns_in_vain(entry, patterns, profile, line_of("paths")));
    }
    found
}

/// Keys of other programs, and misspellings of `paths`. An empty `paths` is one, too.
fn is_meant(key: &str) -> bool {
    let small = key.to_ascii_lowercase();
    matches!(
        small.as_str(),
        "globs" | "glob" | "path" | "paths" | "applyto" | "files" | "filepatterns"
    )
}

fn patterns_in_vain(
    entry: &Entry,
    patterns: &[String],
    profile: &Profile,
    at: Option<Position>,
) -> Vec<Fault> {
    let fault = |rule, message: String, next: &str| {
        Fault::error(entry.path.clone(), at, rule, [message, next.to_owned()])
    };
    let mut found = Vec::new();
    for pattern in patterns.iter().take(SHOWN_MAX) {
        let shown: String = pattern.chars().take(80).collect();
        let shown = Escaped(&shown).to_string();
        if Patterns::is_over(pattern, profile) {
            let limit = profile.patterns_max;
            let message = format!(
                "the braces of `{shown}` stand for more than {limit} patterns, so it matches nothing"
            );
            found.push(fault(
                "pattern-braces",
                message,
                "Write fewer choices; `**` stands for any folders.",
            ));
        } else if !may_match(pattern) {
            let message = format!("`{shown}` matches nothing in the client");
            found.push(fault("pattern-never", message, "Leave out `./`, `..`, `//`, `[!…]` and backslashes before letters; close every `[`."));
        }
    }
    found
}

/// What a person does not see but a model reads.
fn hidden(entry: &Entry) -> Option<Fault> {
    let mut hidden = hidden_characters(&entry.raw);
    let (at, c) = hidden.next()?;
    let more = hidden.count();
    let others = if more == 0 { String::new() } else { format!(", and {more} more") };
    let message = format!(
        "the text holds {}, which nobody sees but an agent reads (U+{:04X}){others}",
        name_of_hidden(c),
        c as u32
    );
    let next = "Remove the character; `cat -A` shows where it is.".to_owned();
    let at = Position::of(&entry.raw, at);
    Some(Fault::error(entry.path.clone(), Some(at), "hidden-text", [message, next]))
}
