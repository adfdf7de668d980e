//! What a text says of one machine or person that others cannot use: home paths, e-mail addresses.
//! Border: finds and replaces; whether it is shared all the same is the person's choice.

use std::ops::Range;

use serde::Serialize;

/// Something personal in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Personal {
    /// The line, from 1.
    pub line: usize,
    /// `home path`, `e-mail address` or `host name`.
    pub what: &'static str,
    /// What is written there.
    pub text: String,
    /// What may stand there instead.
    pub instead: &'static str,
    #[serde(skip)]
    range: Range<usize>,
}

/// What is known of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine<'a> {
    /// The home folder.
    pub home: Option<&'a str>,
    /// Its name.
    pub host: Option<&'a str>,
}

/// Folders whose sub-folders are homes.
const HOMES: [&str; 3] = ["/home/", "/Users/", "C:\\Users\\"];
/// A shorter name is a word as well.
const HOST_CHARS_MIN: usize = 4;

/// Finds everything personal, in order.
pub fn personal(text: &str, machine: Machine<'_>) -> Vec<Personal> {
    let mut found = Vec::new();
    if let Some(home) =
        machine.home.map(|home| home.trim_end_matches(['/', '\\'])).filter(|home| home.len() > 1)
    {
        found.extend(whole(text, home, is_path_part).map(|range| (range, "home path", "~")));
    }
    for parent in HOMES {
        for (at, _) in text.match_indices(parent) {
            let name = text[at + parent.len()..]
                .find(|c| !is_path_part(c))
                .unwrap_or(text.len() - at - parent.len());
            if name > 0 {
                found.push((at..at + parent.len() + name, "home path", "~"));
            }
        }
    }
    for (at, _) in text.match_indices('@') {
        found.extend(address(text, at).map(|range| (range, "e-mail address", "<e-mail>")));
    }
    if let Some(host) =
        machine.host.filter(|host| host.len() >= HOST_CHARS_MIN && *host != "localhost")
    {
        found.extend(whole(text, host, is_name_part).map(|range| (range, "host name", "<host>")));
    }
    found.sort_by_key(|(range, ..)| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|(range, ..)| {
        let is_new = range.start >= end;
        end = end.max(range.end);
        is_new
    });
    let of = |(range, what, instead): (Range<usize>, _, _)| Personal {
        line: text[..range.start].matches('\n').count() + 1,
        what,
        text: text[range.clone()].to_owned(),
        instead,
        range,
    };
    found.into_iter().map(of).collect()
}

/// The text with everything that was found replaced.
pub fn without(text: &str, found: &[Personal]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for one in found {
        new += &text[at..one.range.start];
        new += one.instead;
        at = one.range.end;
    }
    new + &text[at..]
}

fn is_path_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '-'
}

/// Places where a word stands that is part of no longer one.
fn whole<'a>(
    text: &'a str,
    word: &'a str,
    is_part: fn(char) -> bool,
) -> impl Iterator<Item = Range<usize>> + 'a {
    text.match_indices(word).filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let after = text[at + word.len()..].chars().next().is_some_and(is_part);
        (!before && !after).then_some(at..at + word.len())
    })
}

/// The e-mail address around an `@`; the user of an SSH address is none.
fn address(text: &str, at: usize) -> Option<Range<usize>> {
    let is_local = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    let start = text[..at]
        .rfind(|c| !is_local(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let domain = &text[at + 1..];
    let end = domain
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-'))
        .unwrap_or(domain.len());
    let domain = domain[..end].trim_end_matches(['.', '-']);
    let is_domain = domain.split('.').count() > 1 && domain.split('.').all(|part| !part.is_empty());
    let has_letters = domain
        .rsplit('.')
        .next()
        .is_some_and(|top| top.len() > 1 && top.chars().all(|c| c.is_ascii_alphabetic()));
    let is_ssh = text[start..at] == *"git" || text[at + 1 + domain.len()..].starts_with(':');
    (start < at && is_domain && has_letters && !is_ssh).then(|| start..at + 1 + domain.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_paths_addresses_and_host_names_are_found_and_replaced() {
        let machine = Machine { home: Some("/srv/people/ada"), host: Some("anvil-7") };
        for (text, expected) in [
            ("see /srv/people/ada/notes", "see ~/notes"),
            ("see /home/ben/x and /Users/cleo", "see ~/x and ~"),
            ("C:\\Users\\dora\\x", "~\\x"),
            ("ask ada.l+x@example.org.", "ask <e-mail>."),
            ("on anvil-7 only", "on <host> only"),
            ("git@github.com:a/b.git", "git@github.com:a/b.git"),
            ("deploy@host.example.org:/srv", "deploy@host.example.org:/srv"),
            ("@import a.md, x@y, 3@4.5", "@import a.md, x@y, 3@4.5"),
            ("/srv/people/adam, anvil-70", "/srv/people/adam, anvil-70"),
            ("ü@é.de", "ü@é.de"),
        ] {
            let found = personal(text, machine);
            assert_eq!(without(text, &found), expected, "{found:?}");
        }
        assert_eq!(personal("a\nb /home/x/y", machine)[0].line, 2);
    }
}
