//! Lists of keys, newest first, linked through one table: a key is in one list at most.

const NONE: u32 = u32::MAX;

/// The links of all keys.
#[derive(Debug, Default)]
pub(super) struct Links(Vec<(u32, u32)>);

/// One list.
#[derive(Debug)]
pub(super) struct List {
    newest: u32,
    oldest: u32,
}

impl List {
    pub fn new() -> List {
        List { newest: NONE, oldest: NONE }
    }

    pub fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// Adds a key that is in no list.
    pub fn push(&mut self, links: &mut Links, key: u32) {
        if links.0.len() <= key as usize {
            links.0.resize(key as usize + 1, (NONE, NONE));
        }
        links.0[key as usize] = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = key,
            newest => links.0[newest as usize].0 = key,
        }
        self.newest = key;
    }

    /// Takes a key out that is in this list.
    pub fn remove(&mut self, links: &mut Links, key: u32) {
        let (newer, older) = links.0[key as usize];
        match newer {
            NONE => self.newest = older,
            newer => links.0[newer as usize].1 = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => links.0[older as usize].0 = newer,
        }
    }
}
