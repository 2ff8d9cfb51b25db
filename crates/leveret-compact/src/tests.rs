use super::*;

const ROOM: usize = 1 << 20;

fn compact(bytes: &[u8]) -> Vec<u8> {
    [&HEAD, bytes].concat()
}

#[track_caller]
fn assert_reads(bytes: &[u8], want: &str) {
    let got = to_serialized(&compact(bytes), ROOM).map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(got.as_deref(), Some(want), "{bytes:?}");
}

#[test]
fn each_tag_is_read() {
    let one = |value: &[u8]| [&[tag::LIST, 1], value].concat();
    let wide = |tag: u8, bytes: &[u8]| one(&[&[tag], bytes].concat());
    for (bytes, want) in [
        (one(&[tag::NULL]), "N;"),
        (one(&[tag::FALSE]), "b:0;"),
        (one(&[tag::TRUE]), "b:1;"),
        (one(&[tag::INT]), "i:0;"),
        (one(&[tag::INT_LAST]), "i:63;"),
        (wide(tag::INT8, &(-1i8).to_ne_bytes()), "i:-1;"),
        (wide(tag::INT16, &i16::MIN.to_ne_bytes()), "i:-32768;"),
        (wide(tag::INT32, &70_000i32.to_ne_bytes()), "i:70000;"),
        (wide(tag::INT64, &i64::MIN.to_ne_bytes()), "i:-9223372036854775808;"),
        (wide(tag::FLOAT, &0.1f64.to_ne_bytes()), "d:0.1;"),
        (wide(tag::FLOAT, &1e300f64.to_ne_bytes()), "d:1.0E+300;"),
        (wide(tag::FLOAT, &(-0.0f64).to_ne_bytes()), "d:-0;"),
        (wide(tag::FLOAT, &f64::NEG_INFINITY.to_ne_bytes()), "d:-INF;"),
        (wide(tag::FLOAT, &f64::NAN.to_ne_bytes()), "d:NAN;"),
        (one(&[tag::EMPTY_STRING]), "s:0:\"\";"),
        (one(&[tag::BYTE, b'x']), "s:1:\"x\";"),
        (one(&[tag::STRING, b'x', b'"']), "s:2:\"x\"\";"),
        (wide(tag::LONG_STRING, b"\x03abc"), "s:3:\"abc\";"),
        (one(&[tag::EMPTY_LIST]), "a:0:{}"),
        (one(&[tag::EMPTY_MAP]), "a:0:{}"),
        (one(&[tag::LIST, 1, tag::NULL]), "a:1:{i:0;N;}"),
    ] {
        assert_reads(&bytes, &format!("a:1:{{i:0;{want}}}"));
    }
}

#[test]
fn what_came_before_is_named_by_its_number() {
    let rows = [
        &[tag::LIST, 4, tag::NEW_SHAPE, 2][..],
        b"\x81id\x83name",
        &[tag::INT + 1, tag::STRING_AT, 1],
        &[tag::SHAPE_AT, tag::INT + 2, tag::STRING_ID, 0],
        &[tag::SHAPE_ID, 0, tag::NULL, tag::SHAPE_AT, tag::TRUE, tag::FALSE],
        &[tag::EMPTY_LIST],
    ]
    .concat();
    let want =
        "a:4:{i:0;a:2:{s:2:\"id\";i:1;s:4:\"name\";s:4:\"name\";}i:1;a:2:{s:2:\"id\";i:2;s:4:\"name\";s:2:\"id\";}\
                i:2;a:2:{s:2:\"id\";N;s:4:\"name\";a:2:{s:2:\"id\";b:1;s:4:\"name\";b:0;}}i:3;a:0:{}}";
    assert_reads(&rows, want);
    // Keys come before the first value, so an array within the first one may have its keys.
    assert_reads(
        &[&[tag::NEW_SHAPE, 1, tag::INT + 5, tag::SHAPE_AT, tag::INT8], &[255][..]].concat(),
        "a:1:{i:5;a:1:{i:5;i:-1;}}",
    );
}

