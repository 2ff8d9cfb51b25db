//! The other side of a command with a TARGET: a memcached (or `leveret serve`) behind a socket, or an arena.
use crate::output::Failure;
use crate::target::{self, TargetArgs};
use crate::units;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// memcached's port, for targets without one.
const PORT: u16 = 11211;

/// The TARGET of a command that takes nothing else.
#[derive(Args, Clone, Debug)]
pub struct Reach {
    /// [user@][tls://]host[:port], [user@]/path/to/socket, or arena:NAME; without it the arena of --arena, which needs no server
    pub target: Option<String>,

    #[command(flatten)]
    pub patience: Patience,
}

/// The arguments of a command that lists items: its target, and a limit.
#[derive(Args, Clone, Debug)]
pub struct Listing {
    /// [user@][tls://]host[:port], [user@]/path/to/socket, or arena:NAME; without it the arena of --arena, which needs no server
    #[arg(value_name = "TARGET")]
    first: Option<String>,

    /// Stop after this many
    #[arg(value_name = "LIMIT", value_parser = |text: &str| units::parse_number::<u64>(text, 1, u64::MAX))]
    second: Option<u64>,

    #[command(flatten)]
    pub patience: Patience,
}

impl Listing {
    /// TARGET and LIMIT. A number alone is the limit.
    pub fn words(&self) -> Result<(Option<&str>, Option<u64>), Failure> {
        let Some(first) = self.first.as_deref() else { return Ok((None, self.second)) };
        match (first.parse::<u64>(), self.second) {
            (Ok(0), None) => Err(Failure::Usage("the limit is at least 1".to_owned())),
            (Ok(limit), None) => Ok((None, Some(limit))),
            (_, limit) => Ok((Some(first), limit)),
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct Patience {
    /// Time-out for a server's answer
    #[arg(long, value_name = "DURATION", value_parser = parse_timeout, default_value = "5s")]
    pub timeout: Duration,
}

pub fn parse_timeout(text: &str) -> Result<Duration, String> {
    units::parse_duration(text).and_then(|timeout| {
        if timeout.is_zero() {
            Err("nothing answers in no time".to_owned())
        } else {
            Ok(timeout)
        }
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peer {
    Tcp { user: Option<String>, host: String, port: u16, has_tls: bool },
    Unix { user: Option<String>, path: PathBuf },
    Arena { name: String, path: PathBuf },
}

impl Peer {
    /// TARGET, or the arena of --arena.
    pub fn of(text: Option<&str>, target: &TargetArgs) -> Result<Peer, Failure> {
        let Some(text) = text else {
            return Ok(Peer::Arena { name: target.name().to_owned(), path: target.path()? });
        };
        if target.arena.is_some() {
            return Err(Failure::Usage(format!("'{text}' and --arena: give one of the two")));
        }
        if text.split_once("://").is_some_and(|(scheme, _)| is_redis_scheme(scheme)) {
            return Err(Failure::Usage(format!(
                "'{text}' is a server for clients of Redis: 'leveret ping', 'stats', 'top' and 'watch' ask such a server, other commands ask an arena or a memcached"
            )));
        }
        let (user, text) = user_and_place(text);
        if user.as_ref().is_some_and(|user| user.is_empty() || user.contains(['\r', '\n', ':'])) {
            return Err(Failure::Usage(format!(
                "no user before the '@' of '@{text}': a name without ':' and line ends"
            )));
        }
        // As pecl/memcache's applications write a path.
        let text = text.strip_prefix("unix://").filter(|path| path.starts_with('/')).unwrap_or(text);
        if text.starts_with("arena:") || text.ends_with(".arena") {
            if let Some(user) = user {
                return Err(Failure::Usage(format!(
                    "'{user}@' before {text}: an arena knows no users, its file's rights count"
                )));
            }
            let path = target::resolve(text, target.dir())?;
            return Ok(Peer::Arena { name: arena_name(text, &path), path });
        }
        let (place, has_tls) = text.strip_prefix("tls://").map_or((text, false), |place| (place, true));
        if place.contains('/') && !has_tls {
            return Ok(Peer::Unix { user, path: PathBuf::from(text) });
        }
        if !has_tls && user.is_none() {
            refuse_mistaken(place, target)?;
        }
        let found = host_and_port(place).filter(|(host, _)| !host.contains('/'));
        found.map(|(host, port)| Peer::Tcp { user, host, port, has_tls }).ok_or_else(|| {
            Failure::Usage(format!(
                "'{text}' is no target: write host[:port], tls://host[:port], /path/to/socket (user@ before them signs in), arena:NAME or a path that ends in .arena"
            ))
        })
    }

    /// The arena's file, if it is an arena.
    pub fn arena(&self) -> Option<&Path> {
        match self {
            Peer::Arena { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The user for the sign-in.
    pub fn user(&self) -> Option<&str> {
        match self {
            Peer::Tcp { user, .. } | Peer::Unix { user, .. } => user.as_deref(),
            Peer::Arena { .. } => None,
        }
    }

    /// As memcached-tool names it: always with the port.
    pub fn shown(&self) -> String {
        match self {
            Peer::Tcp { host, port, has_tls, .. } => {
                let tls = if *has_tls { "tls://" } else { "" };
                let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                format!("{tls}{host}:{port}")
            }
            Peer::Unix { path, .. } => path.display().to_string(),
            Peer::Arena { name, path } if name.contains('/') => path.display().to_string(),
            Peer::Arena { name, .. } => format!("arena:{name}"),
        }
    }
}

/// Whether a TARGET that begins so is a server for clients of Redis.
pub fn is_redis_scheme(scheme: &str) -> bool {
    matches!(scheme, "redis" | "rediss" | "redis+unix")
}

/// As it is shown: a path as it was written, a name without what may stand around it.
fn arena_name(text: &str, path: &Path) -> String {
    let stem = path.file_stem().map_or(text.into(), |stem| stem.to_string_lossy());
    if text.contains('/') {
        text.to_owned()
    } else {
        stem.into_owned()
    }
}

/// A word that is a host's name by our rules, and hardly meant so.
fn refuse_mistaken(word: &str, target: &TargetArgs) -> Result<(), Failure> {
    if word.parse::<u16>().is_ok() {
        return Err(Failure::Usage(format!("'{word}' is no host: a port of this machine is localhost:{word}")));
    }
    let is_arena = !word.contains([':', '.']) && target::resolve(word, target.dir()).is_ok_and(|path| path.exists());
    if is_arena {
        return Err(Failure::Usage(format!(
            "'{word}' is an arena here: write arena:{word} or --arena {word}; a server of this name would be {word}:{PORT}"
        )));
    }
    Ok(())
}

/// `user@` before a host or before a path that begins at the root; any other path may have an @ in it.
fn user_and_place(text: &str) -> (Option<String>, &str) {
    let at = match text.find('/') {
        None => text.rfind('@'),
        Some(_) => ["@/", "@unix:///", "@tls://"]
            .iter()
            .find_map(|mark| text.find(mark))
            .filter(|at| !text[..*at].contains('/')),
    };
    at.map_or((None, text), |at| (Some(text[..at].to_owned()), &text[at + 1..]))
}

fn host_and_port(text: &str) -> Option<(String, u16)> {
    let tcp = |host: &str, port| Some((host.to_owned(), port));
    if let Some(rest) = text.strip_prefix('[') {
        return match rest.split_once(']')? {
            (host, "") => tcp(host, PORT),
            (host, port) => tcp(host, port.strip_prefix(':')?.parse().ok()?),
        };
    }
    match text.split_once(':') {
        _ if text.is_empty() => None,
        None => tcp(text, PORT),
        // More than one colon: an address of IPv6.
        Some((_, port)) if port.contains(':') => tcp(text, PORT),
        Some(("", _)) => None,
        Some((host, port)) => tcp(host, port.parse().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> Result<Peer, Failure> {
        Peer::of(Some(text), &TargetArgs { arena: None, dir: Some("/tmp".into()) })
    }

    #[test]
    fn targets_and_how_they_are_shown() {
        for (text, shown) in [
            ("localhost", "localhost:11211"),
            ("localhost:1", "localhost:1"),
            ("10.0.0.5:11211", "10.0.0.5:11211"),
            ("::1", "[::1]:11211"),
            ("[::1]", "[::1]:11211"),
            ("[::1]:5", "[::1]:5"),
            ("tls://cache.example.org", "tls://cache.example.org:11211"),
            ("tls://[::1]:5", "tls://[::1]:5"),
            ("/run/cache.sock", "/run/cache.sock"),
            ("./cache.sock", "./cache.sock"),
            ("arena:shop", "arena:shop"),
            ("/tmp/x.arena", "/tmp/x.arena"),
            ("shop.arena", "arena:shop"),
            ("arena:shop.arena", "arena:shop"),
            ("unix:///tmp/x.arena", "/tmp/x.arena"),
            ("unix:///run/cache.sock", "/run/cache.sock"),
        ] {
            assert_eq!(peer(text).map(|peer| peer.shown()).ok().as_deref(), Some(shown), "{text}");
        }
        for text in
            ["", ":1", "host:", "host:x", "host:99999", "[::1", "[::1]5", "arena:", "arena:a b", "tls://", "tls:///x"]
        {
            assert!(matches!(peer(text), Err(Failure::Usage(_))), "{text}");
        }
    }

    #[test]
    fn users_stand_before_servers() {
        for (text, user, shown) in [
            ("ann@localhost", Some("ann"), "localhost:11211"),
            ("ann@example.org@[::1]:5", Some("ann@example.org"), "[::1]:5"),
            ("ann@/run/x@1.sock", Some("ann"), "/run/x@1.sock"),
            ("ann@tls://localhost:5", Some("ann"), "tls://localhost:5"),
            ("ann@unix:///run/x.sock", Some("ann"), "/run/x.sock"),
            ("/run/@/x.sock", None, "/run/@/x.sock"),
            ("./ann@x.sock", None, "./ann@x.sock"),
        ] {
            let peer = peer(text).expect(text);
            assert_eq!((peer.user(), &*peer.shown()), (user, shown), "{text}");
        }
        for text in ["@localhost", "@/run/x.sock", "ann@", "ann@arena:shop", "ann@/tmp/x.arena", "a\nb@localhost"] {
            assert!(matches!(peer(text), Err(Failure::Usage(_))), "{text}");
        }
    }

    #[test]
    fn without_a_target_it_is_the_arena_and_never_both() {
        let target = TargetArgs { arena: Some("shop".to_owned()), dir: Some("/tmp".into()) };
        assert_eq!(Peer::of(None, &target).map(|peer| peer.shown()).ok().as_deref(), Some("arena:shop"));
        assert!(matches!(Peer::of(Some("localhost"), &target), Err(Failure::Usage(_))));
    }
}
