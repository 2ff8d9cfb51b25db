//! The screens: the table of targets, one target, its keys, an item, and help.
use super::board::{Board, BoardRow};
use super::numbers::{printable, TargetNumbers};
use super::short::{compact, cut, cut_name, duration, latency, ratio};
use crate::units::{bytes, counted, thousands};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Clear, Paragraph, Sparkline, Table, TableState, Wrap};
use ratatui::Frame;
use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenView {
    Targets,
    /// A target, by its place on the board.
    Target(usize),
    /// Its keys that are read most, or their prefixes.
    Keys(usize),
    /// An item of it.
    Item(usize, Vec<u8>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Name,
    Gets,
    Sets,
    Evictions,
    Items,
    Fill,
}

impl Sort {
    pub const ALL: [Sort; 6] = [Sort::Name, Sort::Gets, Sort::Sets, Sort::Evictions, Sort::Items, Sort::Fill];

    fn word(self) -> &'static str {
        match self {
            Sort::Name => "name",
            Sort::Gets => "gets",
            Sort::Sets => "sets",
            Sort::Evictions => "evictions",
            Sort::Items => "items",
            Sort::Fill => "memory in use",
        }
    }

    pub fn next(self) -> Sort {
        let at = Sort::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        Sort::ALL[(at + 1) % Sort::ALL.len()]
    }
}

/// What the keyboard has chosen.
pub struct Screen {
    pub view: ScreenView,
    pub helps: bool,
    pub sort: Sort,
    pub is_reversed: bool,
    pub filter: String,
    /// The filter is being typed.
    pub is_typing: bool,
    pub is_paused: bool,
    pub by_prefix: bool,
    /// The line that is chosen, in the table that is shown.
    pub chosen: usize,
    /// The target that is chosen, by its place on the board: its line changes as others do more.
    pub target: Option<usize>,
    pub has_colours: bool,
    /// What there is to say at the bottom, in place of the keys.
    pub said: Option<String>,
}

impl Screen {
    pub fn new(has_colours: bool) -> Screen {
        Screen {
            view: ScreenView::Targets,
            helps: false,
            sort: Sort::Name,
            is_reversed: false,
            filter: String::new(),
            is_typing: false,
            is_paused: false,
            by_prefix: false,
            chosen: 0,
            target: None,
            has_colours,
            said: None,
        }
    }

    /// The places on the board that are shown, in their order.
    pub fn order(&self, board: &Board) -> Vec<usize> {
        let mut order: Vec<usize> = (0..board.rows.len())
            .filter(|&index| !board.rows[index].is_dismissed() && board.rows[index].name.contains(&self.filter))
            .collect();
        let rate = |row: &BoardRow, of: fn(&super::board::Rates) -> f64| row.rates.as_ref().map_or(-1.0, of);
        // The most comes first, but names from a to z.
        let compare = |one: &BoardRow, other: &BoardRow| match self.sort {
            Sort::Name => one.name.cmp(&other.name),
            Sort::Gets => more(rate(one, |rates| rates.gets), rate(other, |rates| rates.gets)),
            Sort::Sets => more(rate(one, |rates| rates.sets), rate(other, |rates| rates.sets)),
            Sort::Evictions => more(rate(one, |rates| rates.evictions), rate(other, |rates| rates.evictions)),
            Sort::Items => other.seen().map(|seen| seen.items).cmp(&one.seen().map(|seen| seen.items)),
            Sort::Fill => more(one.fill().unwrap_or(-1.0), other.fill().unwrap_or(-1.0)),
        };
        order.sort_by(|&one, &other| compare(&board.rows[one], &board.rows[other]));
        if self.is_reversed {
            order.reverse();
        }
        order
    }

    /// Lines to choose from, where there is a table.
    pub fn lines(&self, board: &Board) -> Option<usize> {
        match self.view {
            ScreenView::Targets => Some(self.order(board).len()),
            ScreenView::Keys(index) => Some(self.keys(board, index).len()),
            ScreenView::Target(_) | ScreenView::Item(..) => None,
        }
    }

