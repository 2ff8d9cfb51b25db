//! Servers that hang, close, lie, or answer for another key: the caller gets a code in time, and never another key's
//! value.
use leveret_client::pool::{Code, Operation, Options, Pool, Protocol, Request, Tuning};
use leveret_client::ring::{PeclHash, Preset, Strategy};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// A server of one connection after the other; `serve` gets each with its number, and what the client sent first.
fn server(serve: impl Fn(usize, TcpStream, Vec<u8>) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let mut first = vec![0; 4096];
            let len = stream.read(&mut first).unwrap_or(0);
            first.truncate(len);
            serve(number, stream, first);
        }
    });
    port
}

/// Says the same to everybody, then closes.
fn says(answer: &'static [u8]) -> u16 {
    server(move |_, mut stream, _| {
        let _ = stream.write_all(answer);
    })
}

/// A client that waits as long as a busy machine needs.
fn pool(port: u16, protocol: Protocol) -> Pool {
    pool_that_waits(Duration::from_secs(60), port, protocol)
}

/// A client that does not wait for servers that hang.
fn hurried_pool(port: u16, protocol: Protocol) -> Pool {
    pool_that_waits(Duration::from_millis(200), port, protocol)
}

fn pool_that_waits(timeout: Duration, port: u16, protocol: Protocol) -> Pool {
    let options = Options {
        protocol,
        connect_timeout: timeout,
        io_timeout: timeout,
        retry_timeout: Duration::ZERO,
        ..Options::default()
    };
    let mut pool = Pool::new(options);
    pool.add_server("127.0.0.1", port, 0, 1);
    pool
}

/// Code and value of each answer.
fn batch(pool: &mut Pool, requests: &[(Operation, &str)]) -> Vec<(usize, Code, Vec<u8>)> {
    pool.begin();
    for (operation, key) in requests {
        pool.add(&Request { value: b"v", number: 1, ..Request::new(*operation, key.as_bytes()) }).unwrap();
    }
    pool.run();
    let mut told = Vec::new();
    while let Some(answer) = pool.next_answer() {
        told.push((answer.request, answer.code, answer.value.to_vec()));
    }
    told
}

#[test]
fn text_that_is_no_answer_to_what_was_asked() {
    use Operation::{Delete, Get, Increment, Set, Touch};
    let wrong: &[(&[u8], Operation)] = &[
        (b"", Get),
        (b"garbage\r\n", Get),
        (b"\x00\x01\x02\xff\xfe\r\n", Get),
        (b"VALUE other 0 5\r\nother\r\nEND\r\n", Get),
        (b"VALUE key 0 2147483648\r\n", Get),
        (b"VALUE key 0 18446744073709551615\r\n", Get),
        (b"VALUE key 0 -1\r\n\r\nEND\r\n", Get),
        (b"VALUE key 0 5\r\nvalueEND\r\n", Get),
        (b"VALUE key 0 5\r\nval", Get),
        (b"VALUE key\r\n", Get),
        (b"STORED\r\n", Get),
        (b"END\r\n", Set),
        (b"VALUE key 0 5\r\nvalue\r\nEND\r\n", Set),
        (b"DELETED\r\n", Set),
        (b"5\r\n", Delete),
        (b"STORED\r\n", Increment),
        (b"DELETED\r\n", Touch),
        (b"99999999999999999999999\r\n", Increment),
        (b"HD\r\n", Set),
    ];
    for (answer, operation) in wrong {
        let mut pool = pool(says(answer), Protocol::Text);
        let told = batch(&mut pool, &[(*operation, "key")]);
        assert_eq!(told.len(), 1, "{answer:?}");
        assert!(
            matches!(told[0].1, Code::ProtocolError | Code::UnknownReadFailure),
            "{:?} to {operation:?}: {told:?}",
            String::from_utf8_lossy(answer)
        );
        assert!(told[0].2.is_empty());
    }
}

