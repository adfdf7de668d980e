//! Faults that were met in public memory folders, their histories and bug reports, each with its input
//! and a second one of its kind.
//! Border: what is right for each; the laws behind them are tested beside each module.

mod index;
mod merging;
mod scan;
mod sharing;

/// Every case by number and name, with its check, which runs both inputs.
const CASES: [(&str, fn()); 22] = [
    ("00 an index that is kept out", sharing::index_kept_out),
    ("01 an item under another heading", merging::item_beside_new_section),
    ("02 lines that are no entries", index::lines_that_are_no_entries),
    ("03 targets from above the folder", index::targets_from_above),
    ("04 check looks at the disk", index::check_looks_at_the_disk),
    ("05 frontmatter that is no YAML", merging::frontmatter_that_is_no_yaml),
    ("06 what is kept out is not shown", sharing::kept_out_is_not_shown),
    ("07 a heading that both added", merging::heading_of_both),
    ("08 no credential", scan::no_credential),
    ("09 a file moved out of an accepted folder", scan::moved_out_of_an_accepted_folder),
    ("10 a credential as notes hold it", scan::credentials_of_notes),
    ("11 a thing in the place of a memory", sharing::thing_in_the_place_of_a_memory),
    ("12 another branch", sharing::another_branch),
    ("13 rows and lines", merging::rows_and_lines),
    ("14 hubs", index::hubs),
    ("15 day logs", merging::day_logs),
    ("16 links in prose", index::links_in_prose),
    ("17 hooks that follow", index::hooks_follow),
    ("18 leftovers of editors", sharing::leftovers),
    ("19 an index too large", sharing::index_too_large),
    ("20 an index that is no text", sharing::index_no_text),
    ("21 a reworded entry of a deleted memory", sharing::reworded_and_deleted),
];

/// Runs a third of the cases, so that they run side by side.
fn run(third: usize) {
    let mut wrong = Vec::new();
    for (name, check) in CASES.iter().skip(third).step_by(3) {
        if std::panic::catch_unwind(check).is_err() {
            wrong.push(*name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_case_and_a_second_of_its_kind_comes_out_right_first_third() {
    run(0);
}

#[test]
fn every_case_and_a_second_of_its_kind_comes_out_right_second_third() {
    run(1);
}

#[test]
fn every_case_and_a_second_of_its_kind_comes_out_right_last_third() {
    run(2);
}
