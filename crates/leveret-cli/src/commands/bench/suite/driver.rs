//! Runs the rows of a suite: starts each side, measures all of them in turn, and ends them.
use super::judge::{judge, MeasuredSide};
use super::side::{Ask, CountFiles, SideAnswer, SideProcess};
use super::{instructions, Of, Role, RowSide, Suite, SuiteRow};
use crate::commands::bench::found::FoundPrograms;
use crate::commands::bench::peer::{By, PeerServer};
use crate::commands::bench::place::{BenchFolder, Running, Turn, TurnTrouble};
use crate::commands::bench::report::{Drawn, ReportRow};
use crate::commands::bench::run::{shortened, Stopped};
use crate::output::LongWork;
use leveret_rounds::order;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct SuiteRun<'a> {
    pub suite: &'a Suite,
    pub place: &'a BenchFolder,
    pub found: &'a FoundPrograms,
    pub quick: bool,
    pub rounds: usize,
    pub patience: Duration,
}

/// Servers of a place, and where they are.
struct Served {
    servers: Vec<Running>,
    addresses: Vec<(String, u16)>,
    lines: Vec<String>,
}

/// A side at work.
struct Working<'s> {
    side: &'s RowSide<'s>,
    process: Option<SideProcess>,
    measured: MeasuredSide,
    /// Of the pieces of this round.
    pieces: Vec<SideAnswer>,
}

