//! Saved contact problems: read, solved, written again; broken ones named with their place.

use std::path::Path;

use glam::DVec3;
use serde_json::{Value, json};
use stickslip::cone::{Cone, ProblemRow, Rule, Settings, Solver};
use stickslip_io::problem_file::{self, ProblemFile, SavedProblem, load_text, to_json};

const CCP_5: &str = include_str!("../tasora/ccp_5.json");
const CCP_20: &str = include_str!("../../../engine/tests/data/tasora/ccp_20.json");

const ALL: [Solver; 4] = [Solver::GaussSeidel, Solver::Apgd, Solver::Newton, Solver::Auto];

fn settings(cone: Cone, tolerance: f64) -> Settings {
    Settings { cone, relaxation: 1.0, tolerance, max_iterations: 100_000 }
}

fn by(solver: Solver) -> Rule {
    Rule { solver, ..Rule::default() }
}

#[track_caller]
fn bodies(text: &str) -> SavedProblem {
    match load_text("p.json", text) {
        Ok(ProblemFile::Bodies(saved)) => *saved,
        Ok(ProblemFile::Matrix(_)) => panic!("a matrix"),
        Err(error) => panic!("{error}"),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn saved_problems_have_their_solution_in_its_own_order() {
    for text in [CCP_5, CCP_20] {
        let expected: Value = serde_json::from_str::<Value>(text).unwrap()["solution"].clone();
        let saved = bodies(text);
        for solver in ALL {
            let solution = saved.problem.solve_by(&settings(Cone::Associated, 1e-12), by(solver)).unwrap();
            assert!(solution.certificate.solved);
            for (at, (v, known)) in saved.velocities(&solution).iter().zip(numbers(&expected["v"])).enumerate() {
                let tolerance = if at % 6 < 3 { 1e-9 } else { 1e-9 / 0.0225 };
                assert!((v - known).abs() < tolerance, "{solver:?} v[{at}]: {v} {known}");
            }
            let known = expected["objective"].as_f64().unwrap();
            assert!((solution.objective - known).abs() < 1e-11 * known.abs());
            let gamma = saved.gamma(&solution);
            assert_eq!(gamma.len(), numbers(&expected["gamma"]).len());
            // Impulses are not unique in general; those of these files are.
            for (at, (g, known)) in gamma.iter().zip(numbers(&expected["gamma"])).enumerate() {
                assert!((g - known).abs() < 1e-8, "{solver:?} gamma[{at}]: {g} {known}");
            }
        }
    }
}

/// A text with one thing changed.
fn with(change: impl FnOnce(&mut Value)) -> String {
    let mut value: Value = serde_json::from_str(CCP_5).unwrap();
    change(&mut value);
    value.to_string()
}

#[test]
fn compliance_and_other_rows_are_read() {
    let compliance = [2.0, 0.5, 0.25, 30.0, 20.0, 10.0];
    let text = with(|value| {
        value["compliance_diag"] = json!(compliance);
        value["extra_rows"] = json!([
            {"row": [1.0, -1.0], "cols": [0, 6], "b": 0.1, "lo": null, "hi": null},
            {"row": [1.0], "cols": [13], "b": 0.0, "lo": -1e-3, "hi": 1e-3}
        ]);
        value["b"].as_array_mut().unwrap().extend([json!(0.1), json!(0.0)]);
        // Also along the tangents and about the normal.
        value["b"][1] = json!(0.01);
        value["b"][4] = json!(-0.3);
    });
    let saved = bodies(&text);
    let file: Value = serde_json::from_str(&text).unwrap();
    let (b, k, inverse) = (numbers(&file["b"]), numbers(&file["k"]), numbers(&file["minv_per_body"]));
    let tight = settings(Cone::Associated, 1e-13);
    for solver in ALL {
        let solution = saved.problem.solve_by(&tight, by(solver)).unwrap();
        assert!(solution.certificate.solved, "{solver:?} {:?}", solution.certificate);
        let (v, gamma) = (saved.velocities(&solution), saved.gamma(&solution));
        // From the file's rows alone: v = M^-1 (k + D gamma), u = D^T v + b + C gamma.
        let rows: Vec<Vec<f64>> = file_rows(&file, v.len());
        for (at, v) in v.iter().enumerate() {
            let pushed: f64 = rows.iter().zip(&gamma).map(|(row, g)| row[at] * g).sum();
            assert!((v - inverse[at % 6] * (k[at] + pushed)).abs() < 1e-10, "v[{at}]");
        }
        let along = |row: &Vec<f64>| row.iter().zip(&v).map(|(d, v)| d * v).sum::<f64>();
        let u: Vec<f64> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| along(row) + b[at] + compliance_of(&compliance, at, &gamma))
            .collect();
        assert!(u[30].abs() < 1e-11, "the joint opens with {}", u[30]);
        assert!(
            (gamma[31].abs() < 1e-3 && u[31].abs() < 1e-11) || (gamma[31].abs() == 1e-3 && u[31] * gamma[31] < 0.0)
        );
        for (contact, (g, u)) in gamma[..30].chunks(6).zip(u.chunks(6)).enumerate() {
            let product: f64 = g.iter().zip(u).map(|(g, u)| g * u).sum();
            assert!(product.abs() < 1e-12, "contact {contact}: {product}");
            let ratio = |name: &str| file["contacts"][contact][name].as_f64().unwrap();
            let dual = ratio("mu") * u[1].hypot(u[2]) + ratio("rho") * u[4].hypot(u[5]) + ratio("sigma") * u[3].abs();
            assert!(u[0] >= dual - 1e-10, "contact {contact}: {} {dual}", u[0]);
        }
        let energy: f64 = gamma
            .iter()
            .zip(&u)
            .zip(&b)
            .enumerate()
            .map(|(at, ((g, u), b))| {
                let free: f64 = rows[at].iter().enumerate().map(|(at, d)| d * inverse[at % 6] * k[at]).sum();
                0.5 * g * (u + free + b)
            })
            .sum();
        assert!((solution.objective - energy).abs() < 1e-12);
    }
}

fn compliance_of(compliance: &[f64; 6], at: usize, gamma: &[f64]) -> f64 {
    if at < 30 { compliance[at % 6] * gamma[at] } else { 0.0 }
}

/// Every row as it multiplies all velocities.
fn file_rows(file: &Value, width: usize) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for contact in file["contacts"].as_array().unwrap() {
        for k in 0..6 {
            let mut row = vec![0.0; width];
            for (of, body) in [("Dt_a", "a"), ("Dt_b", "b")] {
                let Some(body) = contact[body].as_u64() else { continue };
                row[6 * body as usize..6 * body as usize + 6].copy_from_slice(&numbers(&contact[of][k]));
            }
            rows.push(row);
        }
    }
    for extra in file["extra_rows"].as_array().unwrap() {
        let mut row = vec![0.0; width];
        for (column, value) in extra["cols"].as_array().unwrap().iter().zip(numbers(&extra["row"])) {
            row[column.as_u64().unwrap() as usize] += value;
        }
        rows.push(row);
    }
    rows
}

