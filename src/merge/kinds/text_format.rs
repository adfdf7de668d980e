//! What surrounds a text and must not disturb its merge: byte order mark, line ends, last newline.
//! Border: takes it off, merges it as three attributes, and puts it back; never looks inside.

use std::borrow::Cow;

use crate::base::text::BOM;

/// The attributes of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    bom: bool,
    /// Whether every line ends in CRLF; `None` for a text without line ends.
    crlf: Option<bool>,
    /// Whether the last line is ended; `None` for an empty text.
    ended: Option<bool>,
}

impl Envelope {
    /// Takes the envelope off: no mark, the last line ended, `\n` everywhere where all were CRLF.
    ///
    /// A text that mixes line ends keeps them: there they are content.
    pub(crate) fn open(text: &str) -> (Self, Cow<'_, str>) {
        let bom = text.starts_with(BOM);
        let inner = if bom { &text[BOM.len()..] } else { text };
        let ended = (!inner.is_empty()).then(|| inner.ends_with('\n'));
        let breaks = inner.matches('\n').count();
        let crlf = (breaks > 0).then(|| inner.matches("\r\n").count() == breaks);
        let mut inner = Cow::Borrowed(inner);
        if crlf == Some(true) {
            inner = Cow::Owned(inner.replace("\r\n", "\n"));
        }
        if ended == Some(false) {
            inner.to_mut().push('\n');
        }
        (Self { bom, crlf, ended }, inner)
    }

    /// Each attribute as the side that changed it says; the first side where both did.
    pub(crate) fn merge(base: Self, first: Self, second: Self) -> Self {
        Self {
            bom: pick(base.bom, first.bom, second.bom),
            crlf: pick_present(base.crlf, first.crlf, second.crlf),
            ended: pick_present(base.ended, first.ended, second.ended),
        }
    }

    /// Puts the envelope back around a merged text.
    pub(crate) fn close(self, mut inner: String) -> String {
        if self.ended == Some(false) && inner.ends_with('\n') {
            inner.pop();
        }
        if self.crlf == Some(true) {
            inner = inner.replace('\n', "\r\n");
        }
        if self.bom {
            inner.insert_str(0, BOM);
        }
        inner
    }
}

/// Three-way choice of one attribute.
fn pick<T: PartialEq>(base: T, first: T, second: T) -> T {
    if first == base { second } else { first }
}

/// Like [`pick`], but a side that says nothing follows the other.
fn pick_present(base: Option<bool>, first: Option<bool>, second: Option<bool>) -> Option<bool> {
    match (first, second) {
        (Some(_), Some(_)) => pick(base, first, second),
        _ => first.or(second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_and_closing_give_the_text_back() {
        for text in
            ["", "a", "a\n", "a\r\n", "a\r\nb", "\u{FEFF}a\nb", "a\r\nb\n", "\r", "a\r\r\n", "\r\n"]
        {
            let (envelope, inner) = Envelope::open(text);
            assert_eq!(envelope.close(inner.into_owned()), text, "{text:?}");
        }
    }

    #[test]
    fn the_side_that_changed_an_attribute_wins() {
        let of = |text| Envelope::open(text).0;
        assert_eq!(Envelope::merge(of("a\n"), of("a\r\n"), of("b\n")), of("a\r\n"));
        assert_eq!(Envelope::merge(of("a"), of("a\nb"), of("c\n")), of("c\n"));
        assert_eq!(Envelope::merge(of(""), of("\u{FEFF}a\r\n"), of("")), of("\u{FEFF}a\r\n"));
    }
}
