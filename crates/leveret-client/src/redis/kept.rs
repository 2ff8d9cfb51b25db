//! Connections that outlive their links, for the next links of this process.
use super::socket::RedisSocket;
use super::target::{RedisCredentials, RedisServer};
use crate::try_lock::unless_held;
use std::sync::Mutex;

/// All in all. A process uses one for each of its objects at a time.
const KEPT_MAX: usize = 1024;

struct KeptSocket {
    server: RedisServer,
    socket: RedisSocket,
}

static KEPT: Mutex<Vec<KeptSocket>> = Mutex::new(Vec::new());

impl KeptSocket {
    fn is_for(&self, server: &RedisServer, credentials: Option<&RedisCredentials>) -> bool {
        self.is_of(server) && self.socket.identity.credentials.as_ref() == credentials
    }

    fn is_of(&self, server: &RedisServer) -> bool {
        let (own, other) = (&self.server, server);
        own.host == other.host
            && own.port == other.port
            && own.persistent_id == other.persistent_id
            && own.tls == other.tls
    }
}

/// A living connection to this server that is signed in so, the last used first.
pub(crate) fn take(server: &RedisServer, credentials: Option<&RedisCredentials>) -> Option<RedisSocket> {
    loop {
        let mut kept = unless_held(&KEPT)?;
        let index = kept.iter().rposition(|kept| kept.is_for(server, credentials))?;
        let mut found = kept.remove(index).socket;
        drop(kept);
        // A connection of a parent process is closed here, and stays open there.
        if found.is_alive() {
            return Some(found);
        }
    }
}

/// Keeps a connection that is in order.
pub(crate) fn put(server: &RedisServer, socket: RedisSocket) {
    let Some(mut kept) = unless_held(&KEPT) else { return };
    if server.kept_max > 0 && kept.iter().filter(|kept| kept.is_of(server)).count() >= server.kept_max {
        return;
    }
    let oldest = (kept.len() >= KEPT_MAX).then(|| kept.remove(0));
    kept.push(KeptSocket { server: server.clone(), socket });
    drop(kept);
    drop(oldest);
}
