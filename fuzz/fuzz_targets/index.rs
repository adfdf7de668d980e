//! Fuzzes reading an index: every byte comes back, whatever it is.
//! Border: what the entries are is tested on samples.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memsync::memory::index::Index;

fuzz_target!(|text: &str| {
    let index = Index::parse(text);
    assert_eq!(index.render(), text);
    let joined: String = index.blocks().iter().map(|block| block.raw.as_str()).collect();
    assert_eq!(joined, text);
    drop(index.invisible());
    assert!(index.other_lines() <= text.lines().count());
});
