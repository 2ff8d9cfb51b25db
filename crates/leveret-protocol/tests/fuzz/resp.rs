//! Redis' protocol: the same bytes are the same requests however they are cut, whoever takes an argument out of the middle;
//! hostile lengths ask for no memory; what is written is read back.
use crate::chance::Chance;
use leveret_protocol::resp::{
    parse_integer, parse_reply, write_arguments, Arguments, ArgumentsBuf, ReplyBounds, ReplyValue, ReplyWriter,
    RequestBounds, RequestRead, RequestReader, RespVersion,
};
use leveret_protocol::Received;

const BOUNDS: RequestBounds = RequestBounds { value_max: 64, request_max: 4096, is_unknown: false };
const REPLY_BOUNDS: ReplyBounds = ReplyBounds { bulk_max: 4096, elements_max: 1000, depth_max: 4 };

/// One connection of a server.
struct Connection<'i> {
    /// What has not come yet.
    rest: &'i [u8],
    buffer: Vec<u8>,
    reader: RequestReader,
    bounds: RequestBounds,
}

impl Connection<'_> {
    /// What comes next, of at most so many bytes. False: nothing.
    fn receive(&mut self, len: usize) -> bool {
        let (piece, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.buffer.extend_from_slice(piece);
        self.rest = rest;
        !piece.is_empty()
    }

    /// Takes bytes off the front, those that have not come included. False: the client has sent fewer.
    fn take(&mut self, len: usize, into: &mut Vec<u8>) -> bool {
        let here = len.min(self.buffer.len());
        into.extend(self.buffer.drain(..here));
        let coming = (len - here).min(self.rest.len());
        into.extend_from_slice(&self.rest[..coming]);
        self.rest = &self.rest[coming..];
        here + coming == len
    }
}

fn told(request: Arguments<'_>, diverted: Option<&[u8]>) -> String {
    let mut words: Vec<String> = request.iter().map(|word| word.escape_ascii().to_string()).collect();
    if let (Some((index, len)), Some(bytes)) = (request.not_kept().diverted, diverted) {
        assert_eq!((words[index].as_str(), bytes.len()), ("", len));
        words[index] = bytes.escape_ascii().to_string();
    }
    format!("{words:?} {:?}", request.not_kept().too_large)
}

/// All that is found. `piece`: how many bytes come at a time; `diverts`: whether an argument under way is received apart.
fn converse(
    input: &[u8],
    bounds: RequestBounds,
    mut piece: impl FnMut() -> usize,
    mut diverts: impl FnMut() -> bool,
) -> Vec<String> {
    let (mut found, mut diverted) = (Vec::new(), None);
    let mut connection = Connection { rest: input, buffer: Vec::new(), reader: RequestReader::new(), bounds };
    loop {
        let available = connection.buffer.len();
        match connection.reader.read(&connection.buffer, &connection.bounds) {
            RequestRead::Request { request, consumed } => {
                assert!(consumed <= available && !request.is_empty());
                assert_eq!(request.to_buf().arguments().len(), request.len());
                found.push(told(request, diverted.take().as_deref()));
                connection.buffer.drain(..consumed);
            }
            RequestRead::Nothing { consumed } => {
                assert!(0 < consumed && consumed <= available);
                connection.buffer.drain(..consumed);
            }
            RequestRead::Swallow { consumed, swallow } => {
                assert!(0 < consumed && consumed <= available && (swallow == 0 || consumed == available));
                if !connection.take(consumed + swallow, &mut Vec::new()) {
                    return found;
                }
            }
            RequestRead::Refused(fault) => {
                let mut reply = Vec::new();
                fault.write(&mut ReplyWriter::new(&mut reply, RespVersion::Two));
                found.push(format!("{fault:?} {}", reply.escape_ascii()));
                return found;
            }
            RequestRead::More { total } => {
                assert!(total > available, "{total} of {available}");
                if let Some(under_way) = connection.reader.under_way(&connection.buffer) {
                    assert!(under_way.before.len() < under_way.count && under_way.begin <= available);
                    assert!(under_way.len <= connection.bounds.value_max);
                    let len = under_way.len;
                    if diverts() {
                        if let Some(before) = connection.reader.divert(&connection.buffer) {
                            let mut bytes = Vec::new();
                            connection.buffer.drain(..before);
                            if !connection.take(len, &mut bytes) {
                                return found;
                            }
                            diverted = Some(bytes);
                            continue;
                        }
                    }
                }
                // A server that believes `total` waits for so much.
                while connection.buffer.len() < total {
                    if !connection.receive(piece()) {
                        return found;
                    }
                }
            }
        }
    }
}

pub fn requests(input: &[u8], chance: &mut Chance) {
    let bounds = RequestBounds { is_unknown: chance.one_in(4), ..BOUNDS };
    let shown = || input.escape_ascii().to_string();
    let at_once = converse(input, bounds, || input.len(), || false);
    assert_eq!(at_once, converse(input, bounds, || 1, || false), "byte by byte: {}", shown());
    let step = 1 + chance.below(40);
    let mut lengths = Chance::new(chance.bits());
    let in_pieces = converse(input, bounds, || 1 + lengths.below(step), || chance.one_in(2));
    assert_eq!(at_once, in_pieces, "in pieces, arguments received apart: {}", shown());
}

