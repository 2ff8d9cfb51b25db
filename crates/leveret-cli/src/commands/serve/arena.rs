//! Which arena a server serves, and that no other does unless both were told to. Without `--arena` two servers are two
//! caches, as two memcacheds are: the name comes from where the server listens.
use super::options::ServeOptions;
use crate::commands::list::{self, ListedServer};
use crate::output::Failure;
use crate::target;
use crate::units::bytes;
use crate::users::AccountFiles;
use leveret_engine::{Arena, Program};
use leveret_place::SHARED;
use leveret_server::log::{self, Level};
use leveret_server::redis::path_of_database;
use leveret_server::redis::settings::{self as redis, RedisPlace};
use leveret_server::settings::MEMORY;
use leveret_server::{Bound, Settings};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// memcached's port, whose arena is the default one.
const PORT: u16 = 11211;

/// The longest name of an arena.
const NAME_MAX: usize = 64;

/// The arena that is to be served.
pub struct Choice {
    path: PathBuf,
    /// It begins empty, and goes with the server.
    passes: bool,
}

impl Choice {
    pub fn of(options: &ServeOptions, settings: &Settings, bound: &Bound) -> Result<Choice, Failure> {
        let (name, passes) = match (&options.arena, &settings.unix_path) {
            (Some(name), _) => (name.clone(), false),
            (None, Some(path)) => (name_of_socket(path), false),
            (None, None) if !has_memcached(settings) => name_of_redis(settings, bound),
            (None, None) => {
                let connected: Vec<u16> = bound.tcp_addresses().map(|address| address.port()).collect();
                let datagrams = || bound.udp_addresses().map(|address| address.port()).collect();
                name_of_ports(settings, &if connected.is_empty() { datagrams() } else { connected })
            }
        };
        let path = target::resolve(&name, options.dir.as_deref())?;
        // An arena named by a free port would not be found again. With a memory file the operator wants to find it.
        Ok(Choice { path, passes: options.fresh || passes && options.memory_file.is_none() })
    }
}

/// No two databases of `--redis` may be one arena.
pub fn check_databases(choice: &Choice, settings: &Settings) -> Result<(), Failure> {
    let mut known: Vec<PathBuf> = Vec::new();
    for (number, path) in with_databases(&choice.path, settings).into_iter().enumerate() {
        if let Some(other) = known.iter().position(|other| *other == path) {
            let path = path.display();
            return Err(Failure::Usage(format!(
                "database {number} is the arena {path}, as database {other} is: name another one (--redis-database)"
            )));
        }
        known.push(path);
    }
    Ok(())
}

/// Whether clients of memcached have a place.
fn has_memcached(settings: &Settings) -> bool {
    let has_address = settings.listen.iter().any(|listen| listen.port.is_some());
    settings.redis.is_none() || settings.tcp_port != Some(0) || settings.udp_port != Some(0) || has_address
}

/// The arena of a server for clients of Redis alone: `redis` on Redis' port, else `redis-PORT`.
fn name_of_redis(settings: &Settings, bound: &Bound) -> (String, bool) {
    let port = bound.redis_addresses().map(|address| address.port()).min().unwrap_or(0);
    match settings.redis.as_ref().map(|redis| &redis.place) {
        Some(RedisPlace::Unix(path)) => (name_of_socket(path), false),
        Some(RedisPlace::Tcp { port: Some(redis::PORT), .. }) => ("redis".to_owned(), false),
        Some(RedisPlace::Tcp { port: asked, .. }) => (format!("redis-{port}"), asked.is_none()),
        None => (target::DEFAULT.to_owned(), false),
    }
}

/// The arena of these ports, and whether none of them was asked for.
fn name_of_ports(settings: &Settings, ports: &[u16]) -> (String, bool) {
    let of_addresses = settings.listen.iter().filter_map(|listen| listen.port);
    let asked: Vec<u16> = of_addresses.chain(settings.tcp_port).chain(settings.udp_port).collect();
    let lowest = |is_asked: bool| ports.iter().copied().filter(|port| asked.contains(port) == is_asked).min();
    if asked.contains(&PORT) && ports.contains(&PORT) {
        return (target::DEFAULT.to_owned(), false);
    }
    match lowest(true) {
        Some(port) => (format!("port-{port}"), false),
        None => (format!("port-{}", lowest(false).unwrap_or(0)), true),
    }
}

