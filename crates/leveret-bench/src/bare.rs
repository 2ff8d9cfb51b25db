//! The floor of a client: one request after the other over one connection, and its reply, whose bytes are compared. Between them it
//! sleeps in `poll`, which takes less of the processor than a receive that blocks. No client of this kind can be cheaper.

use std::io::{self, ErrorKind};
use std::time::Instant;

use rustix::event::{poll, PollFd, PollFlags};
use rustix::time::{clock_gettime, ClockId};
use serde::Serialize;

use leveret_load::failure::LoadFailure;
use leveret_load::socket::Endpoint;

/// Of one exchange, in seconds.
#[derive(Serialize)]
struct BareAnswer {
    figure: f64,
    client_cpu: f64,
    right: u32,
}

/// Makes `count` exchanges, and prints what one takes.
pub fn run(endpoint: &Endpoint, request: &[u8], reply: &[u8], count: u32) -> Result<(), LoadFailure> {
    let socket = endpoint.connect()?;
    let mut room = vec![0; reply.len() + 1];
    let mut right = 0;
    let (begun, cpu) = (Instant::now(), cpu_secs());
    for _ in 0..count {
        // A request is short: the kernel takes it whole.
        if socket.send(request)? != request.len() {
            return Err(io::Error::from(ErrorKind::WriteZero).into());
        }
        let mut came = 0;
        while came < reply.len() {
            poll(&mut [PollFd::new(&socket, PollFlags::IN)], None).map_err(io::Error::from)?;
            came += socket.receive(&mut room[came..])?;
        }
        right += u32::from(room[..came] == *reply);
    }
    let of_one = |secs: f64| secs / f64::from(count.max(1));
    let (cpu, wall) = (cpu_secs() - cpu, begun.elapsed().as_secs_f64());
    let answer = BareAnswer { figure: of_one(wall), client_cpu: of_one(cpu), right };
    println!("{}", serde_json::to_string(&answer).map_err(io::Error::from)?);
    Ok(())
}

/// Processor time of this process.
fn cpu_secs() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
