//! Values on the lines below a name: alone under a heading or bold label, or listed under a plural
//! (`api_keys:`), as YAML, JSON or Markdown writes lists.
//! Border: grammar only; the value is judged in `value`.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::candidate::{Candidate, Link};
use super::lists::{ABOUT, HOLDERS};
use super::names::Name;

/// A longer line that ends in a name is a sentence.
const LABEL_BYTES_MAX: usize = 60;
/// So many lines are read below a name.
const LINES_MAX: usize = 60;
/// So much of a text is read below a name.
const BLOCK_BYTES_MAX: usize = 8 * 1024;
/// A longer label of an item is a sentence.
const ITEM_LABEL_BYTES_MAX: usize = 40;

/// What a text lists below a name.
pub(super) fn values(text: &[u8], name: &Name) -> Vec<Candidate> {
    let Some(label) = Some(name).filter(|name| name.last).and_then(|name| label(text, name)) else {
        return Vec::new();
    };
    let limit = text.len().min(label.end + BLOCK_BYTES_MAX);
    let mut found = Vec::new();
    let mut rest = label.end;
    if let Some(items) = label.inline {
        inline(text, items, &mut found);
        return found;
    }
    let mut inside = false;
    let mut fenced = false;
    for _ in 0..LINES_MAX {
        let Some(line) = next_line(text, &mut rest, limit) else { break };
        let content = trim(text, &line);
        let indent = content.start - line.start;
        let words = &text[content.clone()];
        if words.starts_with(b"```") || words.starts_with(b"~~~") {
            if fenced {
                break;
            }
            fenced = true;
            continue;
        }
        if words.is_empty() {
            // A blank line parts a label from its value, and one list from the next.
            if inside || label.nested {
                break;
            } else {
                continue;
            };
        }
        let bullet = marker(words);
        let ends = words.starts_with(b"#")
            || matches!(words[0], b']' | b'}')
            || label.nested && (indent < label.indent || indent == label.indent && bullet == 0);
        if ends {
            break;
        }
        let body = content.start + bullet..content.end;
        let item = if bullet > 0 || label.nested { item(text, &body) } else { alone(text, &body) };
        let single = bullet == 0 && !label.nested && !fenced;
        match item {
            Item::Value(value) => found.push(value),
            // What follows a first line of text is text.
            Item::Text if single => break,
            Item::Text | Item::Other => {}
        }
        inside = true;
        if single {
            break;
        }
    }
    found
}

/// A name that stands alone on its line, and what the lines below are to it.
struct Label {
    end: usize,
    indent: usize,
    /// A key of YAML or JSON: what belongs to it is indented.
    nested: bool,
    /// A list on the same line.
    inline: Option<Range<usize>>,
}

fn label(text: &[u8], name: &Name) -> Option<Label> {
    let floor = name.span.start.saturating_sub(LABEL_BYTES_MAX);
    let start = match memrchr(b'\n', &text[floor..name.span.start]) {
        Some(at) => floor + at + 1,
        None if floor == 0 => 0,
        None => return None,
    };
    let ceiling = text.len().min(name.span.end + BLOCK_BYTES_MAX);
    let length = memchr(b'\n', &text[name.span.end..ceiling]);
    let end = length.map_or(ceiling, |at| name.span.end + at);
    let mut tail = text[name.span.end..end].trim_ascii_end();
    let close = tail.iter().take_while(|b| matches!(b, b'"' | b'\'' | b'`' | b'*' | b'_')).count();
    tail = &tail[close..];
    let colon =
        tail.starts_with(b":") || tail.starts_with(b"\xEF\xBC\x9A") || tail.starts_with(b" =");
    let head = &text[start..name.span.start];
    let indent = head.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let marks = |b: &u8| b.is_ascii_whitespace() || b"#*_`\"'>-".contains(b);
    let lead = head.iter().take_while(|b| marks(b)).count();
    let word = &text[name.span.clone()];
    let heading = head.contains(&b'#')
        || head[..lead].ends_with(b"**")
        || word.starts_with(b"__") && word.ends_with(b"__");
    let key = head[lead..].iter().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b));
    let after = tail.iter().skip_while(|b| b":*_ =".contains(b) || !b.is_ascii()).copied();
    let after: Vec<u8> = after.take(2).collect();
    let open = matches!(after[..], [b'[' | b'{', ..]);
    let at = end - tail.len() + tail.iter().position(|b| matches!(b, b'[' | b'{')).unwrap_or(0);
    let one_line = open && tail.len() > 2 && tail.iter().any(|b| matches!(b, b']' | b'}'));
    let alone =
        after.is_empty() || matches!(after[..], [b'|' | b'>' | b'[' | b'{'] | [b'|' | b'>', b'-']);
    let noted = tail.starts_with(b" (") && tail.ends_with(b")");
    let nested = colon
        && key
        && (lead == indent || head[..lead].ends_with(b"\"") || head[..lead].ends_with(b"- "));
    match () {
        () if one_line && colon => Some(Label { end, indent, nested, inline: Some(at + 1..end) }),
        () if (alone || noted) && (colon || heading) => {
            Some(Label { end, indent, nested: nested && !heading, inline: None })
        }
        () => None,
    }
}

