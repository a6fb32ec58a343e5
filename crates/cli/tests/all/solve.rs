//! `stickslip solve` by the real program: results under the file's names, exit codes, places of wrong input.

use serde_json::{Value, json};

use crate::common::{Folder, err, out, stickslip};

const CCP_5: &str = include_str!("../../../io/tests/tasora/ccp_5.json");

fn with_problem(name: &str, text: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::write(folder.path().join("p.json"), text).unwrap();
    folder
}

#[test]
fn a_saved_problem_is_solved_by_every_solver() {
    let folder = with_problem("solve", CCP_5);
    let file: Value = serde_json::from_str(CCP_5).unwrap();
    for solver in ["gauss-seidel", "apgd", "newton", "auto"] {
        let output = stickslip(&folder, &["solve", "p.json", "--solver", solver, "--json"]);
        assert!(output.status.success(), "{}", err(&output));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["solved"], json!(true));
        assert!(found["iterations"].as_u64().unwrap() > 0);
        for (at, known) in file["solution"]["v"].as_array().unwrap().iter().enumerate() {
            let off = (found["v"][at].as_f64().unwrap() - known.as_f64().unwrap()).abs();
            assert!(off < if at % 6 < 3 { 1e-9 } else { 1e-9 / 0.0225 }, "v[{at}]: {off}");
        }
        let [objective, known] = [&found, &file["solution"]].map(|of| of["objective"].as_f64().unwrap());
        // The default tolerance of 1e-10 m/s, squared, over the curvature: far below 1e-12 of the objective.
        assert!((objective - known).abs() < 1e-12 * known.abs(), "{solver}: {objective}");
        assert_eq!(found["gamma"].as_array().unwrap().len(), 30);
        for residual in ["natural_residual", "dual_violation", "cone_violation", "complementarity"] {
            assert!(found[residual].as_f64().unwrap() < 1e-9, "{residual}: {found}");
        }
    }
    let exact = stickslip(&folder, &["solve", "p.json", "--cone", "exact"]);
    assert!(exact.status.success() && out(&exact).contains("natural_residual"), "{}", err(&exact));
}

#[test]
fn what_cannot_be_solved_or_read_has_its_exit_code() {
    let folder = with_problem("solve-bad", CCP_5);
    let few = stickslip(&folder, &["solve", "p.json", "--solver", "gauss-seidel", "--max-iterations", "2"]);
    assert_eq!(few.status.code(), Some(1));
    assert!(err(&few).contains("after 2 iterations"), "{}", err(&few));
    for wrong in [&["--tolerance", "0"], &["--tolerance", "nan"], &["--solver", "newtn"], &["--max-iterations", "0"]] {
        assert_eq!(
            stickslip(&folder, &[&["solve", "p.json"], &wrong[..]].concat()).status.code(),
            Some(2),
            "{wrong:?}"
        );
    }
    let cut = with_problem("solve-cut", &CCP_5[..2000]);
    let output = stickslip(&cut, &["solve", "p.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("p.json"), "{}", err(&output));
    // Two rows that contradict each other.
    let mut file: Value = serde_json::from_str(CCP_5).unwrap();
    let row = |b: f64| json!({"row": [1.0], "cols": [0], "b": b, "lo": null, "hi": null});
    file["extra_rows"] = json!([row(0.0), row(1.0)]);
    file["b"].as_array_mut().unwrap().extend([json!(0.0), json!(1.0)]);
    let torn = with_problem("solve-torn", &file.to_string());
    let output = stickslip(&torn, &["solve", "p.json", "--max-iterations", "500"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("\"extra_rows\":[0,1]"), "{}", err(&output));
}
