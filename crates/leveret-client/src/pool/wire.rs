//! Between requests and bytes: writes requests in the protocol of the pool, and finds out to which request an answer belongs. An
//! answer that fits no request that awaits one breaks the connection; it is never given to another.
use super::request::{Operation, Pending, Record, Request};
use super::server::{Server, ROW_END};
use super::{Code, Options, Protocol};
use leveret_engine::Meta;
use leveret_protocol::binary::{self, Command};
use leveret_protocol::text::{self, MetaCode, MetaRequest, Store, TextKey};
use leveret_protocol::{Limits, Received, Verb, WireKey, KEY_MAX};
use std::ops::Range;

/// The batch's requests, and the bytes of their keys.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub pending: Vec<Pending>,
    pub keys: Vec<u8>,
    pub records: Vec<Record>,
    /// Number of the first request on the wire, so that a late answer to another batch is known as one.
    pub opaque_base: u32,
}

impl Batch {
    fn key(&self, request: u32) -> &[u8] {
        &self.keys[self.pending[request as usize].key.clone()]
    }

    fn opaque(&self, request: u32) -> u32 {
        self.opaque_base.wrapping_add(request)
    }

    /// One answer to `request`, and there may be more.
    pub fn record(&mut self, request: u32, code: Code) -> &mut Record {
        let server = self.pending[request as usize].server;
        let record = Record { request, code, server, name: 0..0, value: 0..0, meta: Meta::default(), cas: 0, number: 0 };
        self.records.push(record);
        self.records.last_mut().expect("pushed above")
    }

    /// The answer to `request`.
    pub fn finish(&mut self, request: u32, code: Code) -> &mut Record {
        self.pending[request as usize].is_waiting = false;
        self.record(request, code)
    }

    /// A get has no answer: that is a miss, of which only the only request of a batch is told.
    pub fn miss(&mut self, request: u32) {
        if self.pending.len() == 1 {
            self.finish(request, Code::NotFound);
        } else {
            self.pending[request as usize].is_waiting = false;
        }
    }
}

impl Batch {
    /// The miss of a get that is not the only request.
    pub fn is_silent_miss(&self, record: &Record) -> bool {
        record.code == Code::NotFound && self.pending.len() > 1 && self.pending[record.request as usize].operation.is_get()
    }
}

/// The answers cannot be understood any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Garbled;

/// Appends a request to the server's output; gets wait in its row until `end_row`.
pub(super) fn write(server: &mut Server, batch: &Batch, number: u32, request: &Request<'_>, options: &Options) -> Result<(), Code> {
    let is_quiet = batch.pending[number as usize].is_quiet;
    if request.operation.is_get() {
        let row = batch.pending.get(server.row.first().map_or(usize::MAX, |first| *first as usize));
        if row.is_some_and(|first| !is_one_row(options.protocol, first, &batch.pending[number as usize])) {
            end_row(server, batch, options);
        }
        server.row.push(number);
        return Ok(());
    }
    end_row(server, batch, options);
    match options.protocol {
        Protocol::Text => write_text(&mut server.output, request, is_quiet)?,
        Protocol::Binary => write_binary(&mut server.output, request, is_quiet, batch.opaque(number))?,
        Protocol::Meta => write_meta(&mut server.output, request, is_quiet, batch.opaque(number))?,
    }
    if !is_quiet {
        server.expected.push_back(number);
    }
    Ok(())
}

fn is_one_row(protocol: Protocol, first: &Pending, other: &Pending) -> bool {
    protocol != Protocol::Text || (first.operation, first.exptime, first.with_cas) == (other.operation, other.exptime, other.with_cas)
}

