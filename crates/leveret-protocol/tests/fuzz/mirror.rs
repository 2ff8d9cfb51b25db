//! What is written is read back as it was meant.
use crate::chance::Chance;
use leveret_protocol::text::{self, Facts, MetaCode, MetaRequest, StoreRequest, TextAnswer, TextCommand, TextKey, Ttl};
use leveret_protocol::{binary, Limits, Parsed, Received, StoreMode, WireKey, KEY_MAX};

const LIMITS: Limits = Limits { value_max: 1 << 20 };
const VERBS: [&StoreMode; 5] =
    [&StoreMode::Set, &StoreMode::Add, &StoreMode::Replace, &StoreMode::Append, &StoreMode::Prepend];

/// Requests of a client, read by a server.
pub fn requests(chance: &mut Chance) {
    let (key, value) = (text_key(chance), chance.bytes(100));
    let key = TextKey::new(&key).expect("made to be one");
    let (verb, flags, exptime) = (*chance.pick(&VERBS), chance.number() as u32, i64::from(chance.number() as i32));
    let (number, noreply, is_so) = (chance.number(), chance.one_in(2), chance.one_in(2));
    let compare = (verb == StoreMode::Set && is_so).then_some(number);
    let bytes = key.as_bytes();

    let mut out = Vec::new();
    let store = StoreRequest { verb, compare, key, flags, exptime, value: &value, noreply };
    text::write_store(&mut out, &store);
    expect(&out, TextCommand::Store { verb, compare, key: bytes, flags, exptime, value: &value, noreply });
    let mut out = Vec::new();
    text::write_delete(&mut out, key, noreply);
    expect(&out, TextCommand::Delete { key: bytes, noreply });
    let mut out = Vec::new();
    text::write_count(&mut out, key, number, is_so, noreply);
    expect(&out, TextCommand::Count { key: bytes, delta: number, is_decrement: is_so, noreply });
    let mut out = Vec::new();
    text::write_touch(&mut out, key, exptime, noreply);
    expect(&out, TextCommand::Touch { key: bytes, exptime, noreply });
    let mut out = Vec::new();
    let exptime_or_none = is_so.then_some(exptime);
    text::write_flush_all(&mut out, exptime_or_none, noreply);
    expect(&out, TextCommand::FlushAll { exptime: exptime_or_none, noreply });
    let mut out = Vec::new();
    text::write_verbosity(&mut out, flags, noreply);
    expect(&out, TextCommand::Verbosity { level: flags, noreply });

    many_keys(chance, is_so, is_so.then_some(exptime));
    meta_requests(chance, verb, flags, exptime, number);
    binary_requests(chance, verb, flags, exptime, number);
}

fn many_keys(chance: &mut Chance, with_cas: bool, touch: Option<i64>) {
    let keys: Vec<_> = (0..=chance.below(30)).map(|_| text_key(chance)).collect();
    let mut out = Vec::new();
    text::begin_keys(&mut out, with_cas, touch);
    for key in &keys {
        text::add_key(&mut out, TextKey::new(key).expect("made to be one"));
    }
    text::end_keys(&mut out);
    let (found, cas, exptime) = match read(&out) {
        TextCommand::Get { keys, with_cas } => (keys, with_cas, None),
        TextCommand::GetAndTouch { exptime, keys, with_cas } => (keys, with_cas, Some(exptime)),
        other => panic!("{other:?}"),
    };
    assert_eq!((cas, exptime), (with_cas, touch));
    assert!(found.eq(keys.iter().map(Vec::as_slice)));
}

fn meta_requests(chance: &mut Chance, verb: StoreMode, flags: u32, exptime: i64, number: u64) {
    let (key, value) = (chance.bytes(186), chance.bytes(100));
    let mut room = [0; KEY_MAX];
    let Some(wire) = WireKey::for_meta(&key, &mut room) else {
        assert!(key.is_empty());
        return;
    };
    let mut out = Vec::new();
    let request =
        MetaRequest::store(&mut out, &wire, value.len()).verb(verb).number(b'F', flags.into()).signed(b'T', exptime);
    request.number(b'C', number).flag(b'q').flag(b'k').end_with(&value);
    let TextCommand::MetaStore(store) = read(&out) else { panic!() };
    assert_eq!(
        (store.verb, store.flags, store.exptime, store.compare, store.quiet),
        (verb, flags, exptime, Some(number), true)
    );
    assert_eq!((store.key.decode(&mut [0; KEY_MAX]), store.value), (key.as_slice(), value.as_slice()));
    assert_eq!(store.returns.collect::<Vec<_>>(), [text::Return::Key]);

    let mut out = Vec::new();
    MetaRequest::count(&mut out, &wire).number(b'D', number).signed(b'N', exptime).flag(b'v').end();
    let TextCommand::MetaCount(count) = read(&out) else { panic!() };
    assert_eq!((count.delta, count.vivify, count.value), (number, Some(exptime), true));
    assert_eq!(count.key, wire);
}

