//! The regression gate of the hot paths: instructions per call, which repeat where nanoseconds on a shared machine do
//! not. A limit is what was measured plus a tenth; lower it when the code gets leaner, and raise it only with a reason.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIMITS: [(&str, u64); 4] = [("get", 500), ("miss", 260), ("set", 1120), ("increment", 540)];

/// How often a rare operation runs, and most files that each call passes beside those of a store of a new key or over
/// an item.
const FILES: [(&str, u64, usize); 2] = [("evict", 1000, 6), ("recover", 100, 10)];

#[test]
fn hot_paths_stay_within_their_instructions() {
    let program = build();
    for (operation, limit) in LIMITS {
        // The difference of two runs leaves out start and end of the process.
        let each = (instructions(&program, operation, 2000) - instructions(&program, operation, 1000)) / 1000;
        println!("{operation}: {each} instructions");
        assert!(each <= limit, "{operation} takes {each} instructions, more than {limit}");
    }
}

/// Eviction and recovery are followed through few files.
#[test]
fn rare_paths_stay_within_their_files() {
    let program = build();
    let usual = [files(&program, "add", 1000), files(&program, "overwrite", 1000)];
    for (operation, times, limit) in FILES {
        let rare = files(&program, operation, times);
        let is_rare = |file: &&String| usual.iter().all(|usual| !usual.contains_key(*file));
        let more: Vec<&String> = rare.keys().filter(is_rare).collect();
        println!("{operation}: {} instructions, {} files more: {more:?}", rare.values().sum::<u64>(), more.len());
        assert!(more.len() <= limit, "{operation} passes {} files more, and {limit} are allowed: {more:?}", more.len());
    }
}

fn build() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--locked", "--example", "instructions", "--target-dir"])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo runs");
    assert!(status.success());
    target.join("release/examples/instructions")
}

fn instructions(program: &Path, operation: &str, times: u64) -> u64 {
    let text = callgrind(program, operation, times, Path::new("/dev/null"), &[]);
    let collected =
        text.lines().find_map(|line| line.split("Collected : ").nth(1)).expect("callgrind says what it collected");
    collected.trim().parse().expect("a number")
}

/// Instructions of each call by the engine's files; inlined lines count for the file that they come from.
fn files(program: &Path, operation: &str, times: u64) -> BTreeMap<String, u64> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let counts = folder.path().join("counts");
    let options = ["--toggle-collect=*measured*", "--dump-line=yes", "--compress-strings=no", "--compress-pos=no"];
    callgrind(program, operation, times, &counts, &options);
    let (mut found, mut file, mut is_call) = (BTreeMap::<String, u64>::new(), "", false);
    let counts = std::fs::read_to_string(counts).expect("callgrind has written it");
    for line in counts.lines() {
        match line.split_once('=') {
            Some(("fl" | "fi" | "fe", name)) => file = name,
            // The next line is what the called function took, which is counted there.
            Some(("calls", _)) => is_call = true,
            _ if line.starts_with(|first: char| first.is_ascii_digit()) => {
                if let Some((_, ours)) = file.split_once("leveret-engine/src/").filter(|_| !is_call) {
                    let cost = line.split_whitespace().nth(1).and_then(|cost| cost.parse::<u64>().ok());
                    *found.entry(ours.to_owned()).or_default() += cost.expect("a line and its instructions");
                }
                is_call = false;
            }
            _ => {}
        }
    }
    found.values_mut().for_each(|cost| *cost /= times);
    found.retain(|_, cost| *cost > 0);
    found
}

/// What callgrind says at its end.
fn callgrind(program: &Path, operation: &str, times: u64, counts: &Path, options: &[&str]) -> String {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .args(options)
        .arg(program)
        .arg(dir.path().join("count.arena"))
        .args([operation, &times.to_string()])
        .output()
        .expect("valgrind is installed (apt install valgrind)");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}
