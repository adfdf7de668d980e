//! Names that look like other names: mixed alphabets and imitated characters (UTS 39).
//! Border: one component, or two to compare; which names are worth imitating is `names`' business.

use std::sync::LazyLock;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;
use unicode_security::mixed_script::AugmentedScriptSet;

use super::names::protected_stems;

/// What symbols may not imitate: characters that a name itself could not hold, and the dot.
const NOT_IMITATED: &str = "/\\:.*?\"<>|$%&;`@#!^{}[]";

/// Whether punctuation or a symbol looks like an ASCII character with a meaning (`⁄`, `∶`, `․`).
pub(super) fn imitates_syntax(c: char) -> bool {
    let group = c.general_category_group();
    let sign = matches!(group, GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Symbol);
    let modifier = group == GeneralCategoryGroup::Letter && c.script() == Script::Common;
    !c.is_ascii()
        && (sign || modifier)
        && (is_bar(c) || skeleton(c.encode_utf8(&mut [0; 4])).any(|l| NOT_IMITATED.contains(l)))
}

/// Bars: UTS 39 counts `|` and its imitations as forms of `l`.
fn is_bar(c: char) -> bool {
    matches!(c, '\u{2223}' | '\u{23FD}' | '\u{2502}' | '\u{2758}')
}

/// Whether a name mixes alphabets inside a word, or sets an imitated Latin word beside real Latin.
///
/// Words are judged one by one, so `деплой-api` is fine; `dеploy` (Cyrillic `е`) is not, and
/// `А-team` (Cyrillic `А`, looking wholly Latin) is not either.
pub(super) fn mixes_alphabets(name: &str) -> bool {
    let words = || name.split(|c: char| !belongs_to_word(c)).filter(|word| !word.is_empty());
    if words().any(|word| !is_one_writing_system(word)) {
        return true;
    }
    let has_latin = name.chars().any(|c| c.script() == Script::Latin);
    has_latin && words().any(imitates_latin)
}

/// Whether a name looks like the index, a README or an instruction file without being it.
pub(super) fn imitates_protected(stem: &str) -> bool {
    if stem.is_ascii() {
        // Most names end here; a test keeps the letters in step with the protected stems.
        if !stem.starts_with(PROTECTED_INITIALS) {
            return false;
        }
        let imitated = |known: &str| ascii_as_seen(known).eq(ascii_as_seen(stem));
        return protected_stems().any(|known| imitated(known) && !stem.eq_ignore_ascii_case(known));
    }
    // The protected names are ASCII: one character that looks like nothing in ASCII settles it.
    let like_ascii = |c: char| c.is_ascii() || as_seen(c.encode_utf8(&mut [0; 4])).is_ascii();
    if !stem.chars().all(like_ascii) {
        return false;
    }
    let seen = as_seen(stem);
    SEEN_PROTECTED.contains(&seen)
}

/// How protected stems and their ASCII imitations begin (`rn` imitates `m`).
const PROTECTED_INITIALS: [char; 16] =
    ['m', 'M', 'r', 'R', 'c', 'C', 'a', 'A', 'g', 'G', 'q', 'Q', 'w', 'W', 's', 'S'];

/// What an ASCII name looks like, without taking memory: `0` as `o`, `1` and `i` as `l`, `rn` as `m`.
fn ascii_as_seen(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().flat_map(|byte| {
        let (first, second) = match byte.to_ascii_lowercase() {
            b'0' => (b'o', None),
            b'1' | b'i' | b'|' => (b'l', None),
            b'm' => (b'r', Some(b'n')),
            other => (other, None),
        };
        std::iter::once(first).chain(second)
    })
}

/// What the protected stems look like.
static SEEN_PROTECTED: LazyLock<Vec<String>> =
    LazyLock::new(|| protected_stems().map(as_seen).collect());

/// What a name looks like, letters in one case: the skeleton of the folded skeleton.
pub(super) fn as_seen(name: &str) -> String {
    let first: String = skeleton(name).collect();
    skeleton(&caseless::default_case_fold_str(&first)).collect()
}

/// Whether every letter belongs to another alphabet and still looks like a Latin one.
pub(super) fn imitates_latin(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_some()
        && letters.all(|c| {
            !c.is_ascii()
                && c.script() != Script::Latin
                && skeleton(c.encode_utf8(&mut [0; 4])).all(|like| like.is_ascii_alphanumeric())
        })
}

fn belongs_to_word(c: char) -> bool {
    c.is_alphanumeric() || c.general_category_group() == GeneralCategoryGroup::Mark
}

/// UTS 39 "highly restrictive": one script, or Latin within Japanese, Chinese or Korean.
fn is_one_writing_system(word: &str) -> bool {
    if word.is_ascii() || !AugmentedScriptSet::for_str(word).is_empty() {
        return true;
    }
    let rest: String = word.chars().filter(|c| c.script() != Script::Latin).collect();
    let rest = AugmentedScriptSet::for_str(&rest);
    rest.jpan || rest.hanb || rest.kore
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protected_stem_begins_with_a_listed_letter() {
        for stem in protected_stems() {
            for spelling in [stem.to_owned(), stem.to_uppercase()] {
                assert!(spelling.starts_with(PROTECTED_INITIALS), "{spelling}");
            }
        }
    }
}
