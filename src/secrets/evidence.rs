//! Tells a value from a placeholder and drawn characters from written ones.
//! Border: looks at the value alone; which words stand around it is for the callers.

/// Shannon entropy in bits per byte.
pub(crate) fn entropy(value: &[u8]) -> f32 {
    if value.is_empty() {
        return 0.0;
    }
    let mut counts = [0_u32; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    let total = value.len() as f32;
    counts.iter().filter(|n| **n > 0).map(|n| *n as f32 / total).map(|p| -p * p.log2()).sum()
}

/// How far the character after `a` is from counting on: 1 for `ab`, -1 for `ba`, 0 for `aa`.
fn step(pair: &[u8]) -> i16 {
    i16::from(pair[1].to_ascii_lowercase()) - i16::from(pair[0].to_ascii_lowercase())
}

/// Tells that a value neither counts (`abcdef`, `987654`) nor repeats for most of its length.
pub(crate) fn is_varied(value: &[u8]) -> bool {
    if value.len() < 2 {
        return false;
    }
    let dull = value.windows(2).filter(|pair| step(pair).abs() <= 1).count();
    let distinct = {
        let mut seen = [false; 256];
        value.iter().for_each(|b| seen[usize::from(*b)] = true);
        seen.iter().filter(|s| **s).count()
    };
    dull * 2 < value.len() && distinct > value.len().min(12) / 3
}

/// Tells that a value looks drawn at random: enough of it, several classes, no words.
pub(crate) fn is_random(value: &[u8]) -> bool {
    value.len() >= 16 && is_varied(value) && entropy(value) > 3.0
}

/// Words that stand where a value should, or mark one as made up. Only whole parts count, and
/// only for values that do not prove themselves.
const PLACEHOLDER_WORDS: [&str; 26] = [
    "example",
    "examples",
    "sample",
    "placeholder",
    "your",
    "yours",
    "changeme",
    "change",
    "redacted",
    "dummy",
    "fake",
    "foo",
    "foobar",
    "todo",
    "insert",
    "replace",
    "here",
    "secret-here",
    "masked",
    "hidden",
    "removed",
    "xxx",
    "test-token",
    "mytoken",
    "yourtoken",
    "notreal",
];

/// Tells that a value stands for another one: `<token>`, `${TOKEN}`, `xxxx`, `your-token-here`.
///
/// `body` is the value without its vendor's prefix.
pub(crate) fn is_placeholder(body: &[u8]) -> bool {
    if body.is_empty() || is_reference(body) || is_masked(body) {
        return true;
    }
    let lower = body.to_ascii_lowercase();
    // A word inside a long drawn value is chance; it must be a good part of the value.
    let words = || lower.split(|b| !b.is_ascii_alphabetic()).filter(|w| w.len() >= 3);
    let held: usize = words()
        .filter(|word| PLACEHOLDER_WORDS.iter().any(|p| p.as_bytes() == *word))
        .map(<[u8]>::len)
        .sum();
    held > 0 && held * 8 >= lower.len()
}

/// Tells that a value only refers to one: a variable, a template, a function call.
fn is_reference(value: &[u8]) -> bool {
    matches!(value, [b'<', ..] | [b'$', b'{' | b'(', ..] | [b'{', b'{', ..] | [b'%', .., b'%'])
        || value.windows(2).any(|w| matches!(w, b"${" | b"{{" | b"$("))
}

/// Tells that most of a value is one filler character or that it holds an ellipsis.
fn is_masked(value: &[u8]) -> bool {
    if value.windows(3).any(|w| w == b"..." || w == b"***")
        || value.windows(3).any(|w| w == "…".as_bytes())
    {
        return true;
    }
    let mut longest = 0;
    let mut run = 1;
    for pair in value.windows(2) {
        run = if pair[0].eq_ignore_ascii_case(&pair[1]) { run + 1 } else { 1 };
        longest = longest.max(run);
    }
    longest >= 6 && longest * 3 >= value.len()
}
