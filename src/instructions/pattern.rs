//! `paths:` patterns of a rule: braces, then the rules of `.gitignore` without regard to case.
//! Border: text against a path below one folder; which folder is `chain`.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::instructions::Profile;

/// The patterns of one rule, ready to be asked.
#[derive(Debug)]
pub struct Patterns {
    matcher: Gitignore,
    written: Vec<String>,
}

impl Patterns {
    /// Makes patterns out of what [`crate::instructions::scope`] read.
    pub fn of(written: Vec<String>, profile: &Profile) -> Self {
        let mut builder = GitignoreBuilder::new("");
        // Only the flag of Windows' own paths could make this fail.
        let builder_ok = builder.case_insensitive(true).is_ok();
        let mut room = (profile.patterns_max, profile.pattern_bytes_max);
        for pattern in &written {
            for expanded in expand(pattern, &mut room) {
                if builder_ok && may_match(&expanded) {
                    // A line that is no pattern matches nothing; the others still count.
                    drop(builder.add_line(None, &line(&expanded)));
                }
            }
        }
        let matcher = builder.build().unwrap_or_else(|_| Gitignore::empty());
        Self { matcher, written }
    }

    /// Whether braces stand for more than the client makes of them.
    pub fn is_over(pattern: &str, profile: &Profile) -> bool {
        expanded(pattern, (profile.patterns_max, profile.pattern_bytes_max)).is_none()
    }

    /// The patterns as they are written, without a trailing `/**`.
    pub fn written(&self) -> &[String] {
        &self.written
    }

    /// Whether a file matches, or a folder around it. The path has `/` between its parts and stays
    /// below the folder of the rule: none with `..` matches.
    pub fn matches(&self, path: &str) -> bool {
        if path.is_empty() || path.split('/').any(|part| part == "..") {
            return false;
        }
        let folders = path.match_indices('/').map(|(at, _)| (&path[..at], true));
        // What is below a folder that matches cannot be taken out again, as in git.
        folders.chain([(path, false)]).any(|(path, is_dir)| self.matches_one(path, is_dir))
    }

    /// The first pattern, as it is written, that a matching path is owed to.
    pub fn hitting(&self, path: &str, profile: &Profile) -> String {
        let alone = |pattern: &&String| Self::of(vec![(*pattern).clone()], profile).matches(path);
        self.written.iter().find(alone).cloned().unwrap_or_default()
    }

    /// Whether this path matches by itself, its folders left aside.
    pub fn matches_one(&self, path: &str, is_dir: bool) -> bool {
        self.matcher.matched(path, is_dir).is_ignore()
    }
}

/// Tells whether the client can match a pattern at all. It builds a regular expression of its own,
/// and these come out as something that no path is.
pub fn may_match(pattern: &str) -> bool {
    let path = pattern.strip_prefix('!').unwrap_or(pattern);
    let is_relative =
        path.split('/').any(|part| part == "." || part == "..") || path.contains("//");
    !is_relative && !has_odd_class(path) && !has_odd_escape(path) && has_closed_classes(path)
}

/// A pattern as a line of `.gitignore`: braces that are left stand for themselves, and what ends in
/// `/**/` means the folder.
fn line(pattern: &str) -> String {
    let folder = pattern.strip_suffix("**/").filter(|folder| folder.ends_with('/'));
    let mut line = String::new();
    let mut chars = folder.unwrap_or(pattern).chars();
    while let Some(c) = chars.next() {
        if matches!(c, '{' | '}') {
            line.push('\\');
        }
        line.push(c);
        if c == '\\' {
            line.extend(chars.next());
        }
    }
    line
}

/// `[!a]`, `[^a]`, `[]a]`, and classes that hold signs of patterns or other classes.
fn has_odd_class(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(open) = rest.find('[') {
        let is_escaped = rest[..open].ends_with('\\');
        rest = &rest[open + 1..];
        let inner = rest.split(']').next().unwrap_or_default();
        let is_odd = rest.starts_with(['!', '^', ']']) || inner.contains(['[', '*', '?']);
        if is_odd && !is_escaped {
            return true;
        }
    }
    false
}

