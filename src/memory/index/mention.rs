//! Files that a text names anywhere: links in prose, wiki links, link definitions, names in backticks.
//! Border: targets as written, less what [`normalised`] takes away; what they mean in a folder is
//! `memory::reconcile`'s business. Comments and fences name nothing. Linear in the length of the text.

use super::enclosures::Enclosures;
use super::link::{is_markdown, normalised, without_title};
use super::shape::{Line, lines};

/// Bytes of one target; longer than any path a system accepts.
const TARGET_BYTES_MAX: usize = 4_200;

/// One file that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The file: as written, less `./`, anchor, title and angle brackets, percent-decoded.
    pub target: String,
    /// Whether it is a wiki link, which may also mean a memory by its `name`.
    pub is_wiki: bool,
}

/// Every file a text names, in the order of the text.
pub fn mentions(text: &str) -> Vec<Mention> {
    let lines = lines(text);
    let enclosures = Enclosures::new(&lines);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some((end, _)) = enclosures.end(&lines, at) {
            at = end;
            continue;
        }
        in_line(&lines[at], &mut found);
        at += 1;
    }
    found
}

/// What a line names: outside of backticks links, inside them file names.
fn in_line(line: &Line<'_>, found: &mut Vec<Mention>) {
    if let Some(target) = definition(line.text) {
        found.push(target);
    }
    let pieces: Vec<&str> = line.text.split('`').collect();
    for (number, piece) in pieces.iter().enumerate() {
        // An odd backtick at the end opens nothing.
        let is_code = number % 2 == 1 && number + 1 < pieces.len();
        if is_code {
            let name = piece.trim();
            if is_markdown(name) && !name.contains("://") {
                found.push(Mention { target: normalised(name), is_wiki: false });
            }
        } else {
            links(piece, found);
            wiki_links(piece, found);
        }
    }
}

/// `[label]: target` at the start of a line.
fn definition(line: &str) -> Option<Mention> {
    let (label, rest) = line.strip_prefix('[')?.split_once("]:")?;
    let written = rest.split_whitespace().next()?;
    let written = written.trim_start_matches('<').trim_end_matches('>');
    let is_plain = !label.contains(['[', ']']) && written.len() <= TARGET_BYTES_MAX;
    is_plain.then(|| Mention { target: normalised(written), is_wiki: false })
}

/// The targets of inline links. Each piece between two `](` is read once.
fn links(text: &str, found: &mut Vec<Mention>) {
    for rest in text.split("](").skip(1) {
        let rest = &rest[..rest.floor_char_boundary(TARGET_BYTES_MAX)];
        let written = match rest.trim_start().strip_prefix('<') {
            Some(angle) => angle.split_once('>').map(|(written, _)| written),
            None => closed(rest).map(|inner| without_title(inner.trim())),
        };
        let target = written.map(normalised).filter(|target| !target.is_empty());
        found.extend(target.map(|target| Mention { target, is_wiki: false }));
    }
}

/// What stands before the bracket that closes a target.
fn closed(rest: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(&rest[..at]),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The targets of `[[name]]` and `[[name|title]]`.
fn wiki_links(text: &str, found: &mut Vec<Mention>) {
    for rest in text.split("[[").skip(1) {
        let Some((inner, _)) = rest.split_once("]]") else { continue };
        let name = inner.split('|').next().unwrap_or(inner);
        let mut target = normalised(name.trim());
        if target.is_empty() || inner.contains(['[', ']']) {
            continue;
        }
        if !is_markdown(&target) && !target.ends_with('/') {
            target.push_str(".md");
        }
        found.push(Mention { target, is_wiki: true });
    }
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn links_are_found_wherever_they_stand_and_not_in_code() {
        let table: [(&str, &[&str]); 11] = [
            ("See [a](a.md) for [b](./b.md#part \"t\").", &["a.md", "b.md"]),
            ("Details: [[c]] and [[d|D]], not [[:space:", &["c.md", "d.md"]),
            ("In `e.md` and `x = 1` and [`f`](f.md)", &["e.md", "f.md"]),
            ("| x | [g](<g h.md>) |", &["g h.md"]),
            ("![i](i.md) (j.md) k.md", &["i.md"]),
            ("[l]: l.md\n[m][l]", &["l.md"]),
            ("```\n[n](n.md)\n```\n<!-- [o](o.md)\n-->\n[p](p.md)", &["p.md"]),
            ("`[q](q.md)`", &[]),
            ("a lonely ` then [r](r.md)", &["r.md"]),
            ("[s](s_(old).md) [t](no end", &["s_(old).md"]),
            ("  - nested [u](u/)\n\n      [v](sub/v%20w.md)", &["u/", "sub/v w.md"]),
        ];
        for (text, expected) in table {
            let found: Vec<String> = mentions(text).into_iter().map(|m| m.target).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn hostile_text_takes_no_time() {
        for piece in ["](", "[[", "`", "](((", "[x]:", "](<", "[[a]"] {
            drop(mentions(&piece.repeat(400_000)));
        }
    }
}
