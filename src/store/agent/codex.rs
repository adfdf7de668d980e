//! Codex: what its instruction files are called, how far it reads, where its configuration is.
//! Border: data, measured with 0.171.0; the rules over it are `instructions::codex`.

/// The folder of a person's own files below home.
pub const USER_FOLDER: &str = ".codex";
/// Names another folder instead.
pub const HOME_VARIABLE: &str = "CODEX_HOME";
/// Its configuration, below the user folder.
pub const CONFIG_FILE: &str = "config.toml";
/// Instruction files of a folder, in order: the first one there counts.
pub const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];
/// The key of more names, which come after these.
pub const FALLBACK_NAMES: &str = "project_doc_fallback_filenames";
/// The key of how many bytes of a project are read in all, and what holds without it.
pub const BYTES_MAX_KEY: &str = "project_doc_max_bytes";
/// See [`BYTES_MAX_KEY`].
pub const BYTES_MAX: usize = 32 * 1024;
/// The key of what marks the top of a project, and what holds without it.
pub const MARKERS_KEY: &str = "project_root_markers";
/// See [`MARKERS_KEY`].
pub const MARKERS: [&str; 1] = [".git"];
/// Its hooks, below the user folder, in the shape of Claude Code's settings.
pub const HOOKS_FILE: &str = "hooks.json";
/// Where hooks are put, and for which tools.
pub const HOOK_EVENTS: [(&str, Option<&str>); 7] = [
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PreToolUse", None),
    ("PostToolUse", None),
    ("PreCompact", None),
    ("Stop", None),
    ("SessionEnd", None),
];
