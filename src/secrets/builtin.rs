//! The rule files as they are written; the program carries their compact form (`compact`).
//! Border: a list, for the tests that prove each rule; each file holds one family of vendors.

/// File name and text of every built-in rule file.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("ai-tools.toml", include_str!("rules/ai-tools.toml")),
    ("ai.toml", include_str!("rules/ai.toml")),
    ("analytics.toml", include_str!("rules/analytics.toml")),
    ("azure.toml", include_str!("rules/azure.toml")),
    ("chat.toml", include_str!("rules/chat.toml")),
    ("ci.toml", include_str!("rules/ci.toml")),
    ("cloud.toml", include_str!("rules/cloud.toml")),
    ("clouds.toml", include_str!("rules/clouds.toml")),
    ("content.toml", include_str!("rules/content.toml")),
    ("data.toml", include_str!("rules/data.toml")),
    ("forge.toml", include_str!("rules/forge.toml")),
    ("hosting.toml", include_str!("rules/hosting.toml")),
    ("identity.toml", include_str!("rules/identity.toml")),
    ("infra.toml", include_str!("rules/infra.toml")),
    ("keys.toml", include_str!("rules/keys.toml")),
    ("mail.toml", include_str!("rules/mail.toml")),
    ("messaging.toml", include_str!("rules/messaging.toml")),
    ("observability.toml", include_str!("rules/observability.toml")),
    ("other.toml", include_str!("rules/other.toml")),
    ("packages.toml", include_str!("rules/packages.toml")),
    ("payment.toml", include_str!("rules/payment.toml")),
    ("saas.toml", include_str!("rules/saas.toml")),
    ("services.toml", include_str!("rules/services.toml")),
    ("shops.toml", include_str!("rules/shops.toml")),
    ("social.toml", include_str!("rules/social.toml")),
    ("support.toml", include_str!("rules/support.toml")),
    ("urls.toml", include_str!("rules/urls.toml")),
    ("windows.toml", include_str!("rules/windows.toml")),
];
