//! Rings and servers as people write them.
use super::{Distribution, KeyHash, PeclHash, Preset, RingServer, Strategy};

/// Name of each preset, its default hash, and its meaning.
pub const PRESETS: [(&str, &str, &str); 6] = [
    ("php-memcached", "default", "php-memcached as it comes: modula"),
    ("php-memcached-consistent", "default", "Memcached::DISTRIBUTION_CONSISTENT, and its sessions"),
    ("php-memcached-compatible", "md5", "Memcached::OPT_LIBKETAMA_COMPATIBLE, and its sessions with ketama_weighted"),
    ("php-memcache", "crc32", "pecl/memcache as it comes: memcache.hash_strategy=consistent"),
    ("php-memcache-standard", "crc32", "pecl/memcache with memcache.hash_strategy=standard"),
    ("dalli", "crc32", "Dalli and memcache-client"),
];

const DEFAULT_PORT: u16 = 11211;

impl Preset {
    /// The preset of this name, with its own hash or another one.
    pub fn from_name(name: &str, hash: Option<&str>) -> Result<Preset, String> {
        let Some((_, default, _)) = PRESETS.iter().find(|(known, _, _)| *known == name) else {
            return Err(format!("no preset is called {name}: {}", PRESETS.map(|(known, _, _)| known).join(", ")));
        };
        let hash = hash.unwrap_or(default);
        let key_hash = || {
            KeyHash::from_name(hash)
                .ok_or_else(|| format!("no hash is called {hash}: {}", KeyHash::ALL.map(KeyHash::name).join(", ")))
        };
        let libmemcached = |distribution| Ok(Preset::Libmemcached { distribution, hash: key_hash()? });
        let consistent = || libmemcached(Distribution::consistent(key_hash()?));
        let pecl = |strategy| match hash {
            "crc32" => Ok(Preset::PeclMemcache { strategy, hash: PeclHash::Crc32 }),
            "fnv" => Ok(Preset::PeclMemcache { strategy, hash: PeclHash::Fnv }),
            _ => Err(format!("pecl/memcache has no hash {hash}: crc32, fnv")),
        };
        match name {
            "php-memcached" => libmemcached(Distribution::Modula),
            "php-memcached-consistent" => consistent(),
            "php-memcached-compatible" => libmemcached(Distribution::Ketama),
            "php-memcache" => pecl(Strategy::Consistent),
            "php-memcache-standard" => pecl(Strategy::Standard),
            _ if hash == "crc32" => Ok(Preset::Dalli),
            _ => Err(format!("{name} has no hash but crc32")),
        }
    }

    /// The name of the hash that it puts keys through.
    pub fn hash_name(&self) -> &'static str {
        match self {
            Preset::Libmemcached { hash, .. } => hash.name(),
            Preset::PeclMemcache { hash: PeclHash::Fnv, .. } => "fnv",
            Preset::PeclMemcache { hash: PeclHash::Crc32, .. } | Preset::Dalli => "crc32",
        }
    }
}

impl RingServer {
    /// `host`, `host:port`, `host:port:weight`, `[v6]:port:weight`, `/socket`, `/socket:weight`; and `unix:///socket`,
    /// where it came to libmemcached in a list of servers.
    pub fn from_words(text: &str) -> Result<RingServer, String> {
        let (text, socket_port) = text.strip_prefix("unix://").map_or((text, DEFAULT_PORT), |path| (path, 0));
        let wrong =
            || format!("no server is written {text:?}: host:port, host:port:weight, [address]:port or /path/of/socket");
        let number = |word: &str| word.parse::<u32>().map_err(|_| wrong());
        let (host, rest) = match text.strip_prefix('[') {
            Some(text) => text.split_once(']').map(|(host, rest)| (host, rest.strip_prefix(':'))).ok_or_else(wrong)?,
            None => text.split_once(':').map_or((text, None), |(host, rest)| (host, Some(rest))),
        };
        let words: Vec<&str> = rest.map_or_else(Vec::new, |rest| rest.split(':').collect());
        let is_socket = host.starts_with('/');
        let (port, weight) = match (is_socket, words.as_slice()) {
            (true, []) => (socket_port, 1),
            (true, [weight]) => (socket_port, number(weight)?),
            (false, _) if socket_port == 0 => return Err(wrong()),
            (false, []) => (DEFAULT_PORT, 1),
            (false, [port]) => (port.parse().map_err(|_| wrong())?, 1),
            (false, [port, weight]) => (port.parse().map_err(|_| wrong())?, number(weight)?),
            _ => return Err(wrong()),
        };
        if host.is_empty() {
            return Err(wrong());
        }
        Ok(RingServer { host: host.to_string(), port, weight })
    }
}

impl std::fmt::Display for RingServer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.port {
            _ if self.socket().is_some() => out.write_str(&self.host),
            0 => out.write_str(&self.host),
            port if self.host.contains(':') => write!(out, "[{}]:{port}", self.host),
            port => write!(out, "{}:{port}", self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_its_default_hash() {
        for (name, hash, _) in PRESETS {
            assert_eq!(Preset::from_name(name, None).unwrap().hash_name(), hash);
        }
        assert_eq!(Preset::from_name("php-memcached", Some("murmur")).unwrap().hash_name(), "murmur");
        for (name, hash) in
            [("memcached", None), ("php-memcache", Some("md5")), ("dalli", Some("fnv")), ("php-memcached", Some("fnv"))]
        {
            assert!(Preset::from_name(name, hash).is_err(), "{name} {hash:?}");
        }
    }

    #[test]
    fn servers_as_they_are_written() {
        for (text, host, port, weight) in [
            ("a", "a", 11211, 1),
            ("a:1", "a", 1, 1),
            ("a:1:7", "a", 1, 7),
            ("[::1]:5:2", "::1", 5, 2),
            ("[::1]", "::1", 11211, 1),
            ("/run/m.sock", "/run/m.sock", 11211, 1),
            ("/run/m.sock:3", "/run/m.sock", 11211, 3),
            ("unix:///run/m.sock", "/run/m.sock", 0, 1),
            ("unix:///run/m.sock:3", "/run/m.sock", 0, 3),
        ] {
            assert_eq!(RingServer::from_words(text), Ok(RingServer { host: host.to_string(), port, weight }));
        }
        for text in ["", ":1", "a:", "a:70000", "a:1:2:3", "[::1", "/s:x", "unix://", "unix://a:1"] {
            assert!(RingServer::from_words(text).is_err(), "{text}");
        }
        for text in ["[::1]:5", "a:1", "/run/m.sock"] {
            assert_eq!(RingServer::from_words(text).unwrap().to_string(), text);
        }
    }
}
