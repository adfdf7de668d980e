//! What an agent is told about memory, in blocks: once for a session, and anew for each turn.
//! Border: values in, values out; what is read from disk comes from `local::context`.

pub mod tokens;
pub mod block;
pub mod budget;
pub mod session;
pub mod turn;
