//! Statistics in Prometheus' text format, of arenas and of a server: `families` says which number has which name, and
//! `http` hands them out.
mod families;
mod http;
mod redis;

use crate::counters::latency::{Histogram, KINDS};
use crate::counters::requests::{Count, Totals};
use crate::stats;
use crate::Shared;
use leveret_engine::{Arena, Stats};
use leveret_place::endpoint_of;
use redis::RedisFamilies;
use std::collections::HashMap;

pub(crate) use http::{bind, Http};

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
    /// Of `--redis`.
    redis: Option<RedisFamilies>,
}

impl Source {
    /// An arena, with or without a server.
    pub fn arena(arena: &Arena) -> Source {
        let endpoints = arena.services().iter().filter_map(|service| endpoint_of(&service.text)).count();
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
            let latencies = KINDS.map(|(command, name)| (name, Histogram::over(shared.all_latencies(), command)));
            let totals = Totals::over(shared.all_counters());
            let redis = shared.redis().map(|redis| RedisFamilies::of(shared, redis));
            numbers.served = Some(Served { stats, totals, latencies: latencies.into(), redis });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_arenas_cannot_break_a_line() {
        let said = text(&[Source::lost("a\"b\\c\nd"), Source::lost("e")]);
        assert!(said.contains("memcached_up{arena=\"a\\\"b\\\\c\\nd\"} 0\nmemcached_up{arena=\"e\"} 0\n"), "{said}");
    }
}
