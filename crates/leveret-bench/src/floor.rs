//! The floor: a server without a cache. It sends the same answer for each fixed number of received bytes, with one
//! thread and one epoll loop, one receive and one send per ready connection. Its cost is the kernel's; no server of
//! this kind can be cheaper.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;

use rustix::event::epoll;

use leveret_load::socket::{Endpoint, Socket};

const BUFFER_LEN: usize = 256 * 1024;
const FRAME_LEN: usize = 8;
const LISTENER: u64 = u64::MAX;

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

struct Connection {
    socket: Socket,
    /// Bytes of the request that is not complete yet.
    came: usize,
    /// Bytes of answers that are still to be sent.
    owed: usize,
}

/// Runs until it is killed.
pub fn run(endpoint: &Endpoint, request_len: usize, answer: Vec<u8>) -> io::Result<()> {
    match endpoint {
        Endpoint::Tcp(address) => serve(Listener::Tcp(TcpListener::bind(address)?), request_len, &answer),
        Endpoint::Unix(path) => {
            let _ = fs::remove_file(path);
            serve(Listener::Unix(UnixListener::bind(path)?), request_len, &answer)
        }
        Endpoint::Udp(address) => serve_datagrams(UdpSocket::bind(address)?, &answer),
        Endpoint::Tls(_) => Err(io::Error::other("the floor speaks no TLS")),
    }
}

fn serve(listener: Listener, request_len: usize, answer: &[u8]) -> io::Result<()> {
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let answers = Answers::new(answer);
    let mut connections: Vec<Option<Connection>> = Vec::new();
    let mut buffer = vec![0; BUFFER_LEN];
    let mut events = Vec::with_capacity(256);
    listener.add_to(&epoll)?;
    loop {
        events.clear();
        match epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            if event.data.u64() == LISTENER {
                let socket = listener.accept()?;
                let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::ET;
                epoll::add(&epoll, &socket, epoll::EventData::new_u64(connections.len() as u64), flags)?;
                connections.push(Some(Connection { socket, came: 0, owed: 0 }));
                continue;
            }
            let place = &mut connections[event.data.u64() as usize];
            if let Some(connection) = place {
                if connection.turn(&mut buffer, request_len, &answers).is_err() {
                    *place = None;
                }
            }
        }
    }
}

impl Connection {
    fn turn(&mut self, buffer: &mut [u8], request_len: usize, answers: &Answers) -> io::Result<()> {
        loop {
            match self.socket.receive(buffer) {
                Ok(0) => return Err(ErrorKind::ConnectionReset.into()),
                Ok(count) => {
                    self.came += count;
                    self.owed += self.came / request_len * answers.len;
                    self.came %= request_len;
                    if count < buffer.len() {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        while self.owed > 0 {
            match self.socket.send(answers.last(self.owed)) {
                Ok(count) => self.owed -= count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The answer again and again, so that many are sent by one call.
struct Answers {
    repeated: Vec<u8>,
    len: usize,
}

impl Answers {
    fn new(answer: &[u8]) -> Answers {
        Answers { repeated: answer.repeat(BUFFER_LEN.div_ceil(answer.len())), len: answer.len() }
    }

    /// The bytes to send when `owed` are left: they end at the end of an answer, or in the middle if more are left than
    /// are kept.
    fn last(&self, owed: usize) -> &[u8] {
        let all = self.repeated.len();
        if owed <= all {
            return &self.repeated[all - owed..];
        }
        // Both lengths are multiples of the answer's, except the sent part of the first one.
        &self.repeated[(self.len - owed % self.len) % self.len..]
    }
}

impl Listener {
    fn add_to(&self, epoll: &OwnedFd) -> io::Result<()> {
        let data = epoll::EventData::new_u64(LISTENER);
        match self {
            Listener::Tcp(listener) => epoll::add(epoll, listener, data, epoll::EventFlags::IN)?,
            Listener::Unix(listener) => epoll::add(epoll, listener, data, epoll::EventFlags::IN)?,
        }
        Ok(())
    }

    fn accept(&self) -> io::Result<Socket> {
        Ok(match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                Socket::Tcp(stream)
            }
            Listener::Unix(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Socket::Unix(stream)
            }
        })
    }
}

/// Through epoll as well, because every server of this kind has to ask which of its sockets are ready.
fn serve_datagrams(socket: UdpSocket, answer: &[u8]) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, &socket, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
    let mut events = Vec::with_capacity(1);
    let mut datagram = vec![0; 2048];
    let mut reply = [&[0, 0, 0, 0, 0, 1, 0, 0], answer].concat();
    loop {
        events.clear();
        match epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        loop {
            match socket.recv_from(&mut datagram) {
                Ok((count, from)) if count >= FRAME_LEN => {
                    reply[..2].copy_from_slice(&datagram[..2]);
                    let _ = socket.send_to(&reply, from);
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // A client that has gone: the kernel reports it at the next call.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_owed_answers_are_sent_in_order_whatever_each_send_takes() {
        let answer: Vec<u8> = (0..=250).collect();
        let answers = Answers::new(&answer);
        let expected = answer.repeat(5000);
        for step in [1000, 99_999, usize::MAX] {
            let (mut owed, mut sent) = (expected.len(), Vec::new());
            while owed > 0 {
                let bytes = answers.last(owed);
                let count = bytes.len().min(step);
                sent.extend_from_slice(&bytes[..count]);
                owed -= count;
            }
            assert!(sent == expected, "steps of {step}");
        }
    }
}