/// `/run/app/cache.sock` is `unix-run-app-cache.sock`. Where two paths would have the same name, their hashes tell them
/// apart.
fn name_of_socket(path: &Path) -> String {
    // /var/run is /run: a restart that spells it otherwise finds its cache.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let known = fs::canonicalize(folder).ok().zip(path.file_name()).map(|(folder, name)| folder.join(name));
    name_of_path(known.as_deref().unwrap_or(path).as_os_str().as_bytes())
}

fn name_of_path(path: &[u8]) -> String {
    let letter = |byte: &u8| match byte {
        b'/' => '-',
        b'.' | b'_' | b'-' => char::from(*byte),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte),
        _ => '_',
    };
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_');
    let name: String = "unix".chars().chain(path.iter().map(letter)).collect();
    if path.iter().all(is_plain) && name.len() <= NAME_MAX {
        return name;
    }
    // FNV-1a: the same for ever. No plain name has two dashes in a row, so none looks like this.
    let hash = path
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let mark = format!("--{hash:016x}");
    // The file's name says more than the folders above it.
    let cut = name.len().saturating_sub(NAME_MAX - mark.len() - "unix-".len()).max("unix-".len());
    format!("unix-{}{mark}", &name[cut..])
}

/// Removes the arenas of a server that has ended, except those that another one serves by now.
pub struct Passing(Vec<PathBuf>);

impl Drop for Passing {
    fn drop(&mut self) {
        for path in &self.0 {
            if target::attach(path, None).is_ok_and(|arena| list::servers(&arena).is_empty()) {
                let _ = leveret_engine::remove(path);
            }
        }
    }
}

/// The arena at `path`, and those of the other databases of `--redis`, which need not exist.
fn with_databases(path: &Path, settings: &Settings) -> Vec<PathBuf> {
    let mut paths = vec![path.to_owned()];
    if let Some(redis) = &settings.redis {
        paths.extend((1..redis.databases).map(|number| {
            let own = redis.own.get(&number).and_then(|own| own.arena.clone());
            own.unwrap_or_else(|| path_of_database(path, number))
        }));
    }
    paths
}

/// Opens the arena, or creates it. The returned guard must live as long as the server.
pub fn open(choice: &Choice, options: &ServeOptions, settings: &Settings) -> Result<(Arena, Option<Passing>), Failure> {
    let path = &choice.path;
    tell_alone(path);
    let paths = if choice.passes { with_databases(path, settings) } else { vec![path.clone()] };
    // What cannot be opened yields its reason below.
    let there: Vec<Arena> = paths.iter().filter_map(|path| target::attach(path, None).ok()).collect();
    if !options.share {
        there.iter().try_for_each(refuse_if_served)?;
    }
    if choice.passes {
        there.iter().try_for_each(|arena| leveret_engine::remove(arena.path()))?;
    }
    drop(there);
    Program::Server.declare();
    let (arena, is_new) = Arena::open(path, &settings.open_options(MEMORY))?;
    let passing = choice.passes.then(|| Passing(paths));
    log::tell_older(&arena);
    if choice.passes && !is_new {
        // Another process was quicker.
        arena.flush()?;
    }
    if !is_new && options.memory_limit.is_some_and(|asked| asked != arena.memory()) {
        eprintln!(
            "leveret: {} exists and keeps its {}; -m is the size of a new one ('leveret rm' removes it)",
            path.display(),
            bytes(arena.memory())
        );
    }
    let stats = arena.stats();
    // Free is the file system's free space.
    let reached = stats.memory_allocated + stats.memory_free;
    if is_new && reached < arena.memory() / 16 * 15 {
        log::tell(
            Level::Warning,
            format_args!(
                "the file system of {} has room for {} of the {} that the arena may take: then items are evicted",
                path.display(),
                bytes(reached),
                bytes(arena.memory())
            ),
        );
    }
    if settings.asks_for_passwords() && !settings.announce {
        tell_open(path);
    }
    if settings.item_size_max > arena.value_max() {
        log::tell(
            Level::Warning,
            format_args!(
                "-I {} is more than this arena takes: {}, an eighth of its memory",
                bytes(settings.item_size_max as u64),
                bytes(arena.value_max() as u64)
            ),
        );
    }
    Ok((arena, passing))
}

/// Passwords protect sockets. Users who may open the file need none.
fn tell_open(path: &Path) {
    let mode = fs::metadata(path).map_or(0, |found| found.mode());
    if mode & 0o066 != 0 {
        log::tell(Level::Warning, format_args!("the group of {} may read and write the cache there without a password; --dir names a folder of this user's own, --announce says that it is meant",
            path.display()
        ));
    }
}

