//! Fuzzes reading a memory: every byte comes back, and an edit of a field touches no other.
//! Border: what fields mean is tested on samples.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memsync::memory::document::Document;

fuzz_target!(|text: &str| {
    let document = Document::parse(text);
    assert_eq!(document.render(), text);
    if let Some(frontmatter) = document.frontmatter() {
        assert_eq!(frontmatter.render() + document.body(), text);
        let mut edited = frontmatter.clone();
        if edited.set(&["x_fuzz"], "a: b # c") {
            let again = Document::parse(&(edited.render() + document.body()));
            let read = again.frontmatter().and_then(|f| f.scalar(&["x_fuzz"])).map(str::to_owned);
            assert_eq!(read.as_deref(), Some("a: b # c"));
        }
    }
});
