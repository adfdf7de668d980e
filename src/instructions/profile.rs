//! What one client calls its instruction files and how far it reads them.
//! Border: the shape; the values of each client are `store::agent`.

/// The names and limits of a client that reads files like Claude Code does.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Project instructions of a folder, in order.
    pub project: &'static [&'static str],
    /// Instructions of one person in a folder.
    pub local: &'static str,
    /// Rules of a folder.
    pub rules: &'static str,
    /// Instructions of other agents, read where a project has none of its own, in order.
    pub foreign: &'static [&'static str],
    /// A person's own instructions, below the client's folder.
    pub user: &'static str,
    /// A person's own rules, below the client's folder.
    pub user_rules: &'static str,
    /// How far imports lead: the file that is `hops_max` imports away still loads.
    pub hops_max: usize,
    /// A larger file is not read.
    pub file_bytes_max: u64,
    /// Extensions, in small letters, of files that may be imported; a file without one may be, too.
    pub import_extensions: &'static [&'static str],
    /// Patterns that the braces of one rule may stand for.
    pub patterns_max: usize,
    /// Bytes of all these patterns together.
    pub pattern_bytes_max: usize,
    /// Lines of the memory index that are loaded.
    pub memory_lines_max: usize,
    /// UTF-16 units of the memory index that are loaded.
    pub memory_units_max: usize,
}

/// A profile for tests of the rules, with the limits of a real client.
#[cfg(test)]
pub(super) const SAMPLE: Profile = Profile {
    project: &["CLAUDE.md", ".claude/CLAUDE.md"],
    local: "CLAUDE.local.md",
    rules: ".claude/rules",
    foreign: &["AGENTS.md", ".claude/AGENTS.md"],
    user: "CLAUDE.md",
    user_rules: "rules",
    hops_max: 4,
    file_bytes_max: 4 * 1024 * 1024,
    import_extensions: &["md", "txt", "json"],
    patterns_max: 1_000,
    pattern_bytes_max: 4 * 1024 * 1024,
    memory_lines_max: 200,
    memory_units_max: 25_000,
};
