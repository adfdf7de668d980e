//! The merge engine at its boundary: the corpus, the laws, git as oracle, whole team memories.
//! Border: the library as others call it; how units line up inside is tested in the modules.

mod corpus;
mod generate;
mod laws;
mod model;
mod oracle;
mod over;
mod sections;
mod tree;

use memsync::base::id::ObjectId;
use memsync::base::time::Timestamp;
use memsync::merge::Origin;
use proptest::prelude::ProptestConfig;

/// Cases of each law where it counts.
const LAW_CASES_CI: u32 = 2_000;

/// Cases of each law while working.
const LAW_CASES: u32 = 150;

/// How often a law is tried; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` set it for one run.
#[expect(clippy::disallowed_methods, reason = "asks whether this run was given a number")]
pub(crate) fn config() -> ProptestConfig {
    let known = ProptestConfig::default();
    let cases = match (std::env::var_os("PROPTEST_CASES"), option_env!("CI")) {
        (Some(_), _) => known.cases,
        (None, Some(_)) => LAW_CASES_CI,
        (None, None) => LAW_CASES,
    };
    ProptestConfig { cases, failure_persistence: None, ..known }
}

/// Whose a side is: a later number is a later author date, and favoured.
pub(crate) fn origin(number: u8) -> Origin {
    Origin {
        author: format!("Member {number} <m{number}@example.com>"),
        date: Timestamp::utc(1_770_000_000 + i64::from(number)),
        commit: ObjectId::from_bytes(&[number; 20]),
    }
}
