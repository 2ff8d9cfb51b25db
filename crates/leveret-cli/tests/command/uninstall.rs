//! A site's files before and after `leveret uninstall --apply`.
use crate::common::Host;
use std::fs::{self, read_to_string};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::Path;

/// Each file, what it is like before, and what is to be there afterwards; the last number is how many of its lines are
/// left to a person.
const FILES: [(&str, &str, &str, usize); 10] = [
    (
        "blog/wp-config.php",
        "<?php\r\ndefine( 'DB_PASSWORD', 'it\\'s # \"secret\" // no' );\r\n$memcached_servers = [ 'default' => [ 'unix:///dev/shm/leveret/wordpress.arena' ] ]; // was '10.0.0.1'\r\n",
        "<?php\r\ndefine( 'DB_PASSWORD', 'it\\'s # \"secret\" // no' );\r\n$memcached_servers = [ 'default' => [ '127.0.0.1:11211' ] ]; // was '10.0.0.1'\r\n",
        0,
    ),
    (
        "shop/.env",
        "APP_NAME='A shop'\nREDIS_PORT=6379\n\nMEMCACHED_HOST=\"arena:laravel\"   # shared memory\nMEMCACHED_PORT=0",
        "APP_NAME='A shop'\nREDIS_PORT=6379\n\nMEMCACHED_HOST=\"127.0.0.1\"   # shared memory\nMEMCACHED_PORT=11211",
        0,
    ),
    (
        "shop/.env.production",
        "MEMCACHED_DSN=memcached:///dev/shm/leveret/shop.arena?weight=2\n",
        "MEMCACHED_DSN=memcached://127.0.0.1:11211?weight=2\n",
        0,
    ),
    (
        "shop/config/packages/cache.yaml",
        "framework:\n    cache:\n        default_memcached_provider: 'memcached:arena:shop' # fast\n",
        "framework:\n    cache:\n        default_memcached_provider: 'memcached://127.0.0.1:11211' # fast\n",
        0,
    ),
    (
        "php.ini",
        "; leveret.memory = 1G\nleveret.memory = 256M\nsession.save_handler = memcached\nsession.save_path = \"cache1:11211, arena:mail\"\n",
        "; leveret.memory = 1G\nsession.save_handler = memcached\nsession.save_path = \"cache1:11211, 127.0.0.1:11211\"\n",
        0,
    ),
    (
        "cloud/config.php",
        "<?php\n$CONFIG = [\n  'memcached_servers' => [['/srv/my caches/cloud.arena', 0], ['10.0.0.2', 11211]],\n];\n",
        "<?php\n$CONFIG = [\n  'memcached_servers' => [['127.0.0.1', 11211], ['10.0.0.2', 11211]],\n];\n",
        0,
    ),
    (
        "override.conf",
        "[Service]\nEnvironment=LEVERET_DIR=/srv/caches\nEnvironment=A=b LEVERET_FOO=1\n",
        "[Service]\nEnvironment=A=b LEVERET_FOO=1\n",
        1,
    ),
    (
        "rails/config/environment.rb",
        "config.cache_store = :leveret_store, \"arena:shop\"\nDalli::Client.new(\"arena:shop\", expires_in: 60)\n",
        "config.cache_store = :leveret_store, \"arena:shop\"\nDalli::Client.new(\"127.0.0.1:11211\", expires_in: 60)\n",
        1,
    ),
    ("two.php", "<?php $servers = ['arena:a', 'arena:b'];\n", "<?php $servers = ['arena:a', 'arena:b'];\n", 1),
    ("none.php", "<?php // ['arena:x']\n", "<?php // ['arena:x']\n", 0),
];

#[test]
fn lines_are_listed_then_rewritten_and_the_old_files_can_be_taken_back() {
    let host = Host::new();
    for (name, before, ..) in FILES {
        fs::create_dir_all(host.file(name).parent().expect("a folder")).expect("made");
        fs::write(host.file(name), before).expect("written");
    }
    symlink("../shop/.env", host.file("blog/.env")).expect("made");
    let is_as = |want: fn(&(&str, &'static str, &'static str, usize)) -> &'static str| {
        for file in &FILES {
            assert_eq!(read_to_string(host.file(file.0)).expect("there"), want(file), "{}", file.0);
        }
    };
    let listed = host.run(["uninstall", "--only", ".", "--json"]).ends(1).json_lines();
    is_as(|file| file.1);
    let by_hand: usize = FILES.iter().map(|file| file.3).sum();
    assert_eq!(listed.iter().filter(|line| line["change"] == "by hand").count(), by_hand);
    // What is told is what is written.
    for line in &listed {
        let file = line["file"].as_str().expect("a path");
        let (_, before, after, _) = FILES.iter().find(|(name, ..)| file.ends_with(name)).expect("one of them");
        let at = line["line"].as_u64().expect("a number") as usize - 1;
        assert_eq!(before.lines().nth(at).expect("a line").trim(), line["text"].as_str().expect("text"));
        if line["change"] == "replace" {
            let instead = line["instead"].as_str().expect("text");
            assert!(after.lines().any(|line| line.trim() == instead), "{instead}");
        }
    }
    let told = host.run(["uninstall", "--only", "."]).ends(1);
    assert!(told.text().contains("leveret uninstall --apply"), "{told:?}");

    let told = host.run(["uninstall", "--only", ".", "--apply"]).ends(1);
    is_as(|file| file.2);
    let (count, ready) = (by_hand, listed.len() - by_hand);
    assert!(told.text().contains(&format!("\n{count} lines to change")), "{told:?}");
    assert_eq!(told.text().matches("now    ").count(), ready);
    assert!(host.file("blog/.env").symlink_metadata().expect("there").is_symlink());
    // The commands that it tells for taking a file back do so.
    let commands: Vec<&str> =
        told.text().lines().filter_map(|line| Some(line.split_once("take it back: ")?.1)).collect();
    assert_eq!(commands.len(), FILES.iter().filter(|file| file.1 != file.2).count());
    for command in commands {
        assert!(std::process::Command::new("sh").args(["-c", command]).status().expect("a shell").success());
    }
    is_as(|file| file.1);
}

/// A file that its user keeps from being written to stays, and so does one of which a copy is there.
#[test]
fn files_that_must_not_be_written_stay() {
    let host = Host::new();
    let text = "<?php $servers = ['arena:wp'];";
    fs::write(host.file("wp.php"), text).expect("written");
    fs::write(host.file("wp.php.leveret-backup"), "older").expect("written");
    let told = host.run(["uninstall", "--only", ".", "--apply"]).ends(1);
    assert!(told.text().contains("is there already: move it away. It is unchanged."), "{told:?}");
    fs::remove_file(host.file("wp.php.leveret-backup")).expect("there");
    if !is_root(host.dir()) {
        fs::set_permissions(host.file("wp.php"), fs::Permissions::from_mode(0o444)).expect("ours");
        let told = host.run(["uninstall", "--only", ".", "--apply"]).ends(1);
        assert!(told.text().contains("cannot write to it"), "{told:?}");
    }
    assert_eq!(read_to_string(host.file("wp.php")).expect("there"), text);
    host.run(["uninstall", "--only", ".", "--apply", "--server", "cache.example.com:11311"])
        .ends(if is_root(host.dir()) { 0 } else { 1 });
    host.run(["uninstall", "--only", "--apply"]).ends(2);
    host.run(["uninstall", "--apply", "--server", "two words", "."]).ends(2);
}

fn is_root(dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    dir.metadata().expect("there").uid() == 0
}
