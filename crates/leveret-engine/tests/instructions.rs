//! The regression gate of the hot paths: instructions per call, which repeat where nanoseconds on a shared machine do
//! not. A limit is what was measured plus a tenth; lower it when the code gets leaner, and raise it only with a reason.
use std::path::{Path, PathBuf};
use std::process::Command;

const LIMITS: [(&str, u64); 4] = [("get", 500), ("miss", 260), ("set", 1120), ("increment", 540)];

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
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .arg(dir.path().join("count.arena"))
        .args([operation, &times.to_string()])
        .output()
        .expect("valgrind is installed (apt install valgrind)");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let collected =
        text.lines().find_map(|line| line.split("Collected : ").nth(1)).expect("callgrind says what it collected");
    collected.trim().parse().expect("a number")
}
