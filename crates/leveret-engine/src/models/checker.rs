//! Runs a few threads over one memory in every way they can meet, and shows them every value that a processor may show
//! them.
//!
//! **The memory** is the one of C11 without what no processor does (no load sees a store that is still to come). Each
//! word has a history: all its stores, in the order in which they took place. A thread has a *view*: for each word the
//! oldest store that it may still see. A load takes any store from there on. A store with Release carries its thread's
//! view along, a load with Acquire that takes it joins that view to its own. A fence with Acquire does so for what loads
//! before it took, a fence with Release lets the stores after it carry the view that the thread has there. A
//! read-modify-write takes the newest store, and carries what that one carried. SeqCst accesses count as AcqRel.
//!
//! **The ways** are choices: which thread goes on, which store a load takes. A run follows the choices of the one before
//! it up to the last one that has another answer left. By itself a thread goes on until it ends or rests, and a load
//! takes the newest store; each departure from that costs one of `Bounds`. Threads are stopped only before they touch
//! a word that another one touches too and somebody writes: elsewhere nobody would notice.
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe, Location};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How far from the usual a run may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    /// Times that a thread is stopped where it could go on.
    pub stops: u32,
    /// Loads that take an older store than the newest.
    pub old: u32,
}

/// More steps than this, and the run does not end.
const STEPS_MAX: usize = 200_000;

type View = Vec<u32>;

fn join(view: &mut View, other: &[u32]) {
    if view.len() < other.len() {
        view.resize(other.len(), 0);
    }
    for (mine, theirs) in view.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

fn seen(view: &View, word: usize) -> u32 {
    view.get(word).copied().unwrap_or(0)
}

fn see(view: &mut View, word: usize, at: u32) {
    if view.len() <= word {
        view.resize(word + 1, 0);
    }
    view[word] = view[word].max(at);
}

struct Store {
    value: u64,
    /// The view that a load with Acquire joins.
    carries: View,
}

#[derive(Default)]
struct Thread {
    view: View,
    /// The view that a fence with Acquire would join.
    taken: View,
    /// The view at the last fence with Release.
    fenced: View,
    has_ended: bool,
}

/// Facts about a word from all runs so far.
#[derive(Default, Clone, Copy)]
struct Sharing {
    threads: u32,
    is_written: bool,
}

impl Sharing {
    fn is_shared(self) -> bool {
        self.is_written && self.threads.count_ones() > 1
    }
}

/// One choice of a run.
struct Choice {
    taken: usize,
    options: usize,
}

/// One effect of an ordering. Each can be removed at one place of the engine, to see which model fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) enum Part {
    Acquire,
    Release,
    /// Acquire where a compare-exchange fails.
    OnFailure,
}

/// A place in the engine's sources, and one thing that its ordering does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) struct Strength {
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
    pub part: Part,
}

const FREE: Bounds = Bounds { stops: 0, old: 0 };
const STOP: Bounds = Bounds { stops: 1, old: 0 };
const OLD: Bounds = Bounds { stops: 0, old: 1 };

#[derive(Default)]
struct Run {
    words: Vec<Vec<Store>>,
    threads: Vec<Thread>,
    running: usize,
    at: usize,
    spent: (u32, u32),
    steps: usize,
    /// A thread has failed: the others end without doing anything more.
    is_over: bool,
    failure: Option<Box<dyn std::any::Any + Send>>,
}

struct State {
    bounds: Bounds,
    numbers: HashMap<usize, usize>,
    sharing: Vec<Sharing>,
    /// A word turned out to be shared: earlier choices are void.
    has_learned: bool,
    path: Vec<Choice>,
    run: Run,
    trace: Option<Vec<String>>,
    /// What the threads have met.
    met: BTreeSet<Strength>,
    /// The removed effect.
    without: Option<Strength>,
}

pub(crate) struct Checker {
    state: Mutex<State>,
    turn: Condvar,
}

thread_local! {
    /// The run that this thread takes part in, and its number there.
    static PART: RefCell<Option<(Arc<Checker>, usize)>> = const { RefCell::new(None) };
}

/// Ends a thread of a run that is over.
struct Over;

/// The run that the calling thread takes part in, unless it is about to end.
pub(crate) fn part() -> Option<(Arc<Checker>, usize)> {
    if std::thread::panicking() {
        return None;
    }
    PART.with_borrow(|part| part.clone())
}

