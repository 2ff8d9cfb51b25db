//! libCacheSim's `oracleGeneral`: records of 24 bytes, little-endian, `{u32 seconds, u64 id, u32 size, i64 next}`. The
//! last field, the id's next request, is not used here.

use super::{Builder, TraceError, TraceOp, TraceRequest};
use std::io::{BufRead, ErrorKind};

const RECORD: usize = 24;

pub(super) fn read(
    mut source: impl BufRead,
    builder: &mut Builder,
    progress: &mut dyn FnMut(u64),
) -> Result<(), TraceError> {
    let mut number = 0u64;
    while !builder.is_full() {
        number += 1;
        let mut record = [0; RECORD];
        let mut filled = 0;
        while filled < RECORD {
            match source.read(&mut record[filled..]) {
                Ok(0) if filled == 0 => return Ok(()),
                Ok(0) => return Err(TraceError(format!("record {number} is cut off: {filled} of {RECORD} bytes"))),
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(TraceError(format!("record {number} cannot be read: {error}"))),
            }
        }
        let word = |at: usize| u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
        let at_secs = builder.moment(u64::from(word(0)));
        let key = builder.key(&record[4..12]);
        // The size is that of key and value; an id says nothing of its key's length but that it has 8 bytes itself.
        let value_len = word(12).saturating_sub(8);
        builder.push(TraceRequest { at_secs, key, value_len, ttl_secs: 0, key_len: 8, op: TraceOp::Get });
        if number % 65_536 == 0 {
            progress(number);
        }
    }
    Ok(())
}
