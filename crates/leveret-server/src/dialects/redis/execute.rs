//! Execution of one request: whether it is allowed, which module executes it, and the state to update afterwards.
use super::state::{Answers, House, PlannedCommand, RespState};
use super::waiting::Watched;
use super::{admin, client, own, sign_in, told, transaction};
use crate::context::Context;
use crate::conversation::Conversation;
use crate::counters::requests::Count;
use crate::next::{Done, Next};
use leveret_engine::{Arena, Error, EvictionPolicy, Found, Item, Meta, Stored, Time};
use leveret_protocol::resp::{Arguments, ReplyWriter};
use leveret_strings::{
    find, lookup, run, Call, CommandFlags, CommandGroup, CommandRow, Databases, Handler, Impact, Problem, Ran, Scripts,
    ServerCommand, StoreByHost, WatchGuard,
};
use std::thread;
use std::time::{Duration, Instant};

const UNAUTHENTICATED: &str = "NOAUTH Authentication required.";
const SPOILT: &str = "EXECABORT Transaction discarded because of previous errors.";

const SPOILT_EXEC: &str = "EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command";

/// Time-out of a transaction that meets a held lock: all other clients wait meanwhile.
const EXEC_PATIENCE: Duration = Duration::from_millis(100);
const EXEC_PAUSE: Duration = Duration::from_micros(50);

impl Databases for House<'_> {
    #[inline]
    fn arena(&self, database: u32) -> Option<&Arena> {
        self.worker.database(database)
    }

    fn make(&self, database: u32) -> Result<&Arena, Problem> {
        Ok(self.worker.database_to_write(database)?)
    }

    fn count(&self) -> u32 {
        self.redis.databases.count()
    }

    fn policy(&self, database: u32) -> EvictionPolicy {
        let at_start = || self.redis.databases.policy_at_start(database);
        let made = self.arena(database).map(Arena::policy).or_else(at_start);
        let usual = if self.shared.settings.evictions { EvictionPolicy::All } else { EvictionPolicy::None };
        made.unwrap_or(usual)
    }

    /// The arena's limit: `-I` limits only memcached clients.
    fn value_max(&self) -> usize {
        self.worker.arena().value_max()
    }

    fn scripts(&self) -> Option<&Scripts> {
        Some(&self.redis.scripts)
    }

    fn may_flush(&self) -> bool {
        self.shared.live.flush()
    }

    fn forget_later(&self, database: u32, key: &[u8], now: Time) -> bool {
        if !self.may_retry {
            self.worker.remove_later(database, key, now);
        }
        !self.may_retry
    }

    fn store_received(&self, store: &StoreByHost<'_>) -> Option<Result<(Stored, Option<Item>), Error>> {
        let mut received = self.received?.borrow_mut();
        let StoreByHost { key, deadline, terms, now, tells_old } = *store;
        Some(match tells_old {
            true => received.swap(key, Meta::default(), deadline, terms, now),
            false => received.store(key, Meta::default(), deadline, terms, now).map(|stored| (stored, None)),
        })
    }

    fn send(&self, arena: &Arena, found: &Found) -> bool {
        let Some(tail) = self.tail else { return false };
        tail.set(arena.outgoing(found));
        let value = tail.take();
        let is_sent = value.is_some();
        tail.set(value);
        is_sent
    }
}

/// Executes a request, or queues it in the open transaction.
#[inline]
pub(super) fn request(
    state: &mut RespState,
    talk: &mut Conversation,
    cx: &mut Context<'_>,
    house: House<'_>,
    request: Arguments<'_>,
) -> Done {
    let begin = cx.output.len();
    let answers = state.answers;
    let done = match find(&request) {
        Err(_) if own::is_own(request.name()) => match own::run(state, talk, cx, request) {
            Ok(done) => done,
            Err(text) => reject(state, cx, |reply| reply.error(text)),
        },
        Err(problem) => refuse(state, cx, house, request, &problem),
        Ok(row) => {
            state.client.note_command(row.name);
            if !talk.is_known && !row.flags.has(CommandFlags::NO_AUTH) {
                house.redis.counters.note_rejected(cx.worker.index, row.name);
                reject(state, cx, |reply| reply.error(UNAUTHENTICATED))
            } else if state.transaction.is_some() && waits(row) {
                transaction::queue(state, request, &mut ReplyWriter::new(cx.output, state.version));
                Done::Answered
            } else {
                execute(state, talk, cx, PlannedCommand::new(house, row, request))
            }
        }
    };
    if answers != Answers::All && state.answers == answers && done != Done::Unfinished {
        cx.output.truncate(begin);
        if answers == Answers::SkipNext {
            state.answers = Answers::All;
        }
    }
    done
}

