//! `stickslip compare` from outside: folders, the table, errors, a run that fails beside others, the same bytes as `run`.

use crate::common::{Folder, ball, err, out, stickslip};

const SOFT: &str = "[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
                    normal = { law = \"hooke\", stiffness = 5e3, restitution = 0.9 }\n";

fn read(folder: &Folder, path: &str) -> String {
    std::fs::read_to_string(folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn a_scene_and_its_variants_get_a_folder_each_and_one_report() {
    let folder = Folder::new("compare");
    folder.file("ball.toml", &ball("end = 0.05", "[[record]]\nwhat = \"series\"\nevery = 0.01"));
    folder.file("soft.toml", SOFT);
    folder.file("moon.toml", "gravity = [0, 0, -1.62]\n");
    let command = ["compare", "ball.toml", "--with", "soft.toml", "--with", "moon.toml", "--threads", "2"];
    let output = stickslip(&folder, &command);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("compare.html"), "{}", out(&output));
    let rows: Vec<Vec<String>> = read(&folder, "runs/compare-ball/compare.csv")
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["name", "ball", "soft", "moon"]);
    assert!(rows[1..].iter().all(|row| row[1] == "finished" && row.len() == rows[0].len()), "{rows:?}");
    let html = read(&folder, "runs/compare-ball/compare.html");
    assert!(html.contains("moon") && html.contains("A ball"));
    // Each is a run like any other: the scene as it is has the same records as with `run`.
    let run = stickslip(&folder, &["run", "ball.toml", "--out", "alone", "--quiet"]);
    assert!(run.status.success());
    assert_eq!(read(&folder, "alone/series.csv"), read(&folder, "runs/compare-ball/ball/series.csv"));
    assert_ne!(read(&folder, "alone/series.csv"), read(&folder, "runs/compare-ball/moon/series.csv"));
    // The variant's resolved scene stands alone.
    let resolved = stickslip(&folder, &["check", "runs/compare-ball/soft/scene.toml"]);
    assert!(resolved.status.success() && out(&resolved).contains("5000 N/m"), "{}", out(&resolved));
    // A second time it is refused, unless forced; the number of threads changes nothing.
    let again = stickslip(&folder, &command);
    assert_eq!(again.status.code(), Some(2));
    assert!(err(&again).contains("--force"), "{}", err(&again));
    let before = read(&folder, "runs/compare-ball/soft/series.csv");
    let forced = stickslip(
        &folder,
        &[
            "compare",
            "ball.toml",
            "--with",
            "soft.toml",
            "moon.toml",
            "--threads",
            "1",
            "--force",
            "--quiet",
            "--only-variants",
        ],
    );
    assert!(forced.status.success() && out(&forced).is_empty() && err(&forced).is_empty(), "{}", err(&forced));
    assert_eq!(read(&folder, "runs/compare-ball/soft/series.csv"), before);
    assert!(!read(&folder, "runs/compare-ball/compare.csv").contains("ball,"));
}

#[test]
fn a_run_that_fails_is_a_column_and_the_others_go_on() {
    let folder = Folder::new("compare-fails");
    folder.file("ball.toml", &ball("end = 0.05", ""));
    folder.file("small.toml", "[domain]\nfrom = [-1, -1, 0.0108]\nto = [1, 1, 1]\n");
    let output = stickslip(&folder, &["compare", "ball.toml", "--with", "small.toml", "--out", "both"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("small: failed: body 1 (\"ball\") has left the domain"), "{}", err(&output));
    let table = read(&folder, "both/compare.csv");
    assert!(table.contains("\nball,finished,") && table.contains("\nsmall,\"failed: body 1"), "{table}");
    assert!(read(&folder, "both/compare.html").contains("small failed: body 1"));
    // The terminal once named another end time than the table.
    let row = table.lines().find(|line| line.starts_with("small,")).unwrap();
    let time: f64 = row.rsplit(',').nth(20).unwrap().parse().unwrap();
    assert!(err(&output).contains(&format!(", at {time:.6} s in")), "{row}: {}", err(&output));
}

#[test]
fn wrong_input_is_found_before_anything_is_written() {
    let folder = Folder::new("compare-wrong");
    folder.file("ball.toml", &ball("end = 0.05", ""));
    folder.file("wrong.toml", "[time]\nend = 0.1\nstpe = 1e-5\n");
    std::fs::create_dir(folder.path().join("other")).unwrap();
    folder.file("other/ball.toml", "seed = 2\n");
    let cases = [
        (vec!["compare", "ball.toml", "--with", "wrong.toml"], "did you mean `step`?"),
        (vec!["compare", "ball.toml", "--with", "absent.toml"], "absent.toml"),
        (vec!["compare", "ball.toml", "--with", "other/ball.toml"], "have the same name `ball`"),
        (vec!["compare", "ball.toml"], "--with"),
    ];
    for (arguments, expected) in cases {
        let output = stickslip(&folder, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(folder.names(), ["ball.toml", "other", "wrong.toml"]);
}

/// A forced comparison cleared the runs of its first variants, then refused the folder of a later one.
#[test]
fn a_refused_comparison_changes_nothing() {
    let folder = Folder::new("compare-refused");
    folder.file("ball.toml", &ball("end = 0.01", ""));
    folder.file("soft.toml", SOFT);
    folder.file("moon.toml", "gravity = [0, 0, -1.62]\n");
    let soft = ["compare", "ball.toml", "--with", "soft.toml", "--quiet"];
    assert!(stickslip(&folder, &soft).status.success());
    let moon = folder.path().join("runs/compare-ball/moon");
    let both = ["compare", "ball.toml", "--with", "soft.toml", "moon.toml", "--force"];
    std::fs::create_dir(&moon).unwrap();
    std::fs::write(moon.join("scene.toml"), "mine").unwrap();
    let output = stickslip(&folder, &both);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(err(&output).contains("scene.toml"), "{}", err(&output));
    assert!(read(&folder, "runs/compare-ball/ball/run.json").contains("finished"));
    assert!(read(&folder, "runs/compare-ball/soft/run.json").contains("finished"));
    // Nor does it leave empty folders.
    std::fs::remove_dir_all(&moon).unwrap();
    let output = stickslip(&folder, &["compare", "ball.toml", "--with", "moon.toml", "soft.toml"]);
    assert_eq!((output.status.code(), moon.exists()), (Some(2), false), "{}", err(&output));
}

/// A second comparison, of other variants, overwrote the report of the first without `--force`.
#[test]
fn a_report_is_not_overwritten_unasked() {
    let folder = Folder::new("compare-report");
    folder.file("ball.toml", &ball("end = 0.01", ""));
    folder.file("soft.toml", SOFT);
    folder.file("moon.toml", "gravity = [0, 0, -1.62]\n");
    let with = |variant| ["compare", "ball.toml", "--with", variant, "--only-variants", "--out", "both", "--quiet"];
    assert!(stickslip(&folder, &with("soft.toml")).status.success());
    let before = read(&folder, "both/compare.csv");
    let output = stickslip(&folder, &with("moon.toml"));
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(["compare.csv", "--force", "--out"].iter().all(|word| err(&output).contains(word)), "{}", err(&output));
    assert!(read(&folder, "both/compare.csv") == before && !folder.path().join("both/moon").exists());
}

/// The usage line had `--with <VARIANT>... <SCENE>`, which takes the scene for a variant.
#[test]
fn the_usage_line_works_as_printed() {
    let folder = Folder::new("compare-usage");
    let text = out(&stickslip(&folder, &["compare", "--help"]));
    assert!(text.contains("stickslip compare <SCENE> --with <VARIANT>..."), "{text}");
}

/// Variants of such names were run into the report's own files, the comparison's folder, or its parent.
#[test]
fn names_that_are_no_folder_of_their_own_are_refused() {
    let folder = Folder::new("compare-names");
    folder.file("ball.toml", &ball("end = 0.01", ""));
    let names = ["compare.html.toml", "Compare.csv.toml", "..toml", "...toml", ".hidden.toml"];
    for name in names {
        folder.file(name, SOFT);
        let output = stickslip(&folder, &["compare", "ball.toml", "--with", name]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", err(&output));
        assert!(err(&output).contains("cannot have a folder of the name"), "{name}: {}", err(&output));
    }
    assert_eq!(folder.names().len(), names.len() + 1);
}

#[test]
fn several_seeds_have_a_row_each_and_a_spread() {
    let folder = Folder::new("compare-seeds");
    let grains = "[[grains]]\nmaterial = \"grain\"\ncount = 20\nradius = 0.004\n\
                  place = { kind = \"random\", from = [-0.03, -0.03, 0.03], to = [0.03, 0.03, 0.08] }";
    folder.file("rain.toml", &ball("end = 0.1", grains));
    folder.file("slow.toml", "[set]\n\"time.end\" = 0.05\n");
    let output = stickslip(&folder, &["compare", "rain.toml", "--with", "slow.toml", "--seeds", "3"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("compare-spread.csv"), "{}", out(&output));
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = read(&folder, &format!("runs/compare-rain/{name}"));
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let table = rows("compare.csv");
    let names: Vec<&str> = table.iter().map(|row| row[0].as_str()).collect();
    let expected = ["name", "rain-seed-1", "rain-seed-2", "rain-seed-3", "slow-seed-1", "slow-seed-2", "slow-seed-3"];
    assert_eq!(names, expected);
    let at = |name: &str| table[0].iter().position(|column| column == name).unwrap();
    assert_eq!((table[2][at("variant")].as_str(), table[2][at("seed")].as_str()), ("rain", "2"));
    let kinetic: Vec<f64> = table[1..4].iter().map(|row| row[at("kinetic")].parse().unwrap()).collect();
    assert!(kinetic[0] != kinetic[1] && kinetic[1] != kinetic[2], "{kinetic:?}");
    let spread = rows("compare-spread.csv");
    let row = spread.iter().find(|row| row[0] == "rain" && row[1] == "kinetic").unwrap();
    let (mean, number) = (kinetic.iter().sum::<f64>() / 3.0, |column: usize| row[column].parse::<f64>().unwrap());
    // Sums of three numbers in the same order.
    assert_eq!((row[2].as_str(), number(3)), ("3", mean));
    let squares: f64 = kinetic.iter().map(|x| (x - mean) * (x - mean)).sum();
    assert!((number(4) - (0.5 * squares).sqrt()).abs() <= 1e-12 * mean, "{row:?}");
    let times: Vec<&str> = spread.iter().filter(|row| row[1] == "time").map(|row| row[3].as_str()).collect();
    assert!(times[0].starts_with("0.1") && times[1].starts_with("0.05"), "{times:?}");
    assert!(read(&folder, "runs/compare-rain/compare.html").contains("Spread over seeds"));
}