#[test]
fn what_is_damaged_is_refused() {
    for bytes in [
        &b""[..],
        &[tag::NULL],
        &[tag::LIST],
        &[tag::LIST, 0],
        &[tag::LIST, 2, tag::NULL],
        &[tag::LIST, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, tag::NULL],
        &[tag::LIST, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, tag::NULL],
        &[tag::LIST, 1, tag::NULL, tag::NULL],
        &[tag::LIST, 1, 16],
        &[tag::LIST, 1, 0x3F],
        &[tag::LIST, 1, tag::STRING, b'x'],
        &[tag::LIST, 1, tag::STRING_AT, 0],
        &[tag::LIST, 1, tag::BYTE],
        &[tag::LIST, 1, tag::LONG_STRING, 9, b'x'],
        &[tag::LIST, 1, tag::INT64, 0],
        &[tag::LIST, 2, tag::BYTE, b'x', tag::STRING_AT, 0],
        &[tag::SHAPE_AT, tag::NULL],
        &[tag::NEW_SHAPE, 0],
        &[tag::NEW_SHAPE, 1, tag::NULL, tag::NULL],
        &[tag::NEW_SHAPE, 1, tag::BYTE, b'7', tag::NULL],
        &[tag::NEW_SHAPE, 1, tag::STRING, b'-', b'7', tag::NULL],
        &[tag::NEW_SHAPE, 2, tag::BYTE, b'x', tag::BYTE, b'x', tag::NULL, tag::NULL],
        &[tag::NEW_SHAPE, 2, tag::INT, tag::INT8, 0, tag::NULL, tag::NULL],
        &[tag::NEW_SHAPE, 2, tag::INT, tag::INT + 1, tag::NULL],
    ] {
        assert_eq!(None, to_serialized(&compact(bytes), ROOM), "{bytes:?}");
    }
    assert_eq!(None, to_serialized(b"\xCA\x03\x0B", ROOM), "a later version");
    let deep = |levels: usize| compact(&[[tag::LIST, 1].repeat(levels), vec![tag::NULL]].concat());
    assert!(to_serialized(&deep(DEPTH_MAX), ROOM).is_some());
    assert_eq!(None, to_serialized(&deep(DEPTH_MAX + 1), ROOM));
}

#[test]
fn keys_that_are_not_of_integers_are_strings() {
    for key in ["-", "--7", "-0", "07", "00", " 7", "7 ", "+7", "7.0", "9223372036854775808", "-9223372036854775809"] {
        let string = [&[tag::BYTE + key.len() as u8 - 1], key.as_bytes()].concat();
        let bytes = [&[tag::NEW_SHAPE, 1], &string[..], &[tag::NULL]].concat();
        assert_reads(&bytes, &format!("a:1:{{s:{}:\"{key}\";N;}}", key.len()));
    }
}

#[test]
fn the_length_is_bounded() {
    let long = [&[tag::LIST, 40, tag::BYTE + 63][..], &[b'x'; 64], &[tag::STRING_AT, 0].repeat(39)].concat();
    let want = to_serialized(&compact(&long), ROOM).unwrap();
    assert!(want.len() > 40 * 64);
    assert_eq!(Some(&want), to_serialized(&compact(&long), want.len()).as_ref());
    (0..want.len()).for_each(|len_max| assert_eq!(None, to_serialized(&compact(&long), len_max), "{len_max}"));
}

