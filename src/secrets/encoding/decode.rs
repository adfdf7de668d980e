//! Undoes base64, base32 and hexadecimal digits, in one piece, wrapped, spaced or dumped.
//! Border: finds encoded runs and decodes them; where the result is scanned is for the scanner.

use std::ops::Range;

use super::base32;
use super::base64;
use super::dump;
use super::percent::number;
use super::spaced_hex;
use super::stretch::{is_letter, stretches};
use super::wrapped;

/// Encodings inside encodings are followed this far.
pub(crate) const DEPTH_MAX: usize = 3;
/// A shorter run holds no credential worth the name.
const RUN_BYTES_MIN: usize = 20;
/// The same of base32: sixteen bytes.
const BASE32_BYTES_MIN: usize = 26;
/// What lies beyond in one run is not decoded.
const RUN_BYTES_MAX: usize = 64 * 1024;
/// This much is decoded first, to see whether the rest is text.
const PROBE_BYTES: usize = 24;

/// An encoded run and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) run: Range<usize>,
    pub(crate) text: Vec<u8>,
}

/// Every encoded run in a text that decodes to text.
pub(crate) fn runs(text: &[u8]) -> Vec<Decoded> {
    let mut found = Vec::new();
    for stretch in stretches(text, RUN_BYTES_MIN, is_part) {
        let run = &text[stretch.start..stretch.end.min(stretch.start + RUN_BYTES_MAX)];
        found.extend(decode(run).into_iter().map(|(part, text)| Decoded {
            run: stretch.start + part.start..stretch.start + part.end,
            text,
        }));
    }
    for (run, joined) in wrapped::blocks(text, RUN_BYTES_MIN, RUN_BYTES_MAX) {
        let decoded = decode(&joined).into_iter();
        found.extend(decoded.map(|(_, text)| Decoded { run: run.clone(), text }));
    }
    found.extend(spaced_hex::runs(text).into_iter().map(|(run, text)| Decoded { run, text }));
    found.extend(dump::runs(text).into_iter().map(|(run, text)| Decoded { run, text }));
    found
}

/// Bytes an encoded run is made of.
fn is_part(byte: u8) -> bool {
    const PARTS: [bool; 256] = {
        let mut parts = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            let b = byte as u8;
            parts[byte] = b.is_ascii_alphanumeric()
                || matches!(
                    b,
                    b'+' | b'/'
                        | b'='
                        | b'_'
                        | b'-'
                        | b'%'
                        | b'\\'
                        | b'&'
                        | b'#'
                        | b';'
                        | b'.'
                        | b':'
                        | b'?'
                );
            byte += 1;
        }
        parts
    };
    PARTS[usize::from(byte)]
}

/// The parts of a run that are base64 or hexadecimal digits of text.
fn decode(run: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut start = 0;
    for part in run.split(|b| !is_letter(*b)) {
        if part.len() < RUN_BYTES_MIN {
            start += part.len() + 1;
            continue;
        }
        // What stands before an equals sign that is no padding is a name.
        let body = part.iter().rposition(|b| *b != b'=').map_or(0, |last| last + 1);
        let name = part[..body].iter().rposition(|b| *b == b'=').map_or(0, |equals| equals + 1);
        let range = start + name..start + part.len();
        start += part.len() + 1;
        if let Some(text) =
            hex(&part[name..]).or_else(|| base64(&part[name..])).or_else(|| base32(&part[name..]))
        {
            found.push((range, text));
        }
    }
    found
}

fn hex(run: &[u8]) -> Option<Vec<u8>> {
    let marks: [&[u8]; 3] = [b"0x", b"0X", b"x"];
    let run = marks.iter().find_map(|mark| run.strip_prefix(*mark)).unwrap_or(run);
    if run.len() < 32 || !run.len().is_multiple_of(2) || !run.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pairs = || run.chunks(2).map(|pair| number(pair, 16).unwrap_or(0) as u8);
    is_text(&pairs().take(PROBE_BYTES).collect::<Vec<u8>>()).then(|| pairs().collect())
}

