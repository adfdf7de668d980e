//! What must hold after every exchange: no marker, sound repositories, clean work trees, one history.
//! Border: asserts; changes nothing.

use std::path::Path;

use super::{Member, World, git};

/// Asserts that members and hub agree in everything.
pub(crate) fn assert_agreed(world: &World, members: &[&Member]) {
    let hub = world.hub_files();
    for member in members {
        assert_eq!(member.committed(), hub, "{} differs from the hub", member.memdir.display());
        assert_eq!(
            member.tip(),
            git(&world.hub(), &["rev-parse", "main"]),
            "{} is at another commit",
            member.memdir.display()
        );
        assert_untouched(member);
    }
    assert_sound(&world.hub());
}

/// Asserts that a member's clone is sound, what is on disk is what is committed, and no marker is anywhere.
pub(crate) fn assert_untouched(member: &Member) {
    assert_clean(member);
    assert_sound(&member.team());
    for (path, content) in member.files() {
        let text = String::from_utf8_lossy(&content);
        for line in text.lines() {
            let is_marker =
                ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| line.starts_with(mark));
            assert!(!is_marker && line != "=======", "a marker in {path}: {line}");
        }
    }
}

/// Asserts that plain `git status` finds nothing.
pub(crate) fn assert_clean(member: &Member) {
    assert_eq!(member.git(&["status", "--porcelain"]), "", "{}", member.memdir.display());
}

/// Asserts that git finds no fault in a repository.
pub(crate) fn assert_sound(repository: &Path) {
    git(repository, &["fsck", "--strict", "--no-dangling", "--no-progress"]);
}

/// How often the index points at a file.
pub(crate) fn entries_for(index: &str, target: &str) -> usize {
    index.matches(&format!("]({target})")).count()
}
