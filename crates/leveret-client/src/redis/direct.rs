//! The short cut: what a `leveret serve` of this host would do in its arena is done there.
use super::target::RedisCredentials;
use super::Redis;
use leveret_engine::Arena;

/// What a server tells of its nonce.
pub(super) fn nonce_of(told: Option<&[u8]>) -> String {
    let text = String::from_utf8_lossy(told.unwrap_or_default());
    text.lines().find_map(|line| line.strip_prefix("leveret_nonce:")).unwrap_or_default().to_owned()
}

impl Redis {
    /// The arena in which the selected database may be read now.
    pub fn arena(&mut self) -> Option<&Arena> {
        None
    }

    pub(super) fn is_direct_request<'w>(&self, _word: &dyn Fn(usize) -> &'w [u8], _len: usize) -> bool {
        false
    }

    pub(super) fn run_directly(&mut self) -> bool {
        false
    }

    pub(super) fn answer_directly(&mut self, write: &mut dyn FnMut(&mut Vec<u8>)) {
        self.is_direct = true;
        self.input.replace(write);
        self.queue.effects.clear();
        self.replies_sent += self.queue.len;
    }

    pub(super) fn is_let_in(&mut self, _credentials: Option<&RedisCredentials>) -> bool {
        false
    }

    pub(super) fn missing_proof(&mut self) -> bool {
        false
    }

    pub(super) fn note_proof(&mut self) {}
}
