//! What the GUIDE says of itself.

use std::path::Path;

use stickslip_io::scene;

/// The blocks of section 2 were said to be one scene that runs, and were not: a lock with unequal moments of inertia.
#[test]
fn the_pieces_of_section_2_are_one_scene_that_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_to_string(root.join("GUIDE.md")).unwrap();
    let (from, to) = (guide.find("\n## 2. ").unwrap(), guide.find("\n## 3. ").unwrap());
    let blocks = guide[from..to].split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap());
    let text: String = blocks.collect();
    assert!(text.contains("[[stream]]") && text.contains("[[record]]"));
    let scene = scene::load_text("GUIDE.md", &text, &root).unwrap();
    scene.world().unwrap().advance(20).unwrap();
}
