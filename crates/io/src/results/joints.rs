//! Joints of a run: the record of their motion and loads, and the table `joints-fixed.csv` of what does not change about them.
//!
//! Loads act on a; they are those of the step that ends then, and zero at step 0. `f` and `t` are what holds the joint, about b's point.
//! `mode` has two letters, of the drive and of friction: `s` the drive does what it is asked for, friction sticks; `k` the drive is at its
//! limit, friction slips; `-` there is none.

use std::io::{self, Write};
use std::path::Path;

use stickslip::World;
use stickslip::joint::{Joint, JointKind};

use super::file::{csv_field, push_number, write_whole};
use super::fixed::RunInfo;

/// The columns of `joints.csv`.
pub const COLUMNS: &str = "time,step,joint,x,v,drive,friction,spring,fx,fy,fz,tx,ty,tz,error,error_angle,mode";

/// The file of what does not change.
pub const FILE: &str = "joints-fixed.csv";

/// A row per joint whose bodies are there, by number.
pub fn write(out: &mut impl Write, world: &World) -> io::Result<()> {
    let clock = format!("{:?},{}", world.time(), world.steps());
    let mut line = Vec::new();
    for row in world.joints() {
        line.clear();
        write!(line, "{clock},{}", row.joint)?;
        let loads = row.force.to_array().into_iter().chain(row.torque.to_array());
        let numbers = [row.x, row.v, row.drive, row.friction, row.spring].into_iter().chain(loads);
        numbers.chain([row.error, row.error_angle]).for_each(|value| push_number(&mut line, value));
        let [drive, friction] = row.mode.map(|mode| mode.letter());
        writeln!(line, ",{drive}{friction}")?;
        out.write_all(&line)?;
    }
    Ok(())
}

/// Writes the table of joints, if there are any.
pub fn write_fixed(folder: &Path, info: &RunInfo) -> io::Result<()> {
    if info.joints.is_empty() {
        return Ok(());
    }
    let mut table = String::from("joint,name,kind,a,b,name_a,name_b,length,stiffness,damping,touch\n");
    for (number, joint) in info.joints.iter().enumerate() {
        table += &fixed_row(number, joint, info);
    }
    write_whole(&folder.join(FILE), table.as_bytes())
}

fn fixed_row(number: usize, joint: &Joint, info: &RunInfo) -> String {
    let name_of = |id: Option<u32>| {
        let body = id.and_then(|id| info.body(id as usize));
        csv_field(body.as_ref().map_or("", |body| &body.name))
    };
    let name = csv_field(joint.name.as_deref().unwrap_or(""));
    let b = joint.b.map_or_else(String::new, |b| b.to_string());
    let length = match joint.kind {
        JointKind::Distance { length } => format!("{length:?}"),
        _ => String::new(),
    };
    let [stiffness, damping] = joint
        .spring
        .map_or_else(Default::default, |spring| [spring.stiffness, spring.damping].map(|value| format!("{value:?}")));
    let (kind, a, [name_a, name_b]) = (joint.kind.name(), joint.a, [Some(joint.a), joint.b].map(name_of));
    format!("{number},{name},{kind},{a},{b},{name_a},{name_b},{length},{stiffness},{damping},{}\n", joint.touch)
}