    /// Brings the choice to a line that there is: that of the target which is chosen, wherever it stands by now.
    pub fn settle(&mut self, board: &Board) {
        let Some(lines) = self.lines(board) else { return };
        self.chosen = self.chosen.min(lines.saturating_sub(1));
        if self.view == ScreenView::Targets {
            let order = self.order(board);
            let line = self.target.and_then(|target| order.iter().position(|&shown| shown == target));
            self.chosen = line.unwrap_or(self.chosen);
            self.target = order.get(self.chosen).copied();
        }
    }

    /// The keys or prefixes that are shown, and how often each was read.
    pub fn keys<'a>(&self, board: &'a Board, index: usize) -> &'a [(Vec<u8>, u64)] {
        let hot = board.rows.get(index).and_then(BoardRow::seen).and_then(|seen| seen.hot.as_ref());
        hot.map_or(&[], |hot| if self.by_prefix { &hot.prefixes } else { &hot.keys })
    }

    fn style(&self, colour: Color) -> Style {
        if self.has_colours {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }
}

fn more(one: f64, other: f64) -> Ordering {
    other.total_cmp(&one)
}

pub fn draw(frame: &mut Frame<'_>, board: &Board, screen: &Screen) {
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)]).areas(frame.area());
    draw_heading(frame, top, board, screen);
    match &screen.view {
        ScreenView::Targets => draw_targets(frame, middle, board, screen),
        ScreenView::Target(index) => draw_target(frame, middle, &board.rows[*index], screen),
        ScreenView::Keys(index) => draw_keys(frame, middle, board, *index, screen),
        ScreenView::Item(index, key) => draw_item(frame, middle, &board.rows[*index], key),
    }
    draw_bottom(frame, bottom, board, screen);
    if screen.helps {
        draw_help(frame, middle);
    }
}

fn draw_heading(frame: &mut Frame<'_>, area: Rect, board: &Board, screen: &Screen) {
    let shown = || board.rows.iter().filter(|row| !row.is_dismissed());
    let down = shown().filter(|row| row.error.is_some()).count();
    let mut line = vec![
        Span::from("leveret top").add_modifier(Modifier::BOLD),
        Span::from(format!("  {}, each {}", counted(shown().count() as u64, "target"), duration(board.interval))),
    ];
    if down > 0 {
        line.push(Span::from(format!("  {down} down")).style(screen.style(Color::Red)));
    }
    if screen.sort != Sort::Name || screen.is_reversed {
        let order = if screen.is_reversed { ", reversed" } else { "" };
        line.push(Span::from(format!("  by {}{order}", screen.sort.word())));
    }
    if !screen.filter.is_empty() || screen.is_typing {
        line.push(Span::from(format!("  filter: {}{}", screen.filter, if screen.is_typing { "_" } else { "" })));
    }
    if screen.is_paused {
        line.push(Span::from("  paused").style(screen.style(Color::Yellow)));
    }
    frame.render_widget(Paragraph::new(Line::from(line)), area);
}

