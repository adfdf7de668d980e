//! Merges three versions of a MEMORY.md by entry and prints the result:
//! `cargo run --example merge_index -- base.md ours.md theirs.md`.
//! Border: shows `memsync::merge::kinds::index`, which is pure; the files are only read.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a small program of its own")]

use std::process::ExitCode;

use memsync::merge::kinds::index::merge_index;

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let [base, ours, theirs] = paths.as_slice() else {
        eprintln!("usage: merge_index BASE OURS THEIRS");
        return ExitCode::from(2);
    };
    let mut texts = Vec::new();
    for path in [base, ours, theirs] {
        match std::fs::read_to_string(path) {
            Ok(text) => texts.push(text),
            Err(error) => {
                eprintln!("`{}` cannot be read: {error}", path.display());
                return ExitCode::from(3);
            }
        }
    }
    // There is nothing to ask and nothing that can fail: what one side deleted is gone, what one
    // side added is there once, and of two edits of one entry one is chosen by a fixed rule.
    print!("{}", merge_index(&texts[0], &texts[1], &texts[2]));
    ExitCode::SUCCESS
}
