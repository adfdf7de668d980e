//! Classes of characters that do not belong into a name, from the Unicode character database.
//! Border: single characters; nothing about alphabets or names.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::rule::{self, Rule};

/// Characters HFS+ leaves out when it compares names (Apple TN1150; `next_hfs_char` in git's utf8.c).
pub(super) fn is_hfs_ignorable(c: char) -> bool {
    matches!(c,
        '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}')
}

/// Characters that turn the direction of text (UAX 9).
fn is_bidi_control(c: char) -> bool {
    matches!(c,
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// `Default_Ignorable_Code_Point` of DerivedCoreProperties, assigned or not.
pub(super) fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Characters that are assigned and visible by category, yet show as a blank.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{1680}'
            | '\u{2800}'
            | '\u{16FE4}'
            | '\u{13441}'
            | '\u{13442}'
            | '\u{1D159}'
            | '\u{FFFC}'
    )
}

/// The rule a character breaks by itself, whatever stands around it.
pub(super) fn refusal(c: char) -> Option<&'static Rule> {
    if c.is_ascii() {
        return c.is_ascii_control().then_some(rule::CONTROL);
    }
    if is_bidi_control(c) {
        return Some(rule::BIDI);
    }
    if is_default_ignorable(c) || is_blank(c) {
        return Some(rule::INVISIBLE);
    }
    match c.general_category() {
        GeneralCategory::Control
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator => Some(rule::CONTROL),
        GeneralCategory::Format => Some(rule::INVISIBLE),
        GeneralCategory::PrivateUse => Some(rule::PRIVATE_USE),
        GeneralCategory::Unassigned | GeneralCategory::Surrogate => Some(rule::UNASSIGNED),
        _ => None,
    }
}

/// The rule a name breaks by how its characters are composed.
pub(super) fn normal_form_refusal(name: &str) -> Option<&'static Rule> {
    let foreign = || name.chars().filter(|c| !c.is_ascii());
    // First what would turn into ASCII: that can become a separator, a dot or another name.
    if foreign().any(|c| !is_own_nfkc(c) && c.nfkc().any(|to| to.is_ascii())) {
        return Some(rule::NFKC);
    }
    if !unicode_normalization::is_nfc(name) {
        return Some(rule::NFC);
    }
    foreign().any(|c| !is_own_nfkc(c)).then_some(rule::NFKC)
}

/// Whether NFKC keeps a character, Thai and Lao AM aside: every Thai text is full of them.
fn is_own_nfkc(c: char) -> bool {
    matches!(c, '\u{0E33}' | '\u{0EB3}') || c.nfkc().eq([c])
}

/// Consecutive nonspacing marks at most (UTS 39 section 5.4).
const MARKS_MAX: usize = 4;

/// Whether marks stand where they show wrongly: first, enclosing, striking out, repeated or piled up.
pub(super) fn has_odd_marks(name: &str) -> bool {
    let (mut marks, mut before) = (0, None);
    for c in name.chars() {
        let category = if c.is_ascii() { None } else { Some(c.general_category()) };
        match category {
            Some(GeneralCategory::EnclosingMark) => return true,
            Some(GeneralCategory::NonspacingMark) => {
                marks += 1;
                let odd = before.is_none() || before == Some(c) || is_overlay(c);
                if odd || marks > MARKS_MAX {
                    return true;
                }
            }
            Some(GeneralCategory::SpacingMark) if before.is_none() => return true,
            _ => marks = 0,
        }
        before = Some(c);
    }
    false
}

/// Marks drawn across the letter before them; a solidus overlay can imitate a separator.
fn is_overlay(c: char) -> bool {
    matches!(c,
        '\u{0334}'..='\u{0338}' | '\u{20D2}' | '\u{20D3}' | '\u{20D8}'..='\u{20DA}' | '\u{20E5}'
        | '\u{20E6}' | '\u{20EA}' | '\u{20EB}')
}
