//! What people read when something is wrong: it names the thing, says what is wrong with it, and has no number of the
//! system's.
use crate::common::{self, Host, Said};
use std::net::TcpListener;
use std::os::unix::fs::{symlink, PermissionsExt};

/// The exit code, a part of the text, and nothing that only programmers read.
#[track_caller]
fn says(said: Said, code: i32, part: &str) {
    let said = said.ends(code);
    assert!(said.error.contains(part), "{part:?} in {said:?}");
    for alien in ["os error", "invalid digit", "SUN_LEN", "Errno", "Err(", "stream did not"] {
        assert!(!said.error.contains(alien), "{said:?}");
    }
}

#[test]
fn arenas_and_their_folders() {
    let host = Host::new();
    std::fs::write(host.file("bad.arena"), "no arena").expect("written");
    std::fs::write(host.file("file"), "x").expect("written");
    std::fs::create_dir(host.file("folder.arena")).expect("made");
    symlink(host.file("bad.arena"), host.file("link.arena")).expect("linked");
    for (line, code, part) in [
        ("list --dir none", 3, "none (--dir, LEVERET_DIR): create it"),
        ("list --dir file", 3, "a part of this path is a file, not a folder"),
        ("get k --dir none", 3, "there is no arena"),
        ("get k --dir file", 3, "a part of this path is a file, not a folder"),
        ("set k v --dir none", 3, "there is no such file or folder; create the folder"),
        ("set k v --arena folder", 3, "it is a folder; an arena is a file"),
        ("get k --arena folder", 3, "it is a folder; an arena is a file"),
        ("get k --arena link", 3, "symbolic link"),
        ("get k --arena bad", 3, "does not begin like an arena; remove it"),
        ("verify --arena bad", 3, "does not begin like an arena"),
        ("stats --arena a/b", 2, "names no arena: use a name of letters"),
        ("rm none", 3, "there is no arena"),
        ("rm folder", 1, "To remove it anyway: --force"),
        ("rm folder --force", 3, "it is a folder"),
        ("ping arena:none", 3, "there is no arena"),
        ("man none", 3, "there is no such file or folder"),
    ] {
        says(host.run(line.split(' ')), code, part);
    }
}

#[test]
fn numbers_and_words() {
    let host = Host::new();
    for (line, part) in [
        ("set k v --cas x", "'x' is no whole number from 0 to"),
        ("set k v --flags x", "'x' is no whole number from 0 to 4294967295"),
        ("set k v --flags -1", "'-1' is no whole number"),
        ("set k v --flags 4294967296", "is no whole number"),
        ("set k v --ttl x", "'x' is no duration: write it as 30s"),
        ("set k v --ttl -5", "'-5' is no duration"),
        ("set k v --memory x", "'x' is no size: write it as 64M"),
        ("set k v --memory 1M", "the memory is 8 MiB to 1024 GiB"),
        ("set k v --integer", "'v' is no whole number"),
        ("flush --delay -5", "'-5' is no duration"),
        ("keys localhost x", "'x' is no whole number from 1 to"),
        ("keys 0", "the limit is at least 1"),
        ("ping --timeout 0", "nothing answers in no time"),
        ("stats localhost:99999", "is no target: write host[:port]"),
        ("get --encoded %zz", "after each % come two hexadecimal digits"),
        ("ring explain k --servers a:b", "host:port"),
        ("nonsense", "unrecognized subcommand 'nonsense'"),
        ("stats --nonsense", "unexpected argument '--nonsense'"),
        ("get", "<KEY>..."),
    ] {
        says(host.run(line.split(' ')), 2, part);
    }
}

#[test]
fn servers_that_are_not_there() {
    let host = Host::new();
    std::fs::write(host.file("file"), "x").expect("written");
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let nobody = format!("127.0.0.1:{free}");
    for command in ["stats", "settings", "sizes", "display", "keys", "dump", "ping"] {
        says(host.run([command, &nobody]), 3, "is a server running there?");
        says(host.run([command, "./none"]), 3, "is a server running there?");
        says(host.run([command, "./file"]), 3, "that is no socket");
    }
    says(host.run(["stats", "no.such.host.invalid"]), 3, "cannot talk to no.such.host.invalid:11211: ");
}

