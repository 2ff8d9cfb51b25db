//! From requests to bytes.
use crate::code::Code;
use crate::pool::batch::{Batch, Operation, Request, Sent, ROW_END};
use crate::pool::options::Protocol;
use leveret_engine::Meta;
use leveret_protocol::binary::{self, BinaryCommand};
use leveret_protocol::text::{self, MetaRequest, StoreRequest, TextKey};
use leveret_protocol::{Limits, Parsed, StoreMode, WireKey, KEY_MAX};

/// Appends a request that is no get: rows of gets are `write_row`.
pub fn write(
    out: &mut Vec<u8>,
    protocol: Protocol,
    batch: &Batch,
    number: u32,
    request: &Request<'_>,
) -> Result<(), Code> {
    let is_quiet = batch.pending[number as usize].is_quiet;
    match protocol {
        Protocol::Text => write_text(out, request, is_quiet),
        Protocol::Binary => write_binary(out, request, is_quiet, batch.opaque(number)),
        Protocol::Meta => write_meta(out, request, is_quiet, batch.opaque(number)),
    }
}

/// A request as it was written as text, value and all. Gets are written from the batch.
pub fn from_text<'a>(pending: &Sent, key: &'a [u8], text: &'a [u8]) -> Request<'a> {
    let request = Request { exptime: pending.exptime, quiet: pending.is_quiet, ..Request::new(pending.operation, key) };
    match text::parse(text, &Limits { value_max: usize::MAX }) {
        Parsed::Request { request: text::TextCommand::Store { compare, flags, value, .. }, .. } => {
            let meta = Meta::default().with_flags(flags);
            Request { value, meta, number: compare.unwrap_or(0), ..request }
        }
        Parsed::Request { request: text::TextCommand::Count { delta, .. }, .. } => Request { number: delta, ..request },
        _ => request,
    }
}

/// Appends gets as one line, or as a row of quiet ones. True: the answer has a mark at its end.
pub fn write_row(out: &mut Vec<u8>, protocol: Protocol, batch: &Batch, row: &[u32]) -> bool {
    let Some(first) = row.first().map(|first| &batch.pending[*first as usize]) else { return false };
    let is_single = row.len() == 1;
    match protocol {
        Protocol::Text => {
            text::begin_keys(out, first.with_cas, first.new_exptime());
            for number in row {
                text::add_key(out, TextKey::again(batch.key(*number)));
            }
            text::end_keys(out);
        }
        Protocol::Binary => {
            for number in row {
                let pending = &batch.pending[*number as usize];
                let command =
                    BinaryCommand::Get { key: batch.key(*number), with_key: false, touch: pending.new_exptime() };
                let is_written = binary::BinaryRequest::new(command, !is_single, batch.opaque(*number)).write(out);
                debug_assert!(is_written, "keys are checked before");
            }
            if !is_single {
                let _ = binary::BinaryRequest::new(BinaryCommand::Noop, false, batch.opaque(ROW_END)).write(out);
            }
        }
        Protocol::Meta => {
            let mut room = [0; KEY_MAX];
            for number in row {
                let pending = &batch.pending[*number as usize];
                let Some(key) = WireKey::for_meta(batch.key(*number), &mut room) else { continue };
                let mut line =
                    MetaRequest::get(out, &key).flag(b'v').flag(b'f').number(b'O', u64::from(batch.opaque(*number)));
                if pending.with_cas {
                    line = line.flag(b'c');
                }
                if let Some(exptime) = pending.new_exptime() {
                    line = line.signed(b'T', exptime);
                }
                if !is_single {
                    line = line.flag(b'q');
                }
                line.end();
            }
            if !is_single {
                out.extend_from_slice(b"mn\r\n");
            }
        }
    }
    protocol == Protocol::Text || !is_single
}

fn verb(operation: Operation) -> StoreMode {
    match operation {
        Operation::Add => StoreMode::Add,
        Operation::Replace => StoreMode::Replace,
        Operation::Append => StoreMode::Append,
        Operation::Prepend => StoreMode::Prepend,
        _ => StoreMode::Set,
    }
}

