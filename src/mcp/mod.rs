//! The door for clients that speak the Model Context Protocol: tools, resources and prompts over stdio.
//! Border: the protocol's shapes; what a tool does is a flow's, and the gate has its say in each.
//!
//! From the ground up: `desk` is what calls work with, `answer` and `arguments` their words, `reading`,
//! `writing` and `sharing` the tools, `tools` their list, `resources` and `prompts` the other two, `changes`
//! what is subscribed to, `lines` the bound on what comes in, and `server` puts them together.

pub mod desk;
mod answer;
mod arguments;
mod reading;
mod writing;
mod sharing;
mod tools;
mod resources;
mod prompts;
mod changes;
mod lines;
pub mod server;
