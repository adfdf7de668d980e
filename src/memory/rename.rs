//! What a new name of a memory changes in texts that lead to it.
//! Border: text in, text out; links in code keep what they say, as nobody can tell what they mean.

use crate::memory::document::Document;
use crate::memory::index::Index;

/// A memory's names before or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names<'a> {
    /// Its path below the layer, `x.md`.
    pub file: &'a str,
    /// The `name` it bears, where it has one.
    pub name: Option<&'a str>,
}

impl Names<'_> {
    fn stem(&self) -> &str {
        let file = self.file.rsplit('/').next().unwrap_or(self.file);
        file.strip_suffix(".md").unwrap_or(file)
    }
}

/// The memory's own text with its new name; the same where it bears none.
pub fn own_text(text: &str, new: &str) -> String {
    let document = Document::parse(text);
    let Some(front) = document.frontmatter().filter(|_| document.name().is_some()) else {
        return text.to_owned();
    };
    let mut renamed = front.clone();
    match renamed.set(&["name"], new) {
        true => text.replacen(&front.render(), &renamed.render(), 1),
        false => text.to_owned(),
    }
}

/// A text with its links to the memory led to the new name: `[[name]]`, `[[file]]` and `](file.md)`.
pub fn links(text: &str, old: Names<'_>, new: Names<'_>) -> String {
    let mut text = targets(text, old.file, new.file);
    let mut wiki = vec![(old.stem(), new.stem())];
    wiki.extend(old.name.map(|name| (name, new.name.unwrap_or(new.stem()))));
    for (from, to) in wiki {
        for end in ["]]", "|", "#"] {
            text = text.replace(&format!("[[{from}{end}"), &format!("[[{to}{end}"));
        }
    }
    text
}

/// An index whose entries of the memory lead to the new file, each with its hook and its place; a title
/// that was the name is the new name.
pub fn index(text: &str, old: Names<'_>, new: Names<'_>) -> String {
    let index = Index::parse(text);
    let blocks = index.blocks().iter().map(|block| {
        if !block.entries.iter().any(|entry| entry.target == old.file) {
            return block.raw.clone();
        }
        let raw = targets(&block.raw, old.file, new.file);
        match (old.name, new.name) {
            (Some(from), Some(to)) => raw.replacen(&format!("[{from}]("), &format!("[{to}]("), 1),
            _ => raw,
        }
    });
    blocks.collect()
}

fn targets(text: &str, old: &str, new: &str) -> String {
    let mut text = text.to_owned();
    for before in ["](", "](./", "](<"] {
        for end in [")", "#", " ", ">"] {
            text = text.replace(&format!("{before}{old}{end}"), &format!("{before}{new}{end}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Names<'_> = Names { file: "ports.md", name: Some("Ports") };
    const NEW: Names<'_> = Names { file: "which-port.md", name: Some("Which port") };

    #[test]
    fn links_of_every_shape_lead_to_the_new_name() {
        let text = "[[ports]] [[Ports|see]] [[ports#a]] [p](ports.md) [p](./ports.md#x) [[portside]] [q](imports.md)";
        let expected = "[[which-port]] [[Which port|see]] [[which-port#a]] [p](which-port.md) [p](./which-port.md#x) [[portside]] [q](imports.md)";
        assert_eq!(links(text, OLD, NEW), expected);
        assert_eq!(links(expected, OLD, NEW), expected, "a second time changes nothing");
    }

    #[test]
    fn an_entry_keeps_its_place_and_its_hook() {
        let text = "# Mine\n\n- [Ports](ports.md) — by hand\n  more\n- [Other](other.md) — see [Ports](ports.md)\n";
        let expected = "# Mine\n\n- [Which port](which-port.md) — by hand\n  more\n- [Other](other.md) — see [Ports](ports.md)\n";
        assert_eq!(index(text, OLD, NEW), expected);
    }

    #[test]
    fn a_memory_bears_its_new_name_where_it_bore_one() {
        assert_eq!(
            own_text("---\nname: Ports\ntype: user\n---\nPorts\n", "P 2"),
            "---\nname: P 2\ntype: user\n---\nPorts\n"
        );
        assert_eq!(own_text("no frontmatter\n", "P 2"), "no frontmatter\n");
    }
}
