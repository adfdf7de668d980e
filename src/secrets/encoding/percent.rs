//! Percent-encoding as in addresses.
//! Border: bytes in, bytes out; whether the result is text is for the callers.

/// Undoes percent-encoding.
pub(crate) fn decode(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match text
            .get(at..at + 3)
            .filter(|part| is_percent(part))
            .and_then(|part| number(&part[1..], 16))
        {
            Some(code) => {
                plain.push(code as u8);
                at += 3;
            }
            None => {
                plain.push(text[at]);
                at += 1;
            }
        }
    }
    plain
}

/// Tells that three bytes are an encoded one.
pub(super) fn is_percent(part: &[u8]) -> bool {
    part[0] == b'%' && part[1].is_ascii_hexdigit() && part[2].is_ascii_hexdigit()
}

/// Reads digits of a base.
pub(super) fn number(digits: &[u8], radix: u32) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}
