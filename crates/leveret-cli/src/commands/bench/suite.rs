//! Suites: rows that judge a change. A suite is a folder with `suite.toml`, which has its rows and sides, and with the program of its
//! sides. `./x bench php` is `leveret bench --suite crates/leveret-bench/suites/apcu`.
mod driver;
mod instructions;
mod judge;
mod side;

pub use driver::SuiteRun;

use super::peer::{self, By, CachePeer, PeerServer};
use super::report::Unit;
use crate::output::Failure;
use leveret_engine::reason;
use leveret_rounds::RatioTarget;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Where it was read.
    #[serde(skip)]
    pub folder: PathBuf,
    pub title: String,
    /// A file of the folder, in PHP or Ruby; or else a program that is found as commands are.
    pub program: PathBuf,
    /// Of each row, unless `--rounds` says otherwise.
    pub rounds: usize,
    /// Of rows that do not name their own: whom ours is held against, who is ours, and who is measured twice.
    #[serde(default)]
    peers: Vec<String>,
    #[serde(default)]
    ours: Vec<String>,
    #[serde(default)]
    control: String,
    /// Where sides find their items: servers, or the name of an arena.
    #[serde(default, rename = "place")]
    places: BTreeMap<String, SuitePlace>,
    #[serde(rename = "side")]
    sides: Vec<CachePeer>,
    #[serde(rename = "row")]
    pub rows: Vec<SuiteRow>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuitePlace {
    /// Behind a side's title, where that has several places.
    #[serde(default)]
    pub title: String,
    /// Without a server: what its sides are told.
    #[serde(default)]
    pub address: String,
    pub server: Option<PeerServer>,
    pub by: Option<By>,
    #[serde(default = "one")]
    pub count: usize,
    /// Sides look for arenas where the server has its own.
    #[serde(default)]
    pub short_cut: bool,
    /// What sides here are told of their size, besides what the row says.
    #[serde(default)]
    size: toml::Table,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteRow {
    pub name: String,
    pub title: String,
    /// What the program is told to do, and how much of it.
    pub workload: String,
    full: toml::Table,
    quick: toml::Table,
    /// Instead of the former, for peers.
    peer_full: Option<toml::Table>,
    /// What of each answer is the figure: a line of the table for each.
    #[serde(default = "figure")]
    pub by: Vec<Of>,
    #[serde(default)]
    pub unit: Unit,
    #[serde(default)]
    pub judged: Judged,
    pub target: Option<RatioTarget>,
    /// The limit is this part of the peer's figure where that is less than the target, but no less than `no_less`.
    pub or_of_peer: Option<OfPeer>,
    /// A figure that ours says beside its own.
    pub beside_at_most: Option<BesideLimit>,
    #[serde(default)]
    ini: Vec<String>,
    #[serde(default)]
    peer_ini: Vec<String>,
    #[serde(default)]
    our_ini: Vec<String>,
    peers: Option<Vec<String>>,
    ours: Option<Vec<String>>,
    control: Option<String>,
    /// Two sides, of the peer's kind and of ours, whose ratio is what the machine takes: ours is divided by it. Or one, which nobody
    /// of its kind can be better than.
    #[serde(default)]
    floor: Vec<String>,
    /// Of all sides that do not name their own.
    #[serde(default)]
    place: String,
    /// What servers may keep.
    #[serde(default = "memory_mib")]
    pub memory_mib: u32,
    /// A round has so many measurements of each side, one after the other in turn.
    #[serde(default = "one")]
    pub pieces: usize,
    rounds_at_most: Option<usize>,
    /// Where a ratio is so near to its target that the median of fewer rounds is on either side of it by chance.
    #[serde(default = "one")]
    rounds_times: usize,
}

/// What of an answer a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    Figure,
    /// Processor time of the client.
    Cpu,
    /// Of the whole process for one call, as callgrind counts: for twice as many calls, less those for once.
    Instructions,
    /// The same of what the program has counted itself, all of it and the part in the cache's extension.
    Counted,
    CountedInCache,
}

/// What the target is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// Of ours to the peer.
    #[default]
    Ratio,
    /// Of ours alone; a peer is only told.
    Ours,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfPeer {
    pub part: f64,
    pub no_less: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BesideLimit {
    pub name: String,
    pub figure: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Peer,
    Ours,
    Control,
    FloorOfPeer,
    FloorOfOurs,
    Floor,
}

/// One side of a row.
#[derive(Debug)]
pub struct RowSide<'s> {
    pub role: Role,
    /// As the row says: `NAME` or `NAME@PLACE`.
    pub named: &'s str,
    pub side: &'s CachePeer,
    pub place: Option<&'s SuitePlace>,
    /// Of the place: sides of one name share its servers.
    pub place_name: &'s str,
    pub title: String,
}