fn acquires(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl State {
    fn has(&mut self, place: &'static Location<'static>, part: Part) -> bool {
        let strength = Strength { file: place.file(), line: place.line(), column: place.column(), part };
        self.met.insert(strength);
        self.without != Some(strength)
    }

    /// The rest of an ordering without the removed effect.
    fn left(&mut self, ordering: Ordering, place: &'static Location<'static>) -> Ordering {
        let acquires = acquires(ordering) && self.has(place, Part::Acquire);
        let releases = releases(ordering) && self.has(place, Part::Release);
        match (acquires, releases) {
            (true, true) => Ordering::AcqRel,
            (true, false) => Ordering::Acquire,
            (false, true) => Ordering::Release,
            (false, false) => Ordering::Relaxed,
        }
    }

    /// The number of the word at an address, whose first store of this run is what memory held before.
    fn word(&mut self, address: usize, first: impl Fn() -> u64) -> usize {
        let next = self.numbers.len();
        let word = *self.numbers.entry(address).or_insert(next);
        if self.run.words.len() <= word {
            self.run.words.resize_with(word + 1, Vec::new);
        }
        if self.sharing.len() <= word {
            self.sharing.resize(word + 1, Sharing::default());
        }
        if self.run.words[word].is_empty() {
            self.run.words[word].push(Store { value: first(), carries: View::new() });
        }
        word
    }

    fn choose(&mut self, options: usize, cost: Bounds) -> usize {
        let (stops, old) = self.run.spent;
        let can_pay = stops + cost.stops <= self.bounds.stops && old + cost.old <= self.bounds.old;
        if options < 2 || !can_pay {
            return 0;
        }
        let at = self.run.at;
        self.run.at += 1;
        if at == self.path.len() {
            self.path.push(Choice { taken: 0, options });
        }
        let choice = &self.path[at];
        if choice.options != options {
            // The way here has changed, because a word is shared since.
            assert!(self.has_learned, "a model must do the same each time");
            return 0;
        }
        if choice.taken > 0 {
            self.run.spent = (stops + cost.stops, old + cost.old);
        }
        choice.taken
    }

    /// The next way to go. False: that was the last.
    fn next_way(&mut self) -> bool {
        while let Some(last) = self.path.last_mut() {
            if last.taken + 1 < last.options {
                last.taken += 1;
                return true;
            }
            self.path.pop();
        }
        false
    }

    fn note(&mut self, thread: usize, what: impl Fn() -> String, place: &Location<'_>) {
        if let Some(trace) = &mut self.trace {
            let file = place.file().rsplit("src/").next().unwrap_or_default();
            trace.push(format!("  {thread}: {file}:{}: {}", place.line(), what()));
        }
    }

    fn load(&mut self, thread: usize, word: usize, ordering: Ordering, allows: impl Fn(u64) -> bool) -> u64 {
        let oldest = seen(&self.run.threads[thread].view, word) as usize;
        let newest = self.run.words[word].len() - 1;
        let candidates: Vec<usize> =
            (oldest..=newest).rev().filter(|at| *at == newest || allows(self.run.words[word][*at].value)).collect();
        let at = candidates[self.choose(candidates.len(), OLD)];
        self.take(thread, word, at, ordering)
    }

    fn take(&mut self, thread: usize, word: usize, at: usize, ordering: Ordering) -> u64 {
        let Run { words, threads, .. } = &mut self.run;
        let (store, thread) = (&words[word][at], &mut threads[thread]);
        see(&mut thread.view, word, at as u32);
        join(&mut thread.taken, &store.carries);
        if acquires(ordering) {
            join(&mut thread.view, &store.carries);
        }
        store.value
    }

    fn store(&mut self, thread: usize, word: usize, value: u64, ordering: Ordering, changes: bool) {
        let Run { words, threads, .. } = &mut self.run;
        let thread = &mut threads[thread];
        let at = words[word].len();
        see(&mut thread.view, word, at as u32);
        let mut carries = if releases(ordering) { thread.view.clone() } else { thread.fenced.clone() };
        see(&mut carries, word, at as u32);
        if changes {
            let before = words[word][at - 1].carries.clone();
            join(&mut carries, &before);
        }
        words[word].push(Store { value, carries });
    }
}

impl Checker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is this thread's turn. The end of the run ends the thread.
    fn await_turn<'a>(&'a self, mut state: MutexGuard<'a, State>, thread: usize) -> MutexGuard<'a, State> {
        while state.run.running != thread && !state.run.is_over {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.run.is_over {
            drop(state);
            resume_unwind(Box::new(Over));
        }
        state
    }

    fn step<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.run.steps += 1;
        let steps = state.run.steps;
        if steps > STEPS_MAX {
            drop(state);
            panic!("after {STEPS_MAX} steps the threads have not come to an end");
        }
        state
    }

    /// A step of a thread at a word: others may come first.
    fn at_word(
        &self,
        thread: usize,
        address: usize,
        first: impl Fn() -> u64,
        writes: bool,
    ) -> (MutexGuard<'_, State>, usize) {
        let mut state = self.step(self.state());
        let word = state.word(address, first);
        let known = state.sharing[word];
        let now = Sharing { threads: known.threads | 1 << thread, is_written: known.is_written || writes };
        state.sharing[word] = now;
        state.has_learned |= now.is_shared() && !known.is_shared();
        if known.is_shared() {
            let others: Vec<usize> = state.others(thread).collect();
            match state.choose(others.len() + 1, STOP) {
                0 => {}
                other => state = self.hand_to(state, thread, others[other - 1]),
            }
        }
        (state, word)
    }

    fn hand_to<'a>(&'a self, mut state: MutexGuard<'a, State>, thread: usize, other: usize) -> MutexGuard<'a, State> {
        state.run.running = other;
        self.turn.notify_all();
        self.await_turn(state, thread)
    }

    #[track_caller]
    pub fn load(&self, thread: usize, address: usize, first: impl Fn() -> u64, ordering: Ordering) -> u64 {
        let place = Location::caller();
        let (mut state, word) = self.at_word(thread, address, first, false);
        let ordering = state.left(ordering, place);
        let value = state.load(thread, word, ordering, |_| true);
        state.note(thread, || format!("load {ordering:?} of {word}: {value:#x}"), place);
        value
    }

    #[track_caller]
    pub fn store(&self, thread: usize, address: usize, first: impl Fn() -> u64, value: u64, ordering: Ordering) {
        let place = Location::caller();
        let (mut state, word) = self.at_word(thread, address, first, true);
        let ordering = state.left(ordering, place);
        state.store(thread, word, value, ordering, false);
        state.note(thread, || format!("store {ordering:?} to {word}: {value:#x}"), place);
    }

    #[track_caller]
    pub fn change(
        &self,
        thread: usize,
        address: usize,
        first: impl Fn() -> u64,
        change: impl Fn(u64) -> u64,
        ordering: Ordering,
    ) -> u64 {
        let place = Location::caller();
        let (mut state, word) = self.at_word(thread, address, first, true);
        let ordering = state.left(ordering, place);
        let newest = state.run.words[word].len() - 1;
        let before = state.take(thread, word, newest, ordering);
        state.store(thread, word, change(before), ordering, true);
        state.note(thread, || format!("change {ordering:?} of {word}: {before:#x}"), place);
        before
    }

    #[track_caller]
    pub fn compare_exchange(
        &self,
        thread: usize,
        address: usize,
        first: impl Fn() -> u64,
        (expected, next): (u64, u64),
        (success, failure): (Ordering, Ordering),
    ) -> Result<u64, u64> {
        let place = Location::caller();
        let (mut state, word) = self.at_word(thread, address, first, true);
        let success = state.left(success, place);
        let newest = state.run.words[word].len() - 1;
        let result = if state.run.words[word][newest].value == expected {
            let before = state.take(thread, word, newest, success);
            state.store(thread, word, next, success, true);
            Ok(before)
        } else {
            // One that fails is a load.
            let failure = match acquires(failure) && state.has(place, Part::OnFailure) {
                true => Ordering::Acquire,
                false => Ordering::Relaxed,
            };
            Err(state.load(thread, word, failure, |value| value != expected))
        };
        state.note(thread, || format!("compare-exchange {success:?} of {word}: {result:x?}"), place);
        result
    }

    #[track_caller]
    pub fn fence(&self, thread: usize, ordering: Ordering) {
        let place = Location::caller();
        let mut state = self.step(self.state());
        let ordering = state.left(ordering, place);
        let own = &mut state.run.threads[thread];
        if acquires(ordering) {
            let taken = own.taken.clone();
            join(&mut own.view, &taken);
        }
        if releases(ordering) {
            own.fenced = own.view.clone();
        }
        state.note(thread, || format!("fence {ordering:?}"), place);
    }

    /// The newest value, which is the one that the kernel sees.
    pub fn newest(&self, address: usize) -> Option<u64> {
        let state = self.state();
        let stores = state.run.words.get(*state.numbers.get(&address)?)?;
        Some(stores.last()?.value)
    }

    /// Lets the others go on: this thread waits for one of them.
    pub fn rest(&self, thread: usize) {
        let mut state = self.step(self.state());
        let others: Vec<usize> = state.others(thread).collect();
        if others.is_empty() {
            return;
        }
        let other = others[state.choose(others.len(), STOP)];
        drop(self.hand_to(state, thread, other));
    }

    fn take_part(self: &Arc<Checker>, thread: usize, work: impl FnOnce()) {
        PART.set(Some((self.clone(), thread)));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            drop(self.await_turn(self.state(), thread));
            work();
        }));
        PART.set(None);
        let mut state = self.state();
        state.run.threads[thread].has_ended = true;
        match ended {
            Ok(()) => {
                let others: Vec<usize> = state.others(thread).collect();
                if !others.is_empty() {
                    state.run.running = others[state.choose(others.len(), FREE)];
                }
            }
            Err(why) => {
                state.run.is_over = true;
                if !why.is::<Over>() {
                    state.run.failure = Some(why);
                }
            }
        }
        self.turn.notify_all();
    }

    /// Runs the threads to their ends, once. `keep` is told what each word holds then.
    pub fn run(self: &Arc<Checker>, threads: Vec<Box<dyn FnOnce() + Send + '_>>, mut keep: impl FnMut(usize, u64)) {
        {
            let mut state = self.state();
            let state = &mut *state;
            state.run.threads.resize_with(threads.len(), Thread::default);
            state.run.running = state.choose(threads.len(), FREE);
        }
        std::thread::scope(|scope| {
            for (number, work) in threads.into_iter().enumerate() {
                scope.spawn(move || self.take_part(number, work));
            }
        });
        let mut state = self.state();
        if let Some(why) = state.run.failure.take() {
            drop(state);
            resume_unwind(why);
        }
        for (address, word) in &state.numbers {
            if let Some(store) = state.run.words.get(*word).and_then(|stores| stores.last()) {
                keep(*address, store.value);
            }
        }
    }
}

