//! Fuzzes the secret scanner and its decoders: no panic, findings in order, no value in any excerpt.
//! Border: what is found is tested on samples.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memsync::secrets::Scanner;

/// As many bytes of a value in a row are shown nowhere.
const WINDOW: usize = 6;

fuzz_target!(|text: &[u8]| {
    let findings = Scanner::builtin().scan("a.md", text);
    for pair in findings.windows(2) {
        assert!(pair[0].bytes.end <= pair[1].bytes.start);
    }
    for finding in &findings {
        assert!(finding.bytes.end <= text.len() && finding.start <= finding.end);
        assert_eq!(finding.fingerprint.len(), 32);
        let value = &text[finding.bytes.clone()];
        for window in value.windows(WINDOW).filter(|w| w.iter().all(u8::is_ascii_graphic)) {
            let shown = finding.excerpt.as_bytes();
            assert!(!shown.windows(WINDOW).any(|part| part == window), "{}", finding.rule);
        }
    }
});