/// The next line without its end.
fn next_line(text: &[u8], rest: &mut usize, limit: usize) -> Option<Range<usize>> {
    let start = *rest + 1;
    if start >= limit {
        return None;
    }
    let end = memchr(b'\n', &text[start..limit]).map_or(limit, |at| start + at);
    *rest = end;
    Some(start..end)
}

fn trim(text: &[u8], range: &Range<usize>) -> Range<usize> {
    let line = &text[range.clone()];
    let left = line.iter().take_while(|b| b.is_ascii_whitespace() || **b == b'>').count();
    let right = line[left..].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
    range.start + left..range.end - right
}

/// The length of the marker of a list item: `- `, `* `, `1. `, `- [x] `.
fn marker(words: &[u8]) -> usize {
    let digits = words.iter().take_while(|b| b.is_ascii_digit()).count();
    let length = match words {
        [b'-' | b'*' | b'+', b' ', ..] => 2,
        _ if digits > 0 && digits < 4 => match words[digits..] {
            [b'.' | b')', b' ', ..] => digits + 2,
            _ => 0,
        },
        _ => 0,
    };
    length + words[length..].iter().take_while(|b| length > 0 && **b == b' ').count()
}

/// What a line holds.
enum Item {
    Value(Candidate),
    /// A label with a value that is something else, or with what is below it.
    Other,
    /// Words.
    Text,
}

/// An item with or without a label before its value.
fn item(text: &[u8], body: &Range<usize>) -> Item {
    let line = &text[body.clone()];
    let quote = line.first().copied().filter(|b| matches!(b, b'"' | b'\'' | b'`' | b'*'));
    let joint = line.iter().take(ITEM_LABEL_BYTES_MAX).enumerate().position(|(at, b)| {
        matches!(b, b':' | b'=')
            && line.get(at + 1).is_none_or(|b| matches!(b, b' ' | b'\t' | b'*'))
    });
    let Some(joint) = joint else { return alone(text, body) };
    let mut last =
        line[..joint].split(|b| !b.is_ascii_alphanumeric() && *b < 0x80).rfind(|w| !w.is_empty());
    if quote.is_none() && line[..joint].iter().filter(|b| **b == b' ').count() > 3 {
        last = None;
    }
    let Some(last) = last else { return Item::Text };
    let from = body.start + joint + 1;
    let skip = text[from..body.end].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'*')).count();
    let lower = last.to_ascii_lowercase();
    match alone(text, &(from + skip..body.end)) {
        _ if ABOUT.has(&lower) || HOLDERS.has(&lower) => Item::Other,
        Item::Text => Item::Other,
        other => other,
    }
}

/// A value that is all its line holds but for quotes, a comma and a note behind it.
fn alone(text: &[u8], body: &Range<usize>) -> Item {
    let mut start = body.start;
    let mut emphasis = false;
    while text[start..body.end].starts_with(b"*") {
        start += 1;
        emphasis = true;
    }
    let Some(first) = text[start..body.end].first().copied() else { return Item::Other };
    let quote = Some(first).filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    start += usize::from(quote.is_some());
    let rest = &text[start..body.end];
    let end = match quote {
        Some(quote) => rest.iter().position(|b| *b == quote),
        None => rest.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'*' | b',')),
    };
    if quote.is_some() && end.is_none() {
        return Item::Text;
    }
    let end = end.unwrap_or(rest.len());
    let after = rest[end..].trim_ascii_start();
    let after = after.iter().skip_while(|b| b"\"'`*,".contains(b)).copied().collect::<Vec<u8>>();
    let note = after.trim_ascii();
    if end == 0
        || !(note.is_empty() || matches!(note[0], b'#' | b'(') || note.starts_with("—".as_bytes()))
    {
        return Item::Text;
    }
    Item::Value(Candidate {
        value: start..start + end,
        link: Link::Table,
        quoted: quote.is_some() || emphasis,
        quote,
    })
}

