//! The texts by which servers announce in an arena where they listen.
//!
//! A listener for clients of Redis tells more, and in another order: programs that know nothing of it compare the first word,
//! which is `guarded` or `resp`, and pass by.
use std::fmt;

/// First word of an announcement whose listener asks its clients for a password or a certificate.
pub const GUARDED: &str = "guarded ";

const RESP: &str = "resp ";
const AUTH: &str = " auth:";
const DATABASES: &str = " dbs:";

/// Digits of a nonce.
const NONCE_LEN: usize = 32;

/// One listener, as the arena of one database names it:
/// `resp 0 tcp 127.0.0.1:6379 net:[4026531840] dbs:16`, or
/// `guarded resp 0 tcp 127.0.0.1:6379 net:[4026531840] auth:0f…3c dbs:16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RespListener {
    /// The number of the database that the arena is.
    pub database: u32,
    /// `tcp 127.0.0.1:6379 net:[…]`, `tls 127.0.0.1:6380 net:[…]`, `unix /path`.
    pub endpoint: String,
    /// The nonce that a client must have been told over the socket before it may use the arena. None: the listener asks its
    /// clients for nothing.
    pub nonce: Option<u128>,
    /// SELECT takes numbers below it.
    pub databases: u32,
}

impl fmt::Display for RespListener {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RespListener { database, endpoint, nonce, databases } = self;
        match nonce {
            Some(nonce) => write!(to, "{GUARDED}{RESP}{database} {endpoint}{AUTH}{nonce:032x}{DATABASES}{databases}"),
            None => write!(to, "{RESP}{database} {endpoint}{DATABASES}{databases}"),
        }
    }
}

impl RespListener {
    /// Reads an announcement. None: it is no listener for clients of Redis, or that of a version which told neither the
    /// number of its databases nor whether it asks for a password.
    pub fn parse(text: &str) -> Option<RespListener> {
        let (is_guarded, text) = text.strip_prefix(GUARDED).map_or((false, text), |rest| (true, rest));
        let (database, rest) = text.strip_prefix(RESP)?.split_once(' ')?;
        // From the end: the path of a Unix socket may have any word in it.
        let (rest, databases) = rest.rsplit_once(DATABASES)?;
        let (endpoint, nonce) = match is_guarded {
            true => rest.rsplit_once(AUTH).map(|(endpoint, nonce)| Some((endpoint, Some(nonce_of(nonce)?))))??,
            false => (rest, None),
        };
        let (database, databases) = (number(database)?, number(databases)?);
        let endpoint = match endpoint.split_once(' ')? {
            ("unix", path) if !path.is_empty() => endpoint.to_owned(),
            // Later versions may tell more behind the network.
            ("tcp" | "tls", place) => {
                let mut words = place.split(' ');
                let (address, network) = (words.next()?, words.next().filter(|word| word.starts_with("net:"))?);
                format!("{} {address} {network}", &endpoint[..3])
            }
            _ => return None,
        };
        (database < databases).then_some(RespListener { database, endpoint, nonce, databases })
    }
}

/// The endpoint that an announcement tells, for people: `tcp 127.0.0.1:11211`, `resp 3 unix /run/redis.sock`. None: the
/// announcement is of something else.
pub fn endpoint_of(text: &str) -> Option<String> {
    if let Some(RespListener { database, endpoint, .. }) = RespListener::parse(text) {
        return Some(format!("{RESP}{database} {}", without_network(&endpoint)));
    }
    let text = text.strip_prefix(GUARDED).unwrap_or(text);
    let is_endpoint = ["tcp ", "tls ", "udp ", "unix ", RESP].iter().any(|kind| text.starts_with(kind));
    is_endpoint.then(|| without_network(text).to_owned())
}

/// Only programs compare the number of the network.
fn without_network(endpoint: &str) -> &str {
    match endpoint.starts_with("unix ") {
        true => endpoint,
        false => endpoint.split(" net:").next().unwrap_or_default(),
    }
}

