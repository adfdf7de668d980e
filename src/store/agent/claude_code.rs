//! Claude Code: what its instruction files are called, how far it reads, where its settings are.
//! Border: data, measured with 2.1.332; the rules over it are `instructions`.

use crate::instructions::Profile;

/// The folder of a person's own files below home.
pub const USER_FOLDER: &str = ".claude";
/// Names another folder instead.
pub const CONFIG_DIR_VARIABLE: &str = "CLAUDE_CONFIG_DIR";
/// Switches all instruction files off.
pub const NO_INSTRUCTIONS_VARIABLE: &str = "CLAUDE_CODE_DISABLE_CLAUDE_MDS";
/// Switches the private memory off; `0` switches it on whatever else says.
pub const NO_MEMORY_VARIABLE: &str = "CLAUDE_CODE_DISABLE_AUTO_MEMORY";
/// What the client notes about projects, beside the user folder or in the one the variable names.
pub const STATE_FILE: &str = ".claude.json";
/// The key of a project in it that allows imports from outside.
pub const OUTSIDE_APPROVED: &str = "hasClaudeMdExternalIncludesApproved";
/// A person's settings, below the user folder.
pub const USER_SETTINGS: &str = "settings.json";
/// A project's settings, below its folder; the later one counts more.
pub const PROJECT_SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
/// The organisation's settings, below its folder.
pub const MANAGED_SETTINGS: &str = "managed-settings.json";
/// The key of globs that leave files out.
pub const EXCLUDES: &str = "claudeMdExcludes";
/// The key of instructions inside the organisation's settings.
pub const MANAGED_TEXT: &str = "claudeMd";
/// The key that switches the private memory.
pub const MEMORY_ENABLED: &str = "autoMemoryEnabled";
/// Where the choice of project instructions is in settings that are not the project's.
pub const FOREIGN_POINTER: &str = "/pluginConfigs/agents-md@builtin/options/instructionFiles";
/// The index of the private memory.
pub const MEMORY_INDEX: &str = "MEMORY.md";

/// The key of the hooks in settings.
pub const HOOKS: &str = "hooks";
/// The keys that switch hooks off: all of them, or all but the organisation's.
pub const HOOKS_OFF: [&str; 2] = ["disableAllHooks", "allowManagedHooksOnly"];
/// Names folders that take the place of the private memory: the client's own team mode.
pub const MEMORY_STORES_VARIABLE: &str = "CLAUDE_MEMORY_STORES";
/// Where hooks are put, and for which tools; no matcher is every tool, and for files every name.
pub const HOOK_EVENTS: [(&str, Option<&str>); 9] = [
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PreToolUse", Some(WRITING_TOOLS)),
    ("PostToolUse", Some(WRITING_TOOLS)),
    ("FileChanged", None),
    ("Stop", None),
    ("SubagentStop", None),
    ("PreCompact", None),
    ("SessionEnd", None),
];
/// The tools that may write into a memory directory.
const WRITING_TOOLS: &str = "Write|Edit|MultiEdit|Bash";
/// What a prompt begins with that no person wrote.
pub const TASK_NOTIFICATION: &str = "<task-notification>";

/// Context of one hook answer arrives whole up to about 9,990 characters; a longer one goes to a file.
pub const HOOK_ANSWER_CHARACTERS_MAX: usize = 9_900;

/// Where an organisation puts its instructions and settings.
pub const MANAGED_FOLDER: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    "C:\\Program Files\\ClaudeCode"
} else {
    "/etc/claude-code"
};

/// Its instruction files.
pub const PROFILE: Profile = Profile {
    project: &["CLAUDE.md", ".claude/CLAUDE.md"],
    local: "CLAUDE.local.md",
    rules: ".claude/rules",
    foreign: &["AGENTS.md", ".claude/AGENTS.md"],
    user: "CLAUDE.md",
    user_rules: "rules",
    hops_max: 4,
    file_bytes_max: 4 * 1024 * 1024,
    import_extensions: &IMPORT_EXTENSIONS,
    patterns_max: 1_000,
    pattern_bytes_max: 4 * 1024 * 1024,
    memory_lines_max: 200,
    memory_units_max: 25_000,
};

/// Extensions that were imported; a hundred others, `mdx`, `markdown` and `jsonl` among them, were not.
const IMPORT_EXTENSIONS: [&str; 102] = [
    "md",
    "txt",
    "text",
    "rst",
    "adoc",
    "asciidoc",
    "org",
    "tex",
    "json",
    "yaml",
    "yml",
    "toml",
    "xml",
    "csv",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "js",
    "jsx",
    "ts",
    "tsx",
    "mjs",
    "cjs",
    "mts",
    "cts",
    "py",
    "pyi",
    "rb",
    "erb",
    "rake",
    "go",
    "rs",
    "java",
    "kt",
    "kts",
    "scala",
    "sbt",
    "gradle",
    "c",
    "cpp",
    "cc",
    "cxx",
    "h",
    "hpp",
    "hxx",
    "cs",
    "swift",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "env",
    "ini",
    "cfg",
    "conf",
    "config",
    "properties",
    "sql",
    "graphql",
    "gql",
    "proto",
    "vue",
    "svelte",
    "astro",
    "ejs",
    "hbs",
    "pug",
    "jade",
    "php",
    "pl",
    "pm",
    "lua",
    "r",
    "dart",
    "ex",
    "exs",
    "erl",
    "hrl",
    "clj",
    "cljs",
    "cljc",
    "edn",
    "hs",
    "lhs",
    "elm",
    "ml",
    "mli",
    "f",
    "f90",
    "f95",
    "for",
    "cmake",
    "log",
    "lock",
    "diff",
    "patch",
];
