//! Whom `leveret top` looks at.
use crate::output::Failure;
use crate::peer::Peer;
use crate::redis::RedisPeer;
use crate::target::TargetArgs;

/// Who is looked at.
pub enum TopPeer {
    Plain(Peer),
    Redis(RedisPeer),
}

impl TopPeer {
    pub fn of(text: &str, target: &TargetArgs) -> Result<TopPeer, Failure> {
        match RedisPeer::of(text) {
            Some(peer) => Ok(TopPeer::Redis(peer?)),
            None => Ok(TopPeer::Plain(Peer::of(Some(text), target)?)),
        }
    }

    pub fn shown(&self) -> String {
        match self {
            TopPeer::Plain(peer) => peer.shown(),
            TopPeer::Redis(peer) => peer.shown().to_owned(),
        }
    }
}