fn binary_requests(chance: &mut Chance, verb: StoreMode, flags: u32, exptime: i64, number: u64) {
    let (key, value) = (chance.bytes(KEY_MAX), chance.bytes(100));
    let (key, is_so, opaque) = (key.as_slice(), chance.one_in(2), chance.bits() as u32);
    // The one exptime that means "do not create" cannot be sent as an exptime.
    let initial = (is_so && exptime != -1).then_some((number, exptime));
    let (flags, store_exptime) =
        if matches!(verb, StoreMode::Append | StoreMode::Prepend) { (0, 0) } else { (flags, exptime) };
    for command in [
        binary::BinaryCommand::Get { key, with_key: is_so, touch: is_so.then_some(exptime) },
        binary::BinaryCommand::Store { verb, key, flags, exptime: store_exptime, value: &value },
        binary::BinaryCommand::Count { key, is_decrement: is_so, delta: number, initial },
        binary::BinaryCommand::Touch { key, exptime },
        binary::BinaryCommand::Delete { key },
        binary::BinaryCommand::Stat { subject: key },
        binary::BinaryCommand::Flush { exptime: is_so.then_some(exptime) },
    ] {
        let request = binary::BinaryRequest::new(command, is_so, opaque).with_cas(number);
        let mut out = Vec::new();
        if request.write(&mut out) {
            assert_eq!(binary::parse(&out, &LIMITS), Parsed::Request { request, consumed: out.len() });
        } else {
            assert!(key.is_empty() && out.is_empty());
        }
    }
}

/// Answers of a server, read by a client.
pub fn answers(chance: &mut Chance) {
    let (key, value) = (text_key(chance), chance.bytes(1000));
    let (flags, cas, is_so) = (chance.number() as u32, chance.number(), chance.one_in(2));
    let mut out = Vec::new();
    text::write_value_header(&mut out, &key, flags, value.len(), is_so.then_some(cas));
    out.extend_from_slice(&value);
    out.extend_from_slice(b"\r\n");
    let answer = TextAnswer::Value { key: &key, flags, value: &value, cas: is_so.then_some(cas) };
    assert_eq!(text::parse_answer(&out, &LIMITS), Received::Answer { answer, consumed: out.len() });

    let facts = Facts {
        cas: Some(cas),
        flags: Some(flags),
        was_hit: Some(is_so),
        idle_secs: Some(chance.number()),
        size: Some(value.len()),
        ttl: Some(if is_so { Ttl::Forever } else { Ttl::Secs(chance.number() >> 1) }),
        won: chance.one_in(2),
        stale: chance.one_in(2),
        lost: chance.one_in(2),
    };
    let TextCommand::MetaGet(get) = read(b"mg Zm9v v t s k c b h f Oopaque l\r\n") else { panic!() };
    let mut out = Vec::new();
    text::write_meta_value(&mut out, value.len(), &get.key, get.returns, &facts);
    out.extend_from_slice(&value);
    out.extend_from_slice(b"\r\n");
    let Received::Answer { answer: TextAnswer::Meta(answer), consumed } = text::parse_answer(&out, &LIMITS) else {
        panic!()
    };
    assert_eq!((consumed, answer.code, answer.value), (out.len(), MetaCode::Value, Some(value.as_slice())));
    assert_eq!((answer.key, answer.opaque, answer.facts), (Some(get.key), Some(b"opaque".as_slice()), facts));
}

fn text_key(chance: &mut Chance) -> Vec<u8> {
    let mut key = chance.bytes(KEY_MAX - 1);
    key.push(b'k');
    for byte in &mut key {
        if TextKey::new(&[*byte]).is_none() {
            *byte = b'x';
        }
    }
    key
}

fn read(line: &[u8]) -> TextCommand<'_> {
    match text::parse(line, &LIMITS) {
        Parsed::Request { request, consumed } if consumed == line.len() => request,
        other => panic!("{}: {other:?}", line.escape_ascii()),
    }
}

fn expect(line: &[u8], want: TextCommand<'_>) {
    assert_eq!(read(line), want, "{}", line.escape_ascii());
}