#[test]
fn a_problem_is_written_as_it_is_read() {
    let mut saved = bodies(CCP_20);
    let terms = vec![(1, DVec3::X, DVec3::ZERO), (4, DVec3::ZERO, DVec3::Y * 0.02)];
    saved.problem.rows = vec![ProblemRow { terms, bias: 0.1, compliance: 0.0, lo: None, hi: Some(1e-3), length: 1.0 }];
    let again = bodies(&to_json(&saved.problem).unwrap());
    let tight = settings(Cone::Associated, 1e-13);
    let [a, b] = [&saved, &again].map(|saved| saved.problem.solve(&tight).unwrap());
    assert!(a.certificate.solved && a.row_impulses[0] != 0.0);
    for (a, b) in saved.velocities(&a).iter().zip(again.velocities(&b)) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let error = load_text("p.json", text).err().expect("it is wrong").to_string();
    for part in parts {
        assert!(error.contains(part), "{error} does not say {part}");
    }
}

#[test]
fn wrong_problems_are_named_with_their_place() {
    refused("{\n  \"n_bodies\": 1,\n  \"k\": [NaN]\n}", &["p.json:3:", "column"]);
    refused("{\n  \"n_bodies\": 1,\n  \"k\": [1e999]\n}", &["p.json:3:"]);
    refused(&with(|value| _ = value.as_object_mut().unwrap().remove("k")), &["missing field `k`"]);
    refused(&with(|value| _ = value["k"].as_array_mut().unwrap().pop()), &["k: 17 numbers, expected 18"]);
    refused(&with(|value| _ = value["b"].as_array_mut().unwrap().pop()), &["b: 29 numbers, expected 30"]);
    refused(&with(|value| value["n_bodies"] = json!(4_000_000_000_u64)), &["k: 18 numbers"]);
    refused(&with(|value| value["n_bodies"] = json!(u64::MAX)), &["k: 18 numbers"]);
    refused(&with(|value| value["n_contacts"] = json!(6)), &["contacts: 5", "n_contacts is 6"]);
    refused(&with(|value| value["contacts"][3]["a"] = json!(3)), &["contacts[3].a: 3 must be a body, from 0 to 2"]);
    refused(&with(|value| value["contacts"][0]["b"] = json!(1)), &["contact 0 is between bodies 1 and 1"]);
    refused(&with(|value| value["contacts"][1]["b"] = json!(-7)), &["contacts[1].b: -7"]);
    refused(&with(|value| value["contacts"][2]["mu"] = json!(-0.1)), &["contacts[2].mu: -0.1 must not be below zero"]);
    refused(&with(|value| value["contacts"][2]["rho"] = json!("x")), &["invalid type: string", "column"]);
    refused(&with(|value| value["contacts"][2]["Dt_a"][4] = json!([1.0])), &["contacts[2].Dt_a[4]: 1 numbers"]);
    refused(&with(|value| value["contacts"][2]["Dt_a"][0][0] = json!(2.0)), &["contacts[2].Dt_a", "unit vectors"]);
    refused(&with(|value| value["contacts"][0]["Dt_b"][1][4] = json!(2.0)), &["contacts[0].Dt_b", "contact point"]);
    refused(&with(|value| value["compliance_diag"] = json!([1.0, 2.0])), &["compliance_diag: 2 numbers, expected 6"]);
    refused(&with(|value| value["compliance_diag"] = json!([1.0, 1.0, 1.0, -1.0, 1.0, 1.0])), &["compliance_diag[3]"]);
    refused(&with(|value| value["minv_per_body"] = json!([1.0, 2.0])), &["minv_per_body: 2 numbers"]);
    refused(
        &with(|value| value["minv_per_body"] = json!([-1.0, 1.0, 1.0, 1.0, 1.0, 1.0])),
        &["minv_per_body: inverse"],
    );
    refused(&with(|value| value["extra_row"] = json!([])), &["extra_row: no such key"]);
    let row = |row: Value| {
        with(|value| {
            value["extra_rows"] = json!([row]);
            value["b"].as_array_mut().unwrap().push(json!(0.0));
        })
    };
    refused(
        &row(json!({"row": [1.0], "cols": [18], "b": 0.0, "lo": null, "hi": null})),
        &["extra_rows[0].cols[0]: 18"],
    );
    refused(
        &row(json!({"row": [1.0], "cols": [1, 2], "b": 0.0, "lo": null, "hi": null})),
        &["1 numbers in row, but 2"],
    );
    refused(&row(json!({"row": [1.0], "cols": [1], "b": 0.5, "lo": null, "hi": null})), &["extra_rows[0].b: 0.5"]);
    refused(&row(json!({"row": [1.0], "cols": [1], "b": 0.0, "lo": 1.0, "hi": 0.0})), &["row 0", "lo not above hi"]);
    refused(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), &["p.json:1:"]);
    refused("", &["p.json:1:"]);
}

