//! The rule files as they are written; the program carries their compact form (`builtin_format`).
//! Border: a list, for the tests that prove each rule; each file holds one trade.

/// File name and text of every built-in rule file.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("ai.toml", include_str!("vendors/ai.toml")),
    ("ci.toml", include_str!("vendors/ci.toml")),
    ("cloud.toml", include_str!("vendors/cloud.toml")),
    ("commerce.toml", include_str!("vendors/commerce.toml")),
    ("content.toml", include_str!("vendors/content.toml")),
    ("data.toml", include_str!("vendors/data.toml")),
    ("forge.toml", include_str!("vendors/forge.toml")),
    ("hosting.toml", include_str!("vendors/hosting.toml")),
    ("identity.toml", include_str!("vendors/identity.toml")),
    ("infra.toml", include_str!("vendors/infra.toml")),
    ("marketing.toml", include_str!("vendors/marketing.toml")),
    ("messaging.toml", include_str!("vendors/messaging.toml")),
    ("observability.toml", include_str!("vendors/observability.toml")),
    ("packages.toml", include_str!("vendors/packages.toml")),
    ("services.toml", include_str!("vendors/services.toml")),
];