/// A backslash before a letter that means something in a regular expression, or before a slash.
fn has_odd_escape(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.next().is_some_and(|c| "bBdDsSwWnrtvfcxukp0123456789/".contains(c)) {
            return true;
        }
    }
    false
}

fn has_closed_classes(pattern: &str) -> bool {
    let mut open = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => open = true,
            ']' => open = false,
            _ => {}
        }
    }
    !open
}

/// What braces stand for. `room` is how many patterns and bytes are left; a pattern that would take
/// more stays as it is written, which matches nothing.
fn expand(pattern: &str, room: &mut (usize, usize)) -> Vec<String> {
    let Some(all) = expanded(pattern, *room) else { return vec![pattern.to_owned()] };
    let bytes = all.iter().map(String::len).sum::<usize>();
    *room = (room.0.saturating_sub(all.len()), room.1.saturating_sub(bytes));
    all
}

/// Bytes that are moved for one pattern: braces in braces grow slowly and cost much.
const WORK_BYTES_MAX: usize = 64 * 1024 * 1024;

/// All that a pattern stands for; `None` where that is more than there is room for. The client pairs
/// the first `{` with the first `}` behind it, whatever stands between them.
fn expanded(pattern: &str, room: (usize, usize)) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let (mut bytes, mut work) = (0_usize, 0_usize);
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        work += next.len();
        match braces(&next) {
            Some((before, choices, after)) => {
                let choices: Vec<&str> = choices.split(',').take(room.0 + 1).collect();
                open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
            None => {
                bytes += next.len();
                done.push(next);
            }
        }
        if done.len() + open.len() > room.0 || bytes > room.1 || work > WORK_BYTES_MAX {
            return None;
        }
    }
    Some(done)
}

