//! What goes wrong, from outside: refused before a run with code 2 and no folder, or stopped with code 1 and all records kept;
//! with the body and its name, the time or the line, the likely cause and the remedy.

use crate::common::{Folder, ball, err, out, stickslip};

const SERIES: &str = "[[record]]\nwhat = \"series\"\nevery = 1e-4\n";

/// What a program said, without the frame and the line breaks around it.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || "│╭╰─┬├·×".contains(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Runs a scene that must be refused, by `check` and by `run`, and says how.
fn refused(name: &str, text: &str) -> String {
    let folder = Folder::new(name);
    folder.file("scene.toml", text);
    let start = std::time::Instant::now();
    let [checked, run] = [["check", "scene.toml"], ["run", "scene.toml"]].map(|arguments| {
        let output = stickslip(&folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{}{}", out(&output), err(&output));
        plain(&err(&output))
    });
    assert!(start.elapsed().as_secs() < 5, "both were refused at once");
    assert_eq!(folder.names(), ["scene.toml"], "nothing was written");
    // The same place; the memory that is available changes from moment to moment.
    assert_eq!(checked.split(' ').next(), run.split(' ').next());
    run
}

/// Runs a scene that must be stopped, and says how; the records up to there and the message are in the folder.
fn stopped(folder: &Folder, text: &str) -> String {
    folder.file("scene.toml", text);
    let output = stickslip(folder, &["run", "scene.toml", "--force"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", out(&output), err(&output));
    let said = err(&output).trim().strip_prefix("error: ").expect("an error").to_owned();
    let run = folder.path().join("runs/scene");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(run.join("run.json")).unwrap()).expect("run.json is JSON");
    assert_eq!(json["ending"], format!("failed: {said}"));
    let series = std::fs::read_to_string(run.join("series.csv")).unwrap();
    assert!(series.lines().count() > 2 && series.ends_with('\n'), "{series}");
    assert!(run.join("report.html").is_file() && run.join("picture.png").is_file());
    said
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn a_step_beyond_the_stability_limit_is_refused_at_its_line() {
    // m = 0.01047 kg, k = 1e4 N/m, restitution 0.5: (2/omega)(sqrt(1 + zeta^2) - zeta) = 1.65 ms.
    let said = refused("limit", &ball("end = 1.0\nstep = 0.002", ""));
    assert_has(&said, &["scene.toml:5", "step 0.002 s is above 0.001", "the stability limit", "step = \"auto\""]);
    let folder = Folder::new("below-limit");
    folder.file("scene.toml", &ball("end = 0.01\nstep = 1.6e-3", ""));
    let checked = stickslip(&folder, &["check", "scene.toml"]);
    assert_eq!(checked.status.code(), Some(0), "{}", err(&checked));
    assert_has(&out(&checked), &["warning: step 0.0016 s is"]);
}

#[test]
fn bodies_too_fast_for_the_step_are_refused_at_their_table() {
    let said = refused("speed", &ball("end = 1.0", "velocity = [0, 0, -1e6]\n"));
    assert_has(
        &said,
        &["scene.toml:17", "body 1 (\"ball\") moves by", "times its radius in one step", "check the units"],
    );
    let said = refused("turn", &ball("end = 1.0", "angular_velocity = [0, 0, 1e6]\n"));
    assert_has(&said, &["body 1 (\"ball\") turns by", "rad in one step"]);
    let stream = "[[stream]]\nmaterial = \"grain\"\nradius = 0.01\nrate = 10.0\ncount = 5\nfrom = [0, 0, 1]\nto = [0, 0, 1]\n\
                  velocity = [0, 0, -1e300]\n";
    assert_has(&refused("stream", &ball("end = 1.0", stream)), &["stream[0]: its smallest body moves by"]);
    let servo = "[[body]]\nname = \"lid\"\nmaterial = \"grain\"\nshape = { kind = \"plane\", normal = [0, 0, -1] }\n\
                 position = [0, 0, 1]\nmotion = { servo = { axis = [0, 0, -1], force = 1e300 } }\n";
    assert_has(&refused("servo", &ball("end = 1.0", servo)), &["body 2 (\"lid\") moves by", "the smallest radius"]);
}

#[test]
fn overlap_at_the_start_and_places_outside_the_domain_are_refused() {
    let twin = "[[body]]\nname = \"twin\"\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\n\
                position = [0.001, 0, 0.011]\n";
    let said = refused("overlap-at-start", &ball("end = 1.0", twin));
    assert_has(
        &said,
        &["scene.toml:22", "body 1 (\"ball\") and body 2 (\"twin\") overlap by", "at the start", "apart"],
    );
    let said = refused("outside", &ball("end = 1.0", "[domain]\nfrom = [-1, -1, -1]\nto = [1, 1, 0.01]\n"));
    assert_has(&said, &["body 1 (\"ball\") starts at", "outside the domain"]);
}

#[test]
fn more_grains_than_memory_can_hold_are_refused_at_once() {
    let many = "[[grains]]\nmaterial = \"grain\"\nradius = 1e-6\ncount = 4_000_000_000\n\
                place = { kind = \"lattice\", from = [1, 1, 1] }\n";
    let said = refused("memory", &ball("end = 1.0", many));
    assert_has(
        &said,
        &["scene.toml:25", "grains[0].count: 4000000002 bodies need about", "GiB are available", "at most"],
    );
}

#[test]
fn an_overlap_ends_the_run_with_names_and_cause() {
    let folder = Folder::new("overlap");
    let fast = format!("velocity = [0, 0, -9]\n{SERIES}");
    let said = stopped(&folder, &ball("end = 1.0", &fast));
    assert_has(
        &said,
        &["body 0 (\"floor\") and body 1 (\"ball\") overlap by", "at time", "(step", "too fast", "larger"],
    );
    assert!(!folder.path().join("runs/scene/end.checkpoint").exists(), "the state is not worth keeping");
    // A ball too heavy for its spring: it would sink in by m g/k = 5.2 mm, creeping at the end.
    let heavy =
        ball("end = 1.0\nstep = 1e-5", SERIES).replace("-9.81]", "-5000]").replace("0, 0, 0.011]", "0, 0, 0.01]");
    let said = stopped(&folder, &heavy.replace("restitution = 0.5", "damping_ratio = 1.0"));
    assert_has(&said, &["load too large for the stiffness", "weaker"]);
    // A large step is named beside the cause.
    let said = stopped(&folder, &ball("end = 1.0\nstep = 5e-4", &fast));
    assert_has(&said, &["(The step is 0.3", "times the critical one of the scene)"]);
}

#[test]
fn what_is_not_finite_ends_the_run_with_its_name() {
    let folder = Folder::new("not-finite");
    // Alone in the world it meets no guard against speed; after 1.1 s it is faster than numbers go.
    let alone = "[time]\nend = 2.0\nstep = 1e-3\n[material.grain]\ndensity = 2500.0\n[[body]]\nname = \"comet\"\n\
                 material = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\nposition = [0, 0, 0]\n\
                 force = [8e307, 0, 0]\nmass = 0.5\n[[record]]\nwhat = \"series\"\nevery = 0.1\n";
    let said = stopped(&folder, alone);
    assert_has(&said, &["of body 0 (\"comet\") is no longer finite, found at time", "(step", "check the units"]);
}

#[test]
fn what_is_fixed_or_driven_may_stand_and_go_beyond_the_domain() {
    // A fixed post outside was refused, and a pusher that had done its work ended the run.
    let folder = Folder::new("beyond");
    let sphere = |at: &str, motion: &str| {
        format!(
            "[[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\nposition = {at}\n\
             motion = {motion}\n"
        )
    };
    let (post, pusher) = (sphere("[1, 0, 0.1]", "\"fixed\""), sphere("[0.05, 0, 0.05]", "{ velocity = [10, 0, 0] }"));
    let domain = "[domain]\nfrom = [-0.1, -0.1, -0.1]\nto = [0.1, 0.1, 0.1]\n";
    folder.file("scene.toml", &ball("end = 0.02", &format!("{post}{pusher}{domain}")));
    let output = stickslip(&folder, &["run", "scene.toml", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
}

#[test]
fn a_body_that_leaves_the_domain_and_a_blocked_stream_keep_their_state() {
    let folder = Folder::new("left");
    let domain = format!("velocity = [1, 0, 0]\n[domain]\nfrom = [-0.1, -0.1, -0.1]\nto = [0.1, 0.1, 0.1]\n{SERIES}");
    let said = stopped(&folder, &ball("end = 10.0", &domain));
    assert_has(
        &said,
        &["body 1 (\"ball\") has left the domain at [", "time", "(step", "no wall holds it", "Enlarge [domain]"],
    );
    assert!(folder.path().join("runs/scene/end.checkpoint").is_file());
    let stream = format!(
        "[[body]]\nname = \"cork\"\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\n\
         position = [0, 0, 0.1]\nmotion = \"fixed\"\n\
         [[stream]]\nmaterial = \"grain\"\nradius = 0.01\nrate = 10.0\ncount = 5\nfrom = [0, 0, 0.1]\nto = [0, 0, 0.1]\n\
         velocity = [0, 0, -1]\n{SERIES}"
    );
    let said = stopped(&folder, &ball("end = 10.0", &stream));
    assert_has(
        &said,
        &["[[stream]] number 1 (material \"grain\")", "in 1000 looks in a row", "0 of its 5", "time", "(step"],
    );
    assert_has(&said, &["The likely cause: body 2 (\"cork\") stands in its box", "Lower its rate"]);
    assert!(folder.path().join("runs/scene/end.checkpoint").is_file());
}
