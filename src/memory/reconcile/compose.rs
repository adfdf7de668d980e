//! The line of a new entry: title and hook from frontmatter, cleaned so that they read back, in the
//! style of the index.
//! Border: one line; where it goes is `place`'s business.

use crate::base::display::{is_emoji_glue, is_unsafe_to_show};
use crate::memory::index::{BlockKind, Entry, Index, written_target};

use super::reach::Orphan;

/// Characters of a hook. An index line should be read at a glance.
const HOOK_CHARS_MAX: usize = 150;

/// Characters of a title.
const TITLE_CHARS_MAX: usize = 80;

/// Characters of a hook that are compared to find the separator before it.
const PROBE_CHARS: usize = 12;

/// Bullets and what parts title and hook, the preferred one first.
const BULLETS: [&str; 4] = ["-", "*", "+", "•"];
const SEPARATORS: [&str; 5] = [" — ", " – ", " - ", ": ", "："];

/// How the entries of an index look.
pub(super) struct Style {
    bullet: &'static str,
    separator: &'static str,
}

impl Style {
    /// The most frequent bullet and separator; ties and none go to `-` and an em dash.
    pub(super) fn of(index: &Index) -> Self {
        let mut bullets = [0_usize; BULLETS.len()];
        let mut separators = [0_usize; SEPARATORS.len()];
        for block in index.blocks().iter().filter(|block| block.kind == BlockKind::Item) {
            let line = block.raw.lines().next().unwrap_or_default().trim_start();
            if let Some(at) = BULLETS.iter().position(|bullet| line.starts_with(bullet)) {
                bullets[at] += 1;
            }
            if let Some(at) = block.entries.first().and_then(|entry| separator(line, entry)) {
                separators[at] += 1;
            }
        }
        Self { bullet: BULLETS[most(&bullets)], separator: SEPARATORS[most(&separators)] }
    }
}

/// Which separator stands before the hook of an entry.
fn separator(line: &str, entry: &Entry) -> Option<usize> {
    let probe: String = entry.hook.chars().take(PROBE_CHARS).collect();
    let after = line.find("](").map(|at| at + 2).filter(|_| !probe.is_empty())?;
    let before = &line[..after + line[after..].find(&probe)?];
    SEPARATORS.iter().position(|separator| before.ends_with(separator))
}

fn most(counts: &[usize]) -> usize {
    let best = counts.iter().copied().max().unwrap_or_default();
    counts.iter().position(|count| *count == best).unwrap_or_default()
}

/// The entry of a memory that has none. Its line is set once the text is whole.
pub(super) fn entry(orphan: &Orphan<'_>) -> Entry {
    let name = orphan.name.as_deref().filter(|name| !one_line(name).is_empty());
    Entry {
        target: orphan.path.as_str().to_owned(),
        title: title(name.unwrap_or_else(|| orphan.path.stem())),
        hook: orphan.description.as_deref().map(hook).unwrap_or_default(),
        line: 0,
    }
}

/// The title that a memory's name makes.
pub(super) fn title(name: &str) -> String {
    escaped_title(&shortened(&one_line(name), TITLE_CHARS_MAX))
}

/// The hook that a memory's description makes.
pub(super) fn hook(description: &str) -> String {
    escaped_hook(&shortened(&one_line(description), HOOK_CHARS_MAX))
}

/// The hook of somebody who wrote the whole description, however long.
pub(super) fn whole_hook(description: &str) -> String {
    escaped_hook(&one_line(description))
}

/// Only a link after a middle dot could be read as an entry of its own.
fn escaped_hook(hook: &str) -> String {
    hook.replace("· [", "· \\[").replace("-->", "--&gt;")
}

/// The line of an entry, without indentation and ending.
pub(super) fn line(entry: &Entry, style: &Style) -> String {
    let Style { bullet, separator } = style;
    let target = written_target(&entry.target);
    let separator = if entry.hook.is_empty() { "" } else { separator };
    format!("{bullet} [{}]({target}){separator}{}", entry.title, entry.hook)
}

/// Text in one line, without what does not show.
fn one_line(text: &str) -> String {
    let shows = |c: &char| c.is_whitespace() || !is_unsafe_to_show(*c) || is_emoji_glue(*c);
    let seen: String = text.chars().filter(shows).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first characters of a text, cut at a word, with `…` where something was cut.
fn shortened(text: &str, max: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max) else { return text.to_owned() };
    let Some((inner, _)) = text.char_indices().nth(max - 1) else { return text.to_owned() };
    let fits = &text[..inner];
    let at_word = text[inner..end].trim().is_empty();
    let word = if at_word { fits.len() } else { fits.rfind(' ').unwrap_or(0) };
    // Scripts without spaces, and single long words, are cut anywhere.
    let cut = if word * 2 < fits.len() { fits } else { &fits[..word] };
    format!("{}…", cut.trim_end_matches([' ', ',', ';', ':', '-', '–', '—', '\\']))
}

/// Brackets and backslashes escaped; a single backtick too, because it would open code.
fn escaped_title(title: &str) -> String {
    let lonely = title.matches('`').count() % 2 == 1;
    let mut escaped = String::with_capacity(title.len());
    for c in title.chars() {
        if matches!(c, '[' | ']' | '\\') || (c == '`' && lonely) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