fn draw_targets(frame: &mut Frame<'_>, area: Rect, board: &Board, screen: &Screen) {
    let order = screen.order(board);
    if order.is_empty() {
        let text = if screen.filter.is_empty() {
            "No arenas in the folder yet. The first 'leveret set' or PHP script makes one, and it appears here."
        } else {
            "No target's name has this in it. Esc takes the filter off."
        };
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return;
    }
    let is_wide = area.width >= 120;
    let spark_height = if area.height > order.len() as u16 + 8 { 6 } else { 0 };
    let [table_area, spark_area] = Layout::vertical([Constraint::Min(2), Constraint::Length(spark_height)]).areas(area);
    let mut heads = vec!["TARGET", "ITEMS", "USED", "GETS/s", "HITS", "SETS/s", "EVICT/s", "CONN"];
    let mut widths = vec![0, 7, 6, 7, 7, 7, 7, 5];
    if is_wide {
        heads.extend(["MEMORY", "DEL/s", "EXPIRE/s", "LATENCY"]);
        widths.extend([10, 7, 8, 9]);
    }
    // One letter between two columns.
    let others = widths.iter().sum::<u16>() + widths.len() as u16 - 1;
    let longest = order.iter().map(|&index| board.rows[index].name.chars().count()).max().unwrap_or(0);
    widths[0] = (longest.min(200) as u16).clamp(6, area.width.saturating_sub(others).max(6));
    let name_width = widths[0];
    let rows = order.iter().map(|&index| target_row(&board.rows[index], screen, is_wide, name_width));
    let constraints = widths.iter().map(|width| Constraint::Length(*width));
    let heads = heads.iter().enumerate().map(|(at, head)| right_but_first(at, (*head).to_owned()));
    let table = Table::new(rows, constraints)
        .header(ratatui::widgets::Row::new(heads).style(Style::new().add_modifier(Modifier::BOLD)))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::default().with_selected(Some(screen.chosen.min(order.len() - 1)));
    frame.render_stateful_widget(table, table_area, &mut state);
    if spark_height > 0 {
        draw_history(frame, spark_area, &board.rows[order[screen.chosen.min(order.len() - 1)]], screen);
    }
}

fn target_row<'a>(row: &'a BoardRow, screen: &Screen, is_wide: bool, name_width: u16) -> ratatui::widgets::Row<'a> {
    let name = cut_name(&row.name, name_width.into());
    let Some(seen) = row.seen() else {
        // Why is said below, where there is room for it.
        let state = if row.error.is_some() { "down" } else { "…" };
        let cells = [Cell::from(name), right_but_first(1, state.to_owned())];
        return ratatui::widgets::Row::new(cells).style(screen.style(Color::Red));
    };
    let rate =
        |of: fn(&super::board::Rates) -> f64| row.rates.as_ref().map_or("-".to_owned(), |rates| compact(of(rates)));
    let mut cells = vec![
        name,
        compact(seen.items as f64),
        ratio(row.fill()),
        rate(|rates| rates.gets),
        ratio(row.rates.and_then(|rates| rates.hit_ratio())),
        rate(|rates| rates.sets),
        rate(|rates| rates.evictions),
        compact(seen.connections as f64),
    ];
    if is_wide {
        cells.extend([
            bytes(seen.limit),
            rate(|rates| rates.deletes),
            rate(|rates| rates.expired),
            latency(seen.latency),
        ]);
    }
    ratatui::widgets::Row::new(cells.into_iter().enumerate().map(|(at, text)| right_but_first(at, text)))
}

fn right_but_first<'a>(at: usize, text: String) -> Cell<'a> {
    Cell::from(if at == 0 { Line::from(text) } else { Line::from(text).right_aligned() })
}

fn draw_history(frame: &mut Frame<'_>, area: Rect, row: &BoardRow, screen: &Screen) {
    let [gets_title, gets, ratio_title, ratios] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1), Constraint::Length(2)])
            .areas(area);
    let width = usize::from(area.width);
    let tail = |history: &std::collections::VecDeque<u64>| -> Vec<u64> {
        history.iter().skip(history.len().saturating_sub(width)).copied().collect()
    };
    let values = tail(&row.gets);
    let highest = values.iter().max().copied().unwrap_or(0);
    let title = format!("{}: gets a second, {} at most", cut_name(&row.name, 40), compact(highest as f64));
    frame.render_widget(Paragraph::new(title.dim()), gets_title);
    frame.render_widget(Sparkline::default().data(&values).style(screen.style(Color::Cyan)), gets);
    frame.render_widget(Paragraph::new("hit ratio, 0 to 100 %".dim()), ratio_title);
    let values = tail(&row.hit_ratios);
    frame.render_widget(Sparkline::default().data(&values).max(1000).style(screen.style(Color::Green)), ratios);
}

