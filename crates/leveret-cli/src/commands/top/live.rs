//! The terminal: keyboard input, and when the screen is drawn.
use super::arenas;
use super::board::Board;
use super::sample::{Prober, Sample};
use super::screen::{draw, Screen, ScreenView};
use crate::output::{CommandResult, Exit, Failure};
use crate::target::TargetArgs;
use leveret_engine::reason;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::DefaultTerminal;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Receiver;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a key may wait, and the shortest time between two drawings: a slow line is not flooded.
const TICK: Duration = Duration::from_millis(100);
/// Between two looks at the folder.
const FOLDER: Duration = Duration::from_secs(2);

pub fn run(
    mut board: Board,
    prober: &Prober,
    samples: &Receiver<Sample>,
    folder: Option<&TargetArgs>,
) -> CommandResult {
    let failed = |error: io::Error| Failure::Unreachable(format!("cannot draw on the terminal: {}", reason(&error)));
    let is_over = Arc::new(AtomicBool::new(false));
    // SIGHUP ends the process: its terminal is gone.
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, is_over.clone()).map_err(failed)?;
    }
    let has_colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    // It also sees to it that a panic leaves the terminal as it was.
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let ended = watch(&mut terminal, &mut board, Screen::new(has_colours), &is_over, prober, samples, folder);
    ratatui::restore();
    ended.map(|()| Exit::Yes).map_err(failed)
}

fn watch(
    terminal: &mut DefaultTerminal,
    board: &mut Board,
    mut screen: Screen,
    is_over: &AtomicBool,
    prober: &Prober,
    samples: &Receiver<Sample>,
    folder: Option<&TargetArgs>,
) -> io::Result<()> {
    let keyboard = Keyboard::open()?;
    let mut is_stale = true;
    let mut looked = Instant::now();
    while !is_over.load(Relaxed) && keyboard.wait()? {
        if is_stale {
            screen.settle(board);
            terminal.draw(|frame| draw(frame, board, &screen))?;
            is_stale = false;
        }
        while event::poll(Duration::ZERO)? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if !press(board, &mut screen, key) {
                        return Ok(());
                    }
                    is_stale = true;
                }
                Event::Resize(..) => is_stale = true,
                _ => {}
            }
        }
        for sample in samples.try_iter() {
            if screen.is_paused {
                board.take_asked(sample);
            } else {
                board.take(sample);
            }
            is_stale = true;
        }
        if let Some(target) = folder.filter(|_| looked.elapsed() >= FOLDER) {
            looked = Instant::now();
            is_stale |= follow(board, &mut screen, prober, target);
        }
    }
    Ok(())
}

/// The terminal as crossterm reads it. crossterm reads a terminal that has hung up again and again, so this looks first.
struct Keyboard(OwnedFd);

impl Keyboard {
    fn open() -> io::Result<Keyboard> {
        let stdin = io::stdin();
        Ok(Keyboard(if stdin.is_terminal() { rustix::io::dup(&stdin)? } else { File::open("/dev/tty")?.into() }))
    }

