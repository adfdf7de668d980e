//! Passwords of several words: `Blue horse 41 jumps!`, four random words.
//! Border: looks at the value alone; that it is called a password is given.

use crate::secrets::entries::Entries;
use crate::secrets::value::placeholder::is_placeholder;

/// A shorter or longer value is no passphrase.
const PHRASE_BYTES: std::ops::RangeInclusive<usize> = 12..=80;
/// How many words it may have.
const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 2..=10;

/// Words of sentences about passwords, which passphrases rarely hold.
pub(crate) static PLACEHOLDER_WORDS: Entries<&[u8]> = Entries::of(&[
    b"the",
    b"is",
    b"are",
    b"must",
    b"be",
    b"your",
    b"you",
    b"enter",
    b"for",
    b"with",
    b"not",
    b"to",
    b"of",
    b"in",
    b"or",
    b"from",
    b"has",
    b"at",
    b"least",
    b"passphrase",
    b"characters",
    b"chars",
    b"letters",
    b"digits",
    b"digit",
    b"symbols",
    b"days",
    b"hours",
    b"minutes",
    b"seconds",
    b"times",
    b"long",
    b"invalid",
    b"wrong",
    b"again",
    b"use",
    b"same",
    b"see",
    b"old",
    b"reset",
    b"required",
    b"passwort",
    b"token",
]);

/// Tells that a value is a passphrase and no sentence: a number or a mark within words, or drawn
/// words alone where the name says so.
pub(crate) fn is_passphrase(value: &[u8], named: bool) -> bool {
    let words: Vec<&[u8]> = value.split(|b| *b == b' ').collect();
    let plain = value.iter().all(|b| b.is_ascii_graphic() || *b == b' ' || *b >= 0x80);
    if !PHRASE_BYTES.contains(&value.len())
        || !PHRASE_WORDS.contains(&words.len())
        || !plain
        || words.iter().any(|word| word.is_empty() || word.ends_with(b":") || word.contains(&b'='))
        || is_placeholder(value)
    {
        return false;
    }
    let spoken = |word: &&[u8]| {
        let letters: Vec<u8> =
            word.iter().filter(|b| b.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect();
        PLACEHOLDER_WORDS.any(|spoken| *spoken == letters.as_slice())
    };
    if words.iter().any(spoken) {
        return false;
    }
    let counted = words.iter().any(|word| word.iter().any(u8::is_ascii_digit));
    let letters =
        words.iter().any(|word| word.iter().filter(|b| b.is_ascii_alphabetic()).count() > 2);
    let is_random =
        words.len() >= 4 && words.iter().all(|word| word.iter().all(u8::is_ascii_lowercase));
    letters && counted || named && is_random
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_number_are_a_passphrase_and_sentences_are_not() {
        for (value, named, expected) in [
            ("Blue horse 41 jumps!", false, true),
            ("k9Zq 2LmV x7Tb RwNy", false, true),
            ("lantern oyster 77 quilt", false, true),
            ("lantern oyster quilt marble", true, true),
            ("lantern oyster quilt marble", false, false),
            ("Must have 12 characters", false, false),
            ("Please enter 2 words", false, false),
            ("expires in 30 days", false, false),
            ("key=1 other=2 more", false, false),
            ("<your phrase 12>", false, false),
            ("a 1", false, false),
            ("12 34 56 78 90 12", false, false),
        ] {
            assert_eq!(is_passphrase(value.as_bytes(), named), expected, "{value}");
        }
    }
}