/// A number of the form: seven bits a byte.
fn number(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// So many rows with the same `names`, as a writer gives them a number, and the shortest value that becomes longest.
fn rows(count: usize, names: &[Vec<u8>], value: u8) -> Vec<u8> {
    let row = [&[tag::SHAPE_AT][..], &vec![value; names.len()]].concat();
    let first = [&[tag::NEW_SHAPE][..], &number(names.len()), &names.concat(), &row[1..]].concat();
    [&[tag::LIST][..], &number(count), &first, &row.repeat(count - 1)].concat()
}

fn name(len: usize, byte: u8, at: usize) -> Vec<u8> {
    let bytes = [&vec![byte; len - 4][..], format!("{at:04}").as_bytes()].concat();
    match len {
        ..=64 => [&[tag::BYTE + len as u8 - 1], &bytes[..]].concat(),
        _ => [&[tag::LONG_STRING], &number(len)[..], &bytes].concat(),
    }
}

/// Rows with keys of 128 bytes were damaged to clients of the server.
#[test]
fn what_our_writers_store_is_never_too_long() {
    let (php, ruby) = (Meta::native(PHP), Meta::native(JSON).with_origin(RUBY));
    for (columns, count) in [(1, 2), (1, 30_000), (2, 3), (7, 100), (60, 2), (60, 300), (1000, 2), (1000, 30)] {
        for len in [5, 64, 65, 127, 128] {
            let names: Vec<_> = (0..columns).map(|at| name(len, b'x', at)).collect();
            let text = served(&php, compact(&rows(count, &names, tag::INT_LAST))).expect("read");
            assert!(text.len() > count * columns * len, "{len}");
        }
        for len in [5, 63, 64] {
            let names: Vec<_> = (0..columns).map(|at| name(len, 1, at)).collect();
            let text = served(&ruby, compact(&rows(count, &names, tag::FALSE))).expect("read");
            assert!(text.len() > count * columns * (len - 4) * 6, "{len}");
        }
    }
}

/// For any bytes: read or refused, and no output exceeds its limit.
#[test]
fn bent_bytes_are_read_or_refused() {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut draw = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let seed = [
        &[tag::LIST, 3, tag::NEW_SHAPE, 3][..],
        b"\x81id\x83name\x46",
        &[tag::INT + 1, tag::STRING_AT, 1, tag::EMPTY_LIST],
        &[tag::SHAPE_AT, tag::INT8, 200, tag::LIST, 2, tag::NULL, tag::TRUE, tag::EMPTY_STRING],
        &[tag::SHAPE_ID, 0, tag::FLOAT, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, tag::LONG_STRING, 3, b'a', b'b', b'c'],
        &[tag::BYTE, b'z'],
    ]
    .concat();
    assert!(to_serialized(&compact(&seed), ROOM).is_some());
    let (mut read, mut refused) = (0, 0);
    for _ in 0..100_000 {
        let mut bytes = seed.clone();
        for _ in 0..=draw(3) {
            let at = draw(bytes.len());
            match draw(4) {
                0 => bytes[at] = draw(256) as u8,
                1 => bytes[at] ^= 1 << draw(8),
                2 => bytes.truncate(at + 1),
                _ => bytes.insert(at, draw(17) as u8),
            }
        }
        match to_serialized(&compact(&bytes), 4096) {
            Some(text) => {
                assert!(text.len() <= 4096);
                read += 1;
            }
            None => refused += 1,
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} {refused}");
}

#[test]
fn only_what_we_have_stored_is_translated() {
    let value = compact(&[tag::LIST, 1, tag::NULL]);
    let native = Meta::native(PHP);
    assert_eq!(Some(b"a:1:{i:0;N;}".to_vec()), served(&native, value.clone()));
    assert_eq!(Some(b"a:1:{i:0;N;}".to_vec()), served(&native.with_origin(RUBY), value.clone()));
    for meta in [native.with_origin(Origin::WIRE), native.with_encoding(Encoding::RAW)] {
        assert_eq!(Some(value.clone()), served(&meta, value.clone()));
    }
    let json = native.with_encoding(JSON);
    assert_eq!(Some(b"[null]".to_vec()), served(&json.with_origin(RUBY), value.clone()));
    assert_eq!(Some(value.clone()), served(&json, value.clone()));
    assert_eq!(Some(b"a:0:{}".to_vec()), served(&native, b"a:0:{}".to_vec()));
    assert_eq!(None, served(&native, HEAD.to_vec()));
}

fn with_objects(bytes: &[u8]) -> Option<String> {
    let got = to_serialized(&[&HEAD_OF_OBJECTS, bytes].concat(), ROOM)?;
    Some(String::from_utf8_lossy(&got).into_owned())
}

#[test]
fn objects_are_written_as_php_writes_them() {
    // Two objects of a class, an enumeration's case twice, an object within, and one without properties.
    let bytes = [
        &[tag::LIST, 5, tag::NEW_OBJECT][..],
        b"\x82Row\x02\x81id\x84\0*\0me",
        &[tag::INT + 7, tag::ENUM_CASE],
        b"\x83Suit\x84Spade",
        &[tag::OBJECT_ID, 0, tag::INT + 8, tag::NEW_OBJECT],
        b"\x87stdClass\x01\x80x",
        &[tag::NULL, tag::ENUM_CASE, tag::STRING_AT, 3, tag::STRING_AT, 4],
        &[tag::NEW_OBJECT],
        b"\x87stdClass\x00",
        &[tag::OBJECT_ID, 2],
    ]
    .concat();
    let want = "a:5:{i:0;O:3:\"Row\":2:{s:2:\"id\";i:7;s:5:\"\0*\0me\";E:10:\"Suit:Spade\";}\
                i:1;O:3:\"Row\":2:{s:2:\"id\";i:8;s:5:\"\0*\0me\";O:8:\"stdClass\":1:{s:1:\"x\";N;}}\
                i:2;E:10:\"Suit:Spade\";i:3;O:8:\"stdClass\":0:{}i:4;O:8:\"stdClass\":0:{}}";
    assert_eq!(with_objects(&bytes).as_deref(), Some(want));
    assert_eq!(None, to_serialized(&compact(&bytes), ROOM), "no objects in the first version");
    assert_eq!(with_objects(&[tag::NEW_OBJECT, tag::BYTE, b'C', 0]).as_deref(), Some("O:1:\"C\":0:{}"));
    assert_eq!(with_objects(&[tag::ENUM_CASE, tag::BYTE, b'E', tag::BYTE, b'c']).as_deref(), Some("E:3:\"E:c\";"));
}

#[test]
fn damaged_objects_are_refused() {
    for bytes in [
        &[tag::NEW_OBJECT][..],
        &[tag::NEW_OBJECT, tag::EMPTY_STRING, 0],
        &[tag::NEW_OBJECT, tag::BYTE, b'"', 0],
        &[tag::NEW_OBJECT, tag::BYTE, b'C', 1, tag::BYTE, b'x'],
        &[tag::NEW_OBJECT, tag::BYTE, b'C', 1, tag::INT, tag::NULL],
        &[tag::NEW_OBJECT, tag::BYTE, b'C', 2, tag::BYTE, b'x', tag::BYTE, b'x', tag::NULL, tag::NULL],
        &[tag::NEW_OBJECT, tag::BYTE, b'C', 0xFF, 0xFF, 0x7F],
        &[tag::OBJECT_ID, 0],
        &[tag::LIST, 2, tag::NEW_OBJECT, tag::BYTE, b'C', 0, tag::OBJECT_ID, 1],
        &[tag::LIST, 2, tag::NEW_OBJECT, tag::BYTE, b'C', 1, tag::BYTE, b'x', tag::NULL, tag::OBJECT_ID, 0],
        &[tag::ENUM_CASE, tag::BYTE, b'E'],
        &[tag::ENUM_CASE, tag::BYTE, b'E', tag::EMPTY_STRING],
    ] {
        assert_eq!(None, with_objects(bytes), "{bytes:?}");
    }
}
