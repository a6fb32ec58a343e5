//! The contacts of a snapshot for ParaView, twice: as points for glyphs, and as lines for force chains.
//!
//! Points stand at the contact points, with all that the record `contacts` has. Lines run from centre to centre; at a
//! wall, which may have its centre anywhere, from the contact point to the sphere's centre. Both ends of a line hold the
//! values of its contact, so that ParaView's Tube filter takes its radius from them without a detour. Loads are those
//! on a, the body with the lower id; the normal points from b to a. Modes are numbers: 0 no law, 1 sticks, 2 slips.

use glam::DVec3;
use stickslip::World;
use stickslip::contact::Mode;
use stickslip::measure::ContactRow;

use super::vtp::{Cells, PolyData, integers, of_cell, scalars, vectors};

/// A file with a point for each contact.
pub fn points(world: &World, rows: &[ContactRow]) -> String {
    let mode = |name, motion: usize| integers(name, rows.iter().map(move |row| mode_number(row.mode[motion])));
    let data = [
        integers("a", rows.iter().map(|row| i64::from(row.a))),
        integers("b", rows.iter().map(|row| i64::from(row.b))),
        vectors("normal", rows.iter().map(|row| row.normal)),
        scalars("overlap", rows.iter().map(|row| row.overlap)),
        scalars("normal_force", rows.iter().map(|row| row.normal_force)),
        vectors("slide_force", rows.iter().map(|row| row.slide)),
        vectors("force", rows.iter().map(|row| row.normal_force * row.normal + row.slide)),
        vectors("roll_torque", rows.iter().map(|row| row.roll_a)),
        vectors("roll_torque_b", rows.iter().map(|row| row.roll_b)),
        scalars("spin_torque", rows.iter().map(|row| row.spin)),
        mode("slide_mode", 0),
        mode("roll_mode", 1),
        mode("spin_mode", 2),
        integers("roll_mode_b", rows.iter().map(|row| mode_number(row.roll_modes[1]))),
        integers("feature", rows.iter().map(|row| i64::from(row.feature))),
    ];
    PolyData {
        points: rows.iter().map(|row| row.point).collect(),
        shown: ("normal_force", "force"),
        point_data: data.concat(),
        cells: Cells::Vertices,
        count: rows.len() as i64,
        field_data: of_cell(world.cell()),
    }
    .text(world.time())
}

/// A file with a line for each contact.
pub fn chains(world: &World, rows: &[ContactRow]) -> String {
    let ends = || rows.iter().flat_map(|row| [row, row]);
    let data = [
        integers("a", ends().map(|row| i64::from(row.a))),
        integers("b", ends().map(|row| i64::from(row.b))),
        scalars("normal_force", ends().map(|row| row.normal_force)),
        scalars("slide_force", ends().map(|row| row.slide.length())),
        integers("slide_mode", ends().map(|row| mode_number(row.mode[0]))),
        vectors("normal", ends().map(|row| row.normal)),
    ];
    PolyData {
        points: rows.iter().flat_map(|row| ends_of(world, row)).collect(),
        shown: ("normal_force", "normal"),
        point_data: data.concat(),
        cells: Cells::Lines,
        count: rows.len() as i64,
        field_data: of_cell(world.cell()),
    }
    .text(world.time())
}

/// The two ends of a contact's line. Through a face of the periodic cell it goes on to the image of b.
fn ends_of(world: &World, row: &ContactRow) -> [DVec3; 2] {
    let [a, b] = [end(world, row.a, row), end(world, row.b, row)];
    world.cell().map_or([a, b], |cell| [a, a + cell.frame.nearest(b - a)])
}

/// Where the line of a contact ends on the side of this body: its centre, or for a wall the contact point.
fn end(world: &World, id: u32, row: &ContactRow) -> DVec3 {
    let body = world.body(id);
    if body.radius > 0.0 { body.position } else { row.point }
}

fn mode_number(mode: Mode) -> i64 {
    match mode {
        Mode::None => 0,
        Mode::Stick => 1,
        Mode::Slip => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::small_world;
    use super::super::vtp::tests::words;
    use super::*;

    #[test]
    fn a_ball_on_the_floor_is_a_point_and_a_line_to_its_centre() {
        let (world, _) = small_world();
        let rows = world.rows();
        let numbers = |xml: &str, name: &str| words(xml, name).into_iter().map(f64::from_le_bytes).collect::<Vec<_>>();
        let integers = |xml: &str, name: &str| words(xml, name).into_iter().map(i64::from_le_bytes).collect::<Vec<_>>();
        let xml = points(&world, &rows);
        assert!(xml.contains("NumberOfPoints=\"1\" NumberOfVerts=\"1\" NumberOfLines=\"0\""), "{xml}");
        assert_eq!((integers(&xml, "a"), integers(&xml, "b")), (vec![0], vec![1]));
        // The floor is a, so the normal points down to it, and the force on it too.
        assert_eq!(numbers(&xml, "normal"), [0.0, 0.0, -1.0]);
        assert_eq!(numbers(&xml, "Points"), rows[0].point.to_array());
        assert_eq!(numbers(&xml, "force"), [0.0, 0.0, -rows[0].normal_force]);
        assert_eq!(integers(&xml, "slide_mode"), [0]);
        let xml = chains(&world, &rows);
        assert!(xml.contains("NumberOfPoints=\"2\" NumberOfVerts=\"0\" NumberOfLines=\"1\""), "{xml}");
        let [x, y, z] = rows[0].point.to_array();
        assert_eq!(numbers(&xml, "Points"), [x, y, z, 0.0, 0.0, 0.099]);
        assert_eq!((integers(&xml, "connectivity"), integers(&xml, "offsets")), (vec![0, 1], vec![2]));
        assert_eq!(numbers(&xml, "normal_force"), [rows[0].normal_force; 2]);
    }

    #[test]
    fn modes_are_numbers() {
        assert_eq!([Mode::None, Mode::Stick, Mode::Slip].map(mode_number), [0, 1, 2]);
    }
}
