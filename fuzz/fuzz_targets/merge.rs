//! Fuzzes the merge of one file: no panic, no byte changed by swapping, no marker of ours, records read back.
//! Border: the input is `kind, base, ours, theirs` parted by 0xFE (no byte of UTF-8).
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use memsync::base::id::ObjectId;
use memsync::base::path::MemoryPath;
use memsync::base::time::Timestamp;
use memsync::merge::conflict::Conflict;
use memsync::merge::{Input, Origin, file};

const PATHS: [&str; 4] = ["MEMORY.md", "topic.md", ".memsync/roster.yaml", ".memsync/policy.yaml"];

fn origin(number: u8) -> Origin {
    let commit = ObjectId::from_bytes(&[number; 20]).expect("because 20 bytes are an id");
    Origin { author: String::new(), date: Timestamp::utc(i64::from(number)), commit }
}

fuzz_target!(|data: &[u8]| {
    let parts: Vec<&[u8]> = data.splitn(4, |byte| *byte == 0xFE).collect();
    let [kind, base, ours, theirs] = parts.as_slice() else { return };
    let kind = usize::from(kind.first().copied().unwrap_or(0)) % PATHS.len();
    let path = MemoryPath::parse(PATHS[kind]).expect("because the paths are plain");
    let (one, two) = (origin(1), origin(2));
    let (ours, theirs) =
        (Input { content: ours, origin: &one }, Input { content: theirs, origin: &two });
    let merged = file(&path, Some(base), ours, theirs);
    assert_eq!(merged, file(&path, Some(base), theirs, ours));
    assert_eq!(file(&path, Some(base), ours, ours).content, ours.content);
    assert_eq!(
        file(&path, Some(base), ours, Input { content: base, origin: &two }).content,
        ours.content
    );
    for conflict in &merged.conflicts {
        let read = Conflict::parse(conflict.record_path().as_str(), conflict.render().as_bytes());
        assert_eq!(read.as_ref().ok(), Some(conflict));
    }
    let lines = |text: &[u8]| {
        text.split(|b| *b == b'\n').map(|l| l.trim_ascii_end().to_vec()).collect::<HashSet<_>>()
    };
    let (one, two) = (lines(ours.content), lines(theirs.content));
    for line in lines(&merged.content).iter().filter(|line| line.starts_with(b"<<<<<<<")) {
        assert!(
            one.contains(line)
                || two.contains(line)
                || one.iter().chain(&two).any(|l| l.ends_with(line))
        );
    }
});
