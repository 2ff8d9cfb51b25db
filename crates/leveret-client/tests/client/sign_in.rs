//! Passwords: what is said before anything else, to whom, and what becomes of servers that answer something else to it.
use leveret_client::pool::{Code, Credentials, Operation, Options, Pool, Protocol, Request};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{channel, Receiver};
use std::time::Duration;

const HEADER: usize = 24;

fn frame(magic: u8, opcode: u8, status: u16, key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![magic, opcode];
    bytes.extend((key.len() as u16).to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(status.to_be_bytes());
    bytes.extend(((key.len() + value.len()) as u32).to_be_bytes());
    bytes.extend([0; 12]);
    bytes.extend([key, value].concat());
    bytes
}

fn answer(opcode: u8, status: u16, value: &[u8]) -> Vec<u8> {
    frame(0x81, opcode, status, b"", value)
}

/// One binary request, whole; None = the client has hung up.
fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = vec![0; HEADER];
    stream.read_exact(&mut bytes).ok()?;
    let len = u32::from_be_bytes(bytes[8..12].try_into().unwrap()) as usize;
    bytes.resize(HEADER + len, 0);
    stream.read_exact(&mut bytes[HEADER..]).ok()?;
    Some(bytes)
}

/// Answers the first request of each connection with the next of `answers`, keeps it open, and tells each request that
/// it got. A version is answered.
fn server(answers: Vec<Vec<u8>>) -> (u16, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, heard) = channel();
    std::thread::spawn(move || {
        for (stream, said) in listener.incoming().zip(answers) {
            let (mut stream, sender) = (stream.unwrap(), sender.clone());
            std::thread::spawn(move || {
                let mut is_first = true;
                while let Some(request) = request(&mut stream) {
                    let opcode = request[1];
                    let opaque: [u8; 4] = request[12..16].try_into().unwrap();
                    let _ = sender.send(request);
                    let mut told = if is_first { said.clone() } else { answer(opcode, 0, b"1") };
                    if !is_first {
                        told[12..16].copy_from_slice(&opaque);
                    }
                    is_first = false;
                    if stream.write_all(&told).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (port, heard)
}

fn pool(port: u16, is_lenient: bool, timeout: Duration) -> Pool {
    let options = Options {
        protocol: Protocol::Text,
        detects: true,
        connect_timeout: timeout,
        io_timeout: timeout,
        retry_timeout: Duration::ZERO,
        ..Options::default()
    };
    let mut pool = Pool::new(options);
    pool.set_credentials(None, Credentials::new(b"ann", b"secret", is_lenient));
    pool.add_server("127.0.0.1", port, 0, 1);
    pool
}

const PATIENT: Duration = Duration::from_secs(60);

fn version(pool: &mut Pool) -> Code {
    pool.begin();
    pool.add(&Request::new(Operation::Version, b"")).unwrap();
    pool.run();
    pool.next_answer().unwrap().code
}

#[test]
fn each_connection_begins_with_the_password_and_sends_nothing_before_it_is_let_in() {
    let accepted = answer(0x21, 0, b"Authenticated");
    let (port, heard) = server(vec![accepted.clone(), accepted]);
    let mut pool = pool(port, false, PATIENT);
    let asked = frame(0x80, 0x21, 0, b"PLAIN", b"\0ann\0secret");
    for _ in 0..2 {
        assert_eq!(version(&mut pool), Code::Success);
        assert_eq!(heard.recv().unwrap(), asked);
        assert_eq!(heard.recv().unwrap()[1], 0x0b);
        // The same again changes nothing: the next request goes over the same connection.
        pool.set_credentials(None, Credentials::new(b"ann", b"secret", false));
        assert_eq!(version(&mut pool), Code::Success);
        assert_eq!(heard.recv().unwrap()[1], 0x0b);
        pool.quit();
    }
}

#[test]
fn a_server_that_asks_once_more_hears_it_once_more() {
    let (port, heard) = server(vec![answer(0x21, 0x21, b"")]);
    let mut pool = pool(port, false, PATIENT);
    // The step gets the answer of a version, whose opcode the server repeats.
    assert_eq!(version(&mut pool), Code::Success);
    assert_eq!(heard.recv().unwrap()[1], 0x21);
    assert_eq!(heard.recv().unwrap(), frame(0x80, 0x22, 0, b"PLAIN", b"\0ann\0secret"));
    assert_eq!(heard.recv().unwrap()[1], 0x0b);
}

#[test]
fn who_is_not_let_in_is_told_and_asks_nothing() {
    for (said, is_lenient, want) in [
        (answer(0x21, 0x20, b"Auth failure."), false, Code::AuthFailure),
        (answer(0x21, 0x20, b"Auth failure."), true, Code::AuthFailure),
        (answer(0x21, 0x81, b"Unknown command"), false, Code::AuthProblem),
        (answer(0x21, 0x81, b"Unknown command"), true, Code::Success),
        (answer(0x21, 0x04, b"Invalid arguments"), false, Code::AuthFailure),
        // What is no answer to it, or more than that.
        (answer(0x0b, 0, b"1.6.18"), false, Code::ProtocolError),
        (answer(0x21, 0x7777, b""), false, Code::ProtocolError),
        ([answer(0x21, 0, b""), answer(0x21, 0, b"")].concat(), false, Code::ProtocolError),
        (frame(0x80, 0x21, 0, b"", b""), false, Code::ProtocolError),
        (b"ERROR\r\n".to_vec(), false, Code::ProtocolError),
        ([answer(0x21, 0, b"").as_slice()[..8].to_vec(), vec![0xff; 16]].concat(), false, Code::ProtocolError),
    ] {
        let (port, heard) = server(vec![said.clone()]);
        let mut pool = pool(port, is_lenient, PATIENT);
        assert_eq!(version(&mut pool), want, "{said:?}");
        assert_eq!(heard.recv().unwrap()[1], 0x21);
        if want != Code::Success {
            assert_eq!(pool.failures()[0].code, want);
            drop(pool);
            assert!(heard.try_recv().is_err(), "nothing is sent to a server that has not let us in");
        }
    }
}

#[test]
fn a_server_that_never_ends_its_answer_is_given_up_in_time() {
    for said in [Vec::new(), answer(0x21, 0, b"Authenticated")[..30].to_vec()] {
        let (port, _heard) = server(vec![said]);
        let mut pool = pool(port, false, Duration::from_millis(100));
        assert_eq!(version(&mut pool), Code::Timeout);
        pool.quit();
        let mut pool = self::pool(port, false, Duration::from_millis(100));
        assert_ne!(pool.connect(0), Code::Success);
    }
}

#[test]
fn what_cannot_be_said_is_no_password_and_none_is_shown() {
    assert!(Credentials::new(b"a\0b", b"c", false).is_none());
    assert!(Credentials::new(b"a", &[b'c'; 5000], false).is_none());
    let shown = format!("{:?}", Credentials::new(b"ann", b"secret", false));
    assert!(!shown.contains("secret") && !shown.contains("115"), "{shown}");
}
