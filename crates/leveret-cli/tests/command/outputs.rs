//! Where the output goes: a reader that has left is no error, and a full disk is one that is told, never a panic.
use crate::common::Host;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

const LINES: [&str; 16] = [
    "get k",
    "set k w --json",
    "delete none --json",
    "stats",
    "settings",
    "metrics",
    "sizes",
    "display",
    "keys",
    "dump",
    "list",
    "verify",
    "tune",
    "ping",
    "ring explain k --servers a:1,b:2",
    "completions bash",
];

/// The exit code, and what is said on standard error.
fn said(host: &Host, line: &str, output: Stdio) -> (Option<i32>, String) {
    let mut command = host.command(line.split(' '));
    let done = command.stdout(output).stderr(Stdio::piped()).output().expect("it runs");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn a_reader_that_has_left_is_no_error() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    for line in LINES {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        drop(ours);
        let (code, error) = said(&host, line, OwnedFd::from(theirs).into());
        assert_eq!((code, error.contains("panicked")), (Some(0), false), "{line}: {error}");
    }
}

#[test]
fn a_full_disk_is_told() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    for line in LINES {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let (code, error) = said(&host, line, full.into());
        assert_eq!(code, Some(3), "{line}: {error}");
        assert!(error.contains("cannot write the answer: no space is left on the file system"), "{line}: {error}");
    }
}
