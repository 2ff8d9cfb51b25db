//! Where a torture worker stores its own keys: an arena, or for the control group a private map, so that the same work
//! is measured with and without the engine.

use std::collections::HashMap;

use leveret_engine::{Arena, Counted, Deadline, Delta, Error, Meta, Mode, Stored, Time, Value};

use crate::oracle::Ledger;

/// The operations that own keys need.
pub trait KeyStore {
    /// The value, if it is there.
    fn get(&mut self, key: &[u8], now: Time) -> Option<Vec<u8>>;
    /// Stores it.
    fn set(&mut self, key: &[u8], value: &[u8], deadline: Deadline, now: Time) -> Result<(), Error>;
    /// Appends to it; false when it is not there.
    fn append(&mut self, key: &[u8], more: &[u8], now: Time) -> Result<bool, Error>;
    /// Deletes it; whether it was there.
    fn delete(&mut self, key: &[u8], now: Time) -> Result<bool, Error>;
    /// Prolongs it; false when it is not there.
    fn touch(&mut self, key: &[u8], deadline: Deadline, now: Time) -> Result<bool, Error>;
    /// Adds one, or creates it with `initial`.
    fn count(&mut self, key: &[u8], initial: u64, now: Time) -> Result<u64, Error>;
    /// Flushes that nothing written before may survive.
    fn flushes_done(&self, ledger: &Ledger) -> u64;
}

impl KeyStore for Arena {
    fn get(&mut self, key: &[u8], now: Time) -> Option<Vec<u8>> {
        Arena::get(self, key, now).map(|item| item.value)
    }

    fn set(&mut self, key: &[u8], value: &[u8], deadline: Deadline, now: Time) -> Result<(), Error> {
        Arena::set(self, key, value, deadline, now)
    }

    fn append(&mut self, key: &[u8], more: &[u8], now: Time) -> Result<bool, Error> {
        let stored = self.store(key, Value::Bytes(more), Meta::default(), Deadline::NEVER, Mode::Append, now)?;
        Ok(matches!(stored, Stored::Stored { .. }))
    }

    fn delete(&mut self, key: &[u8], now: Time) -> Result<bool, Error> {
        Arena::delete(self, key, now)
    }

    fn touch(&mut self, key: &[u8], deadline: Deadline, now: Time) -> Result<bool, Error> {
        Arena::touch(self, key, deadline, now)
    }

    fn count(&mut self, key: &[u8], initial: u64, now: Time) -> Result<u64, Error> {
        match Arena::count(self, key, Delta::Increment(1), Some((initial, Deadline::NEVER)), now)? {
            Counted::Value(value) => Ok(value),
            // An own counter is only ever counted, so any other answer is wrong; no counter ever reaches this value.
            Counted::Missing | Counted::NotNumber => Ok(u64::MAX),
        }
    }

    fn flushes_done(&self, ledger: &Ledger) -> u64 {
        ledger.flushes_done()
    }
}

/// The control group's store.
#[derive(Debug, Default)]
pub struct Private {
    items: HashMap<Vec<u8>, (Vec<u8>, Deadline)>,
}

impl Private {
    fn alive(&mut self, key: &[u8], now: Time) -> Option<&mut (Vec<u8>, Deadline)> {
        self.items.get_mut(key).filter(|(_, deadline)| !deadline.is_past(now))
    }
}

impl KeyStore for Private {
    fn get(&mut self, key: &[u8], now: Time) -> Option<Vec<u8>> {
        self.alive(key, now).map(|(value, _)| value.clone())
    }

    fn set(&mut self, key: &[u8], value: &[u8], deadline: Deadline, _now: Time) -> Result<(), Error> {
        self.items.insert(key.to_vec(), (value.to_vec(), deadline));
        Ok(())
    }

    fn append(&mut self, key: &[u8], more: &[u8], now: Time) -> Result<bool, Error> {
        Ok(self.alive(key, now).map(|(value, _)| value.extend_from_slice(more)).is_some())
    }

    fn delete(&mut self, key: &[u8], _now: Time) -> Result<bool, Error> {
        Ok(self.items.remove(key).is_some())
    }

    fn touch(&mut self, key: &[u8], deadline: Deadline, now: Time) -> Result<bool, Error> {
        Ok(self.alive(key, now).map(|item| item.1 = deadline).is_some())
    }

    fn count(&mut self, key: &[u8], initial: u64, now: Time) -> Result<u64, Error> {
        let known = self
            .alive(key, now)
            .map(|(value, _)| String::from_utf8_lossy(value).parse::<u64>().unwrap_or(u64::MAX - 1));
        let value = known.map_or(initial, |value| value + 1);
        self.items.insert(key.to_vec(), (value.to_string().into_bytes(), Deadline::NEVER));
        Ok(value)
    }
    /// Private memory is never flushed.
    fn flushes_done(&self, _ledger: &Ledger) -> u64 {
        0
    }
}