fn write_text(out: &mut Vec<u8>, request: &Request<'_>, noreply: bool) -> Result<(), Code> {
    let key = || TextKey::new(request.key).ok_or(Code::BadKey);
    let Request { operation, value, meta: Meta { flags, .. }, exptime, number, .. } = *request;
    match operation {
        Operation::Delete => text::write_delete(out, key()?, noreply),
        // The text protocol cannot create a counter.
        Operation::Increment | Operation::Decrement if request.initial.is_some() => return Err(Code::NotSupported),
        Operation::Increment | Operation::Decrement => {
            text::write_count(out, key()?, number, operation == Operation::Decrement, noreply);
        }
        Operation::Touch => text::write_touch(out, key()?, exptime, noreply),
        Operation::Flush => text::write_flush_all(out, (exptime != 0).then_some(exptime), noreply),
        Operation::Version => out.extend_from_slice(b"version\r\n"),
        Operation::Keys => out.extend_from_slice(b"lru_crawler metadump all\r\n"),
        Operation::Stats if text::write_stats(out, request.key) => {}
        Operation::Stats => return Err(Code::BadKey),
        _ => {
            let compare = (operation == Operation::Cas).then_some(number);
            text::write_store(
                out,
                &StoreRequest { verb: verb(operation), compare, key: key()?, flags, exptime, value, noreply },
            );
        }
    }
    Ok(())
}

fn write_binary(out: &mut Vec<u8>, request: &Request<'_>, quiet: bool, opaque: u32) -> Result<(), Code> {
    let Request { operation, key, value, meta: Meta { flags, .. }, exptime, number, .. } = *request;
    let command = match operation {
        Operation::Delete => BinaryCommand::Delete { key },
        Operation::Increment | Operation::Decrement => BinaryCommand::Count {
            key,
            is_decrement: operation == Operation::Decrement,
            delta: number,
            initial: request.initial.map(|initial| (initial, exptime)),
        },
        Operation::Touch => BinaryCommand::Touch { key, exptime },
        Operation::Flush => BinaryCommand::Flush { exptime: (exptime != 0).then_some(exptime) },
        Operation::Version => BinaryCommand::Version,
        Operation::Stats => BinaryCommand::Stat { subject: key },
        Operation::Keys => return Err(Code::NotSupported),
        // Replace compares the version: a set that is too large would remove the existing value.
        Operation::Cas if number != 0 => BinaryCommand::Store { verb: StoreMode::Replace, key, flags, exptime, value },
        _ => BinaryCommand::Store { verb: verb(operation), key, flags, exptime, value },
    };
    let cas = if matches!(operation, Operation::Cas | Operation::Delete) { number } else { 0 };
    let is_written = binary::BinaryRequest::new(command, quiet, opaque).with_cas(cas).write(out);
    is_written.then_some(()).ok_or(Code::BadKey)
}

fn write_meta(out: &mut Vec<u8>, request: &Request<'_>, quiet: bool, opaque: u32) -> Result<(), Code> {
    let Request { operation, value, meta: Meta { flags, .. }, exptime, number, .. } = *request;
    if operation.is_for_servers() {
        // These have no meta form.
        return write_text(out, request, quiet);
    }
    let mut room = [0; KEY_MAX];
    let key = WireKey::for_meta(request.key, &mut room).ok_or(Code::BadKey)?;
    let finish =
        |line: MetaRequest<'_>| (if quiet { line.flag(b'q') } else { line.number(b'O', u64::from(opaque)) }).end();
    match operation {
        Operation::Delete if number != 0 => finish(MetaRequest::delete(out, &key).number(b'C', number)),
        Operation::Delete => finish(MetaRequest::delete(out, &key)),
        Operation::Increment | Operation::Decrement => {
            let mut line = MetaRequest::count(out, &key).number(b'D', number).flag(b'v');
            if let Some(initial) = request.initial {
                line = line.number(b'J', initial).signed(b'N', exptime);
            }
            finish(if operation == Operation::Decrement { line.decrement() } else { line });
        }
        Operation::Touch => finish(MetaRequest::get(out, &key).signed(b'T', exptime)),
        _ => {
            let mut line = MetaRequest::store(out, &key, value.len()).verb(verb(operation));
            line = line.number(b'F', u64::from(flags)).signed(b'T', exptime);
            if operation == Operation::Cas {
                line = line.number(b'C', number);
            }
            if request.with_cas && !quiet {
                line = line.flag(b'c');
            }
            (if quiet { line.flag(b'q') } else { line.number(b'O', u64::from(opaque)) }).end_with(value);
        }
    }
    Ok(())
}
