//! Makes foreign text safe to show on a terminal or in a one-line message.
//! Border: changes only what is shown; never use the result as data.

use std::fmt::{self, Display, Write};

/// Shows text with every character escaped that could move a cursor, hide or reorder text.
///
/// Control characters (newline and tab included), bidirectional controls, zero-width, tag and
/// other default-ignorable characters become `\u{…}`. Everything else is shown as it is.
#[derive(Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if is_unsafe_to_show(c) {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

/// Escapes like [`Escaped`] but keeps newlines and tabs, for text that is shown as a block.
pub fn escape_block(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            c if is_unsafe_to_show(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Makes a JSON document safe to show: what could move a cursor or hide text becomes `\uXXXX`.
///
/// The document stays the same to every reader; line breaks between values stay as they are.
pub fn escape_json(document: &str) -> String {
    let mut shown = String::with_capacity(document.len());
    for c in document.chars() {
        if c == '\n' || !is_unsafe_to_show(c) {
            shown.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            shown.push_str(&format!("\\u{unit:04x}"));
        }
    }
    shown
}

/// Tells whether a character can change how a terminal shows the text around it, or shows as nothing.
pub fn is_unsafe_to_show(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Tells whether a character shows as nothing while a model still reads it: format and tag
/// characters, bidirectional controls, fillers and variation selectors' unassigned planes.
///
/// The emoji joiner U+200D and variation selectors U+FE00–FE0F are left to the caller:
/// see [`is_emoji_glue`].
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200C}' | '\u{200E}' | '\u{200F}'
        | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Tells whether a character is ordinary glue inside emoji: the joiner or a variation selector.
pub fn is_emoji_glue(c: char) -> bool {
    matches!(c, '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_controls_are_escaped() {
        assert_eq!(Escaped("a\x1b[2Jb\r\n").to_string(), "a\\u{1b}[2Jb\\u{d}\\u{a}");
        assert_eq!(Escaped("safe \u{202E}evil").to_string(), "safe \\u{202e}evil");
        assert_eq!(escape_block("a\tb\n\x07"), "a\tb\n\\u{7}");
    }

    #[test]
    fn a_json_document_means_the_same_after_it_was_made_safe() {
        let value = serde_json::json!({"a": "x\u{9b}31m\u{202e}\u{e0041}é\n", "b": ["部署"]});
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let shown = escape_json(&pretty);
        assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{e0041}']) && shown.contains("部署"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn ordinary_text_of_any_script_is_shown_as_it_is() {
        for text in ["récolte", "部署冻结", "заморозка", "⚠️ done", "👩‍🔧"]
        {
            assert_eq!(Escaped(text).to_string(), text);
        }
    }
}
