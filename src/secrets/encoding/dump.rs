//! Undoes the dumps of `xxd`, `hexdump`, `od` and debuggers: a place, digits, perhaps the text beside.
//! Border: dumps of printable text only; digits without places are `spaced_hex` and `decode`.

use std::ops::Range;

use super::percent::number;

/// Fewer bytes hold no credential worth the name.
const BYTES_MIN: usize = 16;
/// What lies beyond in one dump is a dump of its own.
const BYTES_MAX: usize = 64 * 1024;
/// Digits of the place at the start of a line.
const PLACE_DIGITS: std::ops::RangeInclusive<usize> = 4..=16;
/// Bytes of one line that are read; the widest dumps have 64 of them.
const LINE_BYTES_MAX: usize = 80;

/// Every dump in a text, with what it says; one of words in both orders of their bytes.
pub(super) fn runs(text: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut dump: Option<(Range<usize>, Vec<Vec<u8>>)> = None;
    let mut start = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        let place = start..start + line.len();
        start = place.end;
        match (groups(line), &mut dump) {
            (Some(groups), Some((range, all))) if all.len() < BYTES_MAX => {
                range.end = place.end;
                all.extend(groups);
            }
            (Some(groups), _) => {
                keep(&mut found, dump.take());
                dump = Some((place, groups));
            }
            (None, _) => keep(&mut found, dump.take()),
        }
    }
    keep(&mut found, dump);
    found
}

fn keep(found: &mut Vec<(Range<usize>, Vec<u8>)>, dump: Option<(Range<usize>, Vec<Vec<u8>>)>) {
    let Some((range, groups)) = dump else { return };
    let straight = groups.concat();
    let turned: Vec<u8> = groups.iter().flat_map(|group| group.iter().rev()).copied().collect();
    let is_printable = |b: &u8| b.is_ascii_graphic() || b.is_ascii_whitespace() || *b == 0;
    if straight.len() < BYTES_MIN || !straight.iter().all(is_printable) {
        return;
    }
    if turned != straight {
        found.push((range.clone(), turned));
    }
    found.push((range, straight));
}

/// The groups of bytes of a line of a dump.
fn groups(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let indent = line.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'>')).count();
    let line = &line[indent..];
    let line = line.strip_prefix(b"0x").unwrap_or(line);
    let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let gap = line[digits..].iter().take_while(|b| matches!(b, b':' | b' ' | b'\t')).count();
    if !PLACE_DIGITS.contains(&digits) || gap == 0 {
        return None;
    }
    let mut groups = Vec::new();
    let mut rest = &line[digits + gap..];
    loop {
        let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let ends = rest.get(digits).is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
        let is_group = (2..=16).contains(&digits) && digits.is_multiple_of(2);
        if !ends || !is_group || groups.len() == LINE_BYTES_MAX {
            break;
        }
        let byte = |pair: &[u8]| number(pair, 16).and_then(|code| u8::try_from(code).ok());
        groups.push(rest[..digits].chunks(2).map(byte).collect::<Option<Vec<u8>>>()?);
        rest = &rest[digits..];
        let gap = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        // Two blanks after as many groups as were before, or a bar, part the text beside.
        let is_half = groups.len() == 8 && gap == 2 && groups.iter().all(|group| group.len() == 1);
        if gap == 0 || (gap > 1 && !is_half) {
            break;
        }
        rest = &rest[gap..];
    }
    (!groups.is_empty()).then_some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_are_read_with_and_without_the_text_beside() {
        let plain = b"token=abcdefgh ijklmnop";
        for dump in [
            "00000000: 746f 6b65 6e3d 6162 6364 6566 6768 2069  token=abcdefgh i\n00000010: 6a6b 6c6d 6e6f 70                        jklmnop\n",
            "  00000000  74 6f 6b 65 6e 3d 61 62  63 64 65 66 67 68 20 69  |token=abcdefgh i|\n  00000010  6a 6b 6c 6d 6e 6f 70                              |jklmnop|\n  00000017\n",
            "0000000 74 6f 6b 65 6e 3d 61 62 63 64 65 66 67 68 20 69\n0000020 6a 6b 6c 6d 6e 6f 70\n0000027\n",
            "0000000 6f74 656b 3d6e 6261 6463 6665 6867 6920\n0000010 6b6a 6d6c 6f6e 0070\n0000017\n",
        ] {
            let text = format!("See:\n{dump}That is it.\n");
            let found = runs(text.as_bytes());
            let says = |one: &(Range<usize>, Vec<u8>)| one.1.starts_with(plain);
            assert!(found.iter().any(says), "{dump}{found:?}");
        }
    }

    #[test]
    fn tables_of_numbers_and_addresses_are_no_dumps() {
        for text in [
            "20260101 12 14 16 18\n20260102 13 15 17 19\n",
            "deadbeef 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10\n",
            "7f0000 8080 web\n",
        ] {
            assert_eq!(runs(text.as_bytes()), [], "{text}");
        }
    }
}
