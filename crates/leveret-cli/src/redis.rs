//! TARGETs that begin with `redis://`: a Redis server, or a `leveret serve --redis`. `ping`, `stats`, `top` and `watch` ask them.
use crate::conversation::{Exchange, VALUE_MAX};
use crate::output::Failure;
use crate::peer::{is_redis_scheme, Peer};
use crate::sign_in;
use leveret_protocol::resp::write_arguments;
use leveret_server::redis::settings::PORT;
use std::collections::BTreeMap;
use std::time::Duration;

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

    /// Where a server announces that it serves an arena: `0 tcp 127.0.0.1:6379`, behind the word `resp`. None: it is of
    /// another form.
    pub fn announced(place: &str) -> Option<RedisPeer> {
        let (kind, place) = place.split_once(' ')?.1.split_once(' ')?;
        let text = match kind {
            "unix" => format!("redis+unix://{place}"),
            "tcp" => format!("redis://{}", place.replacen("0.0.0.0:", "127.0.0.1:", 1).replacen("[::]:", "[::1]:", 1)),
            "tls" => format!("rediss://{place}"),
            _ => return None,
        };
        RedisPeer::of(&text)?.ok()
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
        self.info_of(&mut self.connect(timeout)?, &[])
    }

    /// The fields of these sections, of those of a plain INFO if there are none.
    pub fn info_of(
        &self,
        conversation: &mut Exchange,
        sections: &[&[u8]],
    ) -> Result<BTreeMap<String, String>, Failure> {
        let words: Vec<&[u8]> = std::iter::once(&b"INFO"[..]).chain(sections.iter().copied()).collect();
        let text = self.bulk(conversation, &words)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let field = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(text.lines().filter(|line| !line.starts_with('#')).filter_map(field).collect())
    }

    /// What is answered to a request whose answer is a string; None: there is none.
    pub fn bulk(&self, conversation: &mut Exchange, words: &[&[u8]]) -> Result<Option<Vec<u8>>, Failure> {
        say(conversation, words)?;
        let head = conversation.line()?;
        self.bulk_len(&head)?.map(|len| conversation.value(len)).transpose()
    }

    /// What is answered to a request whose answer is a line.
    pub fn line(&self, conversation: &mut Exchange, words: &[&[u8]]) -> Result<Vec<u8>, Failure> {
        say(conversation, words)?;
        let line = conversation.line()?;
        match line.first() {
            Some(b'+' | b':') => Ok(line[1..].trim_ascii_end().to_vec()),
            _ => Err(self.refused(&line)),
        }
    }

    /// Has `leveret serve` tell from now on what its clients do, in lines as memcached's watchers get them.
    pub fn watch(&self, kinds: &[&str], timeout: Duration) -> Result<Exchange, Failure> {
        let mut conversation = self.connect(timeout)?;
        let words: Vec<&[u8]> =
            [&b"LEVERET"[..], b"WATCH"].into_iter().chain(kinds.iter().map(|kind| kind.as_bytes())).collect();
        say(&mut conversation, &words)?;
        let answer = conversation.line()?;
        match answer.trim_ascii_end() {
            b"+OK" => Ok(conversation),
            answer if answer.starts_with(b"-ERR unknown command") => Err(Failure::Refused(format!(
                "{} is no leveret serve: only that tells what its clients do",
                self.shown
            ))),
            _ => Err(self.refused(&answer)),
        }
    }

    pub fn connect(&self, timeout: Duration) -> Result<Exchange, Failure> {
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
        if text == b"$-1" || text == b"_" {
            return Ok(None);
        }
        if let Some(len) = text.strip_prefix(b"$").and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()) {
            return match len {
                len if len <= VALUE_MAX => Ok(Some(len)),
                _ => Err(Failure::Unreachable(format!("{} announces an answer of {len} bytes", self.shown))),
            };
        }
        Err(self.refused(line))
    }

    /// An answer that is an error, or none of Redis'.
    fn refused(&self, line: &[u8]) -> Failure {
        let text = line.trim_ascii_end();
        let shown = text.escape_ascii();
        let advice = if text.starts_with(b"-NOAUTH ") { format!("; {}", sign_in::ADVICE) } else { String::new() };
        match text.first() {
            Some(b'-') => Failure::Refused(format!("{} answers: {shown}{advice}", self.shown)),
            _ => Failure::Unreachable(format!("{} does not speak Redis' protocol: it says '{shown}'", self.shown)),
        }
    }
}

fn say(conversation: &mut Exchange, words: &[&[u8]]) -> Result<(), Failure> {
    let mut request = Vec::new();
    write_arguments(&mut request, words);
    conversation.say(&request)
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
        for (place, shown) in [
            ("0 tcp 127.0.0.1:6379", Some("redis://127.0.0.1:6379")),
            ("3 tcp 0.0.0.0:7000", Some("redis://127.0.0.1:7000")),
            ("0 tcp [::]:7000", Some("redis://[::1]:7000")),
            ("0 tls [::1]:6380", Some("rediss://[::1]:6380")),
            ("12 unix /run/a b.sock", Some("redis+unix:///run/a b.sock")),
            ("0 udp 127.0.0.1:1", None),
            ("tcp 127.0.0.1:6379", None),
            ("", None),
        ] {
            assert_eq!(RedisPeer::announced(place).as_ref().map(RedisPeer::shown), shown, "{place}");
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
