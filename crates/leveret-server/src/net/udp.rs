//! UDP: a datagram is a conversation of its own. Whole batches of datagrams are received with one call to the kernel
//! and answered with one.
//!
//! A sender's address can be forged, so what memcached would not send there, we do not either: requests in several
//! datagrams are dropped without an answer, and one datagram gets at most `-R` requests executed.
use crate::counters::traffic::WorkerCounters;
use crate::next::Next;
use crate::session::Session;
use crate::transport::Transport;
use crate::Worker;
use leveret_protocol::udp::{self, Frame, DATAGRAM_MAX, HEADER_LEN};
use nix::errno::Errno;
use nix::sys::socket::{recvmmsg, sendmmsg, MsgFlags, MultiHeaders, SockaddrStorage};
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::array;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Datagrams in one call to the kernel.
const BATCH: usize = 32;

/// Room for any datagram. The kernel touches only the pages that it fills.
const REQUEST_MAX: usize = 1 << 16;

/// Answers are sent when they reach this many bytes, even if more requests of the batch wait.
const ANSWERS_FULL: usize = 1 << 18;

/// Starts of error answers, with which no request begins.
const ERRORS: [&[u8]; 3] = [b"ERROR", b"CLIENT_ERROR", b"SERVER_ERROR"];

/// The longest answer, also to all requests of one datagram: as much as its frames can count.
const ANSWER_MAX: usize = u16::MAX as usize * (DATAGRAM_MAX - HEADER_LEN);

/// Memory for answers that is kept from one batch to the next.
const ANSWERS_KEPT: usize = 1 << 20;

/// A burst of answers should fit the kernel's queue; the system's own limit (`net.core.wmem_max`) cuts this number.
const SEND_BUFFER: usize = 8 << 20;

/// Result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing: the kernel tells when more comes.
    Drained,
    /// Perhaps further datagrams, which have to wait for the next turn.
    More,
    /// A client told the server to stop.
    Stop {
        /// `shutdown graceful`
        graceful: bool,
    },
}

/// One UDP socket for each of `count` workers, all of them at `address`: the kernel spreads the clients over them.
pub fn bind(address: SocketAddr, count: usize) -> io::Result<Vec<OwnedFd>> {
    if address.port() != 0 {
        // Sockets that share a port would also share it with those of another server that was started by mistake. One
        // that does not share is refused then.
        open(address, false)?;
    }
    let first = open(address, true)?;
    let address = first.local_addr()?.as_socket().unwrap_or(address);
    let mut sockets = vec![first.into()];
    for _ in 1..count {
        sockets.push(open(address, true)?.into());
    }
    Ok(sockets)
}

