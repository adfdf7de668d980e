//! The rule files as they are written; the program carries their compact form (`builtin_format`).
//! Border: a list, for the tests that prove each rule; each file holds one trade.

/// File name and text of every built-in rule file.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("ai.toml", include_str!("vendors/ai.toml")),
    ("analytics.toml", include_str!("vendors/analytics.toml")),
    ("azure.toml", include_str!("vendors/azure.toml")),
    ("chat.toml", include_str!("vendors/chat.toml")),
    ("ci.toml", include_str!("vendors/ci.toml")),
    ("cloud.toml", include_str!("vendors/cloud.toml")),
    ("content.toml", include_str!("vendors/content.toml")),
    ("data.toml", include_str!("vendors/data.toml")),
    ("forge.toml", include_str!("vendors/forge.toml")),
    ("hosting.toml", include_str!("vendors/hosting.toml")),
    ("identity.toml", include_str!("vendors/identity.toml")),
    ("infra.toml", include_str!("vendors/infra.toml")),
    ("keys.toml", include_str!("vendors/keys.toml")),
    ("mail.toml", include_str!("vendors/mail.toml")),
    ("observability.toml", include_str!("vendors/observability.toml")),
    ("packages.toml", include_str!("vendors/packages.toml")),
    ("payment.toml", include_str!("vendors/payment.toml")),
    ("services.toml", include_str!("vendors/services.toml")),
    ("shops.toml", include_str!("vendors/shops.toml")),
    ("social.toml", include_str!("vendors/social.toml")),
    ("support.toml", include_str!("vendors/support.toml")),
    ("urls.toml", include_str!("vendors/urls.toml")),
    ("windows.toml", include_str!("vendors/windows.toml")),
];
