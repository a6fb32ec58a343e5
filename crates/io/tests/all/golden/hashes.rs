//! The committed hashes: state, memory, ledger and rows.

use super::Hashes;

/// Examples in the order of their names, what is changed in each, and how many steps it runs.
pub const EXAMPLES: &[(&str, &[&str], u64, Hashes)] = &[
    (
        "01-pile",
        &["grains[0].count=400", "time.step=4e-5"],
        5500,
        [0xa7c0_fad0_b93a_99ea, 0x4bc6_50c1_2597_29bd, 0xca0e_0a74_cbf2_ca1d, 0x3287_d37f_1b8a_4cb1],
    ),
    (
        "02-oblique-collision",
        &[],
        20,
        [0x5e17_7f35_f718_851c, 0x4cfd_2d4e_de4d_8e57, 0x9394_b4fe_12e5_7fff, 0x592c_ec06_8425_be09],
    ),
    (
        "03-throw",
        &[],
        1000,
        [0x4baa_93f8_5b36_fc31, 0x9089_6b7d_aeab_ec25, 0x230e_488c_29d3_a2bd, 0x09d8_bf07_3257_d628],
    ),
    (
        "04-bouncing-ball",
        &[],
        12000,
        [0x9d1d_13d8_10fa_8f80, 0x3b7d_eb26_4e00_1bc4, 0xdabb_d774_2b91_03c9, 0x1c78_5dd3_8576_5b06],
    ),
    (
        "05-billiard",
        &[],
        1000,
        [0xfcad_7304_76fb_9adb, 0x6c59_89e5_e377_a375, 0x4560_17cc_f331_b488, 0x1e2c_e31b_2684_45aa],
    ),
    (
        "06-spinning-ball",
        &[],
        1000,
        [0x9a1e_c6e9_6ac5_507c, 0x68e5_9c83_9544_c91a, 0x432b_c4f8_f78f_bdcb, 0x125d_a215_65a7_ea00],
    ),
    (
        "07-drum",
        &["grains[0].count=200"],
        7000,
        [0xb989_5f10_a052_823e, 0x64b0_8508_bf9f_9eb4, 0x8c29_ccca_f54a_5064, 0x6c8c_d16f_9ba6_f835],
    ),
    (
        "08-hopper",
        &[],
        16000,
        [0x7e04_2f87_56c9_606a, 0x70da_015a_f5d6_9531, 0x8eef_3b99_2e78_2609, 0x6787_5fc6_4b94_f023],
    ),
    (
        "09-shear-box",
        &["grains[0].count=200", "time.step=2e-5"],
        6000,
        [0x7b14_486e_c41d_7567, 0x8a9b_4f2a_e88f_d279, 0xd5da_a863_dea8_dc39, 0x88fc_861f_956c_6594],
    ),
    (
        "10-chute",
        &["grains[0].count=200"],
        8000,
        [0x4635_a825_3214_a424, 0x6934_9e88_25ae_b9be, 0xa967_fd59_6486_a068, 0xc9c0_bb69_002b_6cfe],
    ),
    (
        "11-conveyor",
        &["time.step=4e-5"],
        10000,
        [0x2f27_9280_ab26_458d, 0x6dd9_a7b3_cc25_a0fc, 0x3b0a_6097_e985_0f65, 0xffe8_9cad_b487_d040],
    ),
    (
        "12-settle",
        &["time.step=2e-5", "grains[0].count=20", "grains[1].count=150"],
        7500,
        [0xadb7_4c0a_77fa_454a, 0x0387_1a54_42f2_43d5, 0x7581_9ce7_9737_d689, 0x4490_d210_659e_4932],
    ),
    (
        "13-shake",
        &["time.step=2e-5"],
        1000,
        [0xbe7e_0d63_c04d_7c86, 0xd82f_7e17_259e_3ce9, 0xcad9_9249_d64f_1451, 0x3a88_17ed_0528_f25d],
    ),
    (
        "14-jam",
        &["grains[0].count=125", "cell.volume_fraction=0.4"],
        1000,
        [0xb3ff_e33d_1d91_65ab, 0x799c_07a9_c243_5d70, 0x895d_3194_1f5f_baef, 0xe2d7_bae2_052c_eba2],
    ),
    (
        "15-shear",
        &[],
        1000,
        [0x13c3_3bae_7d4b_e989, 0x6f9a_0941_2a3a_e68f, 0x1987_dc83_aae0_6819, 0x8e38_370d_e52f_9563],
    ),
    (
        "16-shapes",
        &[],
        12500,
        [0x1f6c_e13e_d46b_822c, 0x2ed2_d01f_e6b7_2332, 0xb29b_264a_32a7_1f8f, 0x3589_6009_0cff_eb9a],
    ),
    (
        "17-stop-and-go",
        &["time.step=4e-5"],
        25000,
        [0xf3c2_1433_75de_82f4, 0xc10d_35f9_3bf1_c880, 0x1b43_e84e_ff38_3b16, 0x18e8_f8fa_a183_a55c],
    ),
    (
        "18-lifted-tube",
        &["stream[0].count=150", "time.step=2e-5"],
        12500,
        [0xcb3c_a0e6_564e_e0f1, 0x1894_fabb_c0b8_082e, 0xa7ed_688b_696d_6ab6, 0xbfbc_86d2_e073_72d9],
    ),
    (
        "20-rigid",
        &["stream[0].count=100"],
        250,
        [0x1820_2813_5702_ed58, 0x4039_3a25_1723_6eb9, 0xf53f_bb6a_8c15_849f, 0xb54d_428c_9f66_693c],
    ),
    (
        "23-dominoes",
        &[],
        200,
        [0xff63_953c_c48b_fa98, 0x0675_6323_5e35_b7fc, 0xa693_24ca_56df_0aa4, 0x79f2_db4c_d325_02d2],
    ),
];

/// Scenes with a checkpoint of version 1: the hash of the file, the step at the end, and the hashes there.
pub const CHECKPOINTS: &[(&str, u64, u64, Hashes)] = &[
    (
        "materials",
        0x8819_fd36_d2dc_6c5f,
        4000,
        [0x5506_dbb1_10ad_47ae, 0x6525_bd89_1c6f_1c02, 0x7169_a070_d372_0994, 0xfdbc_2a5c_563a_c44b],
    ),
    (
        "solids",
        0x4551_e434_a79c_1046,
        4000,
        [0x5e70_f259_b0bc_cf6f, 0x3bbb_d9a7_318d_505e, 0x7df4_4cc7_bb45_0705, 0x0dd5_f0bc_a03f_d4ea],
    ),
    (
        "tracked",
        0xcc04_5bef_196a_5cab,
        4000,
        [0xb312_0720_1152_de9e, 0xf2fc_fbfc_6c38_0207, 0x1805_e0b0_1f93_202d, 0xba1d_3666_c382_3e0e],
    ),
    (
        "stream",
        0xc8b8_4a4b_7006_abd6,
        7500,
        [0xcf5b_2f80_f3a8_d9f2, 0x3a52_9112_e412_268b, 0xc869_e2d7_210f_1b14, 0xb6fa_cfe8_40dd_1254],
    ),
    (
        "pressure",
        0x9578_b48f_0996_3a82,
        6000,
        [0x74fa_e347_530e_1db6, 0x6d6a_61c0_70e0_623a, 0x289f_9adf_d10b_dc78, 0xc307_f0a8_272f_63fa],
    ),
];