/// What stands before the first pair of braces, in it, and after it.
fn braces(pattern: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = pattern.split_once('{')?;
    let (inner, after) = rest.split_once('}')?;
    (!inner.is_empty()).then_some((before, inner, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::profile::SAMPLE;
    use crate::instructions::scope::{Scope, scope};

    const FILES: [&str; 14] = [
        "a.py",
        "src/a.py",
        "src/x/b.py",
        "src/x/y/c.ts",
        "docs/readme.md",
        "A2.PY",
        "sp ace/f.txt",
        ".hidden/z.py",
        "src/.env",
        "[x]/q.ts",
        "#x",
        "src/2.py",
        "x/w.txt",
        "src/{a.py",
    ];

    fn matching(pattern: &str) -> Vec<&'static str> {
        let value = serde_json::to_string(pattern).unwrap();
        let Scope::Paths(written) = scope(&format!("paths: {value}")).scope else {
            panic!("{pattern}")
        };
        let patterns = Patterns::of(written, &SAMPLE);
        FILES.into_iter().filter(|file| patterns.matches(file)).collect()
    }

    #[test]
    fn a_pattern_matches_what_it_matched_in_the_client() {
        let src = ["src/a.py", "src/x/b.py", "src/x/y/c.ts", "src/.env", "src/2.py", "src/{a.py"];
        let python =
            ["a.py", "src/a.py", "src/x/b.py", "A2.PY", ".hidden/z.py", "src/2.py", "src/{a.py"];
        for pattern in [
            "src/**",
            "src/**/*",
            "src",
            "src/",
            "/src",
            "SRC/**",
            "src/**/",
            "  src/**  ",
            "src/*",
            "src/***",
        ] {
            assert_eq!(matching(pattern), src, "{pattern}");
        }
        for pattern in ["*.py", "**/*.py", "**.py"] {
            assert_eq!(matching(pattern), python, "{pattern}");
        }
        for pattern in ["x", "x/", "**/x", "**/x/**"] {
            assert_eq!(matching(pattern), ["src/x/b.py", "src/x/y/c.ts", "x/w.txt"], "{pattern}");
        }
        let rows: [(&str, &[&str]); 30] = [
            ("src/*.py", &["src/a.py", "src/2.py", "src/{a.py"]),
            ("/*.py", &["a.py", "A2.PY"]),
            ("./src/**", &[]),
            ("../proj/src/**", &[]),
            ("src/**/*.ts", &["src/x/y/c.ts"]),
            ("src/**/c.ts", &["src/x/y/c.ts"]),
            ("s**/a.py", &["src/a.py"]),
            ("b.py", &["src/x/b.py"]),
            ("!src/**", &[]),
            ("src/?.py", &["src/a.py", "src/2.py"]),
            ("src/[a-b].py", &["src/a.py"]),
            ("src/[!b].py", &[]),
            ("src/[^b].py", &[]),
            ("src/[", &[]),
            ("[x]/q.ts", &[]),
            ("\\[x\\]/q.ts", &["[x]/q.ts"]),
            ("sp ace/**", &["sp ace/f.txt"]),
            ("sp\\ ace/**", &["sp ace/f.txt"]),
            ("docs", &["docs/readme.md"]),
            ("*.md", &["docs/readme.md"]),
            (".env", &["src/.env"]),
            ("**/.*", &[".hidden/z.py", "src/.env"]),
            (".hidden/**", &[".hidden/z.py"]),
            ("*/a.py", &["src/a.py"]),
            ("src\\a.py", &[]),
            ("#x", &[]),
            ("\\#x", &["#x"]),
            ("src/@(a|b).py", &[]),
            ("src//a.py", &[]),
            ("src/x/**\ndocs/**", &[]),
        ];
        for (pattern, expected) in rows {
            assert_eq!(matching(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn braces_stand_for_their_choices() {
        let rows: [(&str, &[&str]); 10] = [
            ("{docs,src/x}/**", &["src/x/b.py", "src/x/y/c.ts", "docs/readme.md"]),
            ("src/{1..3}.py", &[]),
            ("src/{a,{x/b,q}}.py", &["src/x/b.py"]),
            ("src/{a}.py", &["src/a.py"]),
            ("src/a{,.x}.py", &["src/a.py"]),
            ("src/{a.py", &["src/{a.py"]),
            ("src/{a,b}}.py", &[]),
            ("{{src}}/a.py", &["src/a.py"]),
            ("src/\\{a\\}.py", &["src/a.py"]),
            ("{}", &[]),
        ];
        for (pattern, expected) in rows {
            let found: Vec<_> = matching(pattern);
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn several_patterns_are_read_like_the_lines_of_gitignore() {
        let all = |written: &[&str]| {
            Patterns::of(written.iter().map(|p| (*p).to_owned()).collect(), &SAMPLE)
        };
        assert!(!all(&["*.py", "!b.py"]).matches("src/b.py"));
        assert!(all(&["src/b.py", "!*.py", "*.py"]).matches("src/b.py"));
        assert!(all(&["!src/b.py", "src/*.py"]).matches("src/b.py"));
        assert!(all(&["src", "!src/x"]).matches("src/x/b.py"), "a folder above it matches");
        assert!(
            all(&["src/[", "src/b.py"]).matches("src/b.py"),
            "one that is none spoils no other"
        );
        assert!(!all(&["src"]).matches("../src/a.py"));
    }

    #[test]
    fn a_million_patterns_are_not_made() {
        let ten = "{a,b,c,d,e,f,g,h,i,j}";
        let all = |written: &[String]| Patterns::of(written.to_vec(), &SAMPLE);
        let thousand = ten.repeat(3);
        assert!(all(std::slice::from_ref(&thousand)).matches("abc"), "1,000 are allowed");
        assert!(!all(&["x".to_owned(), thousand]).matches("abc"), "1,001 are not");
        let million = ten.repeat(6);
        assert!(all(&[million, "src".to_owned()]).matches("src/a"), "the others still count");
        let nested = "{".repeat(200_000) + &"}".repeat(200_000);
        assert!(!all(&[nested]).matches("a"));
        let wide = format!("{{{}}}", "a,".repeat(1_001));
        assert!(!all(&[wide]).matches("a"));
    }
}
