//! When a rule applies: always, or where its `paths:` match; read as leniently as the client does.
//! Border: the text between the fences; what a pattern matches is `pattern`.

use serde_json::Value;

/// When a rule applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In every session.
    Always,
    /// When a file is touched that one of these patterns matches; a trailing `/**` is left out.
    Paths(Vec<String>),
}

/// What the frontmatter of a rule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// When the rule applies.
    pub scope: Scope,
    /// Whether it is YAML as it stands.
    pub form: Form,
    /// Keys at the top, as far as it could be read.
    pub keys: Vec<String>,
}

/// How the frontmatter could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is YAML.
    Valid,
    /// It is not; the client guesses quotes around values, and that works.
    Mended,
    /// It is not, and nothing of it counts.
    Broken {
        /// The line, from 1 in the frontmatter, where the parser names one.
        line: Option<usize>,
        /// What the parser says.
        message: String,
    },
    /// It is YAML but no `key: value` lines.
    NoFields,
}

/// Reads the frontmatter of a rule.
pub fn scope(frontmatter: &str) -> Read {
    let (value, form) = match parse(frontmatter) {
        Ok(value) => (value, Form::Valid),
        Err(first) => {
            let untabbed: String = frontmatter.lines().map(|line| untabbed(line) + "\n").collect();
            let mended: String = untabbed.lines().map(|line| quoted(line) + "\n").collect();
            match parse(&untabbed).or_else(|_| parse(&mended)) {
                Ok(value) => (value, Form::Mended),
                Err(_) => (Value::Null, first),
            }
        }
    };
    let form = match (&value, form) {
        (Value::Object(_) | Value::Null, form) => form,
        (_, Form::Valid | Form::Mended) => Form::NoFields,
        (_, form) => form,
    };
    let keys = value.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
    Read { scope: of(value.get("paths")), form, keys }
}

fn parse(text: &str) -> Result<Value, Form> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let duplicate_keys = serde_yaml::DuplicateKeyPolicy::LastWins;
    let options = serde_yaml::options! { duplicate_keys: duplicate_keys };
    serde_yaml::from_str_with_options(text, options).map_err(|error| {
        let line = error.location().and_then(|at| usize::try_from(at.line()).ok());
        let message = error.without_snippet().to_string();
        Form::Broken { line, message: message.lines().next().unwrap_or_default().to_owned() }
    })
}

/// A line whose indentation has no tabs.
fn untabbed(line: &str) -> String {
    let rest = line.trim_start_matches(['\t', ' ']);
    line[..line.len() - rest.len()].replace('\t', "  ") + rest
}

/// A line `key: value` whose value is put into quotes where it needs them and has none.
fn quoted(line: &str) -> String {
    let is_key = |key: &str| {
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'))
    };
    let parts = line.split_once(':').filter(|(key, value)| {
        is_key(key) && value.starts_with([' ', '\t']) && !value.trim().is_empty()
    });
    let Some((key, value)) = parts else { return line.to_owned() };
    let value = value.trim();
    let has = |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    let needs = value.contains(['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`']);
    if has('"') || has('\'') || !(needs || value.contains(": ")) {
        return line.to_owned();
    }
    format!("{key}: \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

fn of(paths: Option<&Value>) -> Scope {
    let written: Vec<&str> = match paths {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let patterns = written.into_iter().flat_map(apart);
    let patterns: Vec<String> = patterns
        .map(|pattern| pattern.strip_suffix("/**").unwrap_or(pattern).to_owned())
        .filter(|pattern| !pattern.is_empty())
        .collect();
    if patterns.iter().all(|pattern| pattern == "**") {
        Scope::Always
    } else {
        Scope::Paths(patterns)
    }
}

/// A text at its commas, those inside braces left alone.
fn apart(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(patterns: &[&str]) -> Scope {
        Scope::Paths(patterns.iter().map(|pattern| (*pattern).to_owned()).collect())
    }

    #[test]
    fn a_rule_applies_always_where_the_client_loads_it_always() {
        for text in [
            "",
            "paths: []",
            "paths: \"\"",
            "paths:",
            "paths: ~",
            "paths: 123",
            "paths: true",
            "paths:\n  a: docs/**",
            "paths: \"**\"",
            "paths: [\"**\", \"\"]",
            "paths: \"/**\"",
            "paths: \"**/**\"",
            "paths: **",
            "paths:src/**",
            "globs: src/**",
            "Paths: src/**",
            "path: src/**",
            "paths: !src/**",
            "- *.py\npaths: src/**",
            "paths:\n  - *.py",
            "paths:\n  - **/*.ts",
            "paths:\n  - {docs,src}/**",
            "paths:\n  - src/**: x",
            "paths:\n    - \"f\"\n  - x",
            "paths:\n  - 'src/**'\nbroken line",
            "paths: '*.py', '*.f'",
            "x: \"a\" b\npaths: docs/**",
            "description: \"a \"b\" c\"\npaths: src/**",
        ] {
            assert_eq!(scope(text).scope, Scope::Always, "{text:?}");
        }
    }

    #[test]
    fn paths_are_read_in_every_shape_the_client_reads() {
        let rows: [(&str, &[&str]); 33] = [
            ("paths: src/**", &["src"]),
            ("paths: 'src/**'  # x", &["src"]),
            ("\"paths\": src/**", &["src"]),
            ("  paths: src/**", &["src"]),
            ("paths : src/**", &["src"]),
            ("x: 1\n\npaths:\n- src/**", &["src"]),
            ("paths: >\n  src/**", &["src"]),
            ("paths: |-\n  src/**", &["src"]),
            ("paths: &a src/**", &["src"]),
            ("paths: src/x/**, docs/**", &["src/x", "docs"]),
            ("paths: src/x/**,docs/**", &["src/x", "docs"]),
            ("paths: \"{docs,src/x}/**, zzz\"", &["{docs,src/x}", "zzz"]),
            ("paths: src/**, \"docs/**\"", &["src", "\"docs/**\""]),
            ("paths:\n  - src/**, # c", &["src"]),
            ("paths: [src/x/**, docs/**]", &["src/x", "docs"]),
            ("paths:\n  - src/x/**\n  - docs/**", &["src/x", "docs"]),
            ("paths:\n  - \"docs/**, src/x/**\"", &["docs", "src/x"]),
            ("paths:\n  -\n  - docs/**", &["docs"]),
            ("paths:\n  - 5\n  - docs/**", &["docs"]),
            ("paths: [ 'src/**' , ]", &["src"]),
            ("paths: zzz\npaths: docs/**", &["docs"]),
            ("paths: [\"**\", \"docs/**\"]", &["**", "docs"]),
            ("paths: \"**/*\"", &["**/*"]),
            ("paths: *.py", &["*.py"]),
            ("paths: **/*.py", &["**/*.py"]),
            ("paths: {src,docs}/**", &["{src,docs}"]),
            ("paths: [*.py]", &["[*.py]"]),
            ("paths: [src/**", &["[src"]),
            ("paths: src/**: x", &["src/**: x"]),
            ("paths: docs/**\nx: [un", &["docs"]),
            ("description: a: b\npaths: docs/**", &["docs"]),
            ("description: [a] b\npaths: src/**", &["src"]),
            ("paths:\n\t- docs/**", &["docs"]),
        ];
        for (text, expected) in rows {
            assert_eq!(scope(text).scope, paths(expected), "{text:?}");
        }
        assert_eq!(scope("paths: [src/**").form, Form::Mended);
        assert!(matches!(scope("a: \"b\" c").form, Form::Broken { .. }));
        assert_eq!(scope("only words").form, Form::NoFields);
    }
}
