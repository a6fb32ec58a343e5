//! `stickslip reproduce` from outside: the list, unknown ids, the form of result.json, exit codes, what is not overwritten.

use crate::common::{Folder, err, out, stickslip};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_result_has_the_promised_form() {
    let folder = Folder::new("reproduce");
    let output = stickslip(&folder, &["reproduce", "santos/constraints"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("Z3[slide,roll]") && text.contains("Table I") && !text.contains("MISSED"), "{text}");
    let results = folder.path().join("reproduce/santos/constraints");
    let mut names: Vec<String> =
        std::fs::read_dir(&results).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["eq5.csv", "figure.svg", "result.json", "table1.csv"]);
    let result = json(&std::fs::read_to_string(results.join("result.json")).unwrap());
    assert_eq!(keys(&result), ["checks", "id", "metrics", "scale", "seconds"]);
    assert_eq!((result["id"].as_str(), result["scale"].as_str()), (Some("santos/constraints"), Some("quick")));
    assert!(result["seconds"].as_f64().unwrap() >= 0.0);
    assert_eq!(result["metrics"]["Z3[slide,roll,spin]"].as_f64(), Some(2.0));
    assert!(result["metrics"].as_object().unwrap().values().all(|m| m.is_number() || m.is_boolean()));
    let checks = result["checks"].as_array().unwrap();
    assert!(checks.len() > 20);
    for check in checks {
        assert_eq!(keys(check), ["expected", "measured", "name", "pass", "source", "tolerance"]);
        assert!(["measured", "expected", "tolerance"].iter().all(|key| check[key].is_number()), "{check}");
        assert!(check["pass"].as_bool().unwrap() && !check["source"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_paper_stands_for_its_experiments_and_json_for_the_table() {
    let folder = Folder::new("reproduce-json");
    let output = stickslip(
        &folder,
        &["reproduce", "santos/constraints", "santos/contact", "santos/contact", "--json", "--out", "r"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let results = json(&out(&output));
    let ids: Vec<&str> = results.as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["santos/constraints", "santos/contact"]);
    assert!(folder.path().join("r/santos/contact/torque.csv").exists());
    assert_eq!(folder.names(), ["r"]);
    let quiet = stickslip(&folder, &["reproduce", "santos/constraints", "--quiet"]);
    assert!(quiet.status.success() && out(&quiet).is_empty() && err(&quiet).is_empty());
}

#[test]
fn the_list_names_every_experiment() {
    let folder = Folder::new("reproduce-list");
    let output = stickslip(&folder, &["reproduce", "--list"]);
    assert!(output.status.success());
    let ids = ["santos/contact", "santos/constraints"];
    assert!(ids.iter().all(|id| out(&output).contains(id)), "{}", out(&output));
    let listed = json(&out(&stickslip(&folder, &["reproduce", "--list", "--json"])));
    assert!(listed.as_array().unwrap().iter().any(|entry| entry["id"] == ids[0]));
    assert!(folder.names().is_empty());
}

#[test]
fn wrong_input_writes_nothing() {
    let folder = Folder::new("reproduce-wrong");
    let cases = [
        (vec!["reproduce", "santos/constraint"], "did you mean `santos/constraints`?"),
        (vec!["reproduce", "santos/constraints", "nonsense"], "--list"),
        (vec!["reproduce"], "ID"),
        (vec!["reproduce", "--all", "--list"], "cannot be used with"),
        (vec!["reproduce", "santos/constraints", "--threads", "0"], "threads"),
    ];
    for (arguments, expected) in cases {
        let output = stickslip(&folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_quick_result_is_made_anew_but_not_over_a_full_one() {
    let folder = Folder::new("reproduce-again");
    let quick = ["reproduce", "santos/constraints", "--quiet"];
    assert!(stickslip(&folder, &quick).status.success());
    let figure = folder.path().join("reproduce/santos/constraints/figure.svg");
    std::fs::remove_file(&figure).unwrap();
    assert!(stickslip(&folder, &quick).status.success() && figure.exists());
    let full = stickslip(&folder, &["reproduce", "santos/constraints", "--quiet", "--full"]);
    assert!(full.status.success(), "{}", err(&full));
    let refused = stickslip(&folder, &quick);
    assert_eq!(refused.status.code(), Some(2));
    assert!(err(&refused).contains("--force") && err(&refused).contains("full result"), "{}", err(&refused));
    let result = folder.path().join("reproduce/santos/constraints/result.json");
    assert!(std::fs::read_to_string(&result).unwrap().contains("\"full\""));
    let forced = stickslip(&folder, &["reproduce", "santos/constraints", "--quiet", "--force"]);
    assert!(forced.status.success() && std::fs::read_to_string(&result).unwrap().contains("\"quick\""));
}
