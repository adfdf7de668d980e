//! What is found: the levels, the finding without its value, its mask and its record in documents.
//! Border: shapes; how something is found is above.

pub(crate) mod level;
pub(crate) mod mask;
pub(crate) mod position;
pub(crate) mod report;
pub(crate) mod hit;
pub mod record;

pub use level::{Confidence, Severity};
pub use mask::MASK;
pub use report::{Finding, fingerprint};
