//! Which git is needed and which is there.
//! Border: reads what git says of itself; asking is `requests`.

use std::fmt::{self, Display};

/// The oldest git that memsync works with. 2.34 is the first that verifies SSH signatures
/// (`gpg.format=ssh`), so the first where plain `git verify-commit` accepts what memsync signs, and
/// it has every option used here (`fetch --no-write-fetch-head` came with 2.29). Later options that
/// would be convenient (`fetch --porcelain`, 2.41) are left out: macOS and Debian 12 ship 2.39.
pub const GIT_VERSION_MIN: GitVersion = GitVersion { major: 2, minor: 34 };

/// A version of git; the patch level decides nothing here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl Display for GitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl GitVersion {
    /// Reads what `git --version` prints, also Apple's and Windows' forms.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().strip_prefix("git version ")?.split(['.', ' ']);
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some(Self { major, minor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_in_every_form() {
        for (text, version) in [
            ("git version 2.47.3\n", Some((2, 47))),
            ("git version 2.39.5 (Apple Git-154)", Some((2, 39))),
            ("git version 2.51.0.windows.1", Some((2, 51))),
            ("git version 3.0", Some((3, 0))),
            ("git version 2.55.rc1", Some((2, 55))),
            ("hg 2.34", None),
            ("", None),
        ] {
            let version = version.map(|(major, minor)| GitVersion { major, minor });
            assert_eq!(GitVersion::parse(text), version, "{text}");
        }
        assert!(GitVersion { major: 3, minor: 0 } > GIT_VERSION_MIN);
    }
}
