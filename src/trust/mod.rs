//! Who may change team memory: keys, signatures, the roster and the verdict on a history.
//! Border: pure rules on values. Callers hand in raw commits, rosters and randomness; nothing
//! here reads a file, a repository, a clock or the environment.
//! Read: `key`, `signature`, `trailers`, `roster`, `rights`, `authorize`, `history`.

pub mod key;
pub mod commit;
pub(crate) mod wire;
mod signature_problem;
mod sshsig;
pub mod signature;
pub mod roster;
pub mod rights;
pub mod allowed_signers;
pub mod request;
pub mod trailers;
pub mod verdict;
pub mod authorize;
pub mod history;
