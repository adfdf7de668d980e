//! The flows of sharing
//! Border:  init, join, pull, push, status.:May not import `local`.

pub mod hooks;