/// Two servers of one cache are rarely meant, and hard to tell from two caches until one of them is flushed.
pub fn refuse_if_served(arena: &Arena) -> Result<(), Failure> {
    let others: Vec<ListedServer> = list::servers(arena).into_iter().filter(|server| !server.is_own).collect();
    let Some(ListedServer { pid, .. }) = others.first() else { return Ok(()) };
    let places: Vec<&str> = others.iter().map(|server| server.place.as_str()).collect();
    Err(Failure::Unreachable(format!(
        "the arena {} is served already, by process {pid} ({}): choose another one with --arena, or serve the same cache with --share",
        arena.path().display(),
        places.join(", ")
    )))
}

/// A user outside of the group silently gets a folder of its own: PHP then never meets this server's items in memory.
fn tell_alone(path: &Path) {
    let uid = rustix::process::geteuid().as_raw();
    if !path.to_string_lossy().starts_with(&format!("{SHARED}-{uid}")) {
        return;
    }
    let user = AccountFiles::read().name(uid);
    let alone = format!("so the arena is {}, which no other user shares", path.display());
    match leveret_place::check_default(Path::new(SHARED)) {
        Ok(false) => {}
        Ok(true) => {
            log::tell(Level::Warning, format_args!("{user} may not use {SHARED}, {alone}; to share it: usermod -aG leveret {user}, then restart this server"))
        }
        Err(error) => log::tell(Level::Warning, format_args!("{error}; {alone} ('leveret doctor' says the fix)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leveret_server::settings::{Listen, Security};
    use std::collections::HashSet;

    #[test]
    fn each_socket_has_a_name_of_its_own() {
        assert_eq!(name_of_path(b"/run/leveret/cache.sock"), "unix-run-leveret-cache.sock");
        let long = [b"/run/".as_slice(), &[b'x'; 90], b"/cache.sock"].concat();
        let paths: [&[u8]; 9] = [
            b"/run/a/b",
            b"/run/a-b",
            b"/run/a b",
            b"/run/a_b",
            b"/run/a\xffb",
            b"/run/a\xc3\xa4b",
            b"/run-a/b",
            &long,
            &[b"/srv".as_slice(), &long].concat(),
        ];
        let names: Vec<String> = paths.iter().map(|path| name_of_path(path)).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), paths.len(), "{names:?}");
        for name in &names {
            assert!(leveret_place::resolve(name, Some(Path::new("/"))).is_ok(), "{name}");
        }
        assert_eq!(names[1], "unix-run-a-b--7b9c51f0119c38d0", "it must not change: arenas outlive programs");
        assert!(
            names[7].starts_with("unix-xxx") && names[7].contains("-cache.sock--") && names[7].len() == NAME_MAX,
            "{}",
            names[7]
        );
    }

    #[test]
    fn memcacheds_port_is_the_default_and_others_have_their_own() {
        let at = |ports: &[Option<u16>]| -> Vec<Listen> {
            ports
                .iter()
                .map(|port| Listen { host: "h".to_owned(), port: *port, security: Security::default() })
                .collect()
        };
        for (tcp, udp, listen, bound, want, passes) in [
            (Some(11211), Some(0), at(&[]), &[11211][..], "default", false),
            (Some(11212), Some(0), at(&[]), &[11212], "port-11212", false),
            // Several addresses, of which each may have a port of its own: the order does not matter.
            (Some(11212), Some(0), at(&[None, Some(11211), Some(9)]), &[11212, 11211, 9], "default", false),
            (Some(11211), Some(0), at(&[Some(11300), Some(11299)]), &[11300, 11299], "port-11299", false),
            // Any free one.
            (None, Some(0), at(&[]), &[40001], "port-40001", true),
            (None, Some(0), at(&[]), &[11211], "port-11211", true),
            (None, Some(0), at(&[None, Some(11300)]), &[1025, 11300], "port-11300", false),
            (Some(0), Some(0), at(&[Some(0)]), &[40001], "port-40001", true),
            // UDP alone.
            (Some(0), Some(11211), at(&[]), &[11211], "default", false),
            (Some(0), None, at(&[]), &[40001], "port-40001", true),
        ] {
            let settings = Settings { tcp_port: tcp, udp_port: udp, listen, ..Settings::default() };
            assert_eq!(name_of_ports(&settings, bound), (want.to_owned(), passes), "{settings:?}");
        }
    }
}
