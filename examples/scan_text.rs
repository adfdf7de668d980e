//! Looks for credentials in a text on stdin and prints where each is, never what it is:
//! `cargo run --example scan_text < notes.md`. Exits with 1 when it found any.
//! Border: shows `memsync::secrets`; a whole tree or history is what `memsync scan` is for.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a small program of its own")]

use std::io::Read;
use std::process::ExitCode;

use memsync::base::display::Escaped;
use memsync::secrets::Scanner;

/// More than any memory may have; the rest of a longer input is left out.
const INPUT_BYTES_MAX: u64 = 10_000_000;

fn main() -> ExitCode {
    let mut content = Vec::new();
    if let Err(error) = std::io::stdin().lock().take(INPUT_BYTES_MAX).read_to_end(&mut content) {
        eprintln!("stdin cannot be read: {error}");
        return ExitCode::from(3);
    }
    let findings = Scanner::builtin().scan("stdin", &content);
    for finding in &findings {
        // A finding does not hold the value; the excerpt has it masked. The text around it comes
        // from the input, so it is escaped before a terminal sees it.
        println!(
            "{}:{} {} {}: {}",
            finding.start.line,
            finding.start.column,
            finding.rule,
            finding.message,
            Escaped(&finding.excerpt)
        );
    }
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
