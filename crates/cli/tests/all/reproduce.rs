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

/// The output of a command that is interrupted when it has said its first line: signals are listened to from before that.
#[cfg(unix)]
fn stopped_at_once(folder: &Folder, arguments: &[&str]) -> std::process::Output {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let mut command = crate::common::command(folder, arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    child.wait_with_output().unwrap()
}

/// A quick `reproduce santos/friction` that was stopped lost all packings that it had finished.
///
/// The folder holds six of the seven, as a run that was stopped leaves it. Stopped again while it makes the seventh, it still does;
/// with the seventh there, it has its result without making any. The numbers of the rows are recognised in the result.
#[cfg(unix)]
#[test]
fn a_quick_experiment_that_was_stopped_keeps_its_packings() {
    let folder = Folder::new("reproduce-stopped");
    let place = folder.path().join("reproduce/santos/friction");
    std::fs::create_dir_all(&place).unwrap();
    let states = ["0,0,0", "0.3,0,0", "1,0,0", "0.3,0.3,0", "0.3,0,0.3", "0.3,0.3,0.3", "1,1,1"];
    let header =
        "mu_s,mu_r,mu_t,pressure,n,seed,phi,Z,Z_all,rattlers,kinetic_per_body,pressure_error,steps,seconds,drift\n";
    let row =
        |(k, state): (usize, &&str)| format!("{state},0.0001,1000,1,0.5{k},4.{k},4,0.1,1e-13,1e-6,9,1.000,2e-13\n");
    let rows: Vec<String> = states.iter().enumerate().map(row).collect();
    let table = place.join("packings.csv");
    std::fs::write(&table, header.to_owned() + &rows[..6].concat()).unwrap();
    std::fs::write(place.join("part.json"), "{\"scale\":\"quick\"}").unwrap();

    let stopped = stopped_at_once(&folder, &["reproduce", "santos/friction"]);
    assert_eq!(stopped.status.code(), Some(1), "{}", err(&stopped));
    assert!(err(&stopped).contains("the same command continues from its 6 finished packings"), "{}", err(&stopped));
    assert_eq!(std::fs::read_to_string(&table).unwrap(), header.to_owned() + &rows[..6].concat());
    assert!(place.join("part.json").exists() && !place.join("result.json").exists());

    std::fs::write(&table, header.to_owned() + &rows.concat()).unwrap();
    let done = stickslip(&folder, &["reproduce", "santos/friction", "--quiet"]);
    // The rows are made up, so checks are missed.
    assert_eq!(done.status.code(), Some(3), "{}", err(&done));
    let result = json(&std::fs::read_to_string(place.join("result.json")).unwrap());
    assert_eq!(result["metrics"]["phi[1,1,1]"].as_f64(), Some(0.56));
    assert_eq!((result["metrics"]["Z[0,0,0]"].as_f64(), result["scale"].as_str()), (Some(4.0), Some("quick")));
    assert_eq!(result["metrics"]["centre_moved"].as_f64(), Some(2e-13));
    assert!(!place.join("part.json").exists());
    // A quick experiment with a result starts again, and a full one does not take the rows of a quick one.
    let kept = [&table, &place.join("result.json")].map(|path| (path.clone(), std::fs::read(path).unwrap()));
    for more in [&[][..], &["--full"]] {
        kept.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
        let stopped = stopped_at_once(&folder, &[&["reproduce", "santos/friction"], more].concat());
        assert_eq!(stopped.status.code(), Some(1), "{}", err(&stopped));
        assert!(!table.exists() && !place.join("result.json").exists(), "{more:?}");
        // There were no finished packings to continue from, and it said there were.
        assert!(err(&stopped).contains("was interrupted") && !err(&stopped).contains("continues"), "{}", err(&stopped));
    }
    std::fs::write(&kept[1].0, &kept[1].1).unwrap();
    // Part of a full result is days of work: a quick one asks before it overwrites that.
    std::fs::remove_file(place.join("result.json")).unwrap();
    std::fs::write(place.join("part.json"), "{\"scale\":\"full\"}").unwrap();
    let refused = stickslip(&folder, &["reproduce", "santos/friction"]);
    assert!(refused.status.code() == Some(2) && err(&refused).contains("part of a full result"), "{}", err(&refused));
}
