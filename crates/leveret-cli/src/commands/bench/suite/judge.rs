//! What the rounds of a row say: a spread for each side, and ours beside the best peer.
use super::side::SideAnswer;
use super::{Judged, Of, OfPeer, Role, SuiteRow};
use crate::commands::bench::report::{Drawn, JudgedLine, Part, ReportRow, Unit, NOT_MEASURED};
use leveret_rounds::{RatioTarget, Spread};

/// One side and what it has answered.
pub struct MeasuredSide {
    pub role: Role,
    /// With its place: `dalli@tcp`.
    pub named: String,
    /// Without rounds; see `ReportRow`.
    pub row: ReportRow,
    /// Of each round, the mean of its pieces.
    pub rounds: Vec<SideAnswer>,
    pub wrong: u64,
}

/// One figure of a row, of all sides.
struct Figures<'m> {
    sides: &'m [MeasuredSide],
    /// Of each side the figure of each round.
    figures: Vec<Vec<f64>>,
}

/// The row as a chart, for one figure of its answers.
pub fn judge(row: &SuiteRow, of: Of, amount: u32, sides: &[MeasuredSide]) -> Drawn {
    let figure = |answer: &SideAnswer| match of {
        Of::Cpu => answer.client_cpu,
        _ => Some(answer.figure),
    };
    let figures =
        Figures { sides, figures: sides.iter().map(|side| side.rounds.iter().filter_map(figure).collect()).collect() };
    let (suffix, behind) = match of {
        Of::Figure => ("", ""),
        Of::Cpu if row.by.len() > 1 => ("-cpu", ", CPU time"),
        Of::Cpu | Of::Instructions => ("", ""),
        Of::Counted => ("", ", instructions"),
        Of::CountedInCache => ("-cache", ", instructions in the cache"),
    };
    let unit = match of {
        Of::Figure => row.unit,
        Of::Cpu => Unit::Seconds,
        _ => Unit::Count,
    };
    let title = format!("{}{behind}", row.title);
    let peer = figures.best_peer();
    let ours: Vec<usize> = figures.all(Role::Ours).collect();
    let lines: Vec<JudgedLine> = ours
        .iter()
        .map(|ours_at| {
            let name = if ours.len() > 1 { format!("{title}: {}", sides[*ours_at].row.title) } else { title.clone() };
            figures.line(row, of, unit, name, *ours_at, peer)
        })
        .collect();
    let control = lines.first().and_then(|line| line.control);
    let control_of = figures.all(Role::Control).next().map(|at| sides[at].row.title.clone());
    Drawn {
        name: format!("{}{suffix}", row.name),
        title,
        means: String::new(),
        fairness: String::new(),
        keys: amount,
        unit,
        control_of,
        reliable: control.is_none_or(|control| control.is_even()),
        control,
        rows: (0..sides.len()).map(|at| figures.row(at, of)).collect(),
        lines,
    }
}

