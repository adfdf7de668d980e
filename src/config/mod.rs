//! The shape of policy and settings, and where each value came from.
//! Border: Reads text, not files.
