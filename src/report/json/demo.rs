//! `memsync demo --format json`.
//! Border: shapes only.

use std::path::PathBuf;

use serde::Serialize;

/// Format of [`DemoDocument`].
pub const DEMO_FORMAT: &str = "memsync.demo/1";

/// What the demo ran. It is written only when every step did what it should.
#[derive(Clone, Debug, Serialize)]
pub struct DemoDocument {
    /// The commands in order.
    pub steps: Vec<DemoStep>,
    /// The folder that was kept; `null` when everything was taken away again.
    pub folder: Option<PathBuf>,
}

/// One command of the story.
#[derive(Clone, Debug, Serialize)]
pub struct DemoStep {
    /// Who ran it: `ada` or `ben`.
    pub who: &'static str,
    /// The command as typed.
    pub command: String,
    /// How it exited, as the story expects.
    pub exit: u8,
}