/// Digits alone: `parse` would take a plus.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn nonce_of(text: &str) -> Option<u128> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == NONCE_LEN && text.bytes().all(is_digit)).then(|| u128::from_str_radix(text, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let endpoints = [
            "tcp 127.0.0.1:6379 net:[4026531840]",
            "tls [::1]:6380 net:[1]",
            "tcp 0.0.0.0:1 net:unknown",
            "unix /run/redis.sock",
            "unix /run/a b dbs:3",
            "unix /run/ auth:0123456789abcdef0123456789abcdef dbs:3",
            "unix /",
        ];
        for endpoint in endpoints {
            for nonce in [None, Some(0), Some(7), Some(u128::MAX)] {
                for (database, databases) in [(0, 1), (0, 16), (15, 16), (31, 32)] {
                    let listener = RespListener { database, endpoint: endpoint.to_owned(), nonce, databases };
                    let text = listener.to_string();
                    assert_eq!(text.starts_with(GUARDED), nonce.is_some());
                    assert_eq!(RespListener::parse(&text), Some(listener), "{text}");
                }
            }
        }
        let longest = RespListener {
            database: 31,
            endpoint: format!("unix /{}", "x".repeat(106)),
            nonce: Some(u128::MAX),
            databases: 32,
        };
        assert!(longest.to_string().len() <= 232, "an arena takes no longer text");
    }

    #[test]
    fn what_is_no_such_listener_is_passed_by() {
        let nonce = "0123456789abcdef0123456789abcdef";
        for text in [
            "".to_owned(),
            "tcp 127.0.0.1:11211 net:[1]".to_owned(),
            "guarded tcp 127.0.0.1:11211 net:[1]".to_owned(),
            "limit 960".to_owned(),
            // An older version wrote this, with and without a password.
            "resp 0 tcp 127.0.0.1:6379 net:[1]".to_owned(),
            "guarded resp 0 tcp 127.0.0.1:6379 net:[1]".to_owned(),
            // Guarded, and nothing by which a client could prove that it was let in.
            "guarded resp 0 tcp 127.0.0.1:6379 net:[1] dbs:16".to_owned(),
            format!("guarded resp 0 tcp 127.0.0.1:6379 net:[1] auth:{} dbs:16", &nonce[1..]),
            format!("guarded resp 0 tcp 127.0.0.1:6379 net:[1] auth:{nonce}0 dbs:16"),
            format!("guarded resp 0 tcp 127.0.0.1:6379 net:[1] auth:{} dbs:16", nonce.to_uppercase()),
            format!("guarded resp 0 tcp 127.0.0.1:6379 net:[1] auth:+{} dbs:16", &nonce[1..]),
            format!("guarded resp 0 tcp 127.0.0.1:6379 net:[1] auth:{nonce}"),
            "resp 16 tcp 127.0.0.1:6379 net:[1] dbs:16".to_owned(),
            "resp 0 tcp 127.0.0.1:6379 net:[1] dbs:0".to_owned(),
            "resp +0 tcp 127.0.0.1:6379 net:[1] dbs:16".to_owned(),
            "resp -1 tcp 127.0.0.1:6379 net:[1] dbs:16".to_owned(),
            "resp 0 tcp 127.0.0.1:6379 net:[1] dbs:99999999999".to_owned(),
            "resp  tcp 127.0.0.1:6379 net:[1] dbs:".to_owned(),
            "resp 0 tcp 127.0.0.1:6379 dbs:16".to_owned(),
            "resp 0 udp 127.0.0.1:6379 net:[1] dbs:16".to_owned(),
            "resp 0 unix  dbs:16".to_owned(),
            "resp 0 dbs:16".to_owned(),
        ] {
            assert_eq!(RespListener::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn words_of_later_versions_are_left_out() {
        let told = RespListener::parse("resp 2 tcp 127.0.0.1:6379 net:[1] proto:4 dbs:16").expect("a listener");
        assert_eq!(told.endpoint, "tcp 127.0.0.1:6379 net:[1]");
    }

    #[test]
    fn people_are_told_of_endpoints_alone() {
        for (text, want) in [
            ("tcp 127.0.0.1:11211 net:[1]", Some("tcp 127.0.0.1:11211")),
            ("guarded tls 127.0.0.1:11211 net:[1]", Some("tls 127.0.0.1:11211")),
            ("udp [::1]:11211 net:[1]", Some("udp [::1]:11211")),
            ("unix /run/a net:b", Some("unix /run/a net:b")),
            ("resp 0 tcp 127.0.0.1:6379 net:[1]", Some("resp 0 tcp 127.0.0.1:6379")),
            ("resp 3 tcp 127.0.0.1:6379 net:[1] dbs:16", Some("resp 3 tcp 127.0.0.1:6379")),
            ("guarded resp 3 unix /run/a b auth:0123456789abcdef0123456789abcdef dbs:16", Some("resp 3 unix /run/a b")),
            ("limit 960", None),
            ("without cas", None),
            ("", None),
        ] {
            assert_eq!(endpoint_of(text).as_deref(), want, "{text}");
        }
    }
}
