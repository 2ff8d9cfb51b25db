//! Settings of the Redis entrance: `--redis` and its further options.
use leveret_engine::EvictionPolicy;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// Redis' port.
pub const PORT: u16 = 6379;

/// Databases unless `--redis-databases` says otherwise, as in Redis.
pub const DATABASES: u32 = 16;

/// The most databases: each is an arena, of which a process opens 64 at most.
pub const DATABASES_MAX: u32 = 32;

/// The settings of the entrance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisSettings {
    /// `--redis`: where its clients come to.
    pub place: RedisPlace,
    /// `--redis-databases`: `SELECT` takes numbers below it.
    pub databases: u32,
    /// `--requirepass`: the password of the user `default`.
    pub password: Option<String>,
    /// `--redis-database`: what databases have of their own.
    pub own: BTreeMap<u32, DatabaseSettings>,
}

/// What a database has of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// Bytes of its arena, where that has to be made.
    pub memory: Option<u64>,
    /// What it drops when it is full, from each start on.
    pub policy: Option<EvictionPolicy>,
    /// Its arena's file.
    pub arena: Option<PathBuf>,
}

/// The policies, in Redis' words.
pub const POLICIES: [(&str, EvictionPolicy); 3] = [
    ("allkeys-lfu", EvictionPolicy::All),
    ("volatile-lfu", EvictionPolicy::Volatile),
    ("noeviction", EvictionPolicy::None),
];

/// The policy that a word names.
pub fn policy_of(word: &[u8]) -> Option<EvictionPolicy> {
    POLICIES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(word)).map(|(_, policy)| *policy)
}

/// The word that names a policy.
pub fn policy_word(policy: EvictionPolicy) -> &'static str {
    POLICIES.iter().find(|(_, known)| *known == policy).map_or("noeviction", |(name, _)| name)
}

impl RedisSettings {
    /// Of this place, with all else as Redis has it.
    pub fn new(place: RedisPlace) -> RedisSettings {
        RedisSettings { place, databases: DATABASES, password: None, own: BTreeMap::new() }
    }
}

/// Where clients of Redis come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisPlace {
    /// A port on the addresses of `-l`.
    Tcp {
        /// None = any free one.
        port: Option<u16>,
        /// `tls:PORT`: with the certificate of `-Z`.
        is_tls: bool,
    },
    /// A Unix socket.
    Unix(PathBuf),
}

impl FromStr for RedisPlace {
    type Err = String;

    /// `6379`, `-1` for any free port, `tls:6380`, or the path of a Unix socket, which has a slash.
    fn from_str(text: &str) -> Result<RedisPlace, String> {
        if text.contains('/') {
            return Ok(RedisPlace::Unix(text.strip_prefix("unix:").unwrap_or(text).into()));
        }
        let (is_tls, port) = text.strip_prefix("tls:").map_or((false, text), |port| (true, port));
        if port == "-1" {
            return Ok(RedisPlace::Tcp { port: None, is_tls });
        }
        match port.parse() {
            Ok(port) if port > 0 => Ok(RedisPlace::Tcp { port: Some(port), is_tls }),
            _ => Err(format!(
                "'{text}' is no place for clients of Redis: write PORT (1 to 65535, -1 = any free one), tls:PORT, or the path of a Unix socket, with a slash in it"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_ports_and_paths() {
        let tcp = |port, is_tls| Ok(RedisPlace::Tcp { port, is_tls });
        for (text, want) in [
            ("6379", tcp(Some(6379), false)),
            ("-1", tcp(None, false)),
            ("tls:6380", tcp(Some(6380), true)),
            ("tls:-1", tcp(None, true)),
            ("/run/redis.sock", Ok(RedisPlace::Unix("/run/redis.sock".into()))),
            ("unix:/run/redis.sock", Ok(RedisPlace::Unix("/run/redis.sock".into()))),
            ("./redis.sock", Ok(RedisPlace::Unix("./redis.sock".into()))),
        ] {
            assert_eq!(text.parse(), want, "{text}");
        }
        for text in ["", "0", "65536", "-2", "redis", "tls:", "tls:0", "127.0.0.1:6379"] {
            let error = text.parse::<RedisPlace>().expect_err(text);
            assert!(error.contains("tls:PORT"), "{error}");
        }
    }
}
