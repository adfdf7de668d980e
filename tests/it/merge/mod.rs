//! The merge engine at its boundary: the corpus, the laws, git as oracle, whole team memories.
//! Border: the library as others call it; how units line up inside is tested in the modules.

mod corpus;
mod generate;
mod laws;
mod model;
mod oracle;
mod tree;

use memsync::base::id::ObjectId;
use memsync::base::time::Timestamp;
use memsync::merge::Origin;

/// Whose a side is: a later number is a later author date, and favoured.
pub(crate) fn origin(number: u8) -> Origin {
    Origin {
        author: format!("Member {number} <m{number}@example.com>"),
        date: Timestamp::utc(1_770_000_000 + i64::from(number)),
        commit: ObjectId::from_bytes(&[number; 20]).unwrap(),
    }
}