#[test]
fn meta_and_binary_that_are_no_answer_to_what_was_asked() {
    for answer in [
        b"HD O77\r\n".as_slice(),
        b"VA 5 O77\r\nvalue\r\n",
        b"VA 2147483648 O0\r\n",
        b"VA 5 Ox\r\nvalue\r\n",
        b"STORED\r\n",
        b"MN\r\n",
        b"ZZ\r\n",
    ] {
        let told = batch(&mut pool(says(answer), Protocol::Meta), &[(Operation::Get, "key")]);
        assert!(
            matches!(told[..], [(0, Code::ProtocolError | Code::UnknownReadFailure, _)]),
            "{:?}: {told:?}",
            String::from_utf8_lossy(answer)
        );
    }
    let header = |opaque: u32, body: u32| -> &'static [u8] {
        let mut bytes = vec![0x81, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(body.to_be_bytes());
        bytes.extend(opaque.to_be_bytes());
        bytes.extend([0; 8]);
        bytes.leak()
    };
    for answer in [header(7, 0), header(0, u32::MAX), header(0, 5), b"\x80garbage".as_slice(), b"END\r\n"] {
        let told = batch(&mut pool(says(answer), Protocol::Binary), &[(Operation::Get, "key")]);
        assert!(matches!(told[..], [(0, Code::ProtocolError | Code::UnknownReadFailure, _)]), "{answer:?}: {told:?}");
    }
}

