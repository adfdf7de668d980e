//! Values without a form of their own that the words around them name.
//! Border: grammar and lists; what a value looks like by itself is `secrets::value`.

mod lists;
mod candidate;
mod names;
mod value_after_name;
mod value_before_name;
mod value_below_name;
mod value_in_column;
mod value;
pub(crate) mod sentence;
pub(crate) mod kubernetes;
pub(crate) mod recovery_codes;
pub(crate) mod wallet;

pub(crate) use lists::KEYWORDS;

/// The word lists of names and grammar, for measuring.
#[cfg(test)]
pub(crate) fn measured_lists() -> Vec<(&'static str, Vec<(String, usize)>)> {
    use crate::secrets::entries::measured::{of_bytes, of_list, of_text};
    vec![
        of_text("passwords", lists::PASSWORDS.entries()),
        of_text("secrets", lists::SECRETS.entries()),
        of_text("endings", &lists::ENDINGS),
        of_text("about", lists::ABOUT.entries()),
        of_text("other keys", lists::OTHER_KEYS.entries()),
        of_text("key qualifiers", lists::KEY_QUALIFIERS.entries()),
        of_text("other tokens", lists::OTHER_TOKENS.entries()),
        of_text("weak", lists::WEAK.entries()),
        of_text("articles", lists::ARTICLES.entries()),
        of_text("nameless", lists::NAMELESS.entries()),
        of_text("foreign passwords", lists::FOREIGN_PASSWORDS.entries()),
        of_text("foreign secrets", &lists::FOREIGN_SECRETS),
        of_text("holders", lists::HOLDERS.entries()),
        of_text("operators", &value_after_name::OPERATORS),
        of_list("verbs", &value_after_name::VERBS),
        of_text("prepositions", &value_after_name::PREPOSITIONS),
        of_text("fillers", &value_after_name::FILLERS),
        of_list("ties", &value_before_name::TIES),
        of_bytes("other values", &value::OTHER_VALUES),
    ]
}
