//! Escapes foreign text for HTML: nothing of it becomes markup, and what nobody sees is made visible.
//! Border: the only way text of others enters the page.

use std::fmt::{self, Display};

use crate::base::display::is_unsafe_to_show;

/// Text for an element or a quoted attribute.
///
/// `&`, `<`, `>`, both quotes, the backtick and `=` become references; control, bidirectional and
/// invisible characters are written out, except line breaks and tabs.
#[derive(Clone, Copy)]
pub(super) struct Html<'a>(pub(super) &'a str);

impl Display for Html<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '`' => f.write_str("&#96;")?,
                '=' => f.write_str("&#61;")?,
                '\n' => f.write_str("&#10;")?,
                '\t' => f.write_str("&#9;")?,
                c if is_unsafe_to_show(c) || c == '\u{FFFE}' || c == '\u{FFFF}' => {
                    write!(f, "{}", c.escape_unicode())?;
                }
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}

/// A moment in UTC for people; RFC 3339 stays in the `datetime` attribute.
pub(super) fn moment(rfc3339: &str) -> String {
    match rfc3339.split_once('T') {
        Some((day, time)) => format!("{day} {} UTC", time.get(..5).unwrap_or(time)),
        None => rfc3339.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_that_html_or_a_reader_could_stumble_over_passes() {
        let hostile = "<script>alert(\"1\")</script> ' ` = & \u{202e}\u{0}\u{1b}[2J\u{200b}";
        let shown = Html(hostile).to_string();
        assert!(
            !shown
                .contains(['<', '>', '"', '\'', '`', '=', '\u{202e}', '\0', '\u{1b}', '\u{200b}'])
        );
        assert!(shown.contains("\\u{202e}") && shown.contains("&lt;script&gt;"));
        assert_eq!(Html("récolte 部署 ⚠️").to_string(), "récolte 部署 ⚠️");
    }

    #[test]
    fn moments_read_as_day_and_minute() {
        assert_eq!(moment("2026-01-02T03:04:05Z"), "2026-01-02 03:04 UTC");
        assert_eq!(moment("@99999999999999"), "@99999999999999");
    }
}
