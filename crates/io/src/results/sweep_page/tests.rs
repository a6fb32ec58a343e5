use super::super::sweep::{Row, Swept};
use super::super::testing::tags;
use super::*;

/// Two keys of three and two values, two seeds: y = 10 mu + step, plus and minus 1 by the seed.
fn swept(plot: &[&str]) -> (SweepJson, SweepTable) {
    let (mus, steps) = (["0", "0.5", "1"], ["1e-4", "1"]);
    let key =
        |key: &str, values: &[&str]| Swept { key: key.into(), values: values.iter().map(|v| (*v).into()).collect() };
    let json = SweepJson {
        program: "stickslip".into(),
        version: "1".into(),
        commit: None,
        scene_file: "a <b>.toml".into(),
        scene_hash: String::new(),
        set: vec![key("contact[a,b].roll.mu", &mus), key("time.step", &steps)],
        seeds: 2,
        first_seed: 1,
        runs: 12,
        plot: plot.iter().map(|plot| (*plot).to_owned()).collect(),
        keep: "all".into(),
        measure: Vec::new(),
    };
    let mut table = SweepTable::new(vec!["contact[a,b].roll.mu".into(), "time.step".into()]);
    for run in 0..12 {
        let (mu, step, seed) = (mus[run / 4], steps[run / 2 % 2], run % 2);
        let y = 10.0 * mu.parse::<f64>().unwrap() + step.parse::<f64>().unwrap() + if seed == 0 { 1.0 } else { -1.0 };
        let found = vec![("kinetic".to_owned(), format!("{y:?}")), ("bodies".to_owned(), "3".to_owned())];
        let set = vec![mu.to_owned(), step.to_owned()];
        let row = Row { set, seed: 1 + seed as u64, state: "done".into(), found, ..Row::default() };
        table.rows.insert(run + 1, row);
    }
    (json, table)
}

fn plots(plot: &[&str]) -> Result<Vec<String>, String> {
    let (sweep, table) = swept(plot);
    SweepPage { title: "t", sweep: &sweep, table: &table }.plots()
}

fn texts(svg: &str) -> Vec<String> {
    tags(svg).into_iter().filter(|(tag, _)| tag.starts_with("text")).map(|(_, text)| text).collect()
}

#[test]
fn lines_go_over_the_first_key_by_the_second_and_maps_over_both() {
    let plots = plots(&[]).unwrap();
    assert_eq!(plots.len(), 2, "one column varies: lines and a map of it");
    let lines = texts(&plots[0]);
    for text in ["kinetic (J)", "contact[a,b].roll.mu", "time.step = 1e-4", "time.step = 1"] {
        assert!(lines.contains(&text.to_owned()), "{text}: {lines:?}");
    }
    // A bar and its two ends at each of three points of both curves.
    assert_eq!(plots[0].matches("h8").count(), 2 * 2 * 3);
    let map = texts(&plots[1]);
    for text in ["0", "0.5", "1", "1e-4", "time.step (s)", "kinetic (J)", "5", "11"] {
        assert!(map.contains(&text.to_owned()), "{text}: {map:?}");
    }
}

#[test]
fn any_two_columns_make_lines_and_three_a_map() {
    let asked = plots(&["time.step,kinetic", "roll.mu,seed,kinetic"]).unwrap();
    // The step spans four decades, so its axis has powers of ten.
    assert!(texts(&asked[0]).contains(&"10⁻²".to_owned()), "{:?}", texts(&asked[0]));
    // At seed 2 and mu 1 the mean over both steps is 10 + 0.50005 - 1.
    assert!(texts(&asked[1]).contains(&"9.5".to_owned()), "{:?}", texts(&asked[1]));
    assert!(texts(&asked[1]).iter().any(|text| text.contains("mean over time.step")));
    let error = plots(&["mass,kinetic"]).unwrap_err();
    assert!(error.contains("no column `mass`") && error.contains("time.step"), "{error}");
    assert!(plots(&["time.step,state"]).unwrap_err().contains("does not hold numbers"));
    for wrong in ["kinetic", "a,b,c,d", "a,"] {
        assert!(Plot::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_page_is_whole_loads_nothing_and_says_what_failed() {
    let (sweep, mut table) = swept(&[]);
    let row = table.rows.get_mut(&3).unwrap();
    (row.state, row.reason) = ("failed".into(), "body 3 is <gone>".into());
    let html = SweepPage { title: "A & B", sweep: &sweep, table: &table }.to_html().unwrap();
    tags(&html);
    for text in ["A &amp; B", "Run 3 failed: body 3 is &lt;gone&gt;", "a &lt;b&gt;.toml", "12 of 12 runs"] {
        assert!(html.contains(text), "{text}");
    }
    let rest = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!["http", "NaN", "<script"].iter().any(|text| rest.contains(text)));
    // A sweep of which nothing is there yet has a page as well.
    let none = SweepTable::new(table.keys.clone());
    tags(&SweepPage { title: "t", sweep: &sweep, table: &none }.to_html().unwrap());
}

#[test]
fn words_along_the_axis_make_a_map_of_one_row() {
    let (mut sweep, mut table) = swept(&["law,kinetic"]);
    sweep.set.truncate(1);
    table.keys = vec!["contact[a,b].roll.law".into()];
    for (run, row) in &mut table.rows {
        row.set = vec![if run % 2 == 0 { "epsd" } else { "spring-slider" }.to_owned()];
    }
    let svg = &SweepPage { title: "t", sweep: &sweep, table: &table }.plots().unwrap()[0];
    assert!(["epsd", "spring-slider"].iter().all(|law| texts(svg).contains(&(*law).to_owned())), "{svg}");
}

#[test]
fn labels_have_the_units_of_their_columns() {
    let labels =
        ["pressure_xx", "pressure_error", "lost_roll", "time.stop.kinetic_energy_per_body", "a[0].mu"].map(label);
    let expected =
        ["pressure xx (Pa)", "pressure error", "lost roll (J)", "time.stop.kinetic_energy_per_body (J)", "a[0].mu"];
    assert_eq!(labels, expected);
}