impl State {
    fn others(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        // Those behind come first, so that threads that rest take turns.
        let count = self.run.threads.len();
        (1..count).map(move |step| (thread + step) % count).filter(|other| !self.run.threads[*other].has_ended)
    }
}

/// Result of an exploration.
pub(crate) struct Explored {
    pub runs: u64,
    /// All ways within the bounds were gone.
    pub is_complete: bool,
    pub met: BTreeSet<Strength>,
}

/// Calls `model` once for each interleaving of its threads. `model` creates the threads' memory each time, calls
/// `Checker::run` once, and fails by panicking.
pub(crate) fn explore(
    bounds: Bounds,
    without: Option<Strength>,
    goes_on: impl Fn() -> bool,
    model: impl Fn(&Arc<Checker>),
) -> Explored {
    let state = State {
        bounds,
        numbers: HashMap::new(),
        sharing: Vec::new(),
        has_learned: false,
        path: Vec::new(),
        run: Run::default(),
        trace: None,
        met: BTreeSet::new(),
        without,
    };
    let checker = Arc::new(Checker { state: Mutex::new(state), turn: Condvar::new() });
    let mut runs = 0;
    loop {
        runs += 1;
        if let Err(why) = catch_unwind(AssertUnwindSafe(|| model(&checker))) {
            if without.is_some() {
                resume_unwind(why);
            }
            // Once more, to tell how it came to that.
            checker.begin(Some(Vec::new()));
            let _ = catch_unwind(AssertUnwindSafe(|| model(&checker)));
            let trace = checker.state().trace.take().unwrap_or_default();
            let shown = trace.len().saturating_sub(if std::env::var_os("LEVERET_TRACE").is_some() { 2000 } else { 40 });
            println!("run {runs} fails; its last steps, by thread:\n{}", trace[shown..].join("\n"));
            resume_unwind(why);
        }
        let mut state = checker.state();
        let is_complete = if std::mem::take(&mut state.has_learned) {
            state.path.clear();
            false
        } else {
            !state.next_way()
        };
        if is_complete || !goes_on() {
            return Explored { runs, is_complete, met: std::mem::take(&mut state.met) };
        }
        drop(state);
        checker.begin(None);
    }
}

impl Checker {
    fn begin(&self, trace: Option<Vec<String>>) {
        let mut state = self.state();
        state.run = Run::default();
        state.trace = trace;
    }
}
