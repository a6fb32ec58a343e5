//! The committed hashes: state, memory, ledger and rows of each scene at its end.

/// By the name of the scene.
pub const HASHES: &[(&str, [u64; 4])] = &[
    ("put in by hand", [0xc4c1_f60b_aeff_93ad, 0x0fdc_40a1_8809_9a0b, 0x126e_d5ee_1c37_d5aa, 0xfcf6_7cda_d939_d951]),
    ("a run that fails", [0x021d_b2ef_e92a_833d, 0x5cec_db5f_0f36_2c9f, 0x9f04_dacc_2a93_3b9b, 0x3824_ceb3_3ebe_89bf]),
    ("a fixed cell", [0x9311_c1a7_cb72_3c3d, 0x9f6c_403d_3db5_9ddd, 0x5c92_c27e_c3cf_09e4, 0x7010_5256_ac7a_15f6]),
    (
        "a cell under strain",
        [0xe3a5_a7fa_5e33_2af1, 0xa78e_4890_e933_098f, 0xcb3d_804a_a75a_fdeb, 0xd11d_8cc8_9262_6524],
    ),
    (
        "a cell under strain, tracked by points",
        [0xd9e0_df74_be78_a5b7, 0x6b10_03d9_348d_d71f, 0xc771_ff93_29d5_4eb4, 0xd726_7afc_2056_6df6],
    ),
    (
        "a cell under pressure, triclinic",
        [0xc0c7_cb37_6620_f5aa, 0xdefe_2d27_74f5_8abf, 0x500e_4252_3a4e_42d4, 0xbe73_5e38_252c_bc24],
    ),
    (
        "a cell under mean stress",
        [0x732d_edeb_29a6_ef02, 0x59ad_86d7_e59b_d9b2, 0xecd7_3df7_073b_d00e, 0x843c_c818_12d4_8cdb],
    ),
    (
        "a cell under pressure, local damping",
        [0xd89b_c103_70be_375c, 0xbba5_babd_67d8_589f, 0x377b_c1b9_072a_2d0a, 0x195f_7aab_cc9d_b74f],
    ),
    (
        "a cell over a floor",
        [0xc35b_dafd_e7c5_f4ae, 0xd430_ef81_6176_f334, 0xe90a_f6e3_47aa_7395, 0x4ccc_5fed_b947_3357],
    ),
    ("spring-slider", [0x9186_932f_32cf_15f6, 0xae6c_2eba_314b_4e5b, 0x74c7_8e1b_63c3_bf83, 0x6698_7758_8a2c_55a8]),
    (
        "spring-slider, limits the other way",
        [0x9670_7b19_7394_cafc, 0x0229_4a9b_078b_5310, 0xe6cc_08d2_b477_0ec3, 0x37fb_cc86_c2d9_aeff],
    ),
    (
        "spring-slider, static and kinetic",
        [0x0fb0_be6b_1bfc_9ad1, 0xfa00_a66f_55e8_a7b7, 0x19ee_a846_0494_8b16, 0x3b3c_d42e_af3b_3dff],
    ),
    (
        "spring-slider, damping ratios",
        [0xfc37_349f_d469_78dd, 0x9736_aff7_247b_3287, 0x498a_160e_671b_1910, 0x50b9_cdc5_3dad_cd3e],
    ),
    ("epsd", [0xae42_22eb_6b0f_b2a6, 0x1a85_fd5d_123c_f1fa, 0xe60e_4d03_e3d5_0e3c, 0xd060_36c3_cf90_3e3e]),
    (
        "epsd from the slide law, undamped",
        [0x52f6_2f67_4c57_5be9, 0xae9a_0d66_c051_5c4e, 0xaf1b_b87b_1cda_3c13, 0xa7dc_4683_e184_87ed],
    ),
    ("constant-torque", [0xd7b5_79a9_5e72_f4c1, 0xb05a_ddda_b00d_a037, 0x69fe_39c0_4555_27af, 0x7208_dc6e_811b_fcdc]),
    (
        "constant-torque with spin",
        [0x3133_2e6e_0312_a794, 0xa555_198d_c3ba_029e, 0x47fa_7339_d919_b7a9, 0x7aed_ffbf_c465_9ff8],
    ),
    ("viscous, marshall", [0xe9d2_61ea_bb0a_bad2, 0xa89f_f4e5_620f_9480, 0x31be_39f3_74ad_1312, 0x63ce_7e39_bef5_fbee]),
    (
        "viscous with limits, marshall by ratio",
        [0x1b31_b238_51df_d13e, 0xed0a_0322_37b8_5598, 0x8d4e_a9d3_b038_0c2f, 0x666a_3a8b_5206_1a8c],
    ),
    ("lubkin", [0xb8f9_1fee_cd05_49f0, 0xe354_8c0f_1553_5e76, 0xc24d_ff86_6e73_6fec, 0x8a95_51c4_cdbc_7c68]),
    (
        "lubkin, damping ratio",
        [0x6549_3e90_db67_5363, 0x4812_9548_6b16_cd2e, 0xe241_515d_7905_5e25, 0x84a1_be71_1bbf_a098],
    ),
    (
        "from outside, two sliders",
        [0xa283_41c8_ac62_6417, 0x5611_46ac_987f_a512, 0x8c6d_6c4c_4b90_c557, 0xfacb_d098_2fe7_63b4],
    ),
    (
        "from outside, regularised",
        [0x61f9_bdab_30d5_6069, 0x4f53_14b8_fb53_ab74, 0xb1db_58de_b9b6_20a0, 0x1bb0_821e_aa04_df62],
    ),
    ("tracked", [0x78e5_5ad9_de3a_720f, 0xb7e4_478a_25d5_63e7, 0x8adc_f2b1_0706_2bbd, 0x3be0_a954_dbba_9867]),
    ("tracked, capped", [0xda82_cf81_f211_4dbd, 0x2c02_3d28_44be_3705, 0xfc34_9547_3194_54e1, 0x60ae_cfc6_7382_d202]),
    ("loads and locks", [0xc177_fd8b_0ebd_4003, 0x0cda_7aec_c503_afd2, 0x6a3f_5388_0a8c_9009, 0x42f2_5aa1_85e2_062d]),
    (
        "loads, locks and local damping",
        [0x3d60_f744_c2e7_bc2e, 0x9bae_9015_b1ec_f60f, 0x7a2b_9d46_28e1_0a2f, 0x771d_237a_417b_f82c],
    ),
    ("three materials", [0x994c_aabc_b201_5f33, 0x6e74_34da_2443_7ca9, 0x4639_c60d_cc0b_a716, 0xa5e5_ea4a_3ea7_d696]),
    ("symplectic Euler", [0xb774_27a8_cf05_8967, 0xea11_f8c5_ad02_b8d0, 0x544c_ff99_a15b_a01a, 0x8a46_a524_ec93_448a]),
    ("arm = lammps", [0x42db_b46b_d42a_0d5c, 0xa4bf_e18a_8930_4892, 0xdd9d_e4dd_b5c7_c83a, 0x4b8a_842b_efbb_32c5]),
    (
        "transport = lammps",
        [0x5b05_4222_bb9e_bc2a, 0xb8a9_13d0_716d_aa04, 0xf870_5383_b816_40aa, 0x2e90_07da_8f97_e323],
    ),
    ("slip = lammps", [0x9fe8_362e_dc4f_3e5e, 0xead0_1b34_1bf0_0c97, 0x4de8_ac50_47c1_678f, 0x20db_2b57_85df_f1b8]),
    ("cap = elastic", [0x8275_5915_e751_d75e, 0xe567_fc0f_0780_dc84, 0xbf5c_3123_d0f9_efe0, 0xb444_0d46_5d58_e012]),
    ("all of lammps", [0x909d_c295_bf7e_bd53, 0xc4a9_c630_c5e3_7a4b, 0x72ed_c534_8d70_450d, 0xecf0_e4d4_4791_18df]),
    ("tracked, paper", [0xf203_a4af_64d5_94cd, 0xda6b_45c3_3677_5703, 0x6590_0a23_7897_f064, 0x72d7_6861_bedb_a72a]),
    (
        "tracked, paper, born in slip",
        [0x232a_b66f_8e99_e768, 0x67a0_ab09_aa85_bef4, 0xdff8_ef0a_2345_7d34, 0xa58e_7261_43fc_dacb],
    ),
    (
        "tracked, born in slip",
        [0x566c_4718_e5ae_f876, 0x6d86_c84d_dfdc_087a, 0xb329_1610_fb1a_92b6, 0x4f98_e90a_5ec3_b499],
    ),
    ("tracked, points", [0xd14b_9f5a_75a6_cedd, 0x3021_740c_b01e_6613, 0xf379_d3c8_5485_4feb, 0x8a66_4973_c692_35b8]),
    (
        "tracked, points, paper",
        [0x6511_26c5_ccf2_92e4, 0x8cdf_3c1e_95c2_8a40, 0x4e6c_94d7_6284_a6c7, 0xfe30_dd48_5964_87fe],
    ),
    ("a stage", [0x7bc3_737a_d397_6171, 0xd16c_d0cc_0daf_35a6, 0x5333_9fcb_2dd8_1eaa, 0x4567_7891_f026_e8bf]),
    ("memory taken over", [0x1a02_bb90_5bd2_4265, 0x5e18_c5cf_be5d_b29d, 0x3a5d_5b6f_054f_f86e, 0x76c1_3cbb_8f93_f385]),
    (
        "streams with removal",
        [0x7443_e150_f821_84e8, 0x915f_08e5_0e83_2f31, 0x3a77_a9ea_3b3e_ea42, 0x640c_4d20_329c_35fd],
    ),
    (
        "streams with removal, tracked",
        [0x48d5_3db9_7ed2_64ab, 0x09f0_1e46_fd6c_c3cf, 0x9897_015b_94eb_1888, 0x3eb5_0e24_a83d_3c38],
    ),
    ("ellipsoids", [0x52bb_6505_4653_1be0, 0xfb6e_4c5c_e94d_3a32, 0xa2d4_d768_f980_b55a, 0x75cb_576d_dd24_4c03]),
    (
        "ellipsoids, tracked by points",
        [0xff66_cd1c_7b52_9b6e, 0x4a5d_0c0e_8bd4_ca02, 0xf661_4c89_abb4_fc72, 0x18ca_12d2_50a1_aad9],
    ),
    (
        "a box among ellipsoids",
        [0xeb2c_2d20_89d5_d35c, 0x4908_fecd_e4e4_a424, 0xe35f_e3c1_8f4f_057a, 0x341d_f339_1e5b_c007],
    ),
    (
        "a box among ellipsoids, tracked by points",
        [0x3e70_5db1_8c2d_5c7a, 0xa066_15b1_d0fa_0f30, 0xbef0_9caa_bed6_ac55, 0x99ad_98c5_88ac_9648],
    ),
    (
        "boxes that are moved",
        [0xc2ec_c91a_666e_3baf, 0x8b22_5dc1_a3b0_6ec4, 0xd2ba_569b_ac13_7698, 0x33f7_2a07_e2f6_a056],
    ),
    ("a box on its face", [0x5b18_c41d_4ae9_53c4, 0xf673_9d09_07c4_cfb5, 0x25b0_ca3f_bc82_915a, 0x2fc4_c17a_911b_36ee]),
    ("a box on its edge", [0x2931_a295_e2d8_a065, 0x3a2b_8e1a_3bd8_c25a, 0x98ad_1f0f_919e_72ec, 0xbe9b_9d07_8ad0_01cc]),
    (
        "a box on its corner",
        [0x8b51_920b_0b58_9430, 0xe9f5_1403_d953_a723, 0xce69_511a_2d82_d7aa, 0x8fc0_b798_4c0f_7e84],
    ),
    ("a bin that shakes", [0xdbdd_f8ec_c6c1_38a7, 0x73c8_16fd_9681_f354, 0x0526_6755_623d_f89d, 0x4f71_b4e9_1168_7e3d]),
    (
        "a drum with a paddle",
        [0x9cdc_bf96_f916_5b11, 0x2a85_44f9_43bc_83b7, 0x4da3_3507_5d0b_d82c, 0xf9b4_f7f9_65f4_6263],
    ),
    ("servos", [0x315d_b8d4_d5b6_dcfc, 0x7cff_4eb0_d2bb_5703, 0x1316_3369_5db7_b79f, 0xb077_4756_9106_1165]),
    ("a belt", [0xb169_7db1_6bf2_9d9c, 0xf2df_4f3c_5867_6041, 0xd676_94b9_baf3_fc3e, 0x53c9_862c_d9fb_2680]),
    (
        "a belt, tracked by points",
        [0x555c_065a_a601_9cbf, 0x2043_8ff2_49ce_4f16, 0xa63a_ff3f_206d_848d, 0x7dc9_4b49_fbd9_88f9],
    ),
    ("seams of plates", [0xb4b4_db82_d7d4_b009, 0x5b12_7970_4646_6397, 0xfca6_3836_4989_c5a3, 0x4f4d_e5e5_809b_4de2]),
    (
        "seams of plates, tracked",
        [0xd892_98ab_e975_cfa3, 0x3115_ae40_96dc_4e1b, 0xd084_d8d7_e653_a34e, 0x07ef_1ba8_c9ec_25cc],
    ),
    ("a hopper", [0x0697_ec42_dba6_0bd0, 0x6fc8_4878_bf5c_1dba, 0xc97d_c888_ad5d_1cdc, 0x605e_2939_b070_a63b]),
];
