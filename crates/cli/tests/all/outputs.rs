//! Output does not change physics: a run with every record and a run with none end in the same state, to the bit.

use crate::common::every_record::{RECORDS, SLOPE, all_files};
use crate::common::{Folder, ball, err, stickslip};

/// `end.checkpoint` of a scene, with the number of files that its run wrote.
fn last_state(folder: &Folder, name: &str, text: &str, threads: &str) -> (Vec<u8>, usize) {
    folder.file("scene.toml", text);
    let output = stickslip(folder, &["run", "scene.toml", "--out", name, "--threads", threads, "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    let files = all_files(&folder.path().join(name));
    (files["end.checkpoint"].clone(), files.len())
}

#[test]
fn every_record_and_none_end_in_the_same_state() {
    let folder = Folder::new("outputs");
    let short = SLOPE.replace("end = 0.08", "end = 0.03");
    let table = |what: &str| format!("[[record]]\nwhat = \"{what}\"\nevery = \"step\"\n");
    let tables = ["bodies", "contacts", "series", "walls"].map(table).concat();
    let (none, few) = last_state(&folder, "none", &short, "1");
    let (every, many) = last_state(&folder, "every", &format!("{short}{RECORDS}"), "2");
    let (each_step, _) = last_state(&folder, "step", &format!("{short}{tables}"), "3");
    assert!(many > few + 15, "{few} files without records, {many} with");
    assert!(none == every, "records change the last state");
    assert!(none == each_step, "records of every step change the last state");
}

#[test]
fn contacts_that_are_looked_at_do_not_change_a_run_that_a_rule_ends() {
    let folder = Folder::new("outputs-rule");
    let time = "end = 2.0\n[time.stop]\nkinetic_energy_per_body = 1e-10";
    let record = "[[record]]\nwhat = \"contacts\"\nevery = \"step\"\n[[record]]\nwhat = \"checkpoint\"\nevery = 1e-3\n";
    let (none, _) = last_state(&folder, "none", &ball(time, ""), "1");
    let (with, _) = last_state(&folder, "with", &ball(time, record), "1");
    assert!(none == with);
}
