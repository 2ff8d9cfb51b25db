//! A server's address, credentials and time-outs.
use crate::pool::options::TlsOptions;
use std::path::PathBuf;
use std::time::Duration;

/// A server and its credentials. Equal ones may share connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisServer {
    /// A name, an address or a path, with `tcp://`, `tls://` or `unix://` before it or without.
    pub host: String,
    /// Of TCP.
    pub port: u16,
    /// The connection outlives the link, for the next one of this process.
    pub is_persistent: bool,
    /// Keeps connections of one purpose from others.
    pub persistent_id: Vec<u8>,
    /// For `tls://`.
    pub tls: TlsOptions,
    /// Connections that are kept for the next links; 0: as many as there is room for.
    pub kept_max: usize,
    /// If it is a `leveret serve` of this host, its arenas are used in its place.
    pub has_short_cut: bool,
    /// The folder of named arenas; None: the usual one.
    pub dir: Option<PathBuf>,
}

impl RedisServer {
    /// As texts name it: `host:port`, or a path.
    pub(crate) fn name(&self) -> String {
        let host = self.host.strip_prefix("tcp://").unwrap_or(&self.host);
        match host.starts_with('/') || host.starts_with("unix://") {
            true => crate::link::names::path_of(host).to_owned(),
            false => format!("{host}:{}", self.port),
        }
    }
}

/// What AUTH says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisCredentials {
    /// None: the default one.
    pub user: Option<Vec<u8>>,
    /// Its password.
    pub password: Vec<u8>,
}

/// State of a connection at the server. A link has the wanted one and its socket's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RedisIdentity {
    pub credentials: Option<RedisCredentials>,
    pub database: u32,
    pub name: Vec<u8>,
}

/// How patient a link is. Time-outs that are None wait for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisTuning {
    /// For a connection to be made.
    pub connect_timeout: Option<Duration>,
    /// For each piece of a reply.
    pub read_timeout: Option<Duration>,
    /// Most reconnects after a lost connection.
    pub retries_max: u32,
    /// How long it waits before each of them.
    pub backoff: RedisBackoff,
    /// The kernel looks whether an idle server still lives.
    pub keep_alive: bool,
}

impl Default for RedisTuning {
    fn default() -> RedisTuning {
        RedisTuning {
            connect_timeout: None,
            read_timeout: None,
            retries_max: 10,
            backoff: RedisBackoff::default(),
            keep_alive: false,
        }
    }
}

/// Which waits follow each other; the numbers are those of phpredis' constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum BackoffRule {
    /// A random part of the base at first, then the base.
    #[default]
    Default = 0,
    /// A random time between the base and three times the last wait.
    DecorrelatedJitter,
    /// A random part of what doubles each time.
    FullJitter,
    /// Half of what doubles each time, and a random part of the other half.
    EqualJitter,
    /// What doubles each time.
    Exponential,
    /// A random part of the base.
    Uniform,
    /// The base.
    Constant,
}

/// The waits before a connection is tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedisBackoff {
    /// Which.
    pub rule: BackoffRule,
    /// What the first one is made of.
    pub base: Duration,
    /// No one is longer.
    pub cap: Duration,
}

impl RedisBackoff {
    /// The wait before a try, counted from 0. `last` is the one before it, `random` a number out of all.
    pub fn wait(&self, tried: u32, last: Duration, random: u64) -> Duration {
        let (base, cap) = (micros(self.base), micros(self.cap.max(self.base)));
        let last = micros(last).max(base);
        let doubled = base.saturating_mul(1_u64.checked_shl(tried.min(40)).unwrap_or(u64::MAX)).min(cap);
        let within = |low: u64, high: u64| low + if high > low { random % (high - low + 1) } else { 0 };
        let wait = match self.rule {
            BackoffRule::Default if tried == 0 => within(0, base),
            BackoffRule::Default | BackoffRule::Constant => base,
            BackoffRule::DecorrelatedJitter => within(base, last.saturating_mul(3)),
            BackoffRule::FullJitter => within(0, doubled),
            BackoffRule::EqualJitter => doubled / 2 + within(0, doubled / 2),
            BackoffRule::Exponential => doubled,
            BackoffRule::Uniform => within(0, base),
        };
        Duration::from_micros(wait.min(cap))
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wait_is_longer_than_the_cap_and_each_has_its_bounds() {
        let (base, cap) = (Duration::from_millis(100), Duration::from_millis(750));
        let ms = |wait: Duration| wait.as_micros() as f64 / 1000.0;
        for random in (0..1000).map(|number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            for tried in 0..70 {
                let of = |rule| ms(RedisBackoff { rule, base, cap }.wait(tried, Duration::from_millis(200), random));
                let doubled = (100.0 * 2_f64.powi(tried as i32)).min(750.0);
                assert!(if tried == 0 {
                    (0.0..=100.0).contains(&of(BackoffRule::Default))
                } else {
                    of(BackoffRule::Default) == 100.0
                });
                assert!((100.0..=600.0).contains(&of(BackoffRule::DecorrelatedJitter)));
                assert!((0.0..=doubled).contains(&of(BackoffRule::FullJitter)));
                assert!((doubled / 2.0..=doubled).contains(&of(BackoffRule::EqualJitter)));
                assert_eq!(of(BackoffRule::Exponential), doubled);
                assert!((0.0..=100.0).contains(&of(BackoffRule::Uniform)));
                assert_eq!(of(BackoffRule::Constant), 100.0);
            }
        }
        assert_eq!(RedisBackoff::default().wait(3, Duration::ZERO, 7), Duration::ZERO);
    }
}
