//! The link to Redis, beside a real server and beside ones that lie.
mod direct;
mod fake;
mod faults;
mod real;

use leveret_client::pool::TlsOptions;
use leveret_client::redis::{RedisKind, RedisLink, RedisServer, RedisTuning};
use std::time::Duration;

/// A reply as the tests compare it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Status(String),
    Error(String),
    Integer(i64),
    Text(Vec<u8>),
    Nil,
    Many(Vec<Reply>),
}

pub(crate) fn server(host: &str, port: u16) -> RedisServer {
    RedisServer {
        host: host.to_owned(),
        port,
        is_persistent: false,
        persistent_id: Vec::new(),
        tls: TlsOptions::default(),
        kept_max: 0,
        has_short_cut: false,
        dir: None,
    }
}

pub(crate) fn patient(ms: u64) -> RedisTuning {
    RedisTuning { read_timeout: Some(Duration::from_millis(ms)), ..RedisTuning::default() }
}

pub(crate) fn link(port: u16) -> RedisLink {
    let mut redis = RedisLink::default();
    redis.set_server(server("127.0.0.1", port), None, 0);
    redis.set_tuning(patient(5000));
    redis
}

pub(crate) fn queue(redis: &mut RedisLink, words: &[&[u8]]) -> Result<(), String> {
    redis.request(&|index| words[index], words.len(), false).map_err(|failure| text(&failure.text))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads one reply.
pub(crate) fn read(redis: &mut RedisLink, turn: u64) -> Result<Reply, String> {
    let told = redis.next(turn).map_err(|failure| text(&failure.text))?;
    let (kind, number, len) = (told.kind, told.number, told.len);
    let found = told.text.map(<[u8]>::to_vec);
    Ok(match kind {
        RedisKind::Status => Reply::Status(text(&found.unwrap())),
        RedisKind::Error => Reply::Error(text(&found.unwrap())),
        RedisKind::Integer | RedisKind::Boolean => Reply::Integer(number),
        RedisKind::Nil | RedisKind::NilArray => Reply::Nil,
        RedisKind::Bulk | RedisKind::Verbatim | RedisKind::Double | RedisKind::BigNumber => match found {
            Some(found) => Reply::Text(found),
            None => {
                let mut room = vec![0; len];
                redis.copy(turn, &mut room).map_err(|failure| text(&failure.text))?;
                Reply::Text(room)
            }
        },
        RedisKind::Array | RedisKind::Map | RedisKind::Set | RedisKind::Push => {
            let mut all = Vec::new();
            for _ in 0..number {
                all.push(read(redis, turn)?);
            }
            Reply::Many(all)
        }
    })
}

pub(crate) fn call(redis: &mut RedisLink, words: &[&[u8]]) -> Result<Reply, String> {
    queue(redis, words)?;
    let turn = redis.flush().map_err(|failure| text(&failure.text))?;
    read(redis, turn)
}

pub(crate) fn say(redis: &mut RedisLink, line: &str) -> Result<Reply, String> {
    call(redis, &line.split(' ').map(str::as_bytes).collect::<Vec<_>>())
}

pub(crate) fn ok() -> Result<Reply, String> {
    Ok(Reply::Status("OK".to_owned()))
}
