//! Why a gitleaks configuration was refused, and where in it.
//! Border: no scan runs with part of a configuration's rules.

/// Why a configuration was refused. No scan runs with part of its rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitleaksError {
    /// It is not TOML or not of gitleaks' shape.
    #[error("`{file}` cannot be read as a gitleaks configuration")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser says, with line and column.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A pattern cannot be compiled.
    #[error("a pattern of `{owner}` in `{file}` cannot be compiled")]
    Pattern {
        /// The file.
        file: String,
        /// The rule, or `allowlist`.
        owner: String,
        /// What the compiler says.
        #[source]
        source: Box<regex::Error>,
    },
    /// A value makes no sense.
    #[error("`{file}`: {problem}")]
    Field {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
}

/// Gives the place of what is written, see [`place_of`].
pub(super) type At<'a> = &'a dyn Fn(&str) -> String;
