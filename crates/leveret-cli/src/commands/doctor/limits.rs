//! Limits of this process and its container that are smaller than the arenas.
use super::known::KnownArena;
use super::{Finding, USUAL_MEMORY};
use crate::units::bytes;
use rustix::process::{getrlimit, Resource};
use std::fs;
use std::path::Path;

const SUBJECT: &str = "limits";

/// What binds this process; `None` is unlimited.
#[derive(Default)]
pub struct LimitFacts {
    pub address_space: Option<u64>,
    pub file_size: Option<u64>,
    pub open_files: Option<u64>,
    /// The smallest memory limit of the control groups around us.
    pub container_memory: Option<u64>,
    /// Memory of all arenas together, and the longest file.
    pub memory: u64,
    pub file_len: u64,
}

pub fn examine(known: &[KnownArena]) -> Vec<Finding> {
    judge(&gather(known))
}

fn gather(known: &[KnownArena]) -> LimitFacts {
    let limit = |resource| getrlimit(resource).current;
    let memory: u64 = known.iter().filter_map(|arena| arena.summary()).map(|stats| stats.memory).sum();
    LimitFacts {
        address_space: limit(Resource::As),
        file_size: limit(Resource::Fsize),
        open_files: limit(Resource::Nofile),
        container_memory: container_memory(&fs::read_to_string("/proc/self/cgroup").unwrap_or_default(), |path| {
            fs::read_to_string(path).ok()
        }),
        memory: if memory == 0 { USUAL_MEMORY } else { memory },
        file_len: known.iter().map(|arena| arena.file_len).max().unwrap_or(0).max(USUAL_MEMORY),
    }
}

fn judge(facts: &LimitFacts) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(limit) = facts.address_space.filter(|limit| *limit < facts.file_len * 2) {
        let means = format!(
            "An arena's whole file is mapped, {} here, though only what is used takes memory.",
            bytes(facts.file_len)
        );
        findings.push(Finding::problem(
            SUBJECT,
            format!("address space is limited to {} (ulimit -v)", bytes(limit)),
            means,
            "ulimit -v unlimited   # systemd: LimitAS=infinity",
        ));
    }
    if let Some(limit) = facts.file_size.filter(|limit| *limit < facts.file_len) {
        let means = format!(
            "An arena's file is {} long, though mostly holes. A process that makes one would be refused or killed.",
            bytes(facts.file_len)
        );
        findings.push(Finding::problem(
            SUBJECT,
            format!("files are limited to {} (ulimit -f)", bytes(limit)),
            means,
            "ulimit -f unlimited   # systemd: LimitFSIZE=infinity",
        ));
    }
    if let Some(limit) = facts.open_files.filter(|limit| *limit < 64) {
        findings.push(Finding::warning(
            SUBJECT,
            format!("only {limit} open files (ulimit -n)"),
            "Opening an arena takes a few for a moment.",
            "ulimit -n 1024   # systemd: LimitNOFILE=1024",
        ));
    }
    if let Some(limit) = facts.container_memory.filter(|limit| *limit < facts.memory + facts.memory / 4) {
        let means = format!(
            "The arenas' memory ({}) counts as the container's own: when they fill, the OOM killer comes.",
            bytes(facts.memory)
        );
        findings.push(Finding::warning(
            SUBJECT,
            format!("this container may use {} of memory", bytes(limit)),
            means,
            "Raise the container's limit (docker run --memory=...), or make the arenas smaller (leveret.memory, apc.shm_size).",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(SUBJECT, "none is too low"));
    }
    findings
}

/// The smallest `memory.max` from our control group up to the root (version 2), or version 1's limit.
fn container_memory(cgroup: &str, read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let number = |path: &Path| read(path)?.trim().parse::<u64>().ok();
    // Version 1 writes "no limit" as a number near 2^63.
    let limited = |limit: &u64| *limit < 1 << 60;
    if let Some(group) = cgroup.lines().find_map(|line| line.strip_prefix("0::")) {
        let root = Path::new("/sys/fs/cgroup");
        let ours = root.join(group.trim_start_matches('/'));
        let limits = ours
            .ancestors()
            .take_while(|path| path.starts_with(root))
            .filter_map(|path| number(&path.join("memory.max")));
        if let Some(limit) = limits.min() {
            return Some(limit);
        }
    }
    number(Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes")).filter(limited)
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    #[test]
    fn each_limit_is_found() {
        let free =
            || LimitFacts { memory: 64 << 20, file_len: 128 << 20, open_files: Some(1024), ..LimitFacts::default() };
        for (facts, want) in [
            (free(), Severity::Ok),
            (LimitFacts { address_space: Some(200 << 20), ..free() }, Severity::Problem),
            (LimitFacts { address_space: Some(1 << 40), ..free() }, Severity::Ok),
            (LimitFacts { file_size: Some(64 << 20), ..free() }, Severity::Problem),
            (LimitFacts { open_files: Some(16), ..free() }, Severity::Warning),
            (LimitFacts { container_memory: Some(64 << 20), ..free() }, Severity::Warning),
            (LimitFacts { container_memory: Some(1 << 30), ..free() }, Severity::Ok),
        ] {
            let findings = judge(&facts);
            assert_eq!((findings.len(), findings[0].level), (1, want), "{findings:?}");
        }
    }

    #[test]
    fn the_narrowest_control_group_counts() {
        let files = |path: &Path| match path.to_str() {
            Some("/sys/fs/cgroup/a/b/memory.max") => Some("max\n".to_owned()),
            Some("/sys/fs/cgroup/a/memory.max") => Some("1048576\n".to_owned()),
            Some("/sys/fs/cgroup/memory/memory.limit_in_bytes") => Some("9223372036854771712\n".to_owned()),
            _ => None,
        };
        assert_eq!(container_memory("0::/a/b\n", files), Some(1 << 20));
        assert_eq!(container_memory("0::/\n", files), None);
        assert_eq!(container_memory("4:memory:/docker/x\n", |_| Some("4096\n".to_owned())), Some(4096));
        assert_eq!(container_memory("", |_| None), None);
    }
}
