//! The rule files that are part of the program.
//! Border: a list; each file holds one family of vendors.

/// File name and text of every built-in rule file.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("ai.toml", include_str!("rules/ai.toml")),
    ("cloud.toml", include_str!("rules/cloud.toml")),
    ("forge.toml", include_str!("rules/forge.toml")),
    ("keys.toml", include_str!("rules/keys.toml")),
    ("mail.toml", include_str!("rules/mail.toml")),
    ("packages.toml", include_str!("rules/packages.toml")),
    ("payment.toml", include_str!("rules/payment.toml")),
    ("chat.toml", include_str!("rules/chat.toml")),
    ("infra.toml", include_str!("rules/infra.toml")),
];
