//! The length-prefixed strings of the SSH protocols (RFC 4251, section 5).
//! Border: bytes only; what they mean is in the callers.

/// Appends a `string`: four bytes of length, then the bytes.
pub(crate) fn put_string(out: &mut Vec<u8>, value: &[u8]) {
    let len = u32::try_from(value.len()).expect("because every value here is short");
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(value);
}

/// Takes a `uint32` from the front.
pub(crate) fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    let (head, tail) = rest.split_first_chunk::<4>()?;
    *rest = tail;
    Some(u32::from_be_bytes(*head))
}

/// Takes a `string` from the front; `None` when it is longer than what is left.
pub(crate) fn take_string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut ahead = *rest;
    let len = usize::try_from(take_u32(&mut ahead)?).ok()?;
    let (value, tail) = ahead.split_at_checked(len)?;
    *rest = tail;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_that_claims_more_than_there_is_gives_none() {
        let mut whole = Vec::new();
        put_string(&mut whole, b"abc");
        for cut in 0..whole.len() {
            assert_eq!(take_string(&mut &whole[..cut]), None);
        }
        let mut rest = whole.as_slice();
        assert_eq!(take_string(&mut rest), Some(b"abc".as_slice()));
        assert!(rest.is_empty());
    }
}