/// Whether a command waits for EXEC in a transaction.
fn waits(row: &CommandRow) -> bool {
    use ServerCommand::{Discard, Exec, Multi, Quit, Reset, Watch};
    !matches!(row.handler, Handler::Host(Exec | Discard | Multi | Watch | Quit | Reset))
}

/// Answers a malformed request.
#[cold]
fn refuse(
    state: &mut RespState,
    cx: &mut Context<'_>,
    house: House<'_>,
    request: Arguments<'_>,
    problem: &Problem,
) -> Done {
    let name = lookup(request.name()).map_or("", |row| row.name);
    house.redis.counters.note_rejected(cx.worker.index, name);
    let is_transaction = state.transaction.is_some();
    if name == "exec" {
        transaction::discard(state, house);
        return reject(state, cx, |reply| reply.error(SPOILT_EXEC));
    }
    // These end a server or a connection, or take its place over.
    if is_transaction && matches!(name, "save" | "shutdown" | "monitor" | "sync" | "psync") {
        return reject(state, cx, |reply| reply.error("ERR Command not allowed inside a transaction"));
    }
    reject(state, cx, |reply| problem.write(reply))
}

/// Answers a command that is not executed. An open transaction will not be executed either.
#[cold]
fn reject(state: &mut RespState, cx: &mut Context<'_>, write: impl FnOnce(&mut ReplyWriter<'_>)) -> Done {
    transaction::spoil(state);
    let begin = cx.output.len();
    write(&mut ReplyWriter::new(cx.output, state.version));
    note_error(cx, begin);
    Done::Answered
}

/// Counts the error that the output has from `begin` on, if that is one.
#[inline]
fn note_error(cx: &Context<'_>, begin: usize) -> bool {
    let has_failed = cx.output.get(begin) == Some(&b'-');
    if has_failed {
        if let Some(redis) = cx.shared.redis() {
            redis.counters.note_error(&cx.output[begin + 1..]);
        }
    }
    has_failed
}

/// Executes a command at once.
#[inline]
fn execute(state: &mut RespState, talk: &mut Conversation, cx: &mut Context<'_>, command: PlannedCommand<'_>) -> Done {
    if command.row.flags.has(CommandFlags::WALK) {
        return walk(state, talk, cx, command);
    }
    let begin = cx.output.len();
    let call = command.house.redis.counters.begin(cx.worker.index, command.row.name);
    let done = if command.row.flags.has(CommandFlags::GATE) {
        alone(state, talk, cx, command)
    } else {
        step(state, talk, cx, command)
    };
    if !cx.has_met_busy() {
        let has_failed = note_error(cx, begin);
        call.end(has_failed);
    }
    done
}

/// Executes a piece of a command that walks over all keys, or that may.
#[cold]
fn walk(state: &mut RespState, talk: &mut Conversation, cx: &mut Context<'_>, command: PlannedCommand<'_>) -> Done {
    let begin = cx.output.len();
    let call = command.house.redis.counters.begin(cx.worker.index, command.row.name);
    let (mut walk, before) = state.walking.take().unwrap_or_default();
    let done = step(state, talk, cx, PlannedCommand { walk: Some(&mut walk), ..command });
    cx.ends_turn = true;
    if done == Done::Unfinished || cx.has_met_busy() {
        state.walking = Some((walk, before + call.so_far().unwrap_or_default()));
        return done;
    }
    let has_failed = note_error(cx, begin);
    call.end_after(before, has_failed);
    done
}

