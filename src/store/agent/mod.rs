//! What memsync knows of each agent client: names, places, limits. One file per client.
//! Border: data that was measured; what is made of it is the rules' business.

pub mod claude_code;
pub mod codex;
