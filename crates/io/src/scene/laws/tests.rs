//! What every law of the list must do.

use super::*;
use crate::input::{Source, parse};

/// Moduli, for laws that look for them in the materials.
const SIDES: [Elastic; 2] = [Elastic { young: Some(3.0), shear_modulus: None, poisson: Some(0.2) }; 2];

/// A value for a key that must be there.
fn any_value(takes: Takes) -> &'static str {
    match takes {
        Takes::Boolean | Takes::Words(_) | Takes::Table(_) => panic!("such a key has a default"),
        _ => "0.5",
    }
}

/// The law with no keys but those that must be there.
fn least(law: &Law) -> String {
    let needed =
        law.parameters.iter().filter(|parameter| parameter.default.is_none()).map(|parameter| parameter.keys[0]);
    let needed = needed.map(|key| format!(", {} = {}", key.name, any_value(key.takes)));
    format!("{} = {{ law = \"{}\"{} }}\n", law.key(), law.name, needed.collect::<String>())
}

/// A `[[contact]]` table with this law, and what it may need beside it.
fn contact(law: &Law) -> String {
    if let Read::Rigid(_) = law.read {
        return least(law) + "slide = { mu = 0.5 }\nroll = { length = 0.001 }\nspin = { mu = 0.2 }\n";
    }
    let beside = [("normal", "normal = { law = \"hertz\" }\n"), ("slide", SLIDE)];
    let beside = beside.iter().filter(|(key, _)| *key != law.key() && (law.key() != "friction" || *key == "normal"));
    beside.map(|(_, text)| *text).collect::<String>() + &least(law)
}

const SLIDE: &str = "slide = { law = \"spring-slider\", stiffness = 1.0, mu = 0.5 }\n";

fn read_text(text: &str) -> Result<PairLaws> {
    let source = Source::new("test", text);
    let parsed = parse(&source)?;
    read(&Table::top(&source, &parsed), &SIDES)
}

#[test]
fn every_law_reads_its_own_keys_and_no_others() {
    for law in LAWS {
        let laws = read_text(&contact(law)).unwrap();
        let source = Source::new("test", least(law));
        let parsed = parse(&source).unwrap();
        let contact = Table::top(&source, &parsed);
        let table = contact.required(law.key()).unwrap().table().unwrap();
        let given = Given { table: &table, parameters: law.parameters };
        table.required("law").unwrap();
        let laws = laws.springs().copied();
        let laws = laws.unwrap_or(SpringLaws::frictionless(Normal::Hooke(stickslip::law::Hooke::new(1.0, 0.0))));
        let beside = Beside { contact: &contact, laws, sides: SIDES };
        match law.read {
            Read::Normal(how) => how(&given, &SIDES).map(|_| ()),
            Read::Slide(how) => how(&given, &beside).map(|_| ()),
            Read::Roll(how) => how(&given, &beside).map(|_| ()),
            Read::Spin(how) => how(&given, &beside).map(|_| ()),
            Read::Friction(how) => how(&given, &beside).map(|_| ()),
            Read::Rigid(how) => how(&given).map(|_| ()),
        }
        .unwrap();
        let mut read = table.asked();
        let keys = law.parameters.iter().flat_map(|parameter| parameter.keys).map(|key| key.name);
        let mut listed: Vec<&str> = keys.chain(["law"]).collect();
        read.sort_unstable();
        listed.sort_unstable();
        assert_eq!(read, listed, "{} under {}", law.name, law.key());
    }
}

#[test]
fn every_law_is_written_with_its_own_keys_reads_back_and_is_described() {
    for law in LAWS {
        let laws = read_text(&contact(law)).unwrap();
        if let Some(springs) = laws.springs() {
            let (found, values) = under(springs, law.key()).unwrap();
            assert_eq!((found.name, found.key()), (law.name, law.key()));
            let listed = |name| law.parameters.iter().flat_map(|parameter| parameter.keys).any(|key| key.name == name);
            assert!(values.names().all(listed), "{}: {}", law.name, values.text());
        }
        let text = resolved(Some(&laws)).join("\n");
        assert_eq!(read_text(&text).unwrap(), laws, "{text}");
        assert!(describe(&laws, None).iter().any(|described| described.law == law.name), "{text}");
    }
}

#[test]
fn names_under_a_key_differ_and_defaults_are_values_that_are_read() {
    for (i, law) in LAWS.iter().enumerate() {
        assert!(LAWS[..i].iter().all(|other| (other.key(), other.name) != (law.key(), law.name)), "{}", law.name);
        for parameter in law.parameters {
            let default = parameter.default.filter(|default| default.parse::<f64>().is_ok());
            for (default, key) in
                default.iter().flat_map(|default| parameter.keys.iter().map(move |key| (default, key)))
            {
                let text = least(law).replace(" }", &format!(", {} = {default} }}", key.name));
                let text = contact(law).replace(&least(law), &text);
                assert_eq!(read_text(&text).unwrap(), read_text(&contact(law)).unwrap(), "{text}");
            }
        }
    }
}

#[test]
fn a_pair_mixes_its_moduli_and_the_law_wins_over_the_materials() {
    let source = Source::new("test", "normal = { law = 'hertz', poisson = 0.0 }");
    let parsed = parse(&source).unwrap();
    let soft = Elastic { shear_modulus: Some(1.0), poisson: Some(0.3), ..Elastic::default() };
    let hard = Elastic { young: Some(6.0), ..Elastic::default() };
    let laws = read(&Table::top(&source, &parsed), &[soft, hard]).unwrap();
    // nu = 0 from the law, E = 2 G = 2 and 6: 1/E* = 1/2 + 1/6, E* = 1.5, K = 2.
    let Some(Normal::Hertz(hertz)) = laws.springs().map(|laws| laws.normal) else { panic!("hertz was asked for") };
    assert!((hertz.stiffness - 2.0).abs() < 1e-15);
}
