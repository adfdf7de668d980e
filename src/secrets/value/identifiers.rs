//! Technical words that are no secret: paths, versions, names in code, algorithms, files.
//! Border: looks at the value alone.

use crate::secrets::entries::Entries;
use crate::secrets::value::randomness::is_gibberish;

/// What technical words begin with.
pub(crate) static STARTS: Entries<&[u8]> = Entries::of(&[
    b"urn:",
    b"sha1",
    b"sha3",
    b"sha5",
    b"md5",
    b"op:",
    b"vault:",
    b"env.",
    b"this.",
    b"projects/",
    b"base64",
    b"ecdsa-",
    b"ed25519",
    b"x25519",
    b"age1",
    b"$2a$",
    b"$2b$",
    b"$2y$",
    b"$argon",
    b"$1$",
    b"$5$",
    b"$6$",
    b"$apr1$",
    b"$pbkdf2",
    b"pbkdf2",
    b"scrypt:",
    b"{ssha",
    b"{sha",
    b"{bcrypt",
    b"scram-sha",
    b"aes1",
    b"aes2",
    b"utf",
    b"h1:",
    b"sha256~",
]);

/// Tells that a value is a technical word and no secret: a path, a URL, a version, a date, a size,
/// a name in code, an algorithm.
pub(crate) fn is_technical(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let has = |part: &[u8]| lower.windows(part.len()).any(|w| w == part);
    let starts = |part: &[u8]| lower.starts_with(part);
    if has(b"://")
        || starts(b"/")
        || starts(b"./")
        || starts(b"~/")
        || starts(b"../")
        || starts(b"@")
    {
        return true;
    }
    if STARTS.any(|part| starts(part)) {
        return !starts(b"sha256~");
    }
    is_number_like(&lower)
        || is_call(value)
        || is_code_name(value)
        || is_file_name(value)
        || is_setting(value)
        || is_release(value)
}

/// A name with its version: `jackson-core-2.15.0`.
fn is_release(value: &[u8]) -> bool {
    let Some(dash) = value.iter().rposition(|b| *b == b'-') else { return false };
    let (name, version) = (&value[..dash], &value[dash + 1..]);
    version.contains(&b'.')
        && version.split(|b| *b == b'.').all(|n| !n.is_empty() && n.iter().all(u8::is_ascii_digit))
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && !is_gibberish(name)
}

/// A version, a date, a size, a count with its unit.
fn is_number_like(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let marks = value.iter().all(|b| b.is_ascii_alphanumeric() || b"-.:/_+,%".contains(b));
    marks
        && (letters <= 2 && digits > 0 && value.len() < 24
            || value.first().is_some_and(u8::is_ascii_digit)
                && letters + 1
                    >= value.len()
                        - value.iter().take_while(|b| b.is_ascii_digit() || **b == b'-').count()
                && value
                    .iter()
                    .skip_while(|b| b.is_ascii_digit() || **b == b'-')
                    .all(u8::is_ascii_lowercase)
                && value.len() < 14)
}

/// A name that ends like a file: `.pem`, `.json`, `.ps1`.
pub(crate) fn is_file_name(value: &[u8]) -> bool {
    let Some(dot) = value.iter().rposition(|b| *b == b'.') else { return false };
    let ending = &value[dot + 1..];
    dot > 2
        && (2..=5).contains(&ending.len())
        && ending[..ending.len() - 1].iter().all(u8::is_ascii_lowercase)
        && ending.last().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && value.iter().all(|b| b.is_ascii_alphanumeric() || b"_-./+".contains(b))
}

/// Another `name=value`.
fn is_setting(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        .count();
    let empty = name + 1 == value.len() && value[..name].contains(&b'.');
    if empty && value.ends_with(b"=") && !value.iter().any(u8::is_ascii_digit) {
        return true;
    }
    name >= 3
        && value.get(name) == Some(&b'=')
        && value.len() > name + 2
        && value[name + 1] != b'='
        && !value[..name].iter().any(u8::is_ascii_digit)
        && !is_gibberish(&value[..name])
}

/// A function call, an index, a member access on a name.
fn is_call(value: &[u8]) -> bool {
    let opens = value.iter().position(|b| matches!(b, b'(' | b'['));
    opens.is_some_and(|at| {
        at > 0 && value[..at].iter().all(|b| b.is_ascii_alphanumeric() || b"_.:->".contains(b))
    }) || value.windows(2).any(|w| w == b"->" || w == b"::" || w == b"()")
}

/// A name: words joined by `.`, `-`, `_` or humps, each a word and not drawn.
fn is_code_name(value: &[u8]) -> bool {
    if !value.iter().all(|b| b.is_ascii_alphanumeric() || b"_.-/".contains(b)) {
        return false;
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let dotted = value.contains(&b'.')
        && value
            .split(|b| *b == b'.')
            .all(|part| part.first().is_some_and(u8::is_ascii_alphabetic) && !is_gibberish(part));
    let path = value.iter().filter(|b| **b == b'/').count() >= 2
        && !value.iter().any(u8::is_ascii_uppercase);
    (digits == 0 || path && digits <= 2) && !is_gibberish(value) || dotted && digits <= 2
}
