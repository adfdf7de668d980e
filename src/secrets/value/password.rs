//! Tells whether a value could be a password somebody chose or drew.
//! Border: looks at the value alone; how firmly the text calls it one is for the callers.

use crate::secrets::encoding::base64;
use crate::secrets::entries::{Entries, is_met};
use crate::secrets::value::identifiers::is_technical;
use crate::secrets::value::placeholder::is_placeholder;
use crate::secrets::value::randomness::{entropy, is_counting, is_gibberish, is_varied};

/// Passwords that stand in documents to show where a password goes, and everybody's defaults.
pub(crate) static COMMON_PASSWORDS: Entries<&[u8]> = Entries::of(&[
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
]);

/// Tells that a value could be a password somebody chose or drew: long enough, of several classes,
/// and neither a placeholder, a path, a name in code nor a number.
pub(crate) fn is_password(value: &[u8]) -> bool {
    if value.len() < 6 || value.len() > 128 || is_placeholder(value) || is_technical(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    if is_counting(value) || is_word_and_number(&lower) || is_leet(value) {
        return false;
    }
    if let Some(text) = written(value) {
        return is_password(&text);
    }
    let letters = has(u8::is_ascii_alphabetic);
    if !letters || COMMON_PASSWORDS.any(|word| *word == lower.as_slice()) {
        return false;
    }
    let digits = has(u8::is_ascii_digit);
    // A mark for a letter within a word, as people write `hun$er`.
    let inner = value.len() >= 8
        && value[0].is_ascii_alphanumeric()
        && value.windows(3).any(|w| {
            w[0].is_ascii_alphabetic() && b"$@!".contains(&w[1]) && w[2].is_ascii_alphabetic()
        })
        && !value.contains(&b'.');
    let marks = value.iter().any(|b| b"!$%&*?@^~".contains(b))
        && !value.iter().any(|b| matches!(b, b'/' | b'#' | b'(' | b'='));
    let marks =
        marks || digits && value[1..value.len() - 1].iter().any(|b| b"!#$%&*+=?@^~".contains(b));
    let cases = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    (digits && (value.len() >= 8 || cases || marks))
        || (marks && cases && value.len() >= 8)
        || inner
        || (value.len() >= 10 && is_gibberish(value) && is_varied(value))
}

/// Tells that a password is random, not chosen: three classes of characters that change often.
pub(crate) fn is_random(value: &[u8]) -> bool {
    let class = |b: &u8| match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        // Joints of names and ids are no marks.
        b'-' | b'_' | b'.' => 4,
        _ => 3,
    };
    let classes = (0..4).filter(|class_at| value.iter().any(|b| class(b) == *class_at)).count();
    let changes = value.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    classes >= 3
        && value.len() >= 8
        && value.iter().any(u8::is_ascii_digit)
        && (changes * 2 >= value.len() || is_gibberish(value))
        && is_password(value)
}

/// The text that base64 of a text stands for; random characters decode to no text.
fn written(value: &[u8]) -> Option<Vec<u8>> {
    let whole = value.len() >= 8 && value.len().is_multiple_of(4);
    let text = whole.then(|| base64::decode(value)).flatten()?;
    text.iter().all(|b| b.is_ascii_graphic() || *b == b' ').then_some(text)
}

/// Tells that a value is `password` or the like with digits and marks for letters: `P@ssw0rd1`.
pub(crate) fn is_leet(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let end = lower.iter().rposition(|b| !b.is_ascii_digit() && *b != b'!').map_or(0, |at| at + 1);
    let (word, tail) = lower.split_at(end);
    let letter = |b: &u8| match b {
        b'0' => b'o',
        b'1' | b'!' => b'i',
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'5' | b'$' => b's',
        b'7' => b't',
        other => *other,
    };
    let plain: Vec<u8> = word.iter().map(letter).collect();
    let bare: Vec<u8> = word.iter().copied().filter(|b| !b"$@!".contains(b)).collect();
    let worn = |text: &[u8]| {
        text != word && (is_only_placeholder(text) || COMMON_PASSWORDS.any(|word| *word == text))
    };
    let marked = word.iter().filter(|b| !b.is_ascii_alphabetic()).count();
    marked >= 2
        && tail.len() <= 2
        && word.last().is_some_and(u8::is_ascii_lowercase)
        && (worn(&plain) || worn(&bare))
}

/// Words that stand before `password` in documents.
pub(crate) static BEFORE_PLACEHOLDER: Entries<&str> =
    Entries::of(&["my", "your", "top", "super", "very", "new", "old", "the"]);

/// Tells that nothing is left when the words of documents are taken out.
fn is_only_placeholder(text: &[u8]) -> bool {
    let mut rest = String::from_utf8_lossy(text).into_owned();
    for entry in PLACEHOLDER_WORDS.iter() {
        let word = String::from_utf8_lossy(entry);
        if is_met(entry, rest.contains(&*word)) {
            rest = rest.replace(&*word, " ");
        }
    }
    rest.contains(' ')
        && rest
            .split(' ')
            .all(|word| word.is_empty() || BEFORE_PLACEHOLDER.any(|other| *other == word))
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
pub(crate) static PLACEHOLDER_WORDS: Entries<&[u8]> = Entries::of(&[
    b"password",
    b"secret",
    b"example",
    b"changeme",
    b"sample",
    b"dummy",
    b"placeholder",
]);

/// Tells that a value is a word like `password` with other words around it and a number or mark.
fn is_word_and_number(lower: &[u8]) -> bool {
    let letters = lower.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let marks = lower.iter().filter(|b| b.is_ascii_punctuation()).count();
    // `botpass123`
    let name = lower.strip_suffix(b"123").or(lower.strip_suffix(b"1234"));
    if name.is_some_and(|name| {
        name.ends_with(b"pass") && name.len() <= 10 && name.iter().all(u8::is_ascii_lowercase)
    }) {
        return true;
    }
    let Some(word) = PLACEHOLDER_WORDS.find(|w| lower.windows(w.len()).any(|part| part == *w))
    else {
        return false;
    };
    let digits = lower.len() - letters - marks;
    // `newpassword99`: letters around the word are another word, however they look together.
    let short = letters <= word.len() + 4 && digits <= 2 && marks == 0;
    short || letters + 4 >= lower.len() && marks <= 1 && !is_gibberish(lower)
}