/// Writes the gets that wait, as one line or as a row of quiet ones with a mark at its end.
pub(super) fn end_row(server: &mut Server, batch: &Batch, options: &Options) {
    let Some(first) = server.row.first().map(|first| &batch.pending[*first as usize]) else { return };
    let out = &mut server.output;
    let touch = |pending: &Pending| (pending.operation == Operation::GetAndTouch).then_some(pending.exptime);
    let is_single = server.row.len() == 1;
    match options.protocol {
        Protocol::Text => {
            text::begin_keys(out, first.with_cas, touch(first));
            for key in server.row.iter().filter_map(|number| TextKey::new(batch.key(*number))) {
                text::add_key(out, key);
            }
            text::end_keys(out);
        }
        Protocol::Binary => {
            for number in &server.row {
                let pending = &batch.pending[*number as usize];
                let command = Command::Get { key: batch.key(*number), with_key: false, touch: touch(pending) };
                let is_written = binary::Request::new(command, !is_single, batch.opaque(*number)).write(out);
                debug_assert!(is_written, "keys are checked before");
            }
            if !is_single {
                let _ = binary::Request::new(Command::Noop, false, batch.opaque(ROW_END)).write(out);
            }
        }
        Protocol::Meta => {
            let mut room = [0; KEY_MAX];
            for number in &server.row {
                let pending = &batch.pending[*number as usize];
                let Some(key) = WireKey::for_meta(batch.key(*number), &mut room) else { continue };
                let mut line = MetaRequest::get(out, &key).flag(b'v').flag(b'f').number(b'O', u64::from(batch.opaque(*number)));
                if pending.with_cas {
                    line = line.flag(b'c');
                }
                if let Some(exptime) = touch(pending) {
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
    server.expected.extend(server.row.drain(..));
    if options.protocol == Protocol::Text || !is_single {
        server.expected.push_back(ROW_END);
    }
}

fn verb(operation: Operation) -> Verb {
    match operation {
        Operation::Add => Verb::Add,
        Operation::Replace => Verb::Replace,
        Operation::Append => Verb::Append,
        Operation::Prepend => Verb::Prepend,
        _ => Verb::Set,
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
            text::write_store(out, &Store { verb: verb(operation), compare, key: key()?, flags, exptime, value, noreply });
        }
    }
    Ok(())
}

fn write_binary(out: &mut Vec<u8>, request: &Request<'_>, quiet: bool, opaque: u32) -> Result<(), Code> {
    let Request { operation, key, value, meta: Meta { flags, .. }, exptime, number, .. } = *request;
    let command = match operation {
        Operation::Delete => Command::Delete { key },
        Operation::Increment | Operation::Decrement => Command::Count {
            key,
            is_decrement: operation == Operation::Decrement,
            delta: number,
            initial: request.initial.map(|initial| (initial, exptime)),
        },
        Operation::Touch => Command::Touch { key, exptime },
        Operation::Flush => Command::Flush { exptime: (exptime != 0).then_some(exptime) },
        Operation::Version => Command::Version,
        Operation::Stats => Command::Stat { subject: key },
        Operation::Keys => return Err(Code::NotSupported),
        _ => Command::Store { verb: verb(operation), key, flags, exptime, value },
    };
    let cas = if operation == Operation::Cas { number } else { 0 };
    let is_written = binary::Request::new(command, quiet, opaque).with_cas(cas).write(out);
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
    let finish = |line: MetaRequest<'_>| (if quiet { line.flag(b'q') } else { line.number(b'O', u64::from(opaque)) }).end();
    match operation {
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
            (if quiet { line.flag(b'q') } else { line.number(b'O', u64::from(opaque)) }).end_with(value);
        }
    }
    Ok(())
}

/// Takes the answers that are whole out of the server's input. True = at least one.
pub(super) fn read(server: &mut Server, batch: &mut Batch, options: &Options) -> Result<bool, Garbled> {
    let mut has_read = false;
    let limits = Limits { value_max: options.value_max };
    while server.input.filled > server.input.parsed && server.input.filled >= server.input.wanted {
        let input = &server.input.bytes[server.input.parsed..server.input.filled];
        let begin = server.input.parsed;
        let place = |part: &[u8]| {
            // What is empty may lie anywhere.
            if part.is_empty() {
                return 0..0;
            }
            let offset = part.as_ptr() as usize - input.as_ptr() as usize;
            begin + offset..begin + offset + part.len()
        };
        let expected = &mut server.expected;
        let taken = match options.protocol {
            Protocol::Binary => match binary::parse_answer(input, &limits) {
                Received::Answer { answer, consumed } => accept_binary(&answer, expected, batch, place).map(|()| consumed),
                Received::More { total } => Err(Some(total)),
                Received::Broken(_) => Err(None),
            },
            Protocol::Text | Protocol::Meta => match text::parse_answer(input, &limits) {
                Received::Answer { answer, consumed } => accept_text(&answer, expected, batch, place).map(|()| consumed),
                Received::More { total } => Err(Some(total)),
                Received::Broken(_) => Err(None),
            },
        };
        match taken {
            Ok(consumed) => {
                server.input.parsed += consumed;
                server.input.wanted = 0;
                has_read = true;
                unescape(batch, &mut server.input.bytes);
            }
            Err(Some(total)) => {
                server.input.wanted = begin + total;
                break;
            }
            Err(None) => return Err(Garbled),
        }
    }
    Ok(has_read)
}

/// Servers list keys in the escapes of URLs. The plain key is not longer, so it takes the place of the escaped one.
fn unescape(batch: &mut Batch, input: &mut [u8]) {
    let Some(record) = batch.records.last_mut().filter(|record| record.code == Code::Stat) else { return };
    if batch.pending[record.request as usize].operation != Operation::Keys {
        return;
    }
    let (mut from, mut to) = (record.name.start, record.name.start);
    while from < record.name.end {
        let digits = input.get(from + 1..from + 3).filter(|_| input[from] == b'%');
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        input[to] = byte.unwrap_or(input[from]);
        from += if byte.is_some() { 3 } else { 1 };
        to += 1;
    }
    record.name.end = to;
}

type Expected = std::collections::VecDeque<u32>;
/// Either the answer was accepted, or there is more to come, or nothing fits.
type Accepted = Result<(), Option<usize>>;

fn accept_text(answer: &text::Answer<'_>, expected: &mut Expected, batch: &mut Batch, place: impl Fn(&[u8]) -> Range<usize>) -> Accepted {
    use text::Answer as Says;
    if let Says::Meta(answer) = answer {
        return accept_meta(answer, expected, batch, place);
    }
    if let Says::Value { key, flags, value, cas } = answer {
        let row = expected.iter().take_while(|number| **number != ROW_END && batch.pending[**number as usize].operation.is_get());
        // A key that was not asked for is garbage.
        let before = row.into_iter().position(|number| batch.key(*number) == *key).ok_or(None)?;
        let number = skip(before, expected, batch).ok_or(None)?;
        let value = place(value);
        let record = batch.finish(number, Code::Success);
        (record.meta.flags, record.cas, record.value) = (*flags, cas.unwrap_or(0), value);
        return Ok(());
    }
    let front = expected.front().copied().ok_or(None)?;
    let is_row = front == ROW_END || batch.pending[front as usize].operation.is_get();
    if is_row {
        let (code, text) = match answer {
            Says::End => (None, b"".as_slice()),
            Says::Error(text) => (Some(Code::ProtocolError), *text),
            Says::ClientError(text) => (Some(Code::ClientError), *text),
            Says::ServerError(text) => (Some(Code::ServerError), *text),
            _ => return Err(None),
        };
        while let Some(number) = expected.pop_front().filter(|number| *number != ROW_END) {
            match code {
                None => batch.miss(number),
                Some(code) => batch.finish(number, code).value = place(text),
            }
        }
        return Ok(());
    }
    let operation = batch.pending[front as usize].operation;
    let (code, text) = match answer {
        Says::Stat { name, value } if operation == Operation::Stats => {
            let record = batch.record(front, Code::Stat);
            (record.name, record.value) = (place(name), place(value));
            return Ok(());
        }
        Says::Line(line) if operation == Operation::Keys => match line.strip_prefix(b"key=") {
            Some(rest) => {
                let len = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
                batch.record(front, Code::Stat).name = place(&rest[..len]);
                return Ok(());
            }
            // Another one walks at this moment.
            None => (Code::ServerError, *line),
        },
        Says::End if operation == Operation::Keys => (Code::End, b"".as_slice()),
        Says::End | Says::Reset | Says::Ok if operation == Operation::Stats => (Code::End, b"".as_slice()),
        Says::Stored if operation.is_store() => (Code::Success, b"".as_slice()),
        Says::NotStored if operation.is_store() => (Code::NotStored, b"".as_slice()),
        Says::Exists if operation == Operation::Cas => (Code::DataExists, b"".as_slice()),
        Says::NotFound => (Code::NotFound, b"".as_slice()),
        Says::Deleted if operation == Operation::Delete => (Code::Success, b"".as_slice()),
        Says::Touched if operation == Operation::Touch => (Code::Success, b"".as_slice()),
        Says::Ok if operation == Operation::Flush => (Code::Success, b"".as_slice()),
        Says::Version(text) if operation == Operation::Version => (Code::Success, *text),
        Says::Number(number) if matches!(operation, Operation::Increment | Operation::Decrement) => {
            expected.pop_front();
            batch.finish(front, Code::Success).number = *number;
            return Ok(());
        }
        Says::Error(text) => (Code::ProtocolError, *text),
        Says::ClientError(text) => (Code::ClientError, *text),
        Says::ServerError(text) => (server_error(text), *text),
        _ => return Err(None),
    };
    expected.pop_front();
    batch.finish(front, code).value = place(text);
    // Old servers take the data block of a store that they refuse for commands: what they say from here on is no answer to us.
    if operation.is_store() && matches!(code, Code::ClientError | Code::ProtocolError) {
        return Err(None);
    }
    Ok(())
}

fn server_error(text: &[u8]) -> Code {
    match text {
        b"object too large for cache" => Code::TooBig,
        _ if text.starts_with(b"out of memory") => Code::ServerMemoryAllocationFailure,
        _ => Code::ServerError,
    }
}

/// Takes the request with this number off the queue; quiet gets before it are misses.
fn reach(wanted: u32, expected: &mut Expected, batch: &mut Batch) -> Accepted {
    let before = expected.iter().position(|number| *number == wanted).ok_or(None)?;
    let is_gets = |number: &u32| *number != ROW_END && batch.pending[*number as usize].operation.is_get();
    // Nothing is a miss unless the whole answer fits.
    if !expected.iter().take(before).all(is_gets) {
        return Err(None);
    }
    skip(before, expected, batch);
    Ok(())
}

/// So many gets at the front are misses; the one behind them is taken off the queue.
fn skip(misses: usize, expected: &mut Expected, batch: &mut Batch) -> Option<u32> {
    for number in expected.drain(..misses) {
        batch.miss(number);
    }
    expected.pop_front()
}

/// An answer to a quiet request, or to one of an earlier batch: nobody waits for it.
fn is_idle(number: u32, batch: &Batch) -> bool {
    match batch.pending.get(number as usize) {
        Some(pending) => pending.is_quiet,
        // Half the numbers lie before this batch.
        None => number != ROW_END && number > u32::MAX / 2,
    }
}

fn accept_meta(
    answer: &text::MetaAnswer<'_>,
    expected: &mut Expected,
    batch: &mut Batch,
    place: impl Fn(&[u8]) -> Range<usize>,
) -> Accepted {
    if answer.code == MetaCode::Noop {
        return reach(ROW_END, expected, batch);
    }
    // Quiet requests have no number: what they say is not awaited.
    let Some(opaque) = answer.opaque else { return Ok(()) };
    let opaque = std::str::from_utf8(opaque).ok().and_then(|text| text.parse::<u32>().ok()).ok_or(None)?;
    let number = opaque.wrapping_sub(batch.opaque_base);
    if is_idle(number, batch) {
        return Ok(());
    }
    reach(number, expected, batch)?;
    let operation = batch.pending[number as usize].operation;
    let code = match answer.code {
        MetaCode::Done | MetaCode::Value => Code::Success,
        MetaCode::Miss if operation.is_get() => {
            batch.miss(number);
            return Ok(());
        }
        MetaCode::Miss | MetaCode::NotFound => Code::NotFound,
        MetaCode::NotStored => Code::NotStored,
        MetaCode::Exists => Code::DataExists,
        MetaCode::Noop => return Err(None),
    };
    let is_count = matches!(operation, Operation::Increment | Operation::Decrement);
    let counted = answer.value.filter(|_| is_count).map(|value| value.trim_ascii_end());
    let counted = match counted {
        Some(digits) => std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or(None)?,
        None => 0,
    };
    let value = place(answer.value.unwrap_or(b""));
    let record = batch.finish(number, code);
    record.meta.flags = answer.facts.flags.unwrap_or(0);
    record.cas = answer.facts.cas.unwrap_or(0);
    (record.value, record.number) = (value, counted);
    Ok(())
}

fn accept_binary(
    answer: &binary::Answer<'_>,
    expected: &mut Expected,
    batch: &mut Batch,
    place: impl Fn(&[u8]) -> Range<usize>,
) -> Accepted {
    use binary::Status;
    let number = answer.opaque.wrapping_sub(batch.opaque_base);
    if is_idle(number, batch) {
        return Ok(());
    }
    let operation = batch.pending.get(number as usize).map(|pending| pending.operation);
    let Some(operation) = operation else { return reach(number, expected, batch) };
    // Any number of answers, then one without a name.
    if operation == Operation::Stats && answer.status == 0 && !answer.key.is_empty() && expected.front() == Some(&number) {
        let record = batch.record(number, Code::Stat);
        (record.name, record.value) = (place(answer.key), place(answer.value));
        return Ok(());
    }
    reach(number, expected, batch)?;
    let code = match answer.status() {
        Some(Status::Success) if operation == Operation::Stats => Code::End,
        Some(Status::Success) => Code::Success,
        Some(Status::KeyNotFound) if operation.is_get() => {
            batch.miss(number);
            return Ok(());
        }
        // As the text protocol says it.
        Some(Status::KeyNotFound) if operation == Operation::Replace => Code::NotStored,
        Some(Status::KeyExists) if operation == Operation::Add => Code::NotStored,
        Some(Status::KeyNotFound) => Code::NotFound,
        Some(Status::KeyExists) => Code::DataExists,
        Some(Status::TooLarge) => Code::TooBig,
        Some(Status::NotStored) => Code::NotStored,
        Some(Status::InvalidArguments | Status::NotNumber) => Code::ClientError,
        Some(Status::OutOfMemory) => Code::ServerMemoryAllocationFailure,
        Some(Status::UnknownCommand) => Code::ProtocolError,
        _ => Code::ServerError,
    };
    let is_count = matches!(operation, Operation::Increment | Operation::Decrement);
    let counted = if is_count && code == Code::Success { answer.number().ok_or(None)? } else { 0 };
    let value = place(answer.value);
    let record = batch.finish(number, code);
    record.meta.flags = answer.flags().unwrap_or(0);
    (record.cas, record.value, record.number) = (answer.cas, value, counted);
    Ok(())
}
