//! TARGETs that begin with `redis://`: a Redis server, or a `leveret serve --redis`. `ping` and `stats` ask them.
use crate::conversation::Exchange;
use crate::output::Failure;
use crate::peer::{is_redis_scheme, Peer};
use crate::sign_in;
use leveret_server::redis::settings::PORT;
use std::collections::BTreeMap;
use std::time::Duration;

/// INFO is some kilobytes long.
const INFO_MAX: u64 = 1 << 20;

const FORMS: &str = "write redis://[USER@]HOST[:PORT], rediss://... for TLS, or redis+unix:///PATH";

/// A server that speaks RESP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisPeer {
    place: Peer,
    user: Option<String>,
    shown: String,
}

impl RedisPeer {
    /// None: the TARGET is something else.
    pub fn of(text: &str) -> Option<Result<RedisPeer, Failure>> {
        let refuse = |why: &str| Some(Err(Failure::Usage(format!("'{text}': {why}; {FORMS}"))));
        let (scheme, rest) = text.split_once("://").filter(|(scheme, _)| is_redis_scheme(scheme))?;
        let (user, place) = rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user.to_owned()), place));
        if user.as_ref().is_some_and(|user| user.contains(':')) {
            return refuse("a password does not belong into a command line, which others can read; name a file of user:password lines in LEVERET_PASSWORD_FILE");
        }
        let shown = format!("{scheme}://{place}");
        let place = match scheme {
            "redis+unix" if place.starts_with('/') => Peer::Unix { user: None, path: place.into() },
            "redis+unix" => return refuse("no path of a socket"),
            _ => match host_and_port(place) {
                Some((host, port)) => Peer::Tcp { user: None, host, port, has_tls: scheme == "rediss" },
                None => return refuse("no host and port"),
            },
        };
        Some(Ok(RedisPeer { place, user: user.filter(|user| !user.is_empty()), shown }))
    }

    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// What the server answers to PING; Err: it does not answer as a Redis does.
    pub fn ping(&self, timeout: Duration) -> Result<Result<(), String>, Failure> {
        let mut conversation = self.connect(timeout)?;
        conversation.say(b"*1\r\n$4\r\nPING\r\n")?;
        match conversation.line()?.trim_ascii_end() {
            // A server that asks for a password is alive.
            b"+PONG" => Ok(Ok(())),
            line if line.starts_with(b"-NOAUTH ") => Ok(Ok(())),
            line => Ok(Err(format!("it answers '{}' to PING", line.escape_ascii()))),
        }
    }

    /// The fields of INFO.
    pub fn info(&self, timeout: Duration) -> Result<BTreeMap<String, String>, Failure> {
        let mut conversation = self.connect(timeout)?;
        conversation.say(b"*1\r\n$4\r\nINFO\r\n")?;
        let head = conversation.line()?;
        let text = match self.bulk_len(&head)? {
            Some(len) => conversation.value(len)?,
            None => Vec::new(),
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        let field = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(text.lines().filter(|line| !line.starts_with('#')).filter_map(field).collect())
    }

    fn connect(&self, timeout: Duration) -> Result<Exchange, Failure> {
        let mut conversation = Exchange::begin(&self.place, timeout)?;
        if let Some(user) = &self.user {
            let mut request = sign_in::redis_request(user)?;
            let said = conversation.say(&request);
            leveret_tls::wipe(&mut request);
            said?;
            let answer = conversation.line()?;
            if answer.trim_ascii_end() != b"+OK" {
                let text = answer.trim_ascii_end().escape_ascii();
                return Err(Failure::Refused(format!("{} does not let the user {user} in: {text}", self.shown)));
            }
        }
        Ok(conversation)
    }

    fn bulk_len(&self, line: &[u8]) -> Result<Option<u64>, Failure> {
        let text = line.trim_ascii_end();
        if let Some(len) = text.strip_prefix(b"$").and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()) {
            return Ok(Some(len).filter(|len| *len <= INFO_MAX));
        }
        let shown = text.escape_ascii();
        let advice = if text.starts_with(b"-NOAUTH ") { format!("; {}", sign_in::ADVICE) } else { String::new() };
        Err(match text.first() {
            Some(b'-') => Failure::Refused(format!("{} answers: {shown}{advice}", self.shown)),
            _ => Failure::Unreachable(format!("{} does not speak Redis' protocol: it says '{shown}'", self.shown)),
        })
    }
}

/// A path behind the port is the number of a database in Redis' URLs; ping and INFO need none.
fn host_and_port(place: &str) -> Option<(String, u16)> {
    let place = place.split('/').next().unwrap_or_default();
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            (host, port.strip_prefix(':').or(Some(port).filter(|port| port.is_empty())))
        }
        None => place.split_once(':').map_or((place, Some("")), |(host, port)| (host, Some(port))),
    };
    let port = match port? {
        "" => PORT,
        port => port.parse().ok().filter(|port| *port > 0)?,
    };
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_redis() {
        for (text, host, port, has_tls, user) in [
            ("redis://localhost", "localhost", 6379, false, None),
            ("redis://10.0.0.5:7000", "10.0.0.5", 7000, false, None),
            ("redis://ann@[::1]:5", "::1", 5, false, Some("ann")),
            ("rediss://cache.example.org/3", "cache.example.org", 6379, true, None),
            ("redis://[::1]", "::1", 6379, false, None),
        ] {
            let peer = RedisPeer::of(text).expect("one of Redis").expect(text);
            let place = Peer::Tcp { user: None, host: host.to_owned(), port, has_tls };
            assert_eq!((&peer.place, peer.user.as_deref()), (&place, user), "{text}");
        }
        let unix = RedisPeer::of("redis+unix:///run/redis.sock").expect("one of Redis").expect("a path");
        assert_eq!(unix.place, Peer::Unix { user: None, path: "/run/redis.sock".into() });
        for text in ["redis://", "redis://:6379", "redis://h:0", "redis://h:x", "redis+unix://x", "redis://u:secret@h"]
        {
            assert!(matches!(RedisPeer::of(text), Some(Err(Failure::Usage(_)))), "{text}");
        }
        for text in ["localhost", "tls://localhost", "arena:redis", "/run/redis.sock"] {
            assert!(RedisPeer::of(text).is_none(), "{text}");
        }
    }
}
