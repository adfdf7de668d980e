//! Which files a person's settings leave out: globs over absolute paths.
//! Border: values; the settings are read by `local`.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// The patterns of `claudeMdExcludes` of all settings together.
#[derive(Clone, Debug, Default)]
pub struct Excludes {
    globs: Vec<(GlobMatcher, bool, String)>,
    /// Patterns that are none.
    pub invalid: Vec<String>,
}

impl Excludes {
    /// Reads patterns; `!` in front turns one round.
    pub fn of<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Self {
        let mut excludes = Self::default();
        for written in patterns {
            let (pattern, is_negated) =
                written.strip_prefix('!').map_or((written, false), |pattern| (pattern, true));
            match GlobBuilder::new(pattern).literal_separator(true).build() {
                Ok(glob) => {
                    excludes.globs.push((glob.compile_matcher(), is_negated, written.to_owned()));
                }
                Err(_) => excludes.invalid.push(written.to_owned()),
            }
        }
        excludes
    }

    /// The first pattern that leaves a file out.
    pub fn matching(&self, path: &Path) -> Option<&str> {
        let hit = |(glob, is_negated, _): &&(GlobMatcher, bool, String)| {
            glob.is_match(path) != *is_negated
        };
        self.globs.iter().find(hit).map(|(_, _, written)| written.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_about_whole_absolute_paths() {
        for (pattern, path, expected) in [
            ("/p/.claude/rules/**", "/p/.claude/rules/a/b.md", true),
            ("**/w/CLAUDE.md", "/t/w/CLAUDE.md", true),
            ("**/.claude/CLAUDE.md", "/h/.claude/CLAUDE.md", true),
            ("**/.claude/**", "/p/.claude/rules/a.md", true),
            ("**/rules/{a,b}.md", "/p/rules/b.md", true),
            ("/t/*/w/p/*/CLAUDE.md", "/t/x/w/p/.claude/CLAUDE.md", true),
            ("/t/**/a.md", "/t/x/y/a.md", true),
            ("!**/CLAUDE.md", "/p/CLAUDE.local.md", true),
            ("!**/CLAUDE.md", "/p/CLAUDE.md", false),
            ("CLAUDE.md", "/p/CLAUDE.md", false),
            ("~/.claude/CLAUDE.md", "/h/.claude/CLAUDE.md", false),
            ("**/rules/c.md", "/p/rules/C.md", false),
            ("**/.claude/rules", "/p/.claude/rules/a.md", false),
            ("**/rules/*", "/p/rules/a/b.md", false),
        ] {
            let found = Excludes::of([pattern]).matching(Path::new(path)).is_some();
            assert_eq!(found, expected, "{pattern} {path}");
        }
        assert_eq!(Excludes::of(["a[", "**/x"]).invalid, ["a["]);
    }
}