fn one() -> usize {
    1
}

/// memcached's own default.
fn memory_mib() -> u32 {
    64
}

fn figure() -> Vec<Of> {
    vec![Of::Figure]
}

impl Suite {
    pub fn read(folder: &Path) -> Result<Suite, Failure> {
        let path = folder.join("suite.toml");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Failure::Unreachable(format!("cannot read {}: {}", path.display(), reason(&error))))?;
        let wrong = |what: String| Failure::Usage(format!("{}: {what}", path.display()));
        // Programs are told by absolute paths: they run in folders of their own.
        let folder = folder.canonicalize().map_err(|error| Failure::Unreachable(reason(&error)))?;
        Suite::parse(&text, folder).map_err(wrong)
    }

    fn parse(text: &str, folder: PathBuf) -> Result<Suite, String> {
        let mut suite: Suite = toml::from_str(text).map_err(|error| error.to_string())?;
        suite.folder = folder;
        if suite.rows.is_empty() {
            return Err("it has no row".to_owned());
        }
        suite.sides.iter().try_for_each(peer::check)?;
        for place in suite.places.values() {
            if place.server.is_some() != place.by.is_some() {
                return Err("a place needs both of 'server' and 'by', or neither".to_owned());
            }
        }
        for (number, row) in suite.rows.iter().enumerate() {
            if suite.rows[..number].iter().any(|other| other.name == row.name) {
                return Err(format!("there are two rows '{}'", row.name));
            }
            let sides = suite.sides_of(row)?;
            if !sides.iter().any(|side| side.role == Role::Ours) || row.by.is_empty() || row.pieces == 0 {
                return Err(format!("row '{}' measures nothing of ours", row.name));
            }
        }
        Ok(suite)
    }

    /// In PHP or Ruby.
    pub fn is_script(&self) -> bool {
        self.program.extension().is_some()
    }

    /// Rows whose name has one of the words in it; all, without words.
    pub fn chosen(&self, words: &[String]) -> Result<Vec<&SuiteRow>, Failure> {
        let is_meant = |row: &&SuiteRow| words.is_empty() || words.iter().any(|word| row.name.contains(word.as_str()));
        let rows: Vec<&SuiteRow> = self.rows.iter().filter(is_meant).collect();
        if rows.is_empty() {
            let names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
            let (words, names) = (words.join(" or "), names.join(", "));
            return Err(Failure::Usage(format!("no row is named like {words}; the rows are {names}")));
        }
        Ok(rows)
    }

    /// In the order of the first round.
    pub fn sides_of<'s>(&'s self, row: &'s SuiteRow) -> Result<Vec<RowSide<'s>>, String> {
        let (peers, ours) = (row.peers.as_ref().unwrap_or(&self.peers), row.ours.as_ref().unwrap_or(&self.ours));
        let control = Some(row.control.as_deref().unwrap_or(&self.control)).filter(|name| !name.is_empty());
        let floors: &[Role] = match row.floor.len() {
            0 => &[],
            1 => &[Role::Floor],
            2 => &[Role::FloorOfPeer, Role::FloorOfOurs],
            _ => return Err(format!("row '{}' has two sides for its floor at most", row.name)),
        };
        let named = |role: Role| move |name: &'s String| (role, name.as_str());
        let sides = peers.iter().map(named(Role::Peer)).chain(ours.iter().map(named(Role::Ours)));
        let floor = floors.iter().copied().zip(row.floor.iter().map(String::as_str));
        sides
            .chain(control.map(|name| (Role::Control, name)))
            .chain(floor)
            .map(|(role, named)| {
                let (name, place_name) = named.split_once('@').unwrap_or((named, &row.place));
                let side = self.sides.iter().find(|side| side.name == name);
                let side = side.ok_or_else(|| format!("row '{}' names '{name}', and no side is named so", row.name))?;
                let place = self.places.get(place_name);
                if place.is_none() && !place_name.is_empty() {
                    return Err(format!("row '{}' names the place '{place_name}', and there is none", row.name));
                }
                let title = match place.map(|place| place.title.as_str()) {
                    None | Some("") => side.title.clone(),
                    Some(place) => format!("{}, {place}", side.title),
                };
                Ok(RowSide { role, named, side, place, place_name, title })
            })
            .collect()
    }
}