fn draw_target(frame: &mut Frame<'_>, area: Rect, row: &BoardRow, screen: &Screen) {
    let Some(seen) = row.seen() else { return draw_error(frame, area, row) };
    let mut lines = vec![Line::from(row.name.clone().bold()), Line::default()];
    lines.extend(numbers(row, seen).into_iter().map(|(name, text)| named(name, &text)));
    lines.extend(seen.notes.iter().map(|(name, text)| named(name, text)));
    lines.push(Line::default());
    lines.push(Line::from("memory".bold()));
    let most = seen.memory.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0).max(1);
    let room = usize::from(area.width).saturating_sub(45);
    for (name, size) in &seen.memory {
        let bar = "█".repeat((*size as u128 * room as u128 / u128::from(most)) as usize);
        lines.push(Line::from(vec![
            Span::from(format!("{:<28} {:>12}  ", cut(name, 28), bytes(*size))),
            Span::from(bar).style(screen.style(Color::Cyan)),
        ]));
    }
    let height = if usize::from(area.height) > lines.len() + 7 { 6 } else { 0 };
    let [text, history] = Layout::vertical([Constraint::Min(1), Constraint::Length(height)]).areas(area);
    frame.render_widget(Paragraph::new(lines), text);
    if height > 0 {
        draw_history(frame, history, row, screen);
    }
}

fn numbers(row: &BoardRow, seen: &TargetNumbers) -> Vec<(&'static str, String)> {
    let rates = row.rates.unwrap_or_default();
    let total = seen.counters;
    let of = |count: u64, rate: f64| format!("{} a second, {} in all", compact(rate), thousands(count));
    vec![
        ("items", format!("{}, {} of {} in use", thousands(seen.items), bytes(seen.bytes), bytes(seen.limit))),
        ("gets", of(total.hits + total.misses, rates.gets)),
        (
            "hits",
            format!(
                "{} now, {} in all",
                ratio(rates.hit_ratio()),
                crate::units::percent(total.hits, total.hits + total.misses)
            ),
        ),
        ("sets", of(total.sets, rates.sets)),
        ("deletes", of(total.deletes, rates.deletes)),
        ("evictions", of(total.evictions, rates.evictions)),
        ("expired", of(total.expired, rates.expired)),
        ("refused", of(total.refused, rates.refused)),
        ("latency", seen.latency.map_or("none: it is looked at in memory".to_owned(), |_| latency(seen.latency))),
    ]
}

fn named(name: &str, text: &str) -> Line<'static> {
    Line::from(vec![Span::from(format!("{name:<12}")).dim(), Span::from(text.to_owned())])
}

fn draw_keys(frame: &mut Frame<'_>, area: Rect, board: &Board, index: usize, screen: &Screen) {
    let row = &board.rows[index];
    let Some(seen) = row.seen() else { return draw_error(frame, area, row) };
    let [title, table_area] = Layout::vertical([Constraint::Length(2), Constraint::Min(1)]).areas(area);
    let of = seen.hot.as_ref().map_or("…", |hot| &hot.of);
    let what = if screen.by_prefix { "prefixes" } else { "keys" };
    frame.render_widget(Paragraph::new(format!("{}: {what} by {of}", row.name)), title);
    let keys = screen.keys(board, index);
    let width = usize::from(area.width).saturating_sub(10);
    let rows = keys.iter().map(|(key, reads)| {
        let cells = [Line::from(thousands(*reads)).right_aligned(), Line::from(cut(&printable(key), width))];
        ratatui::widgets::Row::new(cells)
    });
    let table = Table::new(rows, [Constraint::Length(8), Constraint::Min(10)])
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let chosen = (!keys.is_empty()).then(|| screen.chosen.min(keys.len() - 1));
    frame.render_stateful_widget(table, table_area, &mut TableState::default().with_selected(chosen));
}

fn draw_item(frame: &mut Frame<'_>, area: Rect, row: &BoardRow, key: &[u8]) {
    let mut lines = vec![Line::from(printable(key).bold()), Line::default()];
    match row.seen().and_then(|seen| seen.item.as_ref()).filter(|item| item.key == key) {
        Some(item) => lines.extend(item.lines.iter().map(|(name, text)| named(name, text))),
        None => lines.push(Line::from(row.error.clone().unwrap_or_else(|| "…".to_owned()))),
    }
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), area);
}