/// Lines of 64 KiB and more.
pub fn long_lines(chance: &mut Chance) {
    let kind = chance.pick(&["", "*", "*1\r\n", "*1\r\n$", "\"", "a\0", "*\0"]);
    let len = (64 << 10) - 3 + chance.below(6);
    let filler = chance.pick(&["1", "a", " "]).repeat(len);
    let input = [kind, &filler, chance.pick(&["\r\n", "\n", ""])].concat().into_bytes();
    let at_once = converse(&input, BOUNDS, || input.len(), || false);
    let step = 1 + chance.below(20_000);
    assert_eq!(at_once, converse(&input, BOUNDS, || 1 + chance.below(step), || false), "{kind:?} {len}");
}

pub fn replies(input: &[u8], _chance: &mut Chance) {
    let mut from = 0;
    while from < input.len() {
        match parse_reply(&input[from..], &REPLY_BOUNDS) {
            Received::Answer { consumed, .. } => {
                assert!(0 < consumed && consumed <= input.len() - from);
                // Its front alone is not whole, wherever it is cut.
                let cut = consumed - 1;
                assert!(
                    matches!(parse_reply(&input[from..from + cut], &REPLY_BOUNDS), Received::More { total } if total > cut)
                );
                from += consumed;
            }
            Received::More { total } => {
                assert!(total > input.len() - from);
                return;
            }
            Received::Broken(_) => return,
        }
    }
}

/// What is written is read back.
pub fn mirror(chance: &mut Chance) {
    let words: Vec<Vec<u8>> = (0..1 + chance.below(6)).map(|_| chance.bytes(64)).collect();
    let mut out = Vec::new();
    write_arguments(&mut out, &words);
    let mut reader = RequestReader::new();
    let is_http = matches!(words[0].to_ascii_lowercase().as_slice(), b"post" | b"host:");
    match reader.read(&out, &BOUNDS) {
        RequestRead::Request { request, consumed } => {
            assert_eq!(consumed, out.len());
            assert!(request.iter().eq(words.iter().map(Vec::as_slice)));
            assert_eq!(request.to_buf(), words.iter().collect::<ArgumentsBuf>());
        }
        other => assert!(is_http, "{other:?}"),
    }
    let (number, bytes, is_so) = (chance.number() as i64, chance.bytes(300), chance.one_in(2));
    assert_eq!(parse_integer(number.to_string().as_bytes()), Some(number));
    let text = bytes.escape_ascii().to_string();
    for version in [RespVersion::Two, RespVersion::Three] {
        let mut out = Vec::new();
        let mut reply = ReplyWriter::new(&mut out, version);
        reply.array(9);
        reply.simple(&text);
        reply.error_of(&[b"ERR ", text.as_bytes()]);
        reply.integer(number);
        reply.bulk(&bytes);
        reply.nil();
        reply.verbatim("txt", &bytes);
        reply.boolean(is_so);
        reply.map(1);
        reply.bulk(&bytes);
        reply.set(2);
        reply.integer(1);
        reply.nil_array();
        reply.double(number as f64 / 1024.0);
        let (array, text) = (|values| ReplyValue::Array(values), text.as_bytes());
        let (set, bulk) = (vec![ReplyValue::Integer(1), ReplyValue::Nil], ReplyValue::Bulk(bytes.clone()));
        let typed = version == RespVersion::Three;
        let want = array(vec![
            ReplyValue::Simple(text.to_vec()),
            ReplyValue::Error([b"ERR ", text].concat()),
            ReplyValue::Integer(number),
            bulk.clone(),
            ReplyValue::Nil,
            bulk.clone(),
            if typed { ReplyValue::Boolean(is_so) } else { ReplyValue::Integer(i64::from(is_so)) },
            if typed {
                ReplyValue::Map(vec![(bulk.clone(), ReplyValue::Set(set))])
            } else {
                array(vec![bulk.clone(), array(set)])
            },
            if typed { ReplyValue::Double(number as f64 / 1024.0) } else { ReplyValue::Nil },
        ]);
        match (parse_reply(&out, &REPLY_BOUNDS), want) {
            (Received::Answer { answer: ReplyValue::Array(mut got), consumed }, ReplyValue::Array(mut want)) => {
                assert_eq!(consumed, out.len());
                if !typed {
                    // A float is its text here.
                    let float = got.pop().and_then(|float| float.text().map(<[u8]>::to_vec)).expect("a text");
                    want.pop();
                    assert_eq!(String::from_utf8_lossy(&float).parse(), Ok(number as f64 / 1024.0));
                }
                assert_eq!(got, want);
            }
            (other, _) => panic!("{other:?}"),
        }
    }
}