/// Executes a command while no other worker is in a turn.
#[cold]
fn alone(state: &mut RespState, talk: &mut Conversation, cx: &mut Context<'_>, command: PlannedCommand<'_>) -> Done {
    let Some(turn) = cx.turn.take() else { return step(state, talk, cx, command) };
    let alone = turn.alone();
    // Every change by others until now is in the past.
    cx.now = Time::now();
    let done = step(state, talk, cx, command);
    drop(alone);
    cx.turn = Some(turn);
    done
}

#[inline]
fn step(state: &mut RespState, talk: &mut Conversation, cx: &mut Context<'_>, command: PlannedCommand<'_>) -> Done {
    let begin = cx.output.len();
    let PlannedCommand { house, request, .. } = command;
    match run_here(state, cx, command) {
        Ran::Done(_) => Done::Answered,
        Ran::Unfinished => Done::Unfinished,
        Ran::Busy => {
            cx.note_failure(&Error::Busy);
            if !cx.has_met_busy() {
                Problem::Engine(Error::Busy).write(&mut ReplyWriter::new(cx.output, state.version));
            }
            Done::Answered
        }
        Ran::LongAnswer | Ran::Lost => {
            cx.output.truncate(begin);
            talk.is_at_fault = true;
            Done::Over(Next::Close)
        }
        Ran::Server(command) => serve(state, talk, cx, house, command, request),
    }
}

/// Executes a command that needs no server, and tells watchers of it.
#[inline]
fn run_here(state: &RespState, cx: &mut Context<'_>, command: PlannedCommand<'_>) -> Ran {
    if !cx.watched.is_none() {
        return told::run(state.database, cx, command, |cx, command| run_untold(state, cx, command));
    }
    run_untold(state, cx, command)
}

#[inline]
fn run_untold(state: &RespState, cx: &mut Context<'_>, command: PlannedCommand<'_>) -> Ran {
    let PlannedCommand { house, row, request, guards, walk } = command;
    let is_again = cx.is_again.get();
    let mut call = Call::new(&house, state.database, ReplyWriter::new(cx.output, state.version));
    call.now = cx.now;
    call.guards = guards;
    call.is_again = is_again;
    call.walk = walk;
    let ran = run(row, &mut call, &request);
    if let Ran::Done(impact) = ran {
        if impact != Impact::None && house.redis.writes.are_watched() {
            note_writes(state, house, row, &request, impact);
        }
    }
    ran
}

/// A client that watches an absent key learns that it was created, even if it is gone again.
#[cold]
fn note_writes(state: &RespState, house: House<'_>, row: &CommandRow, request: &Arguments<'_>, impact: Impact) {
    let writes = &house.redis.writes;
    // These make one key where they remove another.
    if impact != Impact::Changed && !matches!(row.name, "move" | "rename" | "renamenx") {
        return;
    }
    let database = told::target_database(house, row, request).unwrap_or(state.database);
    match row.group {
        // The keys of a script stand where it says.
        CommandGroup::Scripting => request.iter().for_each(|word| writes.note(database, word)),
        _ => leveret_strings::written_keys(row, request).for_each(|key| writes.note(database, key)),
    }
}

/// Executes what only a server can do.
#[cold]
fn serve(
    state: &mut RespState,
    talk: &mut Conversation,
    cx: &mut Context<'_>,
    house: House<'_>,
    command: ServerCommand,
    request: Arguments<'_>,
) -> Done {
    use ServerCommand::*;
    if command == Exec {
        return exec(state, talk, cx, house);
    }
    let now = cx.now;
    if command == Auth {
        cx.count(Count::AuthCmds);
    }
    let reply = &mut ReplyWriter::new(cx.output, state.version);
    match command {
        Auth => {
            sign_in::auth(state, talk, house, request, reply);
        }
        Hello => sign_in::hello(state, talk, house, request, reply),
        Select => sign_in::select(state, house, request, reply),
        Reset => sign_in::reset(state, talk, house, reply),
        Quit => {
            reply.ok();
            return Done::Over(Next::Close);
        }
        Multi => transaction::multi(state, reply),
        Discard => transaction::discard_told(state, house, reply),
        Watch => {
            if let Err(error) = transaction::watch(state, house, request, now, reply) {
                Problem::Engine(error).write(reply);
            }
        }
        Unwatch => {
            transaction::unwatch(state, house);
            reply.ok();
        }
        Info => admin::info(state, house, request, reply),
        ConfigGet | ConfigHelp | ConfigResetStat | ConfigRewrite | ConfigSet => {
            admin::config(state, house, command, request, reply);
        }
        AclHelp | AclList | AclUsers | AclWhoAmI => admin::acl(state, house, command, reply),
        Exec => {}
        _ => {
            if !client::client(state, house, command, request, reply) {
                return Done::Over(Next::Close);
            }
        }
    }
    Done::Answered
}

