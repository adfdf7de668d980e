//! Base32 (RFC 4648, section 6) in capitals or small letters, with or without padding.
//! Border: one run of text; where runs are is `decode`.

/// Decodes base32; `None` where a character is none of its alphabet or cases are mixed.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let letters = &text[..text.iter().rposition(|b| *b != b'=')? + 1];
    let has = |is: fn(&u8) -> bool| letters.iter().any(is);
    if has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() * 5 / 8);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in letters {
        let value = match letter.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5 | u32::from(value)) & 0xFFF;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc_are_decoded() {
        for (text, plain) in [
            ("MY======", "f"),
            ("MZXQ====", "fo"),
            ("MZXW6===", "foo"),
            ("MZXW6YQ=", "foob"),
            ("MZXW6YTB", "fooba"),
            ("MZXW6YTBOI======", "foobar"),
            ("mzxw6ytboi", "foobar"),
        ] {
            assert_eq!(decode(text.as_bytes()).as_deref(), Some(plain.as_bytes()), "{text}");
        }
        for text in ["MZXW1", "MzXW6", "MZ=XW", "===="] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