impl SuiteRun<'_> {
    pub fn turns(&self, row: &SuiteRow) -> usize {
        row.rounds(self.rounds) + usize::from(row.warms_up())
    }

    /// A chart for each figure that the row is about.
    pub fn row(&self, row: &SuiteRow, progress: &LongWork) -> Result<Vec<Drawn>, Stopped> {
        let sides = self.suite.sides_of(row).unwrap_or_default();
        let mut measured: Vec<MeasuredSide> = sides.iter().map(|side| self.measured(side)).collect();
        let mut counted = Vec::new();
        let done = self.measure(row, &sides, &mut measured, &mut counted, progress);
        match done {
            Ok(()) => {}
            Err(TurnTrouble::Stopped) => return Err(Stopped),
            Err(TurnTrouble::Failed(why)) => {
                measured.iter_mut().for_each(|side| fail(&mut side.row, &why));
            }
        }
        let amount = row.amount(self.quick);
        let of_row = |of: &Of| match of {
            Of::Counted | Of::CountedInCache => judge(row, *of, amount, &in_figures(&counted, *of)),
            of => judge(row, *of, amount, &measured),
        };
        Ok(row.by.iter().map(of_row).collect())
    }

    fn measured(&self, side: &RowSide) -> MeasuredSide {
        let name = match side.role {
            Role::Control => format!("{}-control", side.named),
            _ => side.named.to_owned(),
        };
        let missing = self.found.missing(side.side);
        let server = side.place.and_then(|place| place.server).filter(|server| self.found.server(*server).is_none());
        let missing = missing.or_else(|| server.map(|server| format!("no {} in PATH", server.name())));
        let row = ReportRow {
            ours: side.role == Role::Ours && side.side.is_ours(),
            published: None,
            failed: missing,
            ..ReportRow::published(&side.title, 0.0)
        };
        MeasuredSide {
            role: side.role,
            named: side.named.to_owned(),
            row: ReportRow { name, ..row },
            rounds: Vec::new(),
            wrong: 0,
        }
    }

    fn measure(
        &self,
        row: &SuiteRow,
        sides: &[RowSide],
        measured: &mut Vec<MeasuredSide>,
        counted: &mut Vec<MeasuredSide>,
        progress: &LongWork,
    ) -> Result<(), TurnTrouble> {
        let turn = self.place.turn()?;
        let served = self.serve(&turn, row, sides)?;
        if row.by == [Of::Instructions] {
            progress.now(format!("{}: under callgrind", row.name));
            for (number, side) in sides.iter().enumerate() {
                if measured[number].row.failed.is_none() {
                    let outcome = self.under_callgrind(&turn, row, side, &served, number, &mut measured[number]);
                    settle(&mut measured[number].row, outcome)?;
                }
            }
            progress.advance(1);
            return Ok(());
        }
        let mut working: Vec<Working> = Vec::new();
        for (number, (side, mut measured)) in sides.iter().zip(measured.drain(..)).enumerate() {
            progress.now(format!("{}: {}", row.name, measured.row.title));
            let mut process = None;
            if measured.row.failed.is_none() {
                let size = serde_json::to_value(row.size_of(side, self.quick)).unwrap_or_default();
                let started = self.start(&turn, row, side, &served, &format!("side{number}"), &[], &mut measured.row);
                let ready = started.and_then(|started| self.prepare(started, row, &size, side, &served));
                process = settle(&mut measured.row, ready)?;
            }
            working.push(Working { side, process, measured, pieces: Vec::new() });
        }
        let outcome = self.rounds(row, &mut working, progress);
        let outcome = outcome.and_then(|()| self.count(row, &mut working, counted, progress));
        for side in &mut working {
            side.process.take().into_iter().for_each(SideProcess::end);
        }
        measured.extend(working.into_iter().map(|side| side.measured));
        outcome
    }

    fn rounds(&self, row: &SuiteRow, working: &mut [Working], progress: &LongWork) -> Result<(), TurnTrouble> {
        let warm_ups = usize::from(row.warms_up());
        for round in 0..row.rounds(self.rounds) + warm_ups {
            progress.now(row.name.clone());
            working.iter_mut().for_each(|side| side.pieces.clear());
            let pieces = if self.quick { row.pieces.min(2) } else { row.pieces };
            for piece in 0..pieces {
                for at in order(working.len(), round * pieces + piece) {
                    working[at].measure(piece, self)?;
                }
                differing(working);
            }
            if round >= warm_ups {
                working.iter_mut().for_each(Working::end_round);
            }
            progress.advance(1);
        }
        Ok(())
    }

    /// What sides count themselves, once all rounds are over.
    fn count(
        &self,
        row: &SuiteRow,
        working: &mut [Working],
        counted: &mut Vec<MeasuredSide>,
        progress: &LongWork,
    ) -> Result<(), TurnTrouble> {
        if !row.by.contains(&Of::Counted) {
            return Ok(());
        }
        let mut same: Option<String> = None;
        for side in working.iter_mut() {
            progress.now(format!("{}: {} under callgrind", row.name, side.measured.row.title));
            let mut of_side = self.measured(side.side);
            of_side.row.failed = side.measured.row.failed.clone();
            if let Some(process) = &mut side.process {
                let counts = process.ask::<CountFiles>(&Ask::Count, self.patience, &|| self.place.check());
                if let Some(counts) = settle(&mut of_side.row, counts)? {
                    of_side.wrong = u64::from(counts.same.is_some() && same.is_some() && same != counts.same);
                    same = same.or(counts.same);
                    for path in counts.counts {
                        of_side.rounds.push(of_counts(&instructions::count(Path::new(&path))?));
                    }
                }
            }
            counted.push(of_side);
        }
        Ok(())
    }

    fn under_callgrind(
        &self,
        turn: &Turn,
        row: &SuiteRow,
        side: &RowSide,
        served: &BTreeMap<String, Served>,
        number: usize,
        measured: &mut MeasuredSide,
    ) -> Result<(), TurnTrouble> {
        let calls = u64::from(row.amount(self.quick));
        let mut counts = Vec::new();
        for times in [1, 2] {
            let mut size = serde_json::to_value(row.size_of(side, self.quick)).unwrap_or_default();
            size["calls"] = (calls * times).into();
            let file = turn.folder.join(format!("callgrind{number}-{times}"));
            let under = instructions::callgrind(&file);
            let folder = format!("side{number}-{times}");
            let process = self.start(turn, row, side, served, &folder, &under, &mut measured.row)?;
            let mut process = self.prepare(process, row, &size, side, served)?;
            let answer: SideAnswer = process.ask(&Ask::Measure { piece: 0 }, self.patience, &|| self.place.check())?;
            process.end();
            measured.row.asked += answer.asked;
            measured.row.verified += answer.right;
            measured.wrong += answer.asked.saturating_sub(answer.right);
            counts.push(instructions::count(&file)?.all);
        }
        let figure = counts[1].saturating_sub(counts[0]) as f64 / calls as f64;
        measured.rounds.push(SideAnswer { figure, ..of_counts(&instructions::Instructions::default()) });
        Ok(())
    }

    /// Starts the servers of all places that the row's sides name, each once.
    fn serve(&self, turn: &Turn, row: &SuiteRow, sides: &[RowSide]) -> Result<BTreeMap<String, Served>, TurnTrouble> {
        let mut served = BTreeMap::new();
        for side in sides {
            let own = (side.side.server, side.side.by, 1);
            let (server, by, count) = side.place.map_or(own, |place| (place.server, place.by, place.count));
            let name = place_of(side);
            if served.contains_key(&name) {
                continue;
            }
            let mut found = Served { servers: Vec::new(), addresses: Vec::new(), lines: Vec::new() };
            if let Some(address) = side.place.map(|place| &place.address).filter(|address| !address.is_empty()) {
                found.addresses.push((address.clone(), 0));
            }
            // A program that was built starts its servers itself: they have a CPU to themselves.
            if let (Some(server), Some(by), true) = (server, by, self.suite.is_script()) {
                let Some(program) = self.found.server(server) else { continue };
                for _ in 0..count {
                    let number =
                        served.values().map(|other: &Served| other.servers.len()).sum::<usize>() + found.servers.len();
                    let (running, address, line) = turn.serve(&program, server, by, number, row.memory_mib)?;
                    found.addresses.push(address_of(by, address));
                    found.lines.push(line);
                    found.servers.push(running);
                }
            }
            served.insert(name, found);
        }
        Ok(served)
    }

    /// A side's process. `under`: what runs it.
    #[allow(clippy::too_many_arguments, reason = "what a side is and where it runs")]
    fn start(
        &self,
        turn: &Turn,
        row: &SuiteRow,
        side: &RowSide,
        served: &BTreeMap<String, Served>,
        folder: &str,
        under: &[String],
        report: &mut ReportRow,
    ) -> Result<SideProcess, TurnTrouble> {
        let folder = turn.folder.join(folder);
        std::fs::create_dir(&folder)?;
        let short_cut = side.place.map_or(side.side.short_cut, |place| place.short_cut);
        let arenas = if short_cut { turn.folder.join("server") } else { folder.clone() };
        let mut words = under.to_vec();
        words.extend(self.words(row, side, &arenas));
        let lines = served.get(&place_of(side)).map(|served| served.lines.join("\n"));
        report.server = lines.filter(|lines| !lines.is_empty());
        report.command = Some(words.join(" "));
        SideProcess::new(turn.converse(&words, &folder)?)
    }

    fn words(&self, row: &SuiteRow, side: &RowSide, arenas: &Path) -> Vec<String> {
        let program = self.suite.folder.join(&self.suite.program);
        let mut words = Vec::new();
        match self.suite.program.extension().and_then(|ending| ending.to_str()) {
            Some("php") => {
                words.extend([self.found.php.display().to_string(), "-n".to_owned()]);
                let settings = ["memory_limit=-1", "display_errors=stderr"].map(String::from).into_iter();
                let extensions = side.side.extensions.iter().map(|name| self.found.extension(name));
                let ours = side.side.is_ours().then(|| format!("leveret.dir={}", arenas.display()));
                let own = side.side.ini.iter().chain(row.ini(side.role)).cloned();
                let settings = settings.chain(extensions).chain(ours).chain(own);
                words.extend(settings.flat_map(|setting| ["-d".to_owned(), setting]));
                words.push(program.display().to_string());
            }
            Some("rb") => {
                words.extend(["env".to_owned(), format!("LEVERET_DIR={}", arenas.display())]);
                words.push(self.found.ruby().display().to_string());
                words.extend(self.found.ruby_words());
                words.push(program.display().to_string());
            }
            _ => words.extend([self.suite.program.display().to_string(), "side".to_owned()]),
        }
        words.push(side.side.name.clone());
        words
    }

    fn programs(&self) -> BTreeMap<String, PathBuf> {
        let kinds = [PeerServer::Memcached, PeerServer::MemcachedNewer, PeerServer::Redis, PeerServer::Leveret];
        kinds.into_iter().filter_map(|kind| Some((kind.name(), self.found.server(kind)?))).collect()
    }

    fn prepare(
        &self,
        mut process: SideProcess,
        row: &SuiteRow,
        size: &serde_json::Value,
        side: &RowSide,
        served: &BTreeMap<String, Served>,
    ) -> Result<SideProcess, TurnTrouble> {
        let servers = served.get(&place_of(side)).map_or(&[][..], |served| &served.addresses);
        let programs = &self.programs();
        let ask = Ask::Prepare { workload: &row.workload, size, servers, programs };
        process.ask::<serde_json::Value>(&ask, self.patience, &|| self.place.check())?;
        Ok(process)
    }
}