impl Figures<'_> {
    fn all(&self, role: Role) -> impl Iterator<Item = usize> + '_ {
        (0..self.sides.len()).filter(move |at| self.sides[*at].role == role)
    }

    fn spread(&self, at: usize) -> Option<Spread> {
        let is_whole = self.sides[at].row.failed.is_none();
        Spread::of(self.figures[at].iter().copied()).filter(|_| is_whole)
    }

    /// A peer that answers wrongly is nobody to be compared with.
    fn best_peer(&self) -> Option<usize> {
        let right = self.all(Role::Peer).filter(|at| self.sides[*at].wrong == 0);
        right
            .filter_map(|at| Some((at, self.spread(at)?.median)))
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(at, _)| at)
    }

    fn ratios(&self, one: usize, other: usize) -> Vec<f64> {
        self.figures[one].iter().zip(&self.figures[other]).map(|(one, other)| one / other).collect()
    }

    fn control(&self, ours: usize, peer: Option<usize>) -> Option<Spread> {
        // Where a side compares with itself it has said so.
        let own = Spread::of(self.sides[ours].rounds.iter().filter_map(|answer| answer.control));
        let control = self.all(Role::Control).next().filter(|at| self.sides[*at].wrong == 0);
        let same = |control: usize| self.all(Role::Peer).find(|at| self.sides[*at].named == self.sides[control].named);
        own.or_else(|| {
            let control = control.filter(|at| self.spread(*at).is_some())?;
            Spread::of(self.ratios(control, same(control).or(peer)?))
        })
    }

    fn line(&self, row: &SuiteRow, of: Of, unit: Unit, title: String, ours: usize, peer: Option<usize>) -> JudgedLine {
        let control = self.control(ours, peer);
        let mut ratios = peer.map_or(Vec::new(), |peer| self.ratios(ours, peer));
        let mut notes = Vec::new();
        if let (Some(below), Some(above)) = (self.all(Role::FloorOfPeer).next(), self.all(Role::FloorOfOurs).next()) {
            let floor = self.ratios(above, below);
            if let (Some(own), Some(floor)) = (Spread::of(ratios.iter().copied()), Spread::of(floor.iter().copied())) {
                let (own, floor) = (own.median, floor.median);
                notes.push(format!(
                    "ours takes {own:.2} times as long, bare sockets {floor:.2} times; the ratio is that of both"
                ));
            }
            ratios = ratios.iter().zip(floor).map(|(ratio, floor)| ratio / floor).collect();
        }
        let floor_at = self.all(Role::Floor).next();
        let floor = floor_at.zip(peer).and_then(|(floor, peer)| Spread::of(self.ratios(floor, peer)));
        notes.extend(
            floor_at
                .zip(floor)
                .map(|(at, floor)| format!("{} reaches {:.2} times the peer", self.sides[at].row.title, floor.median)),
        );
        let is_whole = self.spread(ours).is_some();
        let ratio = Spread::of(ratios).filter(|_| row.judged == Judged::Ratio && is_whole);
        let judged = if row.judged == Judged::Ours { self.spread(ours) } else { ratio };
        let target = row.target.filter(|_| of != Of::CountedInCache).map(|target| {
            let peers = peer.and_then(|peer| self.spread(peer)).map(|spread| spread.median);
            row.or_of_peer.as_ref().map_or(target, |limit| of_peer(target, limit, peers))
        });
        let mut verdict = match (target, &judged) {
            (Some(target), Some(judged)) => Some(target.verdict(judged, control.as_ref(), floor.as_ref()).to_owned()),
            (Some(_), None) => Some(NOT_MEASURED.to_owned()),
            (None, None) if row.judged == Judged::Ratio => Some(NOT_MEASURED.to_owned()),
            (None, _) => None,
        };
        if let (Some(limit), Some("met" | "equal within control")) = (&row.beside_at_most, verdict.as_deref()) {
            let rare = self.beside(ours).into_iter().find(|part| part.name == limit.name);
            if rare.is_some_and(|rare| rare.figure.median > limit.figure) {
                verdict = Some(format!("mean {}, {} missed", verdict.unwrap_or_default(), limit.name));
            }
        }
        for at in [Some(ours), peer].into_iter().flatten() {
            notes.extend(self.note(at, unit));
        }
        for (at, side) in self.sides.iter().enumerate() {
            let why = side.row.failed.as_deref();
            notes.extend(why.map(|why| format!("{}: {why}", side.row.title)));
            if side.wrong > 0 && at != ours && Some(at) != peer {
                notes.push(format!("{} gave {} wrong answers", side.row.title, side.wrong));
            }
        }
        JudgedLine {
            title,
            peer: peer.map(|peer| self.sides[peer].row.name.clone()),
            ours: self.sides[ours].row.name.clone(),
            ratio,
            control,
            floor,
            target,
            verdict,
            wrong: self.sides[ours].wrong,
            notes,
        }
    }

    /// What a side has measured beside its figure.
    fn note(&self, at: usize, unit: Unit) -> Option<String> {
        let side = &self.sides[at];
        let beside =
            self.beside(at).into_iter().map(|part| format!("{} {}", part.name, unit.shown(part.figure.median)));
        let said = side.rounds.last().and_then(|answer| answer.said.clone());
        let said: Vec<String> = beside.chain(said).collect();
        (!said.is_empty()).then(|| format!("{}: {}", side.row.title, said.join(", ")))
    }

    /// In the order of the first round.
    fn beside(&self, at: usize) -> Vec<Part> {
        let rounds = &self.sides[at].rounds;
        let names = rounds.first().into_iter().flat_map(|answer| &answer.beside).map(|(name, _)| name);
        let of_round = |name: &String| {
            let of =
                move |answer: &SideAnswer| answer.beside.iter().find(|(other, _)| other == name).map(|found| found.1);
            rounds.iter().filter_map(of).collect::<Vec<f64>>()
        };
        names.filter_map(|name| Some(Part { name: name.clone(), figure: Spread::of(of_round(name))? })).collect()
    }

    fn row(&self, at: usize, of: Of) -> ReportRow {
        let side = &self.sides[at];
        let cpu = || Spread::of(side.rounds.iter().filter_map(|answer| answer.client_cpu));
        ReportRow {
            figure: self.spread(at),
            client_cpu: if of == Of::Figure { cpu() } else { None },
            beside: self.beside(at),
            rounds: self.figures[at].clone(),
            ..side.row.clone()
        }
    }
}

