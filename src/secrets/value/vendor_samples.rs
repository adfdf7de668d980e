//! Sample credentials that vendors print in their own documents, known by their hash.
//! Border: only values a vendor publishes as a sample; never a value from anywhere else.
//!
//! AWS, Stripe, GitHub, Google and Firebase, Discord, Telegram, Slack, jwt.io, RFC 7519 and 8410, web3.js, Hardhat,
//! Cargo, Bitwarden, NuGet.

use sha2::{Digest, Sha256};

/// First 64 bits of the SHA-256 of each sample, sorted.
#[rustfmt::skip]
const SAMPLES: &[u64] = &[
    0x02f7_ce3c_263f_85c0, 0x0b47_6bdf_9acf_2123, 0x0b5d_d075_ccdd_03c4, 0x1a5d_44a2_dca1_9669,
    0x2037_abca_ffb2_b777, 0x2660_7505_24a2_f8f7, 0x27a9_a429_31df_f7eb, 0x2caf_c097_0149_a84f,
    0x2d1f_7723_aabc_5c7a, 0x3543_c50b_0cb9_cea8, 0x37f8_f09b_df12_c2f2, 0x3a8b_61d0_f636_b007,
    0x3c14_aab7_9351_be94, 0x3f37_0c9d_d822_5c63, 0x49f7_77db_995e_8260, 0x4c98_242d_cadc_8b29,
    0x60a0_9e43_5786_8c1e, 0x731f_a294_d036_e54f, 0x73e8_3741_8a9b_7c2e, 0x761a_2b91_5611_403c,
    0x7831_4b11_be2e_5815, 0x797c_0ce4_1458_6cc8, 0x7e8d_e44e_a9ec_f6d5, 0x7f75_367e_7881_2551,
    0x82e7_4299_544e_0073, 0x8731_261c_b72d_8626, 0xa070_2bc9_1d69_9f60, 0xa19f_89ab_3555_eac1,
    0xa6c8_14bc_555a_e62c, 0xbc3a_e723_f57c_6b9e, 0xc6ea_27c5_34f9_93d3, 0xd8c2_efc4_c850_5e39,
    0xda81_6f9f_2c16_e6c5, 0xdc0f_cf04_6c61_640c, 0xe21b_597b_a6b9_cafa, 0xe377_db8e_e3a4_ea37,
    0xe4a5_542b_b7fd_7b67, 0xea9b_b108_2cf9_5663, 0xeb54_0d2b_6ee2_a0a4, 0xf2d6_ca16_5150_33e5,
    0xf537_5a46_3650_89a8, 0xf56e_3234_94a6_ffc2, 0xfc07_c1f7_3718_99b4,
];

/// Tells that a value is a vendor's own sample.
pub(crate) fn is_published(value: &[u8]) -> bool {
    let hash = Sha256::digest(value);
    let head = hash.iter().take(8).fold(0_u64, |head, byte| head << 8 | u64::from(*byte));
    SAMPLES.binary_search(&head).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_of_vendors_are_known_and_nothing_else_is() {
        assert!(SAMPLES.is_sorted());
        assert!(is_published(concat!("AKIAIOSFODNN7", "EXAMPLE").as_bytes()));
        assert!(!is_published(b"AKIA"));
    }
}