impl Working<'_> {
    fn measure(&mut self, piece: usize, run: &SuiteRun) -> Result<(), TurnTrouble> {
        let Some(process) = self.process.as_mut() else { return Ok(()) };
        let answer = process.ask(&Ask::Measure { piece }, run.patience, &|| run.place.check());
        let Some(answer) = settle::<SideAnswer>(&mut self.measured.row, answer)? else {
            self.process = None;
            return Ok(());
        };
        self.measured.row.asked += answer.asked;
        self.measured.row.verified += answer.right;
        self.measured.wrong += answer.asked.saturating_sub(answer.right);
        self.pieces.push(answer);
        Ok(())
    }

    /// The mean of the round's pieces, where it has answered all of them.
    fn end_round(&mut self) {
        let count = self.pieces.len() as f64;
        let Some(last) = self.pieces.pop() else { return };
        let others = std::mem::take(&mut self.pieces);
        let figure = (others.iter().map(|answer| answer.figure).sum::<f64>() + last.figure) / count;
        let cpu = last
            .client_cpu
            .map(|cpu| (others.iter().filter_map(|answer| answer.client_cpu).sum::<f64>() + cpu) / count);
        self.measured.rounds.push(SideAnswer { figure, client_cpu: cpu, ..last });
    }
}

/// Who gives another answer than the peer to the same piece is wrong.
fn differing(working: &mut [Working]) {
    let of = |side: &Working| side.process.as_ref().and_then(|_| side.pieces.last()?.same.clone());
    let peer = working.iter().find(|side| side.measured.role == Role::Peer && side.process.is_some());
    let Some(right) = peer.and_then(of) else { return };
    for side in working {
        side.measured.wrong += u64::from(of(side).is_some_and(|same| same != right));
    }
}

