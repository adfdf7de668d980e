//! Base64 as people and programs write it: either alphabet, with or without padding.
//! Border: one run of text; where runs are is `decode`.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Decodes base64 of either alphabet with or without padding; `None` where it is neither.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    const EITHER_PADDING: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    static STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, EITHER_PADDING);
    static URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, EITHER_PADDING);
    let url = text.iter().any(|b| matches!(b, b'-' | b'_'));
    let engine = if url { &URL_SAFE } else { &STANDARD };
    engine.decode(text).ok()
}