fn base64(run: &[u8]) -> Option<Vec<u8>> {
    if run.len() < RUN_BYTES_MIN {
        return None;
    }
    let probe = base64::decode(&run[..PROBE_BYTES.min(run.len() / 4 * 4)])?;
    if !is_text(&probe) {
        return None;
    }
    let text = base64::decode(&run[..run.len() - usize::from(run.len() % 4 == 1)])?;
    is_text(&text).then_some(text)
}

fn base32(run: &[u8]) -> Option<Vec<u8>> {
    if run.len() < BASE32_BYTES_MIN {
        return None;
    }
    let text = base32::decode(run)?;
    is_text(&text).then_some(text)
}

/// Tells that bytes are mostly printable ASCII.
fn is_text(bytes: &[u8]) -> bool {
    let printable =
        bytes.iter().filter(|b| b.is_ascii_graphic() || matches!(b, b' ' | b'\n' | b'\r' | b'\t'));
    !bytes.is_empty() && printable.count() * 20 >= bytes.len() * 19
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::base64::Engine as _;

    fn check(encoded: &str, plain: &str) {
        let text = format!("see {encoded} there");
        let found = runs(text.as_bytes());
        assert!(found.iter().any(|d| d.text == plain.as_bytes()), "{encoded} gave {found:?}");
    }

    #[test]
    fn base64_and_digits_are_undone() {
        let plain = "token=abcdefgh ijklmnop";
        let base64 = ::base64::engine::general_purpose::STANDARD.encode(plain);
        let digits = plain.bytes().map(|b| format!("{b:02x}")).collect::<String>();
        check(&base64, plain);
        check(&format!("TOKEN={base64}"), plain);
        check(&digits, plain);
        check(&format!("0x{digits}"), plain);
        check(&format!("\\x{digits}"), plain);
        check(&format!("TOKEN={digits}"), plain);
    }

    #[test]
    fn wrapped_base64_is_undone() {
        let plain = "a sentence with a token in it, and more than one line of it; ".repeat(4);
        let encoded = ::base64::engine::general_purpose::STANDARD.encode(&plain);
        for (width, indent, end) in [(76, "", "\n"), (64, "    ", "\r\n"), (61, "> ", " \\\n")] {
            let lines = encoded.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap());
            let wrapped = lines.collect::<Vec<_>>().join(&format!("{end}{indent}"));
            check(&format!("\n{indent}{wrapped}\n"), &plain);
            check(&format!("DATA=\"{wrapped}\" | base64 -d\n"), &plain);
        }
        let digits = plain.bytes().map(|b| format!("{b:02x}")).collect::<String>();
        let lines = digits.as_bytes().chunks(60).map(|line| str::from_utf8(line).unwrap());
        check(&lines.collect::<Vec<_>>().join("\n"), &plain);
    }

    #[test]
    fn spaced_digits_are_undone() {
        let plain = "token=abcdefgh ijklmnop";
        let digits = |by: &str, mark: &str| {
            let each = plain.bytes().map(|b| format!("{mark}{b:02x}"));
            each.collect::<Vec<_>>().join(by)
        };
        for (by, mark) in [(" ", ""), (":", ""), (", ", "0x"), (",\n    ", "0x"), ("-", "")] {
            check(&digits(by, mark), plain);
        }
        assert!(runs(b"2026-12-01 05:41:12 2026-12-01 05:42:13 2026-12-01 05:43:14").is_empty());
    }

    #[test]
    fn base32_is_undone() {
        let encoded = "ORXWWZLOHVQWEY3EMVTGO2BANFVGW3DNNZXXA===";
        check(encoded, "token=abcdefgh ijklmnop");
        check(&encoded.to_lowercase(), "token=abcdefgh ijklmnop");
        check(encoded.trim_end_matches('='), "token=abcdefgh ijklmnop");
        check(&format!("SEED={encoded}"), "token=abcdefgh ijklmnop");
    }

    #[test]
    fn pictures_and_words_are_not_text_in_disguise() {
        assert!(runs(b"iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAA").is_empty());
        assert!(runs(b"internationalization/localization_of_messages").is_empty());
    }
}