#[test]
fn a_server_that_cannot_start() {
    let host = Host::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    std::fs::write(host.file("file"), "x").expect("written");
    std::fs::write(host.file("list.toml"), "threads = 2\nport =\n").expect("written");
    std::fs::write(host.file("bogus.toml"), "bogus = 1\n").expect("written");
    std::fs::write(host.file("m.conf"), "-m 64\n-q 5\n").expect("written");
    let long = format!("-s {}", "s".repeat(120));
    for (line, code, part) in [
        (format!("-p {port}").as_str(), 3, "in use already (another server? choose another port with -p"),
        ("-l 203.0.113.7", 3, "no interface of this machine has this address"),
        ("-l no.such.host.invalid", 3, "no such host"),
        ("-s none/socket", 3, "there is no such file or folder (choose another path with -s)"),
        ("-s file", 3, "there is a file that is no socket"),
        (&long, 3, "longer than 107 bytes"),
        ("-p 70000", 2, "a port is 1 to 65535"),
        ("-a 999", 2, "must be an octal number"),
        ("-m 0", 2, "write megabytes (64), or a size with its unit"),
        ("-I 1000", 2, "cannot be smaller than 1024"),
        ("-c 0", 2, "must be a number greater than 0"),
        ("-c 1000000000", 3, "raise it (ulimit -n, LimitNOFILE=) or lower -c"),
        ("-o bogus=1", 2, "bogus=1"),
        ("-Y none", 2, "the file of users none: there is no such file"),
        ("-Y .", 2, "it is a folder"),
        ("-e none/memory", 3, "cannot write none/memory.meta: there is no such file or folder"),
        ("--config none", 3, "/none: there is no such file"),
        ("--config list.toml", 2, "list.toml: line 2: "),
        ("--config bogus.toml", 2, "there is no option 'bogus'"),
        ("--memcached-conf none", 3, "/none: there is no such file"),
        ("--memcached-conf m.conf", 2, "unexpected argument '-q'"),
        ("-S", 2, "MEMCACHED_SASL_PWDB=FILE or --sasl-pwdb FILE"),
        ("-S --sasl-pwdb none", 2, "the file of users none: there is no such file"),
        ("-S --sasl-pwdb .", 2, "it is not a regular file"),
        ("-S --sasl-pwdb none -B ascii", 2, "text has no SASL"),
        ("-S --sasl-pwdb none -Y none", 2, "choose one"),
        ("--sasl-pwdb none", 2, "only -S asks for passwords"),
        ("-Z", 2, "-o ssl_chain_cert=FILE,ssl_key=FILE"),
        ("-Z -o ssl_chain_cert=none", 2, "none: there is no such file or folder"),
        ("--bogus", 2, "unexpected argument '--bogus'"),
        ("--arena a/b", 2, "names no arena"),
    ] {
        // What comes last wins, so a port that is asked for is taken before ours.
        let words: Vec<&str> = ["serve", "-p", "-1", "-u", "root"].into_iter().chain(line.split(' ')).collect();
        says(host.run(words), code, part);
    }
}

#[test]
fn what_another_user_may_not_use() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    std::fs::set_permissions(host.dir(), PermissionsExt::from_mode(0o755)).expect("changed");
    let as_nobody = |line: &str| {
        let mut command = std::process::Command::new("setpriv");
        let words = ["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_leveret")];
        command.args(words).args(line.split(' ')).env("LEVERET_DIR", host.dir());
        common::run(command, b"")
    };
    says(as_nobody("get k"), 3, "permission denied; this process runs as uid 65534: give that user the right");
    says(as_nobody("set k v --arena other"), 3, "permission denied; this process runs as uid 65534");
    says(as_nobody("rm default --force"), 3, "permission denied");
    std::fs::set_permissions(host.dir(), PermissionsExt::from_mode(0o700)).expect("changed");
    says(as_nobody("list"), 3, "permission denied");
    says(as_nobody("get k"), 3, "permission denied");
    says(as_nobody("serve -p -1"), 3, "permission denied");
}