fn draw_error(frame: &mut Frame<'_>, area: Rect, row: &BoardRow) {
    let why = row.error.as_deref().unwrap_or("no answer yet");
    let text = format!("{}\n\n{why}\n\nIt is asked again each time.", row.name);
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
}

fn draw_bottom(frame: &mut Frame<'_>, area: Rect, board: &Board, screen: &Screen) {
    // Of the target that is looked at, or chosen.
    let index = match screen.view {
        ScreenView::Targets => screen.order(board).get(screen.chosen).copied(),
        ScreenView::Target(index) | ScreenView::Keys(index) | ScreenView::Item(index, _) => Some(index),
    };
    let failed = index.and_then(|index| board.rows[index].error.as_ref());
    let line = if let Some(said) = &screen.said {
        Line::from(said.clone())
    } else if screen.is_typing {
        Line::from("part of a name; Enter keeps it, Esc takes it off")
    } else if let Some(why) = failed {
        Line::from(cut(why, area.width.into())).style(screen.style(Color::Red))
    } else {
        Line::from(match screen.view {
            ScreenView::Targets => "q end  ? help  Enter closer  k keys  s sort  r reverse  / filter  space pause",
            ScreenView::Target(_) => "Esc back  k keys  space pause  q end",
            ScreenView::Keys(_) => "Esc back  Enter item  p prefixes or keys  q end",
            ScreenView::Item(..) => "Esc back  q end",
        })
    };
    frame.render_widget(Paragraph::new(line).add_modifier(Modifier::DIM), area);
}

const HELP: [&str; 16] = [
    "up, down, j    choose a line",
    "Enter          look closer: at a target, at an item",
    "k              the keys of the target that are read most",
    "p              there: their prefixes, or the keys again",
    "s, r           sort by another column; the other way round",
    "/              show targets with this in their name",
    "space          pause",
    "Esc            back",
    "q, Ctrl-C      end",
    "",
    "USED     of the memory that it may have",
    "HITS     gets that found something",
    "EVICT/s  items that went because memory was needed",
    "CONN     connections of a server; of an arena processes",
    "LATENCY  of a server's shortest answer",
    "Rates are those since the last look.",
];

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let width = area.width.min(64);
    let height = area.height.min(HELP.len() as u16 + 2);
    let within = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    frame.render_widget(Clear, within);
    let text = Paragraph::new(HELP.map(Line::from).to_vec()).block(ratatui::widgets::Block::bordered().title(" Help "));
    frame.render_widget(text, within);
}

#[cfg(test)]
mod tests {
    use super::super::board::Rates;
    use super::super::hot::Hot;
    use super::super::numbers::{SampledCounters, Shown};
    use super::super::sample::Sample;
    use super::*;
    use ratatui::backend::TestBackend;
    use ratatui::Terminal;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    fn board() -> Board {
        let mut board = Board::new(Duration::from_secs(1));
        for name in ["arena:default", "cache.example.com:11211", "10.0.0.7:11211"] {
            board.add(name.to_owned(), Arc::default());
        }
        let start = Instant::now();
        for (step, count) in [0, 123_456_789_u64, 123_456_789 + 98_765].into_iter().enumerate() {
            for target in 0..2 {
                let counters = SampledCounters {
                    hits: count,
                    misses: count / 10,
                    sets: count / 3,
                    evictions: count / 7,
                    ..SampledCounters::default()
                };
                let seen = TargetNumbers {
                    items: 12_345_678,
                    bytes: 60 << 20,
                    limit: 64 << 20,
                    connections: 1023,
                    counters,
                    latency: (target == 1).then_some(Duration::from_micros(87)),
                    notes: vec![("file", "/dev/shm/leveret/default.arena".to_owned())],
                    memory: vec![("items".to_owned(), 40 << 20), ("unclaimed".to_owned(), 4 << 20)],
                    hot: Some(Hot {
                        keys: vec![(b"user:\x1b[1m".to_vec(), 15)],
                        prefixes: vec![(b"user:".to_vec(), 15)],
                        of: "reads".to_owned(),
                    }),
                    item: Some(Shown { key: b"k".to_vec(), lines: vec![("value", "hello".to_owned())] }),
                };
                board.take(Sample { target, at: start + Duration::from_secs(step as u64), seen: Ok(seen) });
            }
        }
        board.take(Sample {
            target: 2,
            at: start,
            seen: Err("cannot connect to 10.0.0.7:11211: connection refused".to_owned()),
        });
        board
    }

