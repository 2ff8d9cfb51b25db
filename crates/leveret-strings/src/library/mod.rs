//! The scripts of a server: those that clients have sent, by their SHA1.
mod known;
mod sha1;

pub use known::known;
pub use sha1::sha1;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// How many are kept.
const KEPT: usize = 1024;

/// The scripts that clients have sent, shared by all connections. The oldest ones are forgotten.
#[derive(Debug, Default)]
pub struct Scripts {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    texts: HashMap<[u8; 40], Arc<[u8]>>,
    order: VecDeque<[u8; 40]>,
}

impl Scripts {
    /// With the built-in scripts only.
    pub fn new() -> Scripts {
        Scripts::default()
    }

    /// Keeps a text, and tells its digest.
    pub fn keep(&self, text: &[u8]) -> [u8; 40] {
        let digest = sha1(text);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.texts.contains_key(&digest) {
            if kept.order.len() == KEPT {
                let oldest = kept.order.pop_front();
                oldest.and_then(|oldest| kept.texts.remove(&oldest));
            }
            kept.order.push_back(digest);
            kept.texts.insert(digest, text.into());
        }
        digest
    }

    /// The text of a digest.
    pub fn find(&self, digest: &[u8]) -> Option<Arc<[u8]>> {
        let key: [u8; 40] = digest.to_ascii_lowercase().try_into().ok()?;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.texts.get(&key).cloned()
    }

    /// Removes loaded scripts.
    pub fn flush(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }
}
