//! How bad a leak is and how sure the scanner is: what a finding is ranked by.
//! Border: two scales; which rule stands where is in the rule files.

use serde::{Deserialize, Serialize};

/// How bad it is when the credential leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Little harm: short-lived or read-only.
    Low,
    /// Harm within one service.
    Medium,
    /// Access to a service or to data.
    High,
    /// Access to money, infrastructure or everything a person can do.
    Critical,
}

/// How sure the scanner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The words around it say so and the value looks like one.
    Medium,
    /// The value has the shape of a vendor's credential.
    High,
    /// The value proves itself: a checksum or a decoded structure is right.
    Proven,
}
