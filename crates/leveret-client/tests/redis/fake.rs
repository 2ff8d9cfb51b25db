//! A server that says what a test wants, whatever it is asked.
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{channel, Receiver};
use std::time::Duration;

/// What the server does with one connection.
#[derive(Clone, Debug)]
pub enum Act {
    /// Waits until something was asked.
    Hear,
    Say(Vec<u8>),
    Rest(Duration),
    /// Ends the connection.
    End,
    /// Keeps it open until the client has gone.
    Stay,
}

pub struct Fake {
    pub port: u16,
    /// What each connection has heard.
    pub heard: Receiver<Vec<u8>>,
}

/// One script for each connection, in order.
pub fn serve(scripts: Vec<Vec<Act>>) -> Fake {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tells, heard) = channel();
    std::thread::spawn(move || {
        for script in scripts {
            let Ok((socket, _)) = listener.accept() else { return };
            let tells = tells.clone();
            std::thread::spawn(move || {
                let _ = tells.send(play(socket, &script));
            });
        }
    });
    Fake { port, heard }
}

fn play(mut socket: TcpStream, script: &[Act]) -> Vec<u8> {
    let mut heard = Vec::new();
    let mut room = vec![0; 1 << 16];
    for act in script {
        match act {
            Act::Hear => {
                let len = socket.read(&mut room).unwrap_or_default();
                heard.extend_from_slice(&room[..len]);
            }
            Act::Say(bytes) => {
                if socket.write_all(bytes).is_err() {
                    break;
                }
            }
            Act::Rest(time) => std::thread::sleep(*time),
            Act::End => return heard,
            Act::Stay => while matches!(socket.read(&mut room), Ok(1..)) {},
        }
    }
    heard
}
