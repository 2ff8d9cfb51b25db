//! The measurements. A chart is a file here, with its own program for each turn and the caches that it compares; `ALL`
//! lists it.
mod arrays;
mod keys;
mod memory;
mod multi;
mod pages;
mod processes;
mod readers;
mod ruby;
mod server;
mod site;

use super::peer::{self, CachePeer};
use super::report::Unit;
use crate::output::Failure;
use std::path::Path;

static ALL: [&Chart; 24] = [
    &keys::READ,
    &keys::WRITE,
    &keys::WRITE_8K,
    &keys::GETS,
    &keys::CONNECT,
    &site::SITE,
    &pages::PAGES,
    &processes::STORE,
    &processes::LOAD,
    &processes::TYPES,
    &multi::GET,
    &multi::SET,
    &arrays::FIRST,
    &arrays::REPEAT,
    &readers::READERS,
    &memory::MEMORY,
    &memory::MISSES,
    &server::CPU,
    &server::LATENCY,
    &ruby::SET,
    &ruby::GET,
    &ruby::MULTIGET,
    &ruby::MISSING,
    &ruby::MIXED,
];

/// Each cache has a row for each of them.
#[derive(Debug)]
pub struct Variant {
    /// What the names of rows end with.
    pub name: &'static str,
    /// `{cpus}` is replaced by their number, at least 4, here and in the words.
    pub title: &'static str,
    /// How many servers a cache with a server has. Their addresses have commas between them.
    pub servers: usize,
    /// Arguments of its program, after the chart's words.
    pub words: &'static [&'static str],
}

/// Of the programs of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartLanguage {
    Php,
    Ruby,
    /// This program: see load.rs.
    Own,
}

/// Of a chart with one row a cache.
const ONE: [Variant; 1] = [Variant { name: "", title: "", servers: 1, words: &[] }];

/// A published comparison, repeated.
#[derive(Debug)]
pub struct Chart {
    pub name: &'static str,
    /// `{keys}` stands for how many.
    title: &'static str,
    /// Of its figures, and their name in what the program prints.
    pub unit: Unit,
    /// What the figures are the time of, or count.
    pub means: &'static str,
    /// Settings in favour of the peers, and their limits.
    pub fairness: &'static str,
    /// Keys of a turn, unless `--keys` or `--quick` says otherwise.
    pub keys: u32,
    /// Number of keys in a run under a minute.
    pub keys_if_quick_max: u32,
    /// Memory of a cache for a number of keys: servers by their option, PHP's modules by `{memory}` in their settings.
    pub memory_mib: fn(u32) -> u32,
    /// The program of a turn, with holes for what differs between caches: see keys_write.php. In parts, each of which
    /// begins with PHP's tag. Its arguments are `words`, the number of keys, the address and the folder of arenas; server/pids names the processes of the
    /// servers. Its last line is JSON: see `Figures`.
    pub language: ChartLanguage,
    program: &'static [&'static str],
    pub words: &'static [&'static str],
    /// In the form of keys.toml.
    peers: &'static str,
    /// Those of `--peers` are compared in this chart too; else only those that name it, as their words have its form.
    takes_added: bool,
    pub variants: &'static [Variant],
    /// Names and seconds of a publication: shown as text, since no value was verified.
    pub published: &'static [(&'static str, f64)],
}

impl Chart {
    /// A tenth, or less.
    pub fn keys_if_quick(&self) -> u32 {
        (self.keys / 10).min(self.keys_if_quick_max)
    }

    pub fn title(&self, keys: u32) -> String {
        self.title.replace("{keys}", &crate::units::thousands(u64::from(keys)))
    }

    /// Nothing where that is this program.
    pub fn program_of(&self, peer: &CachePeer) -> String {
        let parts: Vec<&str> = self.program.iter().map(|part| part.trim_start_matches("<?php\n")).collect();
        let tag = if self.language == ChartLanguage::Php { "<?php\n" } else { "" };
        peer.fill(&format!("{tag}{}", parts.join("\n")))
    }

    /// Its own caches, and those of the file `more`.
    pub fn peers(&self, more: Option<&Path>) -> Result<Vec<CachePeer>, Failure> {
        let mut peers = peer::own(self.peers);
        let added = more.map(peer::added).transpose()?.unwrap_or_default();
        peers.extend(added.into_iter().filter(|peer| self.takes_added || !peer.charts.is_empty()));
        peers.retain(|peer| peer.charts.is_empty() || peer.charts.iter().any(|name| name == self.name));
        peer::check_names(&peers)?;
        Ok(peers)
    }
}

pub fn all() -> Vec<&'static Chart> {
    ALL.to_vec()
}

pub fn named(name: &str) -> Result<&'static Chart, String> {
    let names = || ALL.map(|chart| chart.name).join(", ");
    ALL.into_iter().find(|chart| chart.name == name).ok_or_else(|| format!("the charts are {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charts_of_this_program_can_be_read() {
        for chart in ALL {
            let peers = chart.peers(None).unwrap_or_else(|_| panic!("the peers of {}", chart.name));
            assert!(peers.len() > 3 && peers.iter().any(CachePeer::is_ours), "{}", chart.name);
            for peer in &peers {
                assert!(!chart.program_of(peer).contains("/*SET*/"), "{}, {}", chart.name, peer.name);
            }
            assert_eq!(named(chart.name).map(|found| found.title), Ok(chart.title), "its name is its own");
        }
    }
}
