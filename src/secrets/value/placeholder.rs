//! Values that stand for another one: `<token>`, `${TOKEN}`, `xxxx`, `your-token-here`.
//! Border: looks at the value alone; never asked about a value that proves itself.

use crate::secrets::entries::Entries;

/// Words that stand where a value should, or mark one as made up. Only whole parts count, and
/// only for values that do not prove themselves.
pub(crate) static PLACEHOLDER_WORDS: Entries<&str> = Entries::of(&[
    "example",
    "examples",
    "placeholder",
    "yours",
    "foo",
    "todo",
    "secret-here",
    "masked",
    "hidden",
    "test-token",
    "yourtoken",
    "notreal",
]);

/// Tells that a value stands for another one: `<token>`, `${TOKEN}`, `xxxx`, `your-token-here`.
///
/// `body` is the value without its vendor's prefix.
pub(crate) fn is_placeholder(body: &[u8]) -> bool {
    if body.is_empty() || is_reference(body) || is_masked(body) {
        return true;
    }
    let lower = body.to_ascii_lowercase();
    // By convention of AWS and others a value with this word in it is a sample; seven given
    // letters in a row are no chance.
    if lower.windows(7).any(|w| w == b"example") {
        return true;
    }
    // A word inside a long drawn value is chance; it must be a good part of the value.
    let words = || lower.split(|b| !b.is_ascii_alphabetic()).filter(|w| w.len() >= 3);
    let held: usize = words()
        .filter(|word| PLACEHOLDER_WORDS.any(|p| p.as_bytes() == *word))
        .map(<[u8]>::len)
        .sum();
    held > 0 && held * 8 >= lower.len()
}

/// Tells that a value only refers to one: a variable, a template, a function call.
fn is_reference(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"\\").unwrap_or(value);
    let variable = value.strip_prefix(b"$").is_some_and(|name| {
        let length = name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let name = &name[..length];
        let shouted = length >= 3 && !name.iter().any(u8::is_ascii_lowercase);
        let whole = length + 1 == value.len() && !name.iter().any(u8::is_ascii_digit);
        name.starts_with(b"_")
            || shouted
            || whole
            || value.get(length + 1).is_some_and(|b| b"[-./".contains(b))
    });
    variable
        || matches!(
            value,
            [b'<', ..] | [b'$', b'{' | b'(', ..] | [b'{', b'{', ..] | [b'%', .., b'%']
        )
        || value.windows(2).any(|w| matches!(w, b"${" | b"{{" | b"$(" | b"#{"))
        || value.windows(4).any(|w| w == b"&lt;")
}

/// Tells that most of a value is one filler character or that it holds an ellipsis.
fn is_masked(value: &[u8]) -> bool {
    if value.windows(3).any(|w| w == b"..." || w == b"***")
        || value.windows(3).any(|w| w == "…".as_bytes())
    {
        return true;
    }
    if value.windows(4).any(|w| matches!(w[0], b'#' | b'*' | b'.') && w.iter().all(|b| *b == w[0]))
    {
        return true;
    }
    if value.len() > 4 && value[value.len() - 4..].iter().all(|b| matches!(b, b'x' | b'X')) {
        return true;
    }
    let mut longest = 0;
    let mut run = 1;
    for pair in value.windows(2) {
        run = if pair[0].eq_ignore_ascii_case(&pair[1]) { run + 1 } else { 1 };
        longest = longest.max(run);
        if run >= 8 && matches!(pair[1], b'0' | b'x' | b'X') {
            return true;
        }
    }
    longest >= 6 && longest * 3 >= value.len()
}
