//! Tells whether a value could be a password somebody chose or drew.
//! Border: looks at the value alone; how firmly the text calls it one is for the callers.

use super::evidence::{entropy, is_counting, is_gibberish, is_varied};
use super::placeholder::is_placeholder;
use super::technical::is_technical;

/// Passwords that stand in documents to show where a password goes, and everybody's defaults.
const WORN_OUT: [&[u8]; 34] = [
    b"password",
    b"passwd",
    b"pass",
    b"secret",
    b"secrets",
    b"token",
    b"postgres",
    b"mysql",
    b"root",
    b"admin",
    b"guest",
    b"user",
    b"username",
    b"test",
    b"testing",
    b"pwd",
    b"mypassword",
    b"mysecret",
    b"yourpassword",
    b"letmein",
    b"default",
    b"string",
    b"value",
    b"hunter2",
    b"p4ssw0rd",
    b"pa55w0rd",
    b"passw0rd",
    b"password1",
    b"password123",
    b"pass123",
    b"test123",
    b"admin123",
    b"secret123",
    b"user123",
];

/// Tells that a value could be a password somebody chose or drew: long enough, of several classes,
/// and neither a placeholder, a path, a name in code nor a number.
pub(crate) fn is_password(value: &[u8]) -> bool {
    if value.len() < 6 || value.len() > 128 || is_placeholder(value) || is_technical(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    if is_counting(value) || is_word_and_number(&lower) {
        return false;
    }
    let letters = has(u8::is_ascii_alphabetic);
    if !letters || WORN_OUT.contains(&lower.as_slice()) {
        return false;
    }
    let digits = has(u8::is_ascii_digit);
    let marks = value.iter().any(|b| b"!$%&*?@^~".contains(b))
        && !value.iter().any(|b| matches!(b, b'/' | b'#' | b'(' | b'='));
    let marks =
        marks || digits && value[1..value.len() - 1].iter().any(|b| b"!#$%&*+=?@^~".contains(b));
    let cases = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    (digits && (value.len() >= 8 || cases || marks))
        || (marks && cases && value.len() >= 8)
        || (value.len() >= 10 && is_gibberish(value) && is_varied(value))
}

/// Tells that a quoted value is full of marks of many kinds, as generators draw them, and no pattern.
pub(crate) fn is_noise(value: &[u8]) -> bool {
    let mut marks = [false; 128];
    for byte in value.iter().filter(|b| b.is_ascii_punctuation()) {
        marks[usize::from(*byte)] = true;
    }
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    let pattern = [
        b".*".as_slice(),
        b"[a-z",
        b"[A-Z",
        b"[0-9",
        b"\\d",
        b"\\w",
        b"\\s",
        b"(?",
        b"${",
        b"{{",
        b"<",
        b"()",
    ]
    .iter()
    .any(|part| value.windows(part.len()).any(|w| w == *part));
    value.len() >= 24
        && value.iter().all(u8::is_ascii_graphic)
        && marks.iter().filter(|m| **m).count() >= 4
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && !pattern
        && entropy(value) > 3.9
        && is_gibberish(value)
}

/// Words that stand in documents where a password goes, with or without a number.
const SPOKEN: [&[u8]; 8] = [
    b"password",
    b"passwd",
    b"secret",
    b"example",
    b"changeme",
    b"sample",
    b"dummy",
    b"placeholder",
];

/// Tells that a value is a word like `password` with other words around it and a number or mark.
fn is_word_and_number(lower: &[u8]) -> bool {
    let letters = lower.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let marks = lower.iter().filter(|b| b.is_ascii_punctuation()).count();
    let Some(word) = SPOKEN.iter().find(|w| lower.windows(w.len()).any(|part| part == **w)) else {
        return false;
    };
    let digits = lower.len() - letters - marks;
    // `newpassword99`: letters around the word are another word, however they look together.
    let short = letters <= word.len() + 4 && digits <= 2 && marks == 0;
    short || letters + 4 >= lower.len() && marks <= 1 && !is_gibberish(lower)
}
