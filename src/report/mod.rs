//! What people and programs are told: advice for every error, JSON documents, reports.
//! Border: words and shapes; every decision was made below.

pub mod advice;
pub mod audit;
pub mod ci;
pub mod markdown;
pub mod findings;
pub mod html;
pub mod json;
pub mod sarif;
pub mod faults;

/// A JSON document as text, safe to show, with a final newline.
pub fn json_text(document: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(document);
    let text = text.expect("because report types have string keys");
    crate::base::display::escape_json(&text) + "\n"
}