impl SuiteRow {
    fn size(&self, role: Role, is_quick: bool) -> &toml::Table {
        match role {
            _ if is_quick => &self.quick,
            Role::Ours | Role::FloorOfOurs => &self.full,
            _ => self.peer_full.as_ref().unwrap_or(&self.full),
        }
    }

    /// All that a side is told of it.
    pub fn size_of(&self, side: &RowSide, is_quick: bool) -> toml::Table {
        let mut size = self.size(side.role, is_quick).clone();
        size.extend(side.place.into_iter().flat_map(|place| place.size.clone()));
        size
    }

    /// How many calls a measurement has, or keys, or items: what figures must agree in that are compared.
    pub fn amount(&self, is_quick: bool) -> u32 {
        let size = self.size(Role::Ours, is_quick);
        let number = |name: &&str| size.get(*name)?.as_integer().and_then(|number| u32::try_from(number).ok());
        ["calls", "items", "keys"].iter().find_map(number).unwrap_or(1)
    }

    pub fn ini(&self, role: Role) -> impl Iterator<Item = &String> {
        let own = if role == Role::Ours { &self.our_ini } else { &self.peer_ini };
        self.ini.iter().chain(own)
    }

    pub fn rounds(&self, asked: usize) -> usize {
        match self.by[..] {
            [Of::Instructions] => 1,
            // Only what is counted afterwards.
            [Of::Counted, ..] => 0,
            _ => self.rounds_at_most.map_or(asked * self.rounds_times, |most| most.min(asked)),
        }
    }

    /// Memory that is touched for the first time is another measure. Not where a round takes a minute.
    pub fn warms_up(&self) -> bool {
        self.rounds_at_most.is_none() && !matches!(self.by[..], [Of::Instructions] | [Of::Counted, ..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suites() -> Vec<(PathBuf, Suite)> {
        let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../leveret-bench/suites");
        let folders =
            std::fs::read_dir(all).expect("the suites lie there").map(|entry| entry.expect("an entry").path());
        folders.map(|folder| (folder.clone(), Suite::read(&folder).unwrap_or_else(|why| panic!("{why}")))).collect()
    }

    #[test]
    fn the_suites_of_this_tree_can_be_read() {
        let suites = suites();
        assert!(!suites.is_empty());
        for (folder, suite) in &suites {
            assert!(!suite.is_script() || folder.join(&suite.program).is_file(), "{}", folder.display());
            for row in &suite.rows {
                let sides = suite.sides_of(row).expect("checked when it was read");
                let ours = sides.iter().filter(|side| side.role == Role::Ours);
                assert!(ours.clone().count() >= 1, "{}: {}", folder.display(), row.name);
                for side in sides.iter().filter(|side| side.role == Role::Control) {
                    let is_peer = |other: &&RowSide| other.role == Role::Peer && other.named == side.named;
                    assert!(sides.iter().any(|other| is_peer(&other)), "{}: its control is no peer", row.name);
                }
                assert!(row.target.is_none() || ours.count() == 1, "{}: the target is of one side", row.name);
                assert!(suite.chosen(std::slice::from_ref(&row.name)).is_ok());
            }
        }
    }

    #[test]
    fn what_a_suite_does_not_have_cannot_be_named() {
        let suite = "title = 't'\nprogram = 'w.php'\nrounds = 1\npeers = ['a']\nours = ['b']\n\
                     [[side]]\nname = 'a'\ntitle = 'A'\n[[side]]\nname = 'b'\ntitle = 'B'\n";
        let row = |more: &str| {
            format!("{suite}[[row]]\nname = 'r'\ntitle = 'R'\nworkload = 'w'\nfull = {{}}\nquick = {{}}\n{more}")
        };
        let parse = |text: String| Suite::parse(&text, PathBuf::new()).map(|suite| suite.rows.len());
        assert_eq!(parse(row("")), Ok(1));
        for more in [
            "peers = ['c']",
            "ours = ['b@c']",
            "control = 'c'",
            "ours = []",
            "floor = ['a', 'b', 'a']",
            "pieces = 0",
            "by = []",
            "surprise = 1",
            "[place.p]\nserver = 'memcached'",
        ] {
            assert!(parse(row(more)).is_err(), "{more}");
        }
        assert!(parse(row("") + &row("")[suite.len()..]).is_err(), "two rows of one name");
        assert!(parse(suite.to_owned()).is_err(), "no row");
    }
}
