use super::*;

const SCENE: &str = "\
gravity = [0, 0, -9.81]
[time]
end = 0.1
[material.grain]
density = 2500.0
[material.wall]
density = 1000.0
[[contact]]
between = [\"grain\", \"grain\"]
normal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }
slide = { law = \"spring-slider\", stiffness = 3e3, mu = 0.5 }
[[contact]]
between = [\"wall\", \"grain\"]
normal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }
slide = { law = \"spring-slider\", stiffness = 3e3, mu = 0.5 }
[[body]]
name = \"floor\"
material = \"wall\"
shape = { kind = \"plane\", normal = [0, 0, 1] }
position = [0, 0, 0]
[[body]]
name = \"ball\"
material = \"grain\"
shape = { kind = \"sphere\", radius = 0.01 }
position = [0, 0, 0.011]
";

/// The scene with the first value of each setting.
fn loaded(name: &str, settings: &[&str]) -> std::result::Result<Scene, InputError> {
    let path = std::env::temp_dir().join(format!("stickslip-setting-{}-{name}.toml", std::process::id()));
    std::fs::write(&path, SCENE).unwrap();
    let settings: Vec<Setting> = settings.iter().map(|text| Setting::parse(text).unwrap()).collect();
    let scene = load_with(&path, &settings.iter().map(|setting| (setting, 0)).collect::<Vec<_>>(), None);
    std::fs::remove_file(path).unwrap();
    scene
}

#[test]
fn values_are_split_at_the_commas_between_them() {
    let values = |text: &str| Setting::parse(text).map(|setting| setting.values);
    assert_eq!(values("a.b=0, 0.1").unwrap(), ["0", "0.1"]);
    assert_eq!(values("v=[1,2],[3,4]").unwrap(), ["[1,2]", "[3,4]"]);
    assert_eq!(values("v=\"a,b\",'c'").unwrap(), ["\"a,b\"", "'c'"]);
    assert_eq!(values("v={ static = 0.2, kinetic = 0.1 }").unwrap(), ["{ static = 0.2, kinetic = 0.1 }"]);
    assert_eq!(values("v=\"a=b\"").unwrap(), ["\"a=b\""]);
    for wrong in ["v", "v=", "v=1,", "=1", "v=abc", "v=1,1", "v.=1", "a[=1", "a[]=1", "v=1\nb=2", "v=[1", "v=1 # x"] {
        assert!(values(wrong).is_err(), "{wrong}");
    }
    let bare = values("contact[*].roll.law=epsd").unwrap_err();
    assert!(bare.contains("'\"epsd\"'"), "{bare}");
}

#[test]
fn ranges_are_even_in_steps_or_in_ratios() {
    let values = |text: &str| Setting::parse(&format!("v={text}")).map(|setting| setting.values);
    assert_eq!(values("0.1..0.5/5").unwrap(), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
    assert_eq!(values("1e-4..1e-1/4 log").unwrap(), ["0.0001", "0.001", "0.01", "0.1"]);
    assert_eq!(values("10..30/3,7").unwrap(), ["10", "20", "30", "7"]);
    for wrong in ["1..2", "1..2/1", "1..1/3", "0..1/3 log", "a..b/3", "1../3"] {
        assert!(values(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_table_shows_values_without_their_quotes() {
    let setting = Setting::parse("v=\"epsd\",1_000,0x10,1e-3,[1, 2]").unwrap();
    let shown: Vec<String> = (0..5).map(|value| setting.shown(value)).collect();
    assert_eq!(shown, ["epsd", "1000", "16", "1e-3", "[1, 2]"]);
}

#[test]
fn settings_reach_what_they_name() {
    let scene = loaded(
        "reach",
        &[
            "contact[*].slide.mu=0.1",
            "contact[grain,wall].slide.mu=0.2",
            "material.grain.density=3000",
            "body[ball].shape.radius=0.02",
            "body[1].position[2]=0.05",
            "seed=7",
            "time.stop.unbalanced_force=1e-3",
        ],
    )
    .unwrap();
    assert_eq!(scene.seed, 7);
    assert_eq!(scene.stop.unbalanced_force, Some(1e-3));
    assert_eq!(scene.setup.model.materials[0].density, 3000.0);
    let ball = scene.setup.bodies.get(1);
    assert_eq!((ball.shape.radius(), ball.position.z), (Some(0.02), 0.05));
    for expected in ["mu = 0.1", "mu = 0.2"] {
        assert_eq!(scene.resolved.matches(expected).count(), 1, "{expected}: {}", scene.resolved);
    }
    // A scene without a series gets one.
    assert!(scene.resolved.contains("what = \"series\"") || scene.resolved.contains("what   = \"series\""));
}

#[test]
fn a_fraction_of_the_critical_step_replaces_any_step() {
    let step = |settings: &[&str]| loaded("fraction", settings).unwrap().setup.model.dt;
    let tenth = step(&["time.step.fraction=0.1"]);
    assert_eq!(step(&["time.step={ fraction = 0.1 }"]), tenth);
    assert_eq!(step(&["time.step=\"auto\"", "time.step.fraction=0.1"]), tenth);
    assert_eq!(step(&["time.step={ fraction = 0.1 }", "time.step.fraction=0.2"]), 2.0 * tenth);
    assert_eq!(step(&["time.step.fraction=0.1", "time.step=1e-6"]), 1e-6);
}

#[test]
fn what_is_wrong_with_a_setting_is_said_with_its_text() {
    let cases = [
        ("time.stpe=1", "unknown key `stpe`", "did you mean `step`?"),
        ("time.step=-1", "--set:1: time.step: expected a time above zero", ""),
        ("contact[grain,floor].slide.mu=1", "the scene has no contact[grain,floor]", "grain,wall"),
        ("contact[grain,gain].slide.mu=1", "no contact[grain,gain]", "did you mean `grain,grain`?"),
        ("contact.slide.mu=1", "`contact` is an array of 2", "contact[grain,grain]"),
        ("body[bal].mass=1", "no body[bal]", "did you mean `ball`?"),
        ("body[5].mass=1", "there is no number 5", ""),
        ("material.gravel.density=1", "no material \"gravel\"", "there are"),
        ("grains[0].radius=1", "the scene has no `grains`", ""),
        (
            "time.step.fraction=1.5",
            "time.step.fraction: expected a fraction of the critical step above 0 and at most 1",
            "",
        ),
        ("time.step.fractoin=0.1", "time.step: unknown key `fractoin`", "did you mean `fraction`?"),
        ("time.end.x=1", "`x` stands after a value", ""),
        ("gravty=[0,0,0]", "unknown key `gravty`", "did you mean `gravity`?"),
        ("contact[*].rolling.mu=1", "unknown key `rolling`", "did you mean `roll`?"),
    ];
    for (setting, message, advice) in cases {
        let error = loaded("wrong", &[setting]).unwrap_err();
        assert!(error.to_string().contains(message), "{setting}: {error}");
        assert!(error.advice().unwrap_or_default().contains(advice), "{setting}: {:?}", error.advice());
        assert_eq!(error.file(), "--set", "{setting}");
    }
}

/// A key that names a pair changed all pairs of a table with a `"*"`, or none.
#[test]
fn a_pair_of_a_wildcard_gets_a_contact_of_its_own() {
    let (from, to) = (SCENE.find("[[contact]]").unwrap(), SCENE.find("[[body]]").unwrap());
    let law = "normal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }\n";
    let any = |first: &str, second: &str| format!("[[contact]]\nbetween = [\"{first}\", \"{second}\"]\n{law}");
    let stiffness = |name: &str, contacts: &str, key: &str| {
        let path = std::env::temp_dir().join(format!("stickslip-any-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, SCENE.replace(&SCENE[from..to], contacts)).unwrap();
        let setting = Setting::parse(&format!("contact[{key}].normal.stiffness=7.0")).unwrap();
        let scene = load_with(&path, &[(&setting, 0)], None);
        std::fs::remove_file(path).unwrap();
        let laws = scene?.setup.model.laws;
        // Grain and grain, grain and wall, wall and wall: which of them were set.
        Ok::<_, InputError>([(0, 0), (0, 1), (1, 1)].map(|(a, b)| match laws.springs(a, b).map(|laws| laws.normal) {
            Some(stickslip::law::Normal::Hooke(hooke)) => hooke.stiffness == 7.0,
            _ => false,
        }))
    };
    let all = any("*", "*");
    assert_eq!(stiffness("pair", &all, "wall,grain").unwrap(), [false, true, false]);
    assert_eq!(stiffness("one", &all, "grain,*").unwrap(), [true, true, false]);
    assert_eq!(stiffness("all", &all, "*,*").unwrap(), [true; 3]);
    assert_eq!(stiffness("star", &all, "*").unwrap(), [true; 3]);
    // Of a table for one side, only what the key names too; a more exact table is set where it stands.
    let wall = any("wall", "*");
    assert_eq!(stiffness("side", &(all.clone() + &wall), "grain,*").unwrap(), [true, true, false]);
    assert_eq!(stiffness("exact", &(all + &any("grain", "wall")), "grain,*").unwrap(), [true, true, false]);
    let error = stiffness("none", &any("grain", "grain"), "wall,*").unwrap_err();
    assert!(error.message().contains("no contact[wall,*]"), "{error}");
    let error = stiffness("both", &(wall + &any("grain", "*")), "grain,wall").unwrap_err();
    assert!(error.message().contains("contact[*,wall] and contact[*,grain] cover it as exactly"), "{error}");
}

#[test]
fn several_keys_get_the_same_value() {
    let scene = loaded("both", &["contact[*].slide.mu & material.grain.density=0.25,0.5"]).unwrap();
    assert_eq!(scene.setup.model.materials[0].density, 0.25);
    let mu = scene.resolved.matches("mu = 0.25").count();
    assert_eq!(mu, 2, "{}", scene.resolved);
    let twice = Setting::parse("time.end & time.end=1").unwrap_err();
    assert!(twice.contains("stands there twice"), "{twice}");
    assert!(Setting::parse("time.end &=1").is_err());
    // The one that is wrong is the one that is named.
    let error = loaded("wrong", &["contact[*].slide.mu & contact[*].slide.muu=0.1"]).unwrap_err();
    assert!(error.message().contains("unknown key `muu`") && error.advice() == Some("did you mean `mu`?"), "{error}");
}