    /// Waits for a key or a tick. False: the terminal has hung up.
    fn wait(&self) -> io::Result<bool> {
        let mut terminal = [PollFd::new(&self.0, PollFlags::IN)];
        let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
        match rustix::event::poll(&mut terminal, Some(&tick)) {
            Ok(_) => Ok(!terminal[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)),
            // A signal, as for another size.
            Err(Errno::INTR) => Ok(true),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Arenas come and go.
fn follow(board: &mut Board, screen: &mut Screen, prober: &Prober, target: &TargetArgs) -> bool {
    let peers = match arenas(target) {
        Ok(peers) => peers,
        Err(failure) => {
            screen.said = Some(failure.to_string());
            return true;
        }
    };
    let mut has_changed = screen.said.take().is_some();
    let names: Vec<String> = peers.iter().map(|peer| peer.shown()).collect();
    for (peer, name) in peers.into_iter().zip(&names) {
        if !board.rows.iter().any(|row| row.name == *name && !row.is_dismissed()) {
            board.add(name.clone(), prober.start(peer));
            has_changed = true;
        }
    }
    for index in 0..board.rows.len() {
        let is_shown = matches!(screen.view, ScreenView::Target(at) | ScreenView::Keys(at) | ScreenView::Item(at, _) if at == index);
        if !is_shown && !board.rows[index].is_dismissed() && !names.contains(&board.rows[index].name) {
            board.dismiss(index);
            has_changed = true;
        }
    }
    has_changed
}

/// False: the end.
fn press(board: &mut Board, screen: &mut Screen, key: KeyEvent) -> bool {
    if key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c')) {
        return false;
    }
    if screen.is_typing {
        match key.code {
            KeyCode::Enter => screen.is_typing = false,
            KeyCode::Esc => {
                screen.is_typing = false;
                screen.filter.clear();
            }
            KeyCode::Backspace => {
                screen.filter.pop();
            }
            KeyCode::Char(letter) => screen.filter.push(letter),
            _ => {}
        }
        return true;
    }
    if screen.helps {
        screen.helps = false;
        return key.code != KeyCode::Char('q');
    }
    screen.settle(board);
    let order = screen.order(board);
    if let Some(lines) = screen.lines(board) {
        let last = lines.saturating_sub(1);
        screen.chosen = match key.code {
            KeyCode::Up => screen.chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => (screen.chosen + 1).min(last),
            KeyCode::PageUp => screen.chosen.saturating_sub(10),
            KeyCode::PageDown => (screen.chosen + 10).min(last),
            KeyCode::Home => 0,
            KeyCode::End => last,
            _ => screen.chosen,
        };
        if screen.view == ScreenView::Targets {
            screen.target = order.get(screen.chosen).copied();
        }
    }
    match key.code {
        KeyCode::Char('q') => return false,
        KeyCode::Char('?' | 'h') => screen.helps = true,
        KeyCode::Char(' ') => screen.is_paused = !screen.is_paused,
        KeyCode::Esc | KeyCode::Left => back(board, screen),
        KeyCode::Enter | KeyCode::Right => closer(board, screen, &order),
        KeyCode::Char('k') => {
            let index = match screen.view {
                ScreenView::Targets => order.get(screen.chosen).copied(),
                ScreenView::Target(index) => Some(index),
                _ => None,
            };
            if let Some(index) = index {
                board.rows[index].wanted.keys.store(true, Relaxed);
                screen.view = ScreenView::Keys(index);
                screen.chosen = 0;
            }
        }
        KeyCode::Char('p') => screen.by_prefix = !screen.by_prefix,
        KeyCode::Char('s') => screen.sort = screen.sort.next(),
        KeyCode::Char('r') => screen.is_reversed = !screen.is_reversed,
        KeyCode::Char('/') if screen.view == ScreenView::Targets => screen.is_typing = true,
        _ => {}
    }
    true
}

fn closer(board: &Board, screen: &mut Screen, order: &[usize]) {
    match screen.view {
        ScreenView::Targets => {
            if let Some(&index) = order.get(screen.chosen) {
                screen.view = ScreenView::Target(index);
            }
        }
        ScreenView::Keys(index) if !screen.by_prefix => {
            if let Some((key, _)) = screen.keys(board, index).get(screen.chosen) {
                want_item(board, index, Some(key.clone()));
                screen.view = ScreenView::Item(index, key.clone());
            }
        }
        _ => {}
    }
}

fn back(board: &Board, screen: &mut Screen) {
    match screen.view {
        ScreenView::Targets => screen.filter.clear(),
        ScreenView::Target(_) => screen.view = ScreenView::Targets,
        ScreenView::Keys(index) => {
            board.rows[index].wanted.keys.store(false, Relaxed);
            screen.view = ScreenView::Targets;
        }
        ScreenView::Item(index, _) => {
            want_item(board, index, None);
            screen.view = ScreenView::Keys(index);
        }
    }
}

fn want_item(board: &Board, index: usize, key: Option<Vec<u8>>) {
    *board.rows[index].wanted.item.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = key;
}