/// Sides without a place have servers of their own kind.
fn place_of(side: &RowSide) -> String {
    if side.place.is_some() {
        side.place_name.to_owned()
    } else {
        format!("of {}", side.side.name)
    }
}

fn address_of(by: By, address: String) -> (String, u16) {
    match (by, address.rsplit_once(':')) {
        (By::Tcp, Some((host, port))) => (host.to_owned(), port.parse().unwrap_or(0)),
        _ => (address, 0),
    }
}

fn fail(row: &mut ReportRow, why: &str) {
    row.failed.get_or_insert_with(|| shortened(why));
}

/// What one side cannot do is its own; a signal ends all.
fn settle<T>(row: &mut ReportRow, outcome: Result<T, TurnTrouble>) -> Result<Option<T>, TurnTrouble> {
    match outcome {
        Ok(done) => Ok(Some(done)),
        Err(TurnTrouble::Failed(why)) => {
            fail(row, &why);
            Ok(None)
        }
        Err(TurnTrouble::Stopped) => Err(TurnTrouble::Stopped),
    }
}

/// All of them as the figure, and the cache's part where processor time would be.
fn of_counts(counts: &instructions::Instructions) -> SideAnswer {
    SideAnswer {
        figure: counts.all as f64,
        client_cpu: Some(counts.in_cache as f64),
        control: None,
        beside: Vec::new(),
        asked: 0,
        right: 0,
        same: None,
        said: None,
    }
}

fn in_figures(counted: &[MeasuredSide], of: Of) -> Vec<MeasuredSide> {
    let figure = |answer: &SideAnswer| if of == Of::Counted { answer.figure } else { answer.client_cpu.unwrap_or(0.0) };
    let answers = |side: &MeasuredSide| {
        side.rounds
            .iter()
            .map(|answer| SideAnswer { figure: figure(answer), client_cpu: None, ..answer.clone() })
            .collect()
    };
    let of_side = |side: &MeasuredSide| MeasuredSide {
        role: side.role,
        named: side.named.clone(),
        row: side.row.clone(),
        rounds: answers(side),
        wrong: side.wrong,
    };
    counted.iter().map(of_side).collect()
}
