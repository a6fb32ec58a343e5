//! Variants: what they replace, and where their errors point.

use std::path::{Path, PathBuf};

use stickslip::law::{Normal, Roll, Slide};
use stickslip_io::scene::{self, Scene, load, load_variant};

const SCENE: &str = r#"title = "base"
gravity = [0, 0, -9.81]
[time]
end = 0.1
[material.grain]
density = 2500.0
[material.floor]
density = 2500.0
[[contact]]
between = ["grain", "grain"]
normal = { law = "hooke", stiffness = 1e4, restitution = 0.5 }
[[contact]]
between = ["grain", "floor"]
normal = { law = "hooke", stiffness = 1e4, restitution = 0.5 }
slide = { law = "spring-slider", stiffness = 3e3, mu = 0.5 }
[[body]]
material = "floor"
shape = { kind = "plane", normal = [0, 0, 1] }
position = [0, 0, 0]
motion = "fixed"
[[body]]
material = "grain"
shape = { kind = "sphere", radius = 0.01 }
position = [0, 0, 0.011]
[[body]]
material = "grain"
shape = { kind = "sphere", radius = 0.01 }
position = [0, 0.1, 0.011]
"#;

struct Files(PathBuf);

impl Files {
    fn new(name: &str, variant: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("stickslip-variant-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
        std::fs::write(folder.join("variant.toml"), variant).unwrap();
        Files(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn with(name: &str, variant: &str) -> Result<Scene, stickslip_io::scene::InputError> {
    let files = Files::new(name, variant);
    load_variant(&files.path("scene.toml"), &files.path("variant.toml"), None)
}

#[test]
fn contacts_between_the_same_materials_are_replaced_in_any_order() {
    let variant = r#"
[[contact]]
between = ["floor", "grain"]
normal = { law = "hooke", stiffness = 2e4, restitution = 0.5 }
roll = { law = "constant-torque", mu = 0.1 }
"#;
    let scene = with("contacts", variant).unwrap();
    let laws = |a, b| *scene.setup.model.laws.springs(a, b).unwrap();
    assert!(matches!(laws(0, 1).roll, Some(Roll::ConstantTorque(_))));
    assert_eq!(laws(0, 1).slide, None::<Slide>);
    assert_eq!(laws(0, 0).roll, None);
    assert_eq!(scene.title, "base");
    // The rest is the scene's, and what is written out stands alone.
    let files = Files::new("alone", &scene.resolved);
    assert_eq!(load(&files.path("variant.toml")).unwrap().setup, scene.setup);
}

#[test]
fn tables_and_keys_at_the_top_replace_the_scenes_whole() {
    let scene = with("top", "title = \"other\"\ngravity = [0, 0, -1]\n[time]\nend = 0.2\nstep = 1e-5\n").unwrap();
    assert_eq!((scene.title.as_str(), scene.end, scene.setup.model.dt), ("other", 0.2, 1e-5));
    assert_eq!(scene.setup.model.gravity.at(0.0).z, -1.0);
    assert_eq!(scene.setup.bodies.len(), 3);
    // `end` is not taken from the scene's [time]: tables replace tables.
    let error = with("whole", "seed = 3\n[time]\nstep = 1e-5\n").unwrap_err();
    assert_eq!((file(&error), error.line()), ("variant.toml".into(), Some(2)), "{error}");
    assert!(error.message().contains("`end` is missing"), "{error}");
}

#[test]
fn a_new_pair_is_added() {
    let variant =
        "[[contact]]\nbetween = [\"floor\", \"floor\"]\nnormal = { law = \"hooke\", stiffness = 1.0, damping = 0.0 }\n";
    let scene = with("added", variant).unwrap();
    assert!(scene.setup.model.laws.springs(1, 1).is_some() && scene.setup.model.laws.springs(0, 1).is_some());
}

fn file(error: &stickslip_io::scene::InputError) -> String {
    Path::new(error.file()).file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn an_error_names_the_file_it_is_in() {
    let contact = "[[contact]]\nbetween = [\"grain\", \"grain\"]\n";
    let cases = [
        (format!("{contact}normal = {{ law = \"hoke\", stiffness = 1e4 }}\n"), 3, "did you mean \"hooke\"?"),
        (format!("\n\n{contact}"), 3, "the key `normal` is missing"),
        ("title = \"x\"\ngravty = [0, 0, 0]\n".to_owned(), 2, "did you mean `gravity`?"),
        ("title = \"x\"\nthis is not\n".to_owned(), 2, "this is not TOML"),
        ("[[contact]]\nbetween = [\"grain\"]\n".to_owned(), 2, "the names of two materials"),
        ("contact = 3\n".to_owned(), 1, "an array of tables"),
        ("[[body]]\nmaterial = \"grain\"\n".to_owned(), 1, "the key `shape` is missing"),
    ];
    for (number, (variant, line, message)) in cases.into_iter().enumerate() {
        let error = with(&format!("error-{number}"), &variant).unwrap_err();
        let text = format!("{} {}", error.message(), error.advice().unwrap_or_default());
        assert_eq!((file(&error), error.line()), ("variant.toml".into(), Some(line)), "{error}");
        assert!(text.contains(message), "{text}");
    }
    let empty = with("empty", "# nothing\n").unwrap_err();
    // It had no line, as if the file could not be read.
    assert_eq!((file(&empty), empty.line()), ("variant.toml".into(), Some(1)));
    assert!(empty.message().contains("changes nothing"), "{empty}");
    // What the variant leaves wrong in the scene is shown in the scene.
    let error = with("scene", "[material.grain]\ndensity = 1.0\n").unwrap_err();
    assert_eq!((file(&error), error.line()), ("scene.toml".into(), Some(13)), "{error}");
    let files = Files::new("absent", "seed = 2\n");
    let error = load_variant(&files.path("scene.toml"), &files.path("no.toml"), None).unwrap_err();
    assert_eq!(file(&error), "no.toml");
}

/// A pair of materials that a variant had twice passed silently: the second table replaced the first.
#[test]
fn a_pair_that_a_variant_has_twice_is_refused() {
    let contact = |pair: &str| {
        format!("[[contact]]\nbetween = [{pair}]\nnormal = {{ law = \"hooke\", stiffness = 1e4, damping = 0.0 }}\n")
    };
    for pairs in [["\"floor\", \"grain\"", "\"grain\", \"floor\""], ["\"floor\", \"floor\"", "\"floor\", \"floor\""]] {
        let error = with("twice", &pairs.map(contact).concat()).unwrap_err();
        assert_eq!((file(&error), error.line()), ("variant.toml".into(), Some(5)), "{error}");
        assert!(error.message().contains("already have a [[contact]], on line 2"), "{error}");
    }
}

/// A variant that was for all pairs of a material had to repeat each of the scene's tables.
#[test]
fn a_wildcard_of_a_variant_replaces_all_that_it_covers() {
    let contact = |between: &str, stiffness: &str| {
        format!(
            "[[contact]]\nbetween = {between}\nnormal = {{ law = \"hooke\", stiffness = {stiffness}, damping = 0.0 }}\n"
        )
    };
    let any = with("any", &contact("[\"grain\", \"*\"]", "3e4")).unwrap();
    let stiffness = |scene: &Scene, a, b| match scene.setup.model.laws.springs(a, b).unwrap().normal {
        Normal::Hooke(hooke) => hooke.stiffness,
        _ => f64::NAN,
    };
    assert_eq!([stiffness(&any, 0, 0), stiffness(&any, 0, 1)], [3e4; 2]);
    assert!(any.setup.model.laws.springs(1, 1).is_none());
    // What is written out has the pairs, and stands alone.
    let files = Files::new("any-alone", &any.resolved);
    assert_eq!(load(&files.path("variant.toml")).unwrap().setup, any.setup);
    // More exact ones of the variant itself stay; those of the scene go.
    let both = contact("[\"*\", \"*\"]", "3e4") + &contact("[\"floor\", \"grain\"]", "4e4");
    let both = with("both", &both).unwrap();
    assert_eq!([stiffness(&both, 0, 0), stiffness(&both, 0, 1), stiffness(&both, 1, 1)], [3e4, 4e4, 3e4]);
    // One of a scene and one of a variant that cover a pair as exactly: the variant's counts.
    let files = Files::new("crossed", &contact("[\"grain\", \"*\"]", "3e4"));
    let (from, to) = (SCENE.find("[[contact]]").unwrap(), SCENE.find("[[body]]").unwrap());
    let scene = contact("[\"*\", \"floor\"]", "1e4") + &contact("[\"*\", \"*\"]", "2e4");
    std::fs::write(files.path("scene.toml"), SCENE.replace(&SCENE[from..to], &scene)).unwrap();
    let crossed = load_variant(&files.path("scene.toml"), &files.path("variant.toml"), None).unwrap();
    assert_eq!([(0, 0), (0, 1), (1, 1)].map(|(a, b)| stiffness(&crossed, a, b)), [3e4, 3e4, 1e4]);
}

/// A variant that changed the step had to repeat the scene's `end`, and one that moved a body all of them.
#[test]
fn a_set_gives_single_keys_a_value_after_the_tables() {
    let set = "gravity = [0, 0, -1]\n[set]\n\"time.step\" = 1e-5\n\"body[1].velocity\" = [1, 0, 0]\n";
    let (plain, scene) = (with("set-plain", "gravity = [0, 0, -1]\n").unwrap(), with("set", set).unwrap());
    assert_eq!((scene.setup.model.dt, scene.end), (1e-5, plain.end));
    assert_eq!(scene.setup.bodies.len(), plain.setup.bodies.len());
    let error = with("set-key", "[set]\n\"time.stp\" = 1e-5\n").unwrap_err();
    assert_eq!((file(&error), error.line()), ("variant.toml".into(), Some(2)), "{error}");
    assert_eq!(error.advice(), Some("did you mean `step`?"));
    let error = with("set-table", "[set]\ntime.step = 1e-5\n").unwrap_err();
    assert!(error.advice().unwrap().contains("put the whole KEY into quotes"), "{error}");
    let error = with("set-which", "[set]\n\"contat[*].slide.mu\" = 0.1\n").unwrap_err();
    assert_eq!(error.advice(), Some("did you mean `contact`?"), "{error}");
    let error = with("set-stage", "[set]\n\"stage[lift].gravity\" = [0, 0, 0]\n").unwrap_err();
    assert!(error.message().contains("the scene has no [[stage]]"), "{error}");
}

#[test]
fn a_stage_is_named_in_a_set_and_counts_after_what_it_sets_itself() {
    let stages = "[[stage]]\nname = \"a\"\ntime = { end = 0.1 }\n[stage.set]\n\"gravity\" = [0, 0, -2]\n\
                  [[stage]]\nname = \"b\"\ntime = { end = 0.2 }\n";
    let over =
        "[set]\n\"stage[a].gravity\" = [0, 0, -3]\n\"stage[b].time.end\" = 0.4\n\"stage[b].velocities\" = \"zero\"\n";
    let scene = with("stages", &(stages.to_owned() + over)).unwrap();
    let model = |k: usize| &scene.stages[k].scene.setup.model;
    // What one stage sets holds in those that follow.
    assert_eq!([0, 1].map(|k| model(k).gravity.at_start().z), [-3.0, -3.0]);
    assert_eq!((scene.stages[1].scene.end, scene.stages[1].velocities), (0.4, scene::Velocities::Zero));
    let error = with("stages-wrong", &(stages.to_owned() + "[set]\n\"stage[c].gravity\" = [0, 0, 0]\n")).unwrap_err();
    assert!(error.message().contains("the scene has no stage[c]"), "{error}");
    let error = with("stages-key", &(stages.to_owned() + "[set]\n\"stage[b].tim.end\" = 1.0\n")).unwrap_err();
    assert_eq!(error.advice(), Some("did you mean `time`?"), "{error}");
}
