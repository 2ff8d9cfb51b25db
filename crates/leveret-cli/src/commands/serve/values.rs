//! The values of memcached's options: what each may be, and its suffixes.
//!
//! memcached reads numbers with atoi, so that `-p 1121i` is port 1121. Here a number is a number: the start with a
//! typing error is refused, the start with a number that memcached takes is not.
use crate::units::parse_size;
use leveret_engine::EvictionPolicy;
use leveret_server::redis::settings::{policy_of, DATABASES_MAX, POLICIES};
use leveret_server::settings::{AllowedProtocol, Listen, Security};

/// The largest item that memcached's `-I` can ask for.
const ITEM_MAX: u64 = 1 << 30;
/// The smallest.
const ITEM_MIN: u64 = 1024;

/// A port of `-p` and `-U`: 0 is off, -1 (`None`) is any free one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(pub Option<u16>);

pub fn port(text: &str) -> Result<Port, String> {
    if text == "-1" {
        return Ok(Port(None));
    }
    text.parse().map(|port| Port(Some(port))).map_err(|_| "a port is 1 to 65535, 0 = off, -1 = any free one".to_owned())
}

/// Bytes of `-m`: bare numbers are megabytes, and a suffix (512m, 4g) says otherwise.
pub fn memory(text: &str) -> Result<u64, String> {
    let bytes = match text.parse::<u64>() {
        Ok(megabytes) => megabytes.checked_mul(1 << 20),
        Err(_) => parse_size(text).ok(),
    };
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "write megabytes (64), or a size with its unit (512m, 4g)".to_owned())
}

/// Bytes of `-I`: 1k to 1024m. Its limit beside `-m` is checked when both are known.
pub fn item_size(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    if bytes < ITEM_MIN {
        Err(format!("the largest item cannot be smaller than {ITEM_MIN} bytes"))
    } else if bytes > ITEM_MAX {
        Err("the largest item cannot be larger than a gigabyte".to_owned())
    } else {
        Ok(bytes)
    }
}

/// A count of at least one: `-c`, `-t`, `-R`, `-n`, `-N`.
pub fn positive(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|count| *count > 0 && *count <= i32::MAX as u32)
        .ok_or_else(|| "must be a number greater than 0".to_owned())
}

/// `--redis-databases`
pub fn databases(text: &str) -> Result<u32, String> {
    let allowed = 1..=DATABASES_MAX;
    let number = text.parse().ok().filter(|number| allowed.contains(number));
    number.ok_or_else(|| format!("must be 1 to {DATABASES_MAX}: each database is an arena of its own"))
}

/// A value of `--redis-database`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnDatabase {
    pub number: u32,
    pub memory: Option<u64>,
    pub policy: Option<EvictionPolicy>,
    /// As it was named.
    pub arena: Option<String>,
}

/// `--redis-database`
pub fn database(text: &str) -> Result<OwnDatabase, String> {
    let (number, rest) = text.split_once(',').unwrap_or((text, ""));
    let number = number
        .parse()
        .ok()
        .filter(|number| *number < DATABASES_MAX)
        .ok_or_else(|| format!("'{number}' is no database: write its number, 0 to {}, first", DATABASES_MAX - 1))?;
    let mut own = OwnDatabase { number, memory: None, policy: None, arena: None };
    for part in rest.split(',').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let failed = |why: String| format!("{key} of database {number}: {why}");
        let is_new = match key {
            "memory" => own.memory.replace(memory(value).map_err(failed)?).is_none(),
            "policy" => own.policy.replace(policy(value).map_err(failed)?).is_none(),
            "arena" if value.is_empty() => return Err(failed("write a name or a path".to_owned())),
            "arena" => own.arena.replace(value.to_owned()).is_none(),
            _ => return Err(format!("database {number} has no '{key}': there are memory, policy and arena")),
        };
        if !is_new {
            return Err(failed("it is said twice".to_owned()));
        }
    }
    Ok(own)
}

fn policy(word: &str) -> Result<EvictionPolicy, String> {
    let words = POLICIES.map(|(word, _)| word).join(", ");
    policy_of(word.as_bytes()).ok_or_else(|| format!("'{word}' is none of {words}"))
}

/// `-b`. To the kernel a negative backlog is the longest that it allows.
pub fn backlog(text: &str) -> Result<u32, String> {
    let backlog: i32 = text.parse().map_err(|_| "must be a number".to_owned())?;
    Ok(u32::try_from(backlog).unwrap_or(i32::MAX as u32))
}

/// `-f`
pub fn factor(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|factor: &f64| *factor > 1.0).ok_or_else(|| "must be greater than 1".to_owned())
}

/// `-a`
pub fn octal_mode(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|mode| *mode <= 0o7777)
        .ok_or_else(|| "must be an octal number, as 770".to_owned())
}

/// `-D`: the first byte counts, as in memcached.
pub fn delimiter(text: &str) -> Result<u8, String> {
    text.bytes().next().ok_or_else(|| "no delimiter specified".to_owned())
}

/// `-B`
pub fn protocol(text: &str) -> Result<AllowedProtocol, String> {
    match text {
        "auto" => Ok(AllowedProtocol::Auto),
        "ascii" => Ok(AllowedProtocol::Ascii),
        "binary" => Ok(AllowedProtocol::Binary),
        _ => Err("should be one of auto, binary, or ascii".to_owned()),
    }
}

/// The addresses of `-l`: `HOST`, `HOST:PORT`, `[IPV6]`, `[IPV6]:PORT`, several with commas between.
pub fn listen(text: &str) -> Result<Vec<Listen>, String> {
    text.split(',').filter(|part| !part.is_empty()).map(listen_one).collect()
}