fn open(address: SocketAddr, is_shared: bool) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM.nonblocking().cloexec(), Some(Protocol::UDP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_reuse_port(is_shared)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

/// A worker's UDP socket.
pub struct UdpPort {
    socket: OwnedFd,
    requests: Box<[u8]>,
    received: MultiHeaders<SockaddrStorage>,
    answers: Answers,
}

impl UdpPort {
    /// Serves this socket, one of those that `bind` made.
    pub fn new(socket: OwnedFd) -> UdpPort {
        // What does not fit is lost, as datagrams may be, so there is nothing to say if the kernel refuses.
        let _ = SockRef::from(&socket).set_send_buffer_size(SEND_BUFFER);
        UdpPort {
            socket,
            requests: vec![0; BATCH * REQUEST_MAX].into_boxed_slice(),
            received: MultiHeaders::preallocate(BATCH, None),
            answers: Answers {
                bytes: Vec::new(),
                places: Vec::with_capacity(BATCH),
                sent: MultiHeaders::preallocate(BATCH, None),
            },
        }
    }

    /// Receives one batch of datagrams, executes their requests and sends the answers. To be called when the socket is
    /// readable.
    pub fn turn(&mut self, worker: &Worker) -> io::Result<Progress> {
        let counters = &*worker.traffic;
        let mut places = {
            let mut rest = self.requests.chunks_exact_mut(REQUEST_MAX);
            array::from_fn::<_, BATCH, _>(|_| [IoSliceMut::new(rest.next().unwrap_or_default())])
        };
        let datagrams =
            match recvmmsg(self.socket.as_raw_fd(), &mut self.received, places.iter_mut(), MsgFlags::empty(), None) {
                Ok(datagrams) => datagrams,
                Err(Errno::EAGAIN) => return Ok(Progress::Drained),
                Err(Errno::EINTR) => return Ok(Progress::More),
                Err(error) => return Err(error.into()),
            };
        let (mut count, mut bytes_read, mut stop) = (0, 0, None);
        for datagram in datagrams {
            count += 1;
            bytes_read += datagram.bytes;
            let (Some(request), Some(client)) = (datagram.iovs().next(), datagram.address) else { continue };
            if let Some((frame, requests)) = Frame::parse(request).filter(|(frame, _)| frame.is_whole_request()) {
                stop = stop.or(self.answers.answer(worker, requests, frame.request_id, client));
            }
            if self.answers.bytes.len() >= ANSWERS_FULL {
                self.answers.send(self.socket.as_fd(), counters);
            }
        }
        self.answers.send(self.socket.as_fd(), counters);
        WorkerCounters::add(&counters.bytes_read, bytes_read as u64);
        Ok(match stop {
            Some(graceful) => Progress::Stop { graceful },
            None if count == BATCH => Progress::More,
            None => Progress::Drained,
        })
    }
}

impl AsFd for UdpPort {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Answers that wait for being sent together.
struct Answers {
    bytes: Vec<u8>,
    places: Vec<ReplyFrames>,
    sent: MultiHeaders<SockaddrStorage>,
}

struct ReplyFrames {
    client: SockaddrStorage,
    request_id: u16,
    place: Range<usize>,
}

impl Answers {
    /// Executes the requests of one datagram. Each is answered in frames of its own. Some: the server shall stop.
    fn answer(&mut self, worker: &Worker, requests: &[u8], request_id: u16, client: SockaddrStorage) -> Option<bool> {
        // Two servers that take each other's answers for requests would never stop, and a forged sender suffices to
        // start that.
        if ERRORS.iter().any(|error| requests.starts_with(error)) {
            return None;
        }
        let mut session = Session::new(Transport::Udp);
        let (start, mut at, mut begin) = (self.bytes.len(), 0, self.bytes.len());
        for _ in 0..worker.shared.live.requests_per_turn() {
            let next = loop {
                // `take` ends where its output is full, so a long answer comes in parts, each into an output that is
                // not.
                let mut part = Vec::new();
                let output = if self.bytes.len() < ANSWERS_FULL { &mut self.bytes } else { &mut part };
                let (consumed, next) = session.take(worker, &requests[at..], output);
                at += consumed;
                self.bytes.append(&mut part);
                if self.bytes.len() - start > ANSWER_MAX {
                    self.bytes.truncate(begin);
                    return None;
                }
                if next != Next::Send {
                    break next;
                }
            };
            let end = self.bytes.len();
            if end > begin {
                self.places.push(ReplyFrames { client, request_id, place: begin..end });
                begin = end;
            }
            match next {
                Next::Yield => {}
                // A request that goes on in another datagram is not answered.
                Next::Read { .. } | Next::Send | Next::Busy | Next::Close | Next::Watch => return None,
                Next::Stop { graceful } => return Some(graceful),
            }
        }
        None
    }

    /// Sends all answers. Those that find no room in the kernel's queue are lost: UDP clients ask again.
    fn send(&mut self, socket: BorrowedFd<'_>, counters: &WorkerCounters) {
        let mut bytes_written = 0;
        let datagrams = self.places.iter().flat_map(|answer| {
            let frames = udp::split(answer.request_id, &self.bytes[answer.place.clone()]);
            frames.into_iter().flatten().map(|(header, payload)| (answer.client, header, payload))
        });
        let mut datagrams = datagrams.peekable();
        while datagrams.peek().is_some() {
            let mut count = 0;
            let mut clients = [None; BATCH];
            let mut headers = [[0; HEADER_LEN]; BATCH];
            let mut payloads = [[].as_slice(); BATCH];
            for (client, header, payload) in datagrams.by_ref().take(BATCH) {
                (clients[count], headers[count], payloads[count]) = (Some(client), header, payload);
                bytes_written += (HEADER_LEN + payload.len()) as u64;
                count += 1;
            }
            let slices: [_; BATCH] = array::from_fn(|at| [IoSlice::new(&headers[at]), IoSlice::new(payloads[at])]);
            let mut done = 0;
            while done < count {
                let sent = sendmmsg(
                    socket.as_raw_fd(),
                    &mut self.sent,
                    &slices[done..count],
                    &clients[done..count],
                    [],
                    MsgFlags::empty(),
                );
                match sent.map(Iterator::count) {
                    Ok(sent) => done += sent,
                    Err(Errno::EINTR) => {}
                    Err(Errno::EAGAIN) => break,
                    // This one cannot be sent, perhaps as there is no way to its client. The next may.
                    Err(_) => done += 1,
                }
            }
        }
        drop(datagrams);
        WorkerCounters::add(&counters.bytes_written, bytes_written);
        self.places.clear();
        self.bytes.clear();
        self.bytes.shrink_to(ANSWERS_KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, Shared};
    use leveret_engine::{Arena, OpenOptions};
    use leveret_protocol::udp::{Assembled, Reassembly};
    use std::net::UdpSocket;
    use std::time::Duration;

    struct Server {
        port: UdpPort,
        address: SocketAddr,
        worker: Worker,
        _dir: tempfile::TempDir,
    }

    impl Server {
        fn start() -> Server {
            let dir = tempfile::tempdir().unwrap();
            let (arena, _) = Arena::open(&dir.path().join("udp.arena"), &OpenOptions::new()).unwrap();
            let socket = bind("127.0.0.1:0".parse().unwrap(), 1).unwrap().remove(0);
            let address = SockRef::from(&socket).local_addr().unwrap().as_socket().unwrap();
            let shared = Shared::new(arena, Settings { threads: 1, ..Settings::default() }).unwrap();
            Server { port: UdpPort::new(socket), address, worker: Worker::new(shared.into(), 0), _dir: dir }
        }

        /// Loopback delivers a datagram before `send` returns, so one turn sees all that was sent.
        fn turn(&mut self) -> Progress {
            self.port.turn(&self.worker).unwrap()
        }

        fn client(&self) -> UdpSocket {
            let client = UdpSocket::bind("127.0.0.1:0").unwrap();
            client.connect(self.address).unwrap();
            client.set_nonblocking(true).unwrap();
            client
        }

        fn talk(&mut self, client: &UdpSocket, frame: Frame, requests: &[u8]) -> Vec<Vec<u8>> {
            client.send(&[&frame.bytes(), requests].concat()).unwrap();
            self.turn();
            receive(client)
        }
    }

    fn receive(client: &UdpSocket) -> Vec<Vec<u8>> {
        let mut datagrams = Vec::new();
        let mut buffer = [0; 2 * DATAGRAM_MAX];
        while let Ok(len) = client.recv(&mut buffer) {
            datagrams.push(buffer[..len].to_vec());
        }
        datagrams
    }

    fn alone(request_id: u16, answer: &str) -> Vec<u8> {
        [&Frame { request_id, sequence: 0, total: 1 }.bytes(), answer.as_bytes()].concat()
    }

    #[test]
    fn each_request_of_a_datagram_is_answered_in_frames_of_its_own() {
        let mut server = Server::start();
        let client = server.client();
        let answers = server.talk(
            &client,
            Frame::request(7),
            b"set a 0 0 1\r\nx\r\nset b 0 0 1 noreply\r\ny\r\nget a\r\nget a b\r\n",
        );
        assert_eq!(
            answers,
            [
                alone(7, "STORED\r\n"),
                alone(7, "VALUE a 0 1\r\nx\r\nEND\r\n"),
                alone(7, "VALUE a 0 1\r\nx\r\nVALUE b 0 1\r\ny\r\nEND\r\n")
            ]
        );
    }

    #[test]
    fn every_client_of_a_batch_gets_its_own_answers() {
        let mut server = Server::start();
        let clients: Vec<_> = (0..3 * BATCH).map(|_| server.client()).collect();
        for (number, client) in clients.iter().enumerate() {
            client
                .send(
                    &[&Frame::request(number as u16).bytes(), format!("mn\r\nmg key{number} k\r\n").as_bytes()]
                        .concat(),
                )
                .unwrap();
        }
        assert_eq!(
            [server.turn(), server.turn(), server.turn(), server.turn()],
            [Progress::More, Progress::More, Progress::More, Progress::Drained]
        );
        for (number, client) in clients.iter().enumerate() {
            assert_eq!(
                receive(client),
                [alone(number as u16, "MN\r\n"), alone(number as u16, &format!("EN kkey{number}\r\n"))],
                "{number}"
            );
        }
    }

    #[test]
    fn a_large_answer_comes_in_several_datagrams() {
        let mut server = Server::start();
        let client = server.client();
        for len in [1363, 1364, 1365, 60_000] {
            let value = "v".repeat(len);
            assert_eq!(
                server.talk(&client, Frame::request(1), format!("set a 0 0 {len}\r\n{value}\r\n").as_bytes()),
                [alone(1, "STORED\r\n")]
            );
            let answer = format!("VALUE a 0 {len}\r\n{value}\r\nEND\r\n");
            let datagrams = server.talk(&client, Frame::request(2), b"get a\r\n");
            assert_eq!(datagrams.len(), answer.len().div_ceil(DATAGRAM_MAX - HEADER_LEN), "{len}");
            let mut whole = Reassembly::new(2, 1 << 20);
            for datagram in &datagrams {
                assert!(matches!(whole.accept(datagram), Assembled::Part | Assembled::Whole));
            }
            assert_eq!(whole.finish().unwrap(), answer.as_bytes(), "{len}");
        }
    }

    #[test]
    fn a_batch_of_answers_larger_than_the_output_is_whole() {
        let mut server = Server::start();
        // Ten times 60,000 bytes: more than `ANSWERS_FULL`, so that the second request's output is another one.
        let value = "v".repeat(60_000);
        let client = server.client();
        client.set_nonblocking(false).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        SockRef::from(&client).set_recv_buffer_size(8 << 20).unwrap();
        client
            .send(
                &[&Frame::request(1).bytes(), format!("set a 0 0 {}\r\n{value}\r\n", value.len()).as_bytes()].concat(),
            )
            .unwrap();
        server.turn();
        let mut buffer = [0; 2 * DATAGRAM_MAX];
        client.recv(&mut buffer).unwrap();
        // The first datagram tells how many there are; the kernel may have had no room for all.
        client.send(&[&Frame::request(9).bytes(), b"get a a a a a a\r\nmn\r\n".as_slice()].concat()).unwrap();
        server.turn();
        let first = client.recv(&mut buffer).unwrap();
        let (frame, _) = Frame::parse(&buffer[..first]).unwrap();
        let answer_len = 6 * (value.len() + "VALUE a 0 60000\r\n\r\n".len()) + "END\r\n".len();
        assert_eq!(usize::from(frame.total), answer_len.div_ceil(DATAGRAM_MAX - HEADER_LEN));
    }

    #[test]
    fn what_memcached_would_not_answer_is_not_answered() {
        let mut server = Server::start();
        let client = server.client();
        let split = Frame { request_id: 1, sequence: 0, total: 2 };
        let later = Frame { request_id: 1, sequence: 1, total: 2 };
        for (frame, requests) in [
            (split, b"version\r\n".as_slice()),
            (later, b"version\r\n"),
            (Frame::request(1), b"vers"),
            (Frame::request(1), b"set a 0 0 10\r\nx\r\n"),
            (Frame::request(1), b""),
            (Frame::request(1), b"quit\r\nversion\r\n"),
        ] {
            assert_eq!(server.talk(&client, frame, requests), Vec::<Vec<u8>>::new(), "{frame:?} {requests:?}");
        }
        client.send(b"short").unwrap();
        server.turn();
        assert_eq!(receive(&client), Vec::<Vec<u8>>::new());
        let many = server.talk(&client, Frame::request(3), &b"mn\r\n".repeat(100));
        assert_eq!(many.len(), server.worker.shared.live.requests_per_turn());
    }

    #[test]
    fn two_servers_do_not_answer_each_other_for_ever() {
        let mut server = Server::start();
        let client = server.client();
        let error = server.talk(&client, Frame::request(1), b"what another server says\r\n");
        assert_eq!(error, [alone(1, "ERROR\r\n")]);
        for said in ["ERROR\r\n", "CLIENT_ERROR bad data chunk\r\n", "SERVER_ERROR out of memory\r\n"] {
            assert_eq!(server.talk(&client, Frame::request(1), said.as_bytes()), Vec::<Vec<u8>>::new(), "{said}");
        }
    }

    #[test]
    fn the_binary_protocol_is_spoken_too() {
        let mut server = Server::start();
        let client = server.client();
        let noop: Vec<u8> = [&[0x80, 0x0a], [0; 22].as_slice()].concat();
        let answers = server.talk(&client, Frame::request(5), &noop.repeat(2));
        assert_eq!(answers.len(), 2);
        assert!(answers
            .iter()
            .all(|answer| answer[..HEADER_LEN] == Frame::request(5).bytes() && answer[8..10] == [0x81, 0x0a]));
    }

    #[test]
    fn workers_share_a_port_that_no_other_server_gets() {
        let group = bind("127.0.0.1:0".parse().unwrap(), 3).unwrap();
        let addresses: Vec<_> =
            group.iter().map(|socket| SockRef::from(socket).local_addr().unwrap().as_socket().unwrap()).collect();
        assert!(addresses.iter().all(|address| *address == addresses[0]));
        assert_eq!(bind(addresses[0], 3).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(group);
        bind(addresses[0], 3).unwrap();
    }
}
