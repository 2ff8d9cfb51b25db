//! Statistics in Prometheus' text format, of arenas and of a server: `families` says which number has which name, and
//! `http` hands them out.
mod families;
mod http;

use crate::stats::latency::{Histogram, COMMANDS};
use crate::stats::{self, Count, Totals};
use crate::Shared;
use leveret_engine::{Arena, Stats};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

pub(crate) use http::{bind, Http};

/// Where a server hands out its metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A loopback address: nobody is asked for a password.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// `127.0.0.1:9150`, `[::1]:9150`, `localhost:9150`, `9150`, or the path of a Unix socket, which has a slash.
impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        if text.contains('/') {
            return Ok(Address::Unix(text.strip_prefix("unix:").unwrap_or(text).into()));
        }
        let forms = "write PORT, 127.0.0.1:PORT, [::1]:PORT, or the path of a Unix socket, with a slash in it";
        let port = text.strip_prefix("localhost:").unwrap_or(text).parse::<u16>();
        let address = match port {
            Ok(port) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
            Err(_) => text.parse().map_err(|_| format!("'{text}' is no address: {forms}"))?,
        };
        if address.ip() != IpAddr::V6(Ipv6Addr::LOCALHOST) && !address.ip().is_loopback() {
            return Err(format!(
                "{address} is reached from other machines, and nobody is asked for a password: {forms}"
            ));
        }
        Ok(Address::Tcp(address))
    }
}

/// What the metrics of one arena are made of.
pub struct Source {
    arena: String,
    /// None: it cannot be opened.
    numbers: Option<Numbers>,
}

struct Numbers {
    counts: Stats,
    /// Endpoints of servers that are announced.
    endpoints: usize,
    /// Of the process that serves it, if it is this one.
    served: Option<Served>,
}

struct Served {
    /// As `stats` tells them.
    stats: HashMap<String, String>,
    totals: Totals,
    /// How long requests took, with the commands' names.
    latencies: Vec<(&'static str, Histogram)>,
}

impl Source {
    /// An arena, whoever serves it.
    pub fn arena(arena: &Arena) -> Source {
        let endpoints = arena.services().iter().filter(|service| is_endpoint(&service.text)).count();
        Source { arena: name_of(arena), numbers: Some(Numbers { counts: arena.stats(), endpoints, served: None }) }
    }

    /// An arena that is there and cannot be opened.
    pub fn lost(name: &str) -> Source {
        Source { arena: name.to_owned(), numbers: None }
    }

    /// The arena of this server, and the server.
    pub fn server(shared: &Shared) -> Source {
        let mut source = Source::arena(&shared.arena());
        if let Some(numbers) = &mut source.numbers {
            let stats =
                stats::answer(shared, &[]).map_or_else(HashMap::new, |answer| answer.lines.into_iter().collect());
            let latencies = COMMANDS.map(|(command, name)| (name, Histogram::over(shared.all_latencies(), command)));
            let totals = Totals::over(shared.all_counters());
            numbers.served = Some(Served { stats, totals, latencies: latencies.into() });
        }
        source
    }
}

impl Served {
    fn total(&self, counter: Count) -> u64 {
        self.totals.since(&Totals::default(), counter)
    }
}

/// Prometheus' text format, version 0.0.4.
pub fn text(sources: &[Source]) -> String {
    families::text(sources)
}

fn name_of(arena: &Arena) -> String {
    arena.path().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn is_endpoint(text: &str) -> bool {
    let text = text.strip_prefix(crate::GUARDED).unwrap_or(text);
    ["tcp ", "tls ", "udp ", "unix "].iter().any(|kind| text.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_alone() {
        for (text, want) in [
            ("9150", "127.0.0.1:9150"),
            ("localhost:9150", "127.0.0.1:9150"),
            ("127.0.0.2:1", "127.0.0.2:1"),
            ("[::1]:9150", "[::1]:9150"),
        ] {
            assert_eq!(text.parse(), Ok(Address::Tcp(want.parse().expect("an address"))), "{text}");
        }
        for (text, want) in [("/run/a", "/run/a"), ("unix:/run/a", "/run/a"), ("./a", "./a")] {
            assert_eq!(text.parse(), Ok(Address::Unix(want.into())));
        }
        for (text, part) in [
            ("0.0.0.0:9150", "other machines"),
            ("[::]:9150", "other machines"),
            ("192.0.2.1:1", "other machines"),
            ("70000", "no address"),
            ("", "no address"),
            ("example.org:9150", "no address"),
        ] {
            let error = text.parse::<Address>().expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn names_of_arenas_cannot_break_a_line() {
        let said = text(&[Source::lost("a\"b\\c\nd"), Source::lost("e")]);
        assert!(said.contains("memcached_up{arena=\"a\\\"b\\\\c\\nd\"} 0\nmemcached_up{arena=\"e\"} 0\n"), "{said}");
    }
}
