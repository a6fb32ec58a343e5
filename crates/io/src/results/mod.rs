//! What a run leaves behind: records, the run folder, figures, a picture and a report.
//!
//! Read in this order: `record.rs` (the tables that grow while a run goes on), `run_folder.rs` (where they lie),
//! `run_json.rs` (what is known about the run), `report.rs` (what is made of them at the end). Nothing here knows scene files or changes a world.

pub mod bars;
mod canvas;
pub mod cell_row;
pub mod checkpoints;
pub mod compare;
pub mod figure;
pub(crate) mod file;
pub mod fixed;
mod font;
mod framing;
pub mod growing;
pub mod heat_map;
pub mod joints;
pub mod lammps;
mod lammps_box;
mod lammps_data;
mod lights;
pub mod lock;
pub mod multiples;
mod panel;
pub mod parquet;
mod parquet_columns;
pub mod picture;
pub mod record;
mod render;
pub mod report;
pub mod run_folder;
pub mod run_json;
mod scales;
pub mod schedule;
pub mod series;
mod solid;
pub mod solver_row;
pub mod spread;
pub mod summary;
pub mod sweep;
pub mod sweep_page;
#[cfg(test)]
pub(crate) mod testing;
pub mod utc;
pub mod vtp;
mod vtp_contacts;

pub use checkpoints::Checkpoints;
pub use compare::{Column, Comparison, Heap};
pub use file::{for_a_shell, short_number, write_whole};
pub use fixed::{FixedBody, RunInfo};
pub use growing::{Marks, StageMark};
pub use record::{Pace, Recorder};
pub use report::Closing;
pub use run_folder::{FolderError, RunFolder};
pub use run_json::{Ending, Resumed, RunJson};
pub use series::{SeriesLog, SeriesRow};
pub use summary::energy_summary;