#[test]
fn any_bytes_in_a_problem_are_an_error_or_a_problem() {
    // Numbers, brackets and names exchanged, text cut off: never a panic.
    let mut state = 12345_u64;
    let mut dice = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % most
    };
    let short = 600;
    for text in [CCP_5, MATRIX] {
        for _ in 0..2000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + dice(3) {
                let at = dice(bytes.len().min(short));
                match dice(4) {
                    0 => bytes.truncate(at + 1),
                    1 => bytes[at] = b"0123456789-.e[]{},:\" \nNx"[dice(24)],
                    2 => _ = bytes.remove(at),
                    _ => bytes.insert(at, b"0123456789-.e[]{},:\" \nNx"[dice(24)]),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            let text = String::from_utf8(bytes).unwrap();
            for name in ["p.json", "p.dat"] {
                _ = load_text(name, &text);
            }
        }
    }
}

/// One contact with a diagonal matrix: W = diag(2, 4, 4, 1, 1).
const MATRIX: &str =
    "5\n1\n0\n5\n5\n5 5\n2 0 0 0 0\n0 4 0 0 0\n0 0 4 0 0\n0 0 0 1 0\n0 0 0 0 1\n-2 1 0 0 3\n0.5\n0.1\n";

#[test]
fn a_matrix_is_read_in_both_kinds_of_storage() {
    let sparse = "5\n1\n2\n5\n5\n1\nCSparse Version 3.1.9, 2016. Copyright\n5-by-5, nzmax: 5 nnz: 5, 1-norm: 4\n\
        col 0 : locations 0 to 0\n 0 : 2\ncol 1 : locations 1 to 1\n 1 : 4\ncol 2 : locations 2 to 2\n 2 : 4\n\
        col 3 : locations 3 to 3\n 3 : 1\ncol 4 : locations 4 to 4\n 4 : 1\n-2 1 0 0 3\n0.5\n0.1\n";
    for text in [MATRIX, sparse] {
        let Ok(ProblemFile::Matrix(matrix)) = load_text("p.dat", text) else { panic!("{text}") };
        for solver in ALL {
            // Sticking in t1: r = -1/4. Rolling slips: r_m = -0.1 r_n, and r_n = 1.
            let solution = matrix.solve_by(&settings(Cone::Exact, 1e-13), by(solver)).unwrap();
            assert!(solution.certificate.solved);
            for (r, known) in solution.r.iter().zip([1.0, -0.25, 0.0, 0.0, -0.1]) {
                assert!((r - known).abs() < 1e-12, "{:?}", solution.r);
            }
            for (u, known) in solution.u.iter().zip([0.0, 0.0, 0.0, 0.0, 2.9]) {
                assert!((u - known).abs() < 1e-12, "{:?}", solution.u);
            }
        }
    }
}

