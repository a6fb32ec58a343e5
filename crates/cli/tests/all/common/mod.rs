//! What the tests of the command share: folders, scenes, and running it.

#[cfg(unix)]
pub mod broken_off;
pub mod every_record;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};

/// A new empty folder for one test, removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        // All tests may share a process, and two of them a name.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("stickslip-cli-{}-{number}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.current_dir(folder.path()).args(arguments).env_remove("STICKSLIP_SIMD");
    command
}

pub fn stickslip(folder: &Folder, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether what was said on standard error holds this text, wherever lines were broken on the way to the terminal.
pub fn says(output: &Output, text: &str) -> bool {
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '│').collect::<String>();
    squeezed(&err(output)).contains(&squeezed(text))
}

/// A ball that falls on a floor; `time` is the inside of `[time]`, `more` whatever else.
pub fn ball(time: &str, more: &str) -> String {
    format!(
        "title = \"A ball\"\ngravity = [0.0, 0.0, -9.81]\n[time]\n{time}\n\
         [material.grain]\ndensity = 2500.0\n\
         [[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e4, restitution = 0.5 }}\n\
         slide = {{ law = \"spring-slider\", stiffness = 3e3, mu = 0.5 }}\n\
         [[body]]\nname = \"floor\"\nmaterial = \"grain\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n\
         position = [0, 0, 0]\nmotion = \"fixed\"\n\
         [[body]]\nname = \"ball\"\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\n\
         position = [0, 0, 0.011]\n{more}\n"
    )
}