/// EXEC. The gate is closed.
fn exec(state: &mut RespState, talk: &mut Conversation, cx: &mut Context<'_>, house: House<'_>) -> Done {
    let Some(transaction) = state.transaction.take() else {
        ReplyWriter::new(cx.output, state.version).error("ERR EXEC without MULTI");
        return Done::Answered;
    };
    let holds = transaction::holds(state, house, cx.now);
    let watched = std::mem::take(&mut state.watched);
    if !watched.is_empty() {
        house.redis.writes.watch(false);
    }
    transaction::discard(state, house);
    if transaction.is_spoiled {
        ReplyWriter::new(cx.output, state.version).error(SPOILT);
        return Done::Answered;
    }
    let begin = cx.output.len();
    if !holds {
        ReplyWriter::new(cx.output, state.version).nil_array();
        return Done::Answered;
    }
    ReplyWriter::new(cx.output, state.version).array(transaction.queue.len());
    // One by one they could be tried again later; half of a transaction cannot.
    let may_retry = std::mem::replace(&mut cx.may_retry, false);
    let until = Instant::now() + EXEC_PATIENCE;
    let mut done = Done::Answered;
    let mut has_written = false;
    for queued in &transaction.queue {
        let request = queued.arguments();
        let row = match find(&request) {
            Ok(row) => row,
            Err(problem) => {
                problem.write(&mut ReplyWriter::new(cx.output, state.version));
                continue;
            }
        };
        let guards: Vec<WatchGuard<'_>> = match has_written {
            false => watched.iter().map(Watched::guard).collect(),
            true => Vec::new(),
        };
        let command = PlannedCommand { guards: &guards, ..PlannedCommand::new(house, row, request) };
        match element(state, cx, &command, until) {
            Ran::Done(impact) => has_written |= impact != Impact::None,
            // A process that uses the arena itself has changed a watched key behind the comparison.
            Ran::Lost => {
                cx.output.truncate(begin);
                ReplyWriter::new(cx.output, state.version).nil_array();
                break;
            }
            Ran::Busy => Problem::Engine(Error::Busy).write(&mut ReplyWriter::new(cx.output, state.version)),
            // Nothing waits in a transaction.
            Ran::Unfinished => {}
            Ran::LongAnswer => {
                cx.output.truncate(begin);
                talk.is_at_fault = true;
                done = Done::Over(Next::Close);
                break;
            }
            Ran::Server(command) => done = serve(state, talk, cx, house, command, request),
        }
        if done != Done::Answered {
            break;
        }
    }
    cx.may_retry = may_retry;
    done
}

/// One command of a transaction, which waits a moment for a lock that is held.
fn element(state: &RespState, cx: &mut Context<'_>, command: &PlannedCommand<'_>, until: Instant) -> Ran {
    let begin = cx.output.len();
    let call = command.house.redis.counters.begin(cx.worker.index, command.row.name);
    let again = cx.is_again.get();
    let ran = loop {
        // Nothing walks in a transaction.
        let ran = run_here(state, cx, PlannedCommand { walk: None, ..*command });
        if ran != Ran::Busy || Instant::now() >= until {
            break ran;
        }
        // What it has read is counted.
        cx.is_again.set(true);
        thread::sleep(EXEC_PAUSE);
    };
    cx.is_again.set(again);
    call.end(cx.output.get(begin) == Some(&b'-'));
    ran
}
