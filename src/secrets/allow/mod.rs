//! Accepted findings: lists by fingerprint, and values accepted where they stand.
//! Border: text and values; which files hold them is for the callers.

pub(crate) mod inline;
mod list;

pub use list::{
    ALLOW_PATH, AllowError, AllowList, Allowed, check_list, entries, entry_text, expiry,
    is_fingerprint,
};
