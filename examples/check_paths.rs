//! Tells which names a team memory accepts, and why not:
//! `cargo run --example check_paths -- notes.md ../notes.md 'a:b.md'`. Exits with 1 when one is refused.
//! Border: shows `memsync::base::path`; for scripts there is `memsync path check --format json`.
#![expect(clippy::print_stdout, reason = "a small program of its own")]

use std::process::ExitCode;

use memsync::base::path::{MemoryPath, collisions};

fn main() -> ExitCode {
    let mut accepted = Vec::new();
    let mut all_good = true;
    for argument in std::env::args_os().skip(1) {
        // The type is the proof: what is a MemoryPath has passed every rule, so code that takes one
        // need not check again.
        match MemoryPath::parse_bytes(argument.as_encoded_bytes()) {
            Ok(path) => accepted.push(path),
            Err(problem) => {
                all_good = false;
                println!("refused: {problem}");
            }
        }
    }
    for path in &accepted {
        println!("accepted: {path}");
    }
    let names: Vec<&str> = accepted.iter().map(MemoryPath::as_str).collect();
    for (one, other) in collisions(&names) {
        all_good = false;
        println!("refused: `{}` and `{}` are one file on some systems", names[one], names[other]);
    }
    if all_good { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