    fn drawn(width: u16, height: u16, screen: &Screen) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        let board = board();
        terminal.draw(|frame| draw(frame, &board, screen)).expect("drawn");
        let buffer = terminal.backend().buffer().clone();
        (0..height)
            .map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn the_table_fits_a_small_terminal_and_uses_a_large_one() {
        let small = drawn(80, 24, &Screen::new(true));
        assert_eq!(small[0], "leveret top  3 targets, each 1 s  1 down");
        assert_eq!(small[1], "TARGET                    ITEMS   USED  GETS/s    HITS  SETS/s EVICT/s  CONN");
        assert_eq!(small[3], "arena:default             12.3M  93.8%  108.6k   90.9%   32.9k   14.1k 1,023");
        assert_eq!(small[4], "cache.example.com:11211   12.3M  93.8%  108.6k   90.9%   32.9k   14.1k 1,023");
        assert!(small[2].starts_with("10.0.0.7:11211") && small[2].ends_with(" down"), "{}", small[2]);
        assert!(small.iter().any(|line| line.contains("gets a second")), "{small:#?}");
        assert!(small[23].starts_with("cannot connect to 10.0.0.7:11211"), "{}", small[23]);
        let large = drawn(200, 60, &Screen::new(false));
        assert!(large[1].ends_with("LATENCY"), "{}", large[1]);
        assert!(
            large.iter().any(|line| line.starts_with("cache.example.com:11211") && line.ends_with("87 us")),
            "{large:#?}"
        );
    }

    #[test]
    fn each_view_is_drawn_in_any_size() {
        for view in [
            ScreenView::Targets,
            ScreenView::Target(0),
            ScreenView::Target(2),
            ScreenView::Keys(1),
            ScreenView::Keys(2),
            ScreenView::Item(0, b"k".to_vec()),
            ScreenView::Item(2, b"k".to_vec()),
        ] {
            for (width, height) in [(80, 24), (200, 60), (20, 5), (1, 1), (300, 3)] {
                for helps in [false, true] {
                    drawn(width, height, &Screen { view: view.clone(), helps, ..Screen::new(true) });
                }
            }
        }
        let keys = drawn(80, 24, &Screen { view: ScreenView::Keys(0), ..Screen::new(true) });
        assert!(
            keys.iter().any(|line| line.ends_with("15 user:\\x1b[1m")),
            "what steers a terminal is escaped: {keys:#?}"
        );
        let item = drawn(80, 24, &Screen { view: ScreenView::Item(0, b"k".to_vec()), ..Screen::new(true) });
        assert!(item.iter().any(|line| line == "value       hello"), "{item:#?}");
        let help = drawn(80, 24, &Screen { helps: true, ..Screen::new(true) });
        assert!(HELP.iter().all(|line| help.iter().any(|drawn| drawn.contains(line))), "{help:#?}");
    }

    #[test]
    fn order_and_filter() {
        let mut board = board();
        board.rows[1].rates = Some(Rates { gets: 1e9, ..Rates::default() });
        let mut screen = Screen::new(true);
        assert_eq!(screen.order(&board), [2, 0, 1]);
        screen.sort = screen.sort.next();
        assert_eq!(screen.order(&board), [1, 0, 2]);
        screen.filter = "example".to_owned();
        assert_eq!(screen.order(&board), [1]);
    }
}
