//! Whether a server is worth a try: libmemcached's rules of retry, failure limit and ejection.
use super::Options;
use crate::code::Code;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Health {
    failures: u32,
    timeouts: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Good,
    /// Not before this moment.
    Resting(Instant),
    /// Out of the ring; until this moment, or for good.
    Ejected(Option<Instant>),
}

impl Health {
    pub fn is_good(&self) -> bool {
        self.state == State::Good
    }

    /// It is good, and has not failed since it was.
    pub fn is_fresh(&self) -> bool {
        self.is_good() && self.failures == 0 && self.timeouts == 0
    }

    pub fn is_ejected(&self) -> bool {
        matches!(self.state, State::Ejected(_))
    }

    /// A failure. True: the ring must be rebuilt.
    pub fn failed(&mut self, now: Instant, options: &Options, retry_timeout: Duration) -> bool {
        self.failures += 1;
        let is_over = options.failure_limit != 0 && self.failures >= options.failure_limit;
        if is_over && options.auto_eject {
            self.state = State::Ejected((!options.dead_timeout.is_zero()).then(|| now + options.dead_timeout));
            // Back in the ring, one more failure is enough.
            self.failures = options.failure_limit.saturating_sub(1);
        } else if !retry_timeout.is_zero() {
            self.state = State::Resting(now + retry_timeout);
        }
        self.is_ejected()
    }

    /// It did not answer in time. True if that is a failure by now.
    pub fn timed_out(&mut self, options: &Options) -> bool {
        self.timeouts += 1;
        options.timeout_limit != 0 && self.timeouts >= options.timeout_limit
    }

    /// As after a failure: backs off for `rest`.
    pub fn take_down(&mut self, now: Instant, rest: Duration) {
        self.state = State::Resting(now + rest);
    }

    pub fn succeeded(&mut self) {
        *self = Health::default();
    }

    /// Advances the time. True: the ring must be rebuilt.
    pub fn wake(&mut self, now: Instant) -> bool {
        match self.state {
            State::Resting(until) if until <= now => {
                self.state = State::Good;
                false
            }
            State::Ejected(Some(until)) if until <= now => {
                self.state = State::Good;
                true
            }
            _ => false,
        }
    }

    /// Ends the back-off on request: the next request tries the server, unless it was ejected for good. Failures still
    /// count. True: the ring must be rebuilt.
    pub fn end_rest(&mut self) -> bool {
        let is_back = matches!(self.state, State::Ejected(Some(_)));
        if self.state != State::Ejected(None) {
            self.state = State::Good;
        }
        is_back
    }

    /// The result of a request to this server without sending it.
    pub fn refusal(&self) -> Option<Code> {
        match self.state {
            State::Good => None,
            State::Resting(_) => Some(Code::ServerTemporarilyDisabled),
            State::Ejected(_) => Some(Code::ServerMarkedDead),
        }
    }
}