#[test]
fn wrong_matrices_are_named_with_their_place() {
    let refused = |from: &str, to: &str, parts: &[&str]| {
        let error = load_text("p.dat", &MATRIX.replacen(from, to, 1)).err().expect("it is wrong").to_string();
        for part in parts {
            assert!(error.contains(part), "{error} does not say {part}");
        }
    };
    refused("5\n1", "3\n1", &["p.dat:1:", "the dimension: 3, expected 5"]);
    refused("5\n1", "5\n4000000000", &["contacts in a file of"]);
    refused("\n0\n5", "\n7\n5", &["storage of kind 7"]);
    refused("5\n5\n5 5", "5\n6\n5 5", &["p.dat:5:", "columns of the matrix: 6, expected 5"]);
    refused("0 4 0", "0 nan 0", &["p.dat:8:", "a finite number"]);
    refused("2 0 0", "-2 0 0", &["entry 0, 0"]);
    refused("0.5\n", "-0.5\n", &["contact 0: coefficients"]);
    refused("0.5\n0.1\n", "0.5\n", &["p.dat:14:", "ends where mu_r"]);
    refused("0.1\n", "0.1 7\n", &["p.dat:14:", "expected the end"]);
}

#[test]
fn rolling_problems_of_siconos_are_solved() {
    // The files stay where they are: nothing is tested where they are missing.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/dem-benchmark/rolling-fc3d");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("not tested: there is no {}", folder.display());
        return;
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".dat.gz"));
    paths.sort();
    let mut missed = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(ProblemFile::Matrix(matrix)) = problem_file::load(path) else { panic!("{name}") };
        let size = matrix.q.iter().map(|q| q * q).sum::<f64>().sqrt();
        for solver in ALL {
            let solution = matrix.solve_by(&settings(Cone::Exact, 1e-9 * size), by(solver)).unwrap();
            let certificate = solution.certificate;
            eprintln!(
                "{name} {solver:?}: {} iterations, residual {:.1e} |q|, {}",
                certificate.iterations,
                certificate.residual_max / size,
                certificate.solved
            );
            if solver == Solver::Auto && certificate.residual_max > 1e-8 * size {
                missed.push(name.clone());
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