#[test]
fn a_server_that_hangs_or_drips_is_left_in_time() {
    let hangs = server(|_, stream, _| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(3600));
            drop(stream);
        });
    });
    // One byte each 50 ms, of an answer that would be fine.
    let drips = server(|_, mut stream, _| {
        std::thread::spawn(move || {
            for byte in b"VALUE key 0 500\r\n".iter().chain(&[b'x'; 500]) {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    });
    for port in [hangs, drips] {
        let mut pool = hurried_pool(port, Protocol::Text);
        for _ in 0..2 {
            let told = batch(&mut pool, &[(Operation::Get, "key"), (Operation::Get, "other")]);
            assert_eq!(told.iter().map(|told| told.1).collect::<Vec<_>>(), [Code::Timeout; 2]);
        }
    }
}

fn versions(pool: &mut Pool) -> Vec<(usize, Code, Vec<u8>)> {
    pool.begin();
    pool.add(&Request::new(Operation::Version, b"")).unwrap();
    pool.run();
    let mut told = Vec::new();
    while let Some(answer) = pool.next_answer() {
        told.push((answer.server, answer.code, answer.value.to_vec()));
    }
    told.sort_by_key(|told| told.0);
    told
}

/// Over connections that have served a batch, one of three servers says nothing more, or hangs up: whichever it is, the
/// answers of the others are told, and it alone fails.
#[test]
fn one_silent_server_does_not_keep_back_the_others() {
    for (silent, hangs_up) in (0..3).flat_map(|silent| [(silent, false), (silent, true)]) {
        let mut pool = Pool::new(Options {
            io_timeout: Duration::from_secs(60),
            retry_timeout: Duration::ZERO,
            ..Options::default()
        });
        for index in 0..3 {
            let speaks = index != silent;
            let port = server(move |number, mut stream, _| {
                let _ = stream.write_all(b"VERSION 1\r\n");
                std::thread::spawn(move || {
                    let mut room = [0; 64];
                    while stream.read(&mut room).is_ok_and(|len| len > 0) {
                        // A batch that met the end of an idle connection is sent again over a new one.
                        if hangs_up && !speaks {
                            return;
                        }
                        let _ = if speaks { stream.write_all(b"VERSION 2\r\n") } else { Ok(()) };
                    }
                });
                assert!(number == 0 || hangs_up && !speaks);
            });
            pool.add_server("127.0.0.1", port, 0, 1);
        }
        let said = |server, version: &str| (server, Code::Success, version.as_bytes().to_vec());
        assert_eq!(versions(&mut pool), [said(0, "1"), said(1, "1"), said(2, "1")]);
        if !hangs_up {
            pool.tune(silent, Tuning { timeout: Some(Duration::from_millis(200)), retry_timeout: None });
        }
        let mut want = [said(0, "2"), said(1, "2"), said(2, "2")];
        want[silent] = if hangs_up { said(silent, "1") } else { (silent, Code::Timeout, Vec::new()) };
        assert_eq!(versions(&mut pool), want, "{silent} {hangs_up}");
    }
}

/// A server reads a request over a connection that has served a batch, and hangs up. It may have done what it was asked
/// for, and somebody else may have written since: a set was sent again, and undid that. Now only what reads is sent
/// again; a write fails.
#[test]
fn a_write_that_a_dead_connection_has_taken_is_not_sent_again() {
    use Operation::{Add, Delete, Get, GetAndTouch, Increment, Set, Touch};
    for operation in [Set, Touch, GetAndTouch, Add, Delete, Increment, Get] {
        let (heard, all) = std::sync::mpsc::channel();
        let port = server(move |number, mut stream, first| {
            heard.send((number, first)).unwrap();
            let _ = stream.write_all(b"END\r\n");
            let mut room = vec![0; 4096];
            let len = stream.read(&mut room).unwrap_or(0);
            room.truncate(len);
            heard.send((number, room)).unwrap();
        });
        let mut pool = pool(port, Protocol::Text);
        assert_eq!(batch(&mut pool, &[(Get, "first")])[0].1, Code::NotFound);
        let told = batch(&mut pool, &[(operation, "key")]);
        drop(pool);
        let heard: Vec<_> = all.try_iter().filter(|(_, bytes)| bytes.windows(3).any(|three| three == b"key")).collect();
        if operation == Get {
            assert_eq!((told[0].1, heard.len()), (Code::NotFound, 2), "{heard:?}");
        } else {
            assert_eq!((told[0].1, heard.len()), (Code::UnknownReadFailure, 1), "{operation:?}: {heard:?}");
        }
    }
}

/// Of three servers that have served a batch one hangs in the next. What moves on to a server that nothing was asked of
/// before begins a time of its own there: it was once given what the first had left of its time, nothing.
#[test]
fn whoever_is_asked_in_place_of_a_hanging_server_has_its_own_time() {
    const HANGS: usize = 2;
    let preset = Preset::PeclMemcache { strategy: Strategy::Consistent, hash: PeclHash::Crc32 };
    let io_timeout = Duration::from_secs(5);
    let mut pool = Pool::new(Options {
        preset,
        failover_attempts: 20,
        io_timeout,
        retry_timeout: Duration::from_secs(60),
        ..Options::default()
    });
    for index in 0..3 {
        let port = server(move |_, mut stream, first| {
            let mut said = first;
            std::thread::spawn(move || {
                for batch in 0.. {
                    if index == HANGS && batch > 0 {
                        std::thread::sleep(Duration::from_secs(3600));
                    }
                    // Longer than nothing, and far less than the time-out.
                    std::thread::sleep(Duration::from_millis(20));
                    let lines = said.iter().filter(|byte| **byte == b'\n').count();
                    if stream.write_all(&b"DELETED\r\n".repeat(lines)).is_err() {
                        return;
                    }
                    said.resize(4096, 0);
                    match stream.read(&mut said) {
                        Ok(len) if len > 0 => said.truncate(len),
                        _ => return,
                    }
                }
            });
        });
        pool.add_server("127.0.0.1", port, 0, 1);
    }
    let keys: Vec<String> = (0..60).map(|number| format!("key:{number}")).collect();
    let run = |names: &[&String], pool: &mut Pool| {
        let requests: Vec<(Operation, &str)> = names.iter().map(|name| (Operation::Delete, name.as_str())).collect();
        let told = batch(pool, &requests);
        assert!(told.len() == names.len() && told.iter().all(|told| told.1 == Code::Success), "{told:?}");
        pool.failures().iter().map(|failure| failure.server).collect::<Vec<_>>()
    };
    assert_eq!(run(&keys.iter().collect::<Vec<_>>(), &mut pool), [], "all are there");
    let without_the_middle: Vec<&String> = keys.iter().filter(|key| pool.locate(key.as_bytes()) != Some(1)).collect();
    assert_eq!(run(&without_the_middle, &mut pool), [HANGS]);
}

/// The first answer comes after the client has given up. It must not be taken for the answer to the next request, which
/// is what happens to a client that goes on over the same connection.
#[test]
fn a_late_answer_is_nobodys_answer() {
    let port = server(|number, mut stream, asked| {
        std::thread::spawn(move || {
            if number == 0 {
                std::thread::sleep(Duration::from_millis(400));
                let _ = stream.write_all(b"VALUE key 0 4\r\nlate\r\nEND\r\n");
                std::thread::sleep(Duration::from_secs(5));
            } else {
                assert_eq!(asked, b"get key\r\n");
                let _ = stream.write_all(b"VALUE key 0 5\r\nright\r\nEND\r\n");
            }
        });
    });
    let mut pool = hurried_pool(port, Protocol::Text);
    assert_eq!(batch(&mut pool, &[(Operation::Get, "key")])[0].1, Code::Timeout);
    std::thread::sleep(Duration::from_millis(400));
    // On a busy machine the right answer may come late as well: asked again, it comes.
    let told =
        std::iter::repeat_with(|| batch(&mut pool, &[(Operation::Get, "key")])).find(|told| told[0].1 != Code::Timeout);
    assert_eq!(told.unwrap(), [(0, Code::Success, b"right".to_vec())]);
}

/// An answer too many lies in the connection when the next batch begins.
#[test]
fn what_came_unasked_is_not_believed() {
    let port = server(|number, mut stream, asked| {
        let answer: &[u8] = if number == 0 { b"STORED\r\nSTORED\r\n" } else { b"NOT_STORED\r\n" };
        assert!(asked.starts_with(b"set key") || asked.starts_with(b"add key"));
        let _ = stream.write_all(answer);
        std::mem::forget(stream);
    });
    let mut pool = pool(port, Protocol::Text);
    assert_eq!(batch(&mut pool, &[(Operation::Set, "key")])[0].1, Code::Success);
    assert_eq!(batch(&mut pool, &[(Operation::Add, "key")])[0].1, Code::NotStored);
}

/// Keys that were asked and answered before the garbage keep their values; the others fail.
#[test]
fn a_row_may_be_answered_in_any_order() {
    use Operation::Get;
    let port =
        says(b"VALUE c 0 1\r\nC\r\nVALUE a 0 1\r\nA\r\nVALUE e 0 1\r\nE\r\nVALUE d 0 1\r\nD\r\nEND\r\nSTORED\r\n");
    let mut pool = pool(port, Protocol::Text);
    let asked = [(Get, "a"), (Get, "b"), (Get, "c"), (Get, "d"), (Get, "e"), (Operation::Set, "f")];
    let mut told = batch(&mut pool, &asked);
    told.sort_unstable_by_key(|(request, ..)| *request);
    let found = |request, value: &str| (request, Code::Success, value.as_bytes().to_vec());
    assert_eq!(told, [found(0, "A"), found(2, "C"), found(3, "D"), found(4, "E"), found(5, "")]);
}

#[test]
fn gets_that_others_have_passed_fail_with_their_connection() {
    use Operation::Get;
    let mut pool = pool(says(b"VALUE c 0 1\r\nC\r\nVALUE a 0"), Protocol::Text);
    let mut told = batch(&mut pool, &[(Get, "a"), (Get, "b"), (Get, "c")]);
    told.sort_unstable_by_key(|(request, ..)| *request);
    assert!(
        matches!(told[..], [(0, Code::UnknownReadFailure, _), (1, Code::UnknownReadFailure, _), (2, Code::Success, _)]),
        "{told:?}"
    );
}

/// Says the same again and again, as fast as it is read or with a break after each time.
fn repeats(answer: &'static [u8], pause: Duration) -> u16 {
    server(move |_, mut stream, _| {
        while stream.write_all(answer).is_ok() {
            std::thread::sleep(pause);
        }
    })
}

#[test]
fn what_is_no_progress_gives_no_time() {
    let foreign = [&[0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], [0; 8].as_slice()].concat().leak();
    let slow = Duration::from_millis(50);
    for (answer, protocol, operation) in [
        (&*foreign, Protocol::Binary, Operation::Get),
        (b"HD\r\n", Protocol::Meta, Operation::Get),
        (b"STAT a b\r\n", Protocol::Text, Operation::Stats),
        (b"key=a exp=-1\r\n", Protocol::Text, Operation::Keys),
    ] {
        let mut pool = hurried_pool(repeats(answer, slow), protocol);
        let told = batch(&mut pool, &[(operation, "key")]);
        assert!(matches!(told.last(), Some((0, Code::Timeout, _))), "{answer:?}: {:?}", told.last());
    }
    // Nor memory.
    let many = foreign.repeat(1000).leak();
    let mut pool = pool(repeats(many, Duration::ZERO), Protocol::Binary);
    assert!(matches!(batch(&mut pool, &[(Operation::Get, "key")])[..], [(0, Code::ProtocolError, _)]));
}

#[test]
fn a_key_that_no_meta_command_can_name_is_refused() {
    let port = says(b"HD O0\r\n");
    let long = " ".repeat(187);
    for operation in [Operation::Get, Operation::Set, Operation::Delete] {
        let mut pool = pool(port, Protocol::Meta);
        pool.begin();
        assert_eq!(pool.add(&Request { value: b"v", ..Request::new(operation, long.as_bytes()) }), Err(Code::BadKey));
    }
}

#[test]
fn garbage_in_the_middle_spoils_what_follows_only() {
    let port = says(b"VALUE a 0 1\r\nA\r\nVALUE b 0 1\r\nB\r\nnonsense\r\nVALUE c 0 1\r\nC\r\nEND\r\n");
    let mut pool = pool(port, Protocol::Text);
    let told =
        batch(&mut pool, &[(Operation::Get, "a"), (Operation::Get, "b"), (Operation::Get, "c"), (Operation::Get, "d")]);
    assert_eq!(told[..2], [(0, Code::Success, b"A".to_vec()), (1, Code::Success, b"B".to_vec())]);
    assert_eq!(
        told[2..].iter().map(|told| (told.0, told.1)).collect::<Vec<_>>(),
        [(2, Code::ProtocolError), (3, Code::ProtocolError)]
    );
}

/// Errors of the server are told with its words.
/// Each request that the server leaves open looked through all the others for its copy, which took minutes.
#[test]
fn a_large_batch_of_a_server_that_closes_is_over_soon() {
    let requests = vec![(Operation::Get, "key"); 100_000];
    let told = batch(&mut pool(says(b""), Protocol::Text), &requests);
    assert_eq!(told.len(), requests.len());
    assert!(told.iter().all(|(_, code, _)| !matches!(code, Code::Success | Code::NotFound)));
}

#[test]
fn errors_are_told() {
    for (answer, code, text) in [
        (b"ERROR\r\n".as_slice(), Code::ProtocolError, b"".as_slice()),
        (b"CLIENT_ERROR bad thing\r\n", Code::ClientError, b"bad thing"),
        (b"SERVER_ERROR no luck\r\n", Code::ServerError, b"no luck"),
        (
            b"SERVER_ERROR out of memory storing object\r\n",
            Code::ServerMemoryAllocationFailure,
            b"out of memory storing object",
        ),
        (b"SERVER_ERROR object too large for cache\r\n", Code::TooBig, b"object too large for cache"),
    ] {
        let told = batch(&mut pool(says(answer), Protocol::Text), &[(Operation::Set, "key")]);
        assert_eq!(told, [(0, code, text.to_vec())]);
    }
}

/// Answers that are nearly right, damaged at random: the batch ends, and nothing is told twice or of a request that
/// never was.
#[test]
fn damaged_answers_end_every_batch() {
    let seed = std::env::var("LEVERET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    println!("LEVERET_SEED={seed}");
    let mut state = seed;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let keys: Vec<String> = (0..8).map(|i| format!("key{i}")).collect();
    let mut text = Vec::new();
    let mut meta = Vec::new();
    let mut binary = Vec::new();
    for (i, key) in keys.iter().enumerate() {
        text.extend(format!("VALUE {key} 0 5\r\nvalue\r\n").bytes());
        // A new pool numbers its requests from 1.
        let number = i as u8 + 1;
        meta.extend(format!("VA 5 f0 O{number}\r\nvalue\r\n").bytes());
        binary.extend([0x81, 0x09, 0, 0, 4, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
        binary.extend(b"value");
    }
    text.extend(b"END\r\n");
    meta.extend(b"MN\r\n");
    binary.extend([0x81, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for (protocol, right) in [(Protocol::Text, text), (Protocol::Meta, meta), (Protocol::Binary, binary)] {
        let mut answers = vec![right.clone()];
        for _ in 0..400 {
            let mut answer = right.clone();
            for _ in 0..1 + random(3) {
                let at = random(answer.len());
                match random(4) {
                    0 => answer[at] = random(256) as u8,
                    1 => answer.truncate(at + 1),
                    2 => drop(answer.remove(at)),
                    _ => answer.insert(at, b"0\r\n 9"[random(5)]),
                }
                if answer.is_empty() {
                    answer.push(0);
                }
            }
            answers.push(answer);
        }
        let count = answers.len();
        let port = server(move |number, mut stream, _| {
            let _ = stream.write_all(&answers[number % answers.len()]);
        });
        let requests: Vec<(Operation, &str)> = keys.iter().map(|key| (Operation::Get, key.as_str())).collect();
        for number in 0..count {
            let told = batch(&mut pool(port, protocol), &requests);
            let mut numbers: Vec<usize> = told.iter().map(|told| told.0).collect();
            if number == 0 {
                assert!(
                    told.iter().all(|told| told.1 == Code::Success) && told.len() == keys.len(),
                    "{protocol:?} {told:?}"
                );
            }
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), told.len(), "{protocol:?} {number}: {told:?}");
            assert!(numbers.iter().all(|number| *number < keys.len()));
        }
    }
}