/// The items of `[a, b]` or `{a: x, b: y}` on one line.
fn inline(text: &[u8], items: Range<usize>, found: &mut Vec<Candidate>) {
    let line = &text[items.clone()];
    let close = line.iter().position(|b| matches!(b, b']' | b'}')).unwrap_or(line.len());
    let mut start = items.start;
    for part in line[..close].split(|b| *b == b',').take(LINES_MAX) {
        let range = trim(text, &(start..start + part.len()));
        start += part.len() + 1;
        if let Item::Value(value) = item(text, &range) {
            found.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::secrets::Scanner;

    /// The values found in a text, in order.
    fn values(text: &str) -> Vec<String> {
        let findings = Scanner::builtin().scan("note.md", text.as_bytes());
        findings.into_iter().map(|finding| text[finding.bytes].to_owned()).collect()
    }

    #[test]
    fn every_value_listed_below_a_plural_is_found_once() {
        let (a, b) = ("d440e50454f31af3".repeat(2), "8d4c2fa5d6ba2b0a".repeat(2));
        for text in [
            format!("config: |\n  api_keys:\n    - key: \"{a}\"\n    - key: {b}\n"),
            format!("api_keys:\n- {a}\n- '{b}'\nregion: eu\n"),
            format!("api_keys:\n  mail: {a}\n  sms: {b}  # old\n"),
            format!("\"api_keys\": [\"{a}\", \"{b}\"],\n"),
            format!("\"apiKeys\": [\n  \"{a}\",\n  \"{b}\"\n],\n"),
            format!("api_keys: {{mail: {a}, sms: \"{b}\"}}\n"),
            format!(
                "{{\n  \"tokens\": {{\n    \"mail\": \"{a}\",\n    \"sms\": \"{b}\"\n  }}\n}}\n"
            ),
            format!("API keys:\n\n- mail: `{a}`\n- sms: **{b}**\n"),
            format!("### API keys\n\n* `{a}` (mail)\n* `{b}` — sms\n"),
            format!("**Tokens**\n1. {a}\n2. {b}\n"),
            format!(
                "client_secrets:\n  - name: mail\n    value: {a}\n  - name: sms\n    value: {b}\n"
            ),
        ] {
            assert_eq!(values(&text), [a.as_str(), b.as_str()], "{text}");
        }
    }

    #[test]
    fn a_value_alone_below_its_label_is_found() {
        let value = ["hT5$kL", "m92xQ"].concat();
        for text in [
            format!("**Password**\n\n{value}\n"),
            format!("**Password**:\n\n`{value}`\n"),
            format!("### DB password\n\n```\n{value}\n```\n"),
            format!("## Password (staging)\n{value}\n"),
            format!("__Passwort__\n\n**{value}**\n"),
            format!("> **Password**\n>\n> {value}\n"),
        ] {
            assert_eq!(values(&text), [value.as_str()], "{text}");
        }
    }

    #[test]
    fn text_names_and_ids_below_a_label_are_no_values() {
        let id = "d440e50454f31af3".repeat(2);
        for text in [
            "**Password**\n\nAsk the team2.\n".to_owned(),
            "### Secrets\n\n- kept in 1Password\n- rotated by `rotate-2.yml`\n".to_owned(),
            "secrets:\n  - db-credentials\n  - tls-wildcard-2026\n".to_owned(),
            "passwords:\n  min_length: 14\n  require_symbols: true\n".to_owned(),
            format!("tokens:\n  - id: {id}\n    owner: ann\n"),
            format!("tokens:\n  input: 12000\nbuild: {id}\n"),
            format!("### Tokens\n\nSome words.\n\n{id}\n"),
            format!("The list of tokens\n{id}\n"),
        ] {
            assert_eq!(values(&text), [""; 0], "{text}");
        }
    }
}