/// The stricter one of both limits.
fn of_peer(target: RatioTarget, limit: &OfPeer, peer: Option<f64>) -> RatioTarget {
    let part = peer.map(|peer| peer * limit.part);
    match target {
        RatioTarget::AtMost(most) => RatioTarget::AtMost(part.map_or(most, |part| part.min(most)).max(limit.no_less)),
        least @ RatioTarget::AtLeast(_) => least,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(more: &str) -> SuiteRow {
        let text = format!("name = 'r'\ntitle = 'R'\nworkload = 'w'\nfull = {{}}\nquick = {{}}\n{more}");
        toml::from_str(&text).expect("a row")
    }

    fn side(role: Role, name: &str, figures: &[f64]) -> MeasuredSide {
        let answer = |figure: &f64| SideAnswer {
            figure: *figure,
            client_cpu: Some(figure / 2.0),
            control: None,
            beside: vec![("p99.99".to_owned(), figure * 10.0)],
            asked: 1,
            right: 1,
            same: None,
            said: None,
        };
        let row = ReportRow { ours: role == Role::Ours, published: None, ..ReportRow::published(name, 0.0) };
        MeasuredSide { role, named: name.to_owned(), row, rounds: figures.iter().map(answer).collect(), wrong: 0 }
    }

    fn sides() -> Vec<MeasuredSide> {
        vec![
            side(Role::Peer, "slow", &[4.0, 4.0, 4.0]),
            side(Role::Peer, "fast", &[2.0, 2.0, 2.0]),
            side(Role::Ours, "ours", &[1.0, 1.0, 1.0]),
            side(Role::Control, "slow", &[4.0, 4.4, 3.6]),
        ]
    }

    fn line(row: &SuiteRow, sides: &[MeasuredSide]) -> JudgedLine {
        judge(row, row.by[0], 1, sides).lines.remove(0)
    }

    #[test]
    fn ours_is_held_against_the_best_peer_that_answers_rightly() {
        let row = row("target.at_most = 0.5");
        let mut sides = sides();
        let found = line(&row, &sides);
        assert_eq!((found.peer.as_deref(), found.ratio.map(|ratio| ratio.median)), (Some("fast"), Some(0.5)));
        assert_eq!(found.judged(), "met");
        assert_eq!(found.control.map(|control| control.median), Some(1.0), "of the slow one to itself");
        sides[1].wrong = 1;
        let found = line(&row, &sides);
        assert_eq!((found.peer.as_deref(), found.ratio.map(|ratio| ratio.median)), (Some("slow"), Some(0.25)));
        assert!(found.notes.iter().any(|note| note == "fast gave 1 wrong answers"), "{:?}", found.notes);
        sides[0].row.failed = Some("it died".to_owned());
        let found = line(&row, &sides);
        assert_eq!((found.peer, found.ratio, found.verdict.as_deref()), (None, None, Some("not measured")));
        sides[2].wrong = 3;
        assert_eq!(line(&row, &sides).judged(), "3 WRONG");
    }

    #[test]
    fn a_side_that_failed_has_no_figure() {
        let mut sides = sides();
        sides[2].row.failed = Some("it died".to_owned());
        let drawn = judge(&row("target.at_most = 0.5"), Of::Figure, 1, &sides);
        assert_eq!(drawn.rows.iter().map(|row| row.figure.is_some()).collect::<Vec<_>>(), [true, true, false, true]);
        assert_eq!(drawn.lines[0].judged(), "not measured");
    }

    #[test]
    fn processor_time_is_another_line() {
        let row = row("by = ['figure', 'cpu']");
        let drawn = judge(&row, Of::Cpu, 1, &sides());
        assert_eq!((drawn.name.as_str(), drawn.title.as_str()), ("r-cpu", "R, CPU time"));
        assert_eq!(drawn.rows[2].figure.map(|figure| figure.median), Some(0.5));
    }

    #[test]
    fn a_floor_divides_and_several_of_ours_have_a_line_each() {
        let row = row("");
        let mut sides = sides();
        sides.push(side(Role::FloorOfPeer, "bare", &[1.0, 1.0, 1.0]));
        sides.push(side(Role::FloorOfOurs, "bare", &[0.25, 0.5, 1.0]));
        sides.push(side(Role::Ours, "more", &[8.0, 8.0, 8.0]));
        let lines = judge(&row, Of::Figure, 1, &sides).lines;
        assert_eq!(lines.iter().map(|line| line.title.as_str()).collect::<Vec<_>>(), ["R: ours", "R: more"]);
        assert_eq!(
            lines.iter().filter_map(|line| line.ratio).map(|ratio| ratio.median).collect::<Vec<_>>(),
            [1.0, 8.0]
        );
    }

    #[test]
    fn a_limit_of_ours_may_follow_the_peer() {
        let text = "judged = 'ours'\ntarget.at_most = 2.5\nor_of_peer = { part = 0.1, no_less = 1.3 }";
        for (peer, limit) in [(2.0, 1.3), (18.0, 1.8), (190.0, 2.5)] {
            let sides = [side(Role::Peer, "p", &[peer]), side(Role::Ours, "o", &[1.5])];
            let found = line(&row(text), &sides);
            assert!(matches!(found.target, Some(RatioTarget::AtMost(most)) if (most - limit).abs() < 1e-9));
            assert_eq!((found.ratio, found.judged()), (None, if limit > 1.5 { "met" } else { "missed" }.to_owned()));
        }
    }

    #[test]
    fn what_is_rare_has_a_limit_of_its_own() {
        for (most, want) in [(10.0, "met"), (9.0, "mean met, p99.99 missed")] {
            let text = format!("target.at_most = 0.5\nbeside_at_most = {{ name = 'p99.99', figure = {most} }}");
            assert_eq!(line(&row(&text), &sides()).judged(), want);
        }
    }
}
