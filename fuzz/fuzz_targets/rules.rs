//! Fuzzes rules and configurations that come from people: refused or loaded, never a panic or a bomb.
//! Border: the first byte chooses the reader; the rest is its text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memsync::secrets::Scanner;
use memsync::secrets::gitleaks::GitleaksConfig;
use memsync::secrets::rules::ruleset::Ruleset;

fuzz_target!(|input: (bool, &str)| {
    let scanner = match input {
        (true, text) => Ruleset::custom("rules.toml", text).map(|set| Scanner::to_extend().with_rules(set)).ok(),
        (false, text) => {
            GitleaksConfig::parse(".gitleaks.toml", text).map(|c| Scanner::to_extend().with_gitleaks(c)).ok()
        }
    };
    if let Some(scanner) = scanner {
        drop(scanner.scan("a.md", b"token = abcdef0123456789 and badge-123456 in one line"));
    }
});
