//! The units of systemd that run `leveret serve`: failures, and the process that holds a port.
use super::Finding;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SUBJECT: &str = "server";
/// In the port's place in leveret.toml.
const USUAL_PORT: u16 = 11211;
/// TCP_LISTEN in /proc/net/tcp.
const LISTENING: &str = "0A";

pub fn examine() -> Vec<Finding> {
    // Only there is systemd at work.
    if !Path::new("/run/systemd/system").is_dir() {
        return Vec::new();
    }
    let config = fs::read_to_string("/etc/leveret.toml").unwrap_or_default();
    failed_units()
        .into_iter()
        .map(|unit| {
            let port = port_of(&unit, &config);
            let holder = holders(port).into_iter().next();
            judge(&unit, port, holder.as_ref().map(|(pid, name)| (*pid, name.as_str())))
        })
        .collect()
}

fn judge(unit: &str, port: u16, holder: Option<(u32, &str)>) -> Finding {
    let Some((pid, name)) = holder else {
        let found = format!("{unit} has failed");
        return Finding::problem(
            SUBJECT,
            found,
            "Clients of memcached find no server.",
            format!("See why: journalctl -u {unit} -n 20"),
        );
    };
    let found = format!("{unit} has failed, and {name} (pid {pid}) holds port {port}");
    let means = "Two servers cannot listen on one port. Clients speak to the other one.";
    let fix = match name {
        "memcached" => format!("systemctl disable --now memcached && systemctl restart {unit}"),
        _ => format!("Stop {name}, or choose another port in /etc/leveret.toml; then: systemctl restart {unit}"),
    };
    Finding::problem(SUBJECT, found, means, fix)
}

/// Units of ours that have failed, or that systemd starts again and again.
fn failed_units() -> Vec<String> {
    let words = ["list-units", "--all", "--plain", "--no-legend", "--no-pager", "leveret.service", "leveret@*.service"];
    let output = Command::new("systemctl").args(words).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    failed_of(&text)
}

/// `leveret.service loaded failed failed Leveret, ...`: the third word is the state, the fourth a finer one.
fn failed_of(listed: &str) -> Vec<String> {
    let failed = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let has_failed = words.get(2) == Some(&"failed") || words.get(3) == Some(&"auto-restart");
        words.first().filter(|_| has_failed).map(|unit| (*unit).to_owned())
    };
    listed.lines().filter_map(failed).collect()
}

/// leveret@11212.service is on port 11212; leveret.service on that of its configuration.
fn port_of(unit: &str, config: &str) -> u16 {
    if let Some(instance) = unit.strip_prefix("leveret@").and_then(|rest| rest.strip_suffix(".service")) {
        return instance.parse().unwrap_or(USUAL_PORT);
    }
    let port = |line: &str| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "port").then(|| value.split('#').next()?.trim().trim_matches('"').parse().ok())?
    };
    config.lines().find_map(port).unwrap_or(USUAL_PORT)
}

/// Processes that listen on a TCP port, by pid and name: as far as this user may look.
fn holders(port: u16) -> Vec<(u32, String)> {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let sockets: BTreeSet<String> =
        [read("/proc/net/tcp"), read("/proc/net/tcp6")].iter().flat_map(|table| listeners(table, port)).collect();
    if sockets.is_empty() {
        return Vec::new();
    }
    let is_holder = |folder: &Path| {
        let open = fs::read_dir(folder.join("fd")).into_iter().flatten().flatten();
        open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|file| sockets.contains(&*file.to_string_lossy()))
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .filter(|(_, folder)| is_holder(folder))
        .map(|(pid, folder)| (pid, fs::read_to_string(folder.join("comm")).unwrap_or_default().trim_end().to_owned()))
        .collect()
}

/// `socket:[INODE]` of everything that listens on this port, in a table of the kernel: the second field is the local
/// address in hexadecimal, the fourth the state, the tenth the inode.
fn listeners(table: &str, port: u16) -> Vec<String> {
    let end = format!(":{port:04X}");
    let socket = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_ours = fields.get(1)?.ends_with(&end) && fields.get(3) == Some(&LISTENING);
        is_ours.then(|| Some(format!("socket:[{}]", fields.get(9)?)))?
    };
    table.lines().filter_map(socket).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_failed_unit_is_told_with_who_holds_its_port() {
        let fix = |holder| judge("leveret.service", 11211, holder).fix.unwrap_or_default();
        assert_eq!(
            fix(Some((7, "memcached"))),
            "systemctl disable --now memcached && systemctl restart leveret.service"
        );
        assert!(fix(Some((7, "nginx"))).starts_with("Stop nginx, or choose another port"));
        assert!(fix(None).contains("journalctl -u leveret.service"));
    }

    #[test]
    fn units_that_failed_or_are_started_again_and_again() {
        let listed = "leveret.service       loaded failed     failed       Leveret\n\
            leveret@1.service     loaded activating auto-restart Leveret\n\
            leveret@2.service     loaded active     running      Leveret\n\n";
        assert_eq!(failed_of(listed), ["leveret.service", "leveret@1.service"]);
    }

    #[test]
    fn ports_of_units() {
        for (unit, config, want) in [
            ("leveret.service", "", 11211),
            ("leveret.service", "# port = 5\nport = 11300 # ours\n", 11300),
            ("leveret.service", "metrics-port = 5\nport=\"7\"\n", 7),
            ("leveret@11212.service", "port = 5\n", 11212),
        ] {
            assert_eq!(port_of(unit, config), want, "{unit} {config:?}");
        }
    }

    #[test]
    fn this_process_is_found_at_its_port() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        assert!(holders(port).iter().any(|(pid, name)| *pid == std::process::id() && !name.is_empty()));
        drop(listener);
        assert_eq!(holders(port), []);
    }
}
