//! What a measurement needs of the machine: the CPU time of other processes, the load, the processor's name.
//!
//! From `/proc`, so on Linux only.

use std::fs;

/// CPU time (s) of all threads of these processes so far. Read from the scheduler's account in nanoseconds: the usual one
/// (`/proc/PID/stat`) counts in hundredths of a second, and a repetition may last a tenth. A thread that has ended is not
/// in it: none of the programs measured by it ends threads while it steps.
pub fn cpu_time(processes: &[u32]) -> Result<f64, String> {
    let mut nanoseconds = 0_u64;
    for process in processes {
        let folder = format!("/proc/{process}/task");
        let said = |error: std::io::Error| format!("{folder}: {error}");
        for thread in fs::read_dir(&folder).map_err(said)? {
            let file = thread.map_err(said)?.path().join("schedstat");
            // A thread may end between the two looks.
            let Ok(text) = fs::read_to_string(&file) else { continue };
            nanoseconds += on_cpu(&text).ok_or_else(|| format!("{}: not as expected: {text}", file.display()))?;
        }
    }
    Ok(nanoseconds as f64 * 1e-9)
}

/// `TIME_ON_CPU TIME_WAITING TIMES`.
fn on_cpu(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().next()?.parse().ok()
}

/// A process and all that it has started, and they, and so on.
pub fn family(process: u32) -> Vec<u32> {
    let parents = parents();
    let mut family = vec![process];
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        family.extend(parents.iter().filter(|(_, p)| *p == parent).map(|(child, _)| *child));
        next += 1;
    }
    family
}

/// Every process with its parent.
fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| Some((id, parent(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)?))).collect()
}

/// `ID (NAME) STATE PARENT ..`; the name may hold anything.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The load average of the last minute.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// The processor and how many of it there are.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {count} cores", model_name(&text).unwrap_or(std::env::consts::ARCH))
}

fn model_name(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_kernel_are_read() {
        assert_eq!(on_cpu("546221592 263753 17\n"), Some(546_221_592));
        assert_eq!(on_cpu(""), None);
        assert_eq!(parent("12 (a) b) c) S 34 12 12 0"), Some(34));
        assert_eq!(parent("12 S 34"), None);
        assert_eq!(model_name("processor : 0\nmodel name\t: AMD EPYC\n"), Some("AMD EPYC"));
        assert_eq!(model_name(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_time_of_a_busy_process_grows_and_its_children_are_its_family() {
        let me = std::process::id();
        let before = cpu_time(&[me]).unwrap();
        let mut child = std::process::Command::new("sleep").arg("20").spawn().unwrap();
        assert!(family(me).contains(&child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        let clock = cpu_time::ProcessTime::now();
        while clock.elapsed().as_millis() < 50 {}
        assert!(cpu_time(&[me]).unwrap() > before + 0.02);
        assert!(cpu_time(&[child.id()]).is_err());
    }
}