fn listen_one(text: &str) -> Result<Listen, String> {
    let prefixed = |(prefix, security): (&str, Security)| Some((text.strip_prefix(prefix)?, security));
    let (text, security) = Security::PREFIXES.into_iter().find_map(prefixed).unwrap_or((text, Security::Standard));
    let address = without_tags(text)?;
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or_else(|| format!("'{address}' lacks its ']'"))?;
            match rest.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None if rest.is_empty() => (host, None),
                None => return Err(format!("'{address}': after ']' comes ':PORT' or nothing")),
            }
        }
        // More than one colon: an address of IPv6 without a port.
        None => match address.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            _ => (address, None),
        },
    };
    let port = match port {
        None | Some("") => None,
        // A free one, which the kernel chooses for 0.
        Some("-1") => Some(0),
        Some(port) => Some(port.parse().map_err(|_| format!("'{port}' is no port"))?),
    };
    Ok(Listen { host: host.to_owned(), port, security })
}

/// Without the `tag[..]:` and `proto[..]:` in front, which mean something to memcached's proxy only.
fn without_tags(text: &str) -> Result<&str, String> {
    let mut rest = text;
    for _ in 0..2 {
        if rest.starts_with("tag[") || rest.starts_with("proto[") {
            rest = rest.split_once("]:").map(|(_, rest)| rest).ok_or_else(|| format!("'{text}' lacks its ']:'"))?;
        }
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports() {
        for (text, want) in [("11211", Some(11211)), ("0", Some(0)), ("-1", None)] {
            assert_eq!(port(text), Ok(Port(want)), "{text:?}");
        }
        for text in ["", "abc", "70000", "-2", "1 "] {
            assert!(port(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn memory_is_in_megabytes() {
        for (text, want) in [("64", 64 << 20), ("1024", 1 << 30), ("512m", 512 << 20), ("4g", 4 << 30), ("4G", 4 << 30)]
        {
            assert_eq!(memory(text), Ok(want), "{text:?}");
        }
        for text in ["", "0", "abc", "-1", "99999999999999999", "1.5g"] {
            assert!(memory(text).is_err(), "{text:?}");
        }
    }

    /// compat-facts 15: 1000 is refused at the start, 1024 is not; k and m are suffixes.
    #[test]
    fn item_sizes() {
        for (text, want) in
            [("1024", 1024), ("1k", 1024), ("2m", 2 << 20), ("2M", 2 << 20), ("1024m", 1 << 30), ("1g", 1 << 30)]
        {
            assert_eq!(item_size(text), Ok(want), "{text:?}");
        }
        for text in ["1000", "1023", "1025m", "abc", "-5", "64x", ""] {
            assert!(item_size(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn other_numbers() {
        assert_eq!(
            (positive("1"), positive("0").is_err(), positive("x").is_err(), positive("-1").is_err()),
            (Ok(1), true, true, true)
        );
        assert_eq!((backlog("0"), backlog("-1"), backlog("x").is_err()), (Ok(0), Ok(i32::MAX as u32), true));
        assert_eq!((octal_mode("770"), octal_mode("0660"), octal_mode("9").is_err()), (Ok(0o770), Ok(0o660), true));
        assert_eq!((factor("1.25").is_ok(), factor("1").is_err(), factor("NaN").is_err()), (true, true, true));
        assert_eq!((delimiter("."), delimiter("ab"), delimiter("").is_err()), (Ok(b'.'), Ok(b'a'), true));
        assert_eq!((protocol("binary"), protocol("http").is_err()), (Ok(AllowedProtocol::Binary), true));
    }

    #[test]
    fn addresses() {
        let of = |security| move |host: &str, port| vec![Listen { host: host.to_owned(), port, security }];
        let (one, plain) = (of(Security::Standard), of(Security::Plain));
        let (basic, mutual) = (of(Security::Basic), of(Security::Mutual));
        for (text, want) in [
            ("127.0.0.1", one("127.0.0.1", None)),
            ("127.0.0.1:11212", one("127.0.0.1", Some(11212))),
            ("127.0.0.1:-1", one("127.0.0.1", Some(0))),
            ("[::1]:-1", one("::1", Some(0))),
            ("localhost:", one("localhost", None)),
            ("::1", one("::1", None)),
            ("[::1]", one("::1", None)),
            ("[::1]:11212", one("::1", Some(11212))),
            ("*", one("*", None)),
            ("", vec![]),
            ("tag[x]:10.0.0.1", one("10.0.0.1", None)),
            ("tag[x]:proto[ascii]:10.0.0.1:1", one("10.0.0.1", Some(1))),
            ("notls:127.0.0.1", plain("127.0.0.1", None)),
            ("notls:tag[x]:[::1]:5", plain("::1", Some(5))),
            ("btls:localhost:7", basic("localhost", Some(7))),
            ("mtls:127.0.0.1:-1", mutual("127.0.0.1", Some(0))),
            ("mtls:proto[ascii]:tag[tools]:127.0.0.1:1", mutual("127.0.0.1", Some(1))),
            ("mtls", one("mtls", None)),
            (
                "mtls:h:1,h:2,notls:h:3,btls:[::1]:4",
                [mutual("h", Some(1)), one("h", Some(2)), plain("h", Some(3)), basic("::1", Some(4))].concat(),
            ),
            ("127.0.0.1,::1", [one("127.0.0.1", None), one("::1", None)].concat()),
            ("127.0.0.1,", one("127.0.0.1", None)),
        ] {
            assert_eq!(listen(text), Ok(want), "{text:?}");
        }
        for text in ["127.0.0.1:abc", "[::1", "[::1]x", "tag[x:1", "h:99999", "h:-2"] {
            assert!(listen(text).is_err(), "{text:?}");
        }
    }
}
