//! The cost of a scrape of metrics: the server's CPU time for one full page. With one scrape a second that is the share
//! of a CPU, in percent.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::json;

use crate::bench::{Bench, Side, TableLine};
use crate::rows::Row;
use crate::server::{free_port, BenchTransport, ServerProcess};
use crate::throughput::tell_side;
use leveret_load::failure::LoadFailure;
use leveret_load::workload::{LoadRequest, Workload};
use leveret_rounds::Spread;

/// Scrapes of a round.
const SCRAPES: u32 = 50;

const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(bench: &Bench, row: &Row, keys: u32, progress: &mut dyn FnMut(&str)) -> Result<TableLine, LoadFailure> {
    let mut shares = Vec::new();
    let mut idle = Vec::new();
    // memcached has no metrics of its own.
    if bench.ours.is_some() {
        progress("preparing");
        let address = free_port()?;
        let place = address.to_string();
        let options = [row.options, &["--metrics", &place]].concat();
        let server = bench.start(Side::Ours, BenchTransport::Tcp, &options)?;
        let traffic = crate::rows::RowTraffic { request: LoadRequest::Set, keys, ..crate::rows::BASE };
        let mut workload = Workload::new(traffic.request, traffic.keys, traffic.value_len, &bench.pad);
        bench.fill(&server, &traffic, &mut workload)?;
        for round in 0..bench.rounds {
            progress(&format!("round {} of {}", round + 1, bench.rounds));
            idle.push(idle_share(&server, bench.turn)?);
            let share = share(&server, address).map_err(|failure| tell_side(Side::Ours, failure))?;
            shares.push(share);
        }
    }
    let (ours, control) = (Spread::of(shares.iter().copied()), Spread::of(idle.iter().copied()));
    let verdict = match (&ours, &control) {
        (Some(ours), Some(control)) => row.target.verdict(ours, control, None),
        _ => "not measured",
    };
    Ok(TableLine {
        name: row.name,
        title: row.title,
        unit: "% of a CPU",
        peer: None,
        ours,
        ratio: ours,
        control,
        floor: None,
        target: row.target,
        verdict: verdict.to_owned(),
        failed: false,
        notes: vec![format!(
            "CPU time of a scrape, as if there were one in each second, of {SCRAPES} in each round; control: the share of a CPU that the server \
             takes when nobody asks it for anything"
        )],
        rounds: json!({ "scrape": shares, "idle": idle }),
    })
}

/// CPU time of a scrape, in percent of a second.
fn share(server: &ServerProcess, address: SocketAddr) -> Result<f64, LoadFailure> {
    let before = server.usage()?;
    for _ in 0..SCRAPES {
        scrape(address)?;
    }
    // The kernel books the time when the thread sleeps again.
    std::thread::sleep(Duration::from_millis(5));
    Ok(server.usage()?.since(before).cpu.as_secs_f64() / f64::from(SCRAPES) * 100.0)
}

/// The share of a CPU that it takes by itself, in percent.
fn idle_share(server: &ServerProcess, time: Duration) -> Result<f64, LoadFailure> {
    let before = server.usage()?;
    std::thread::sleep(time);
    Ok(server.usage()?.since(before).cpu.as_secs_f64() / time.as_secs_f64() * 100.0)
}

/// One page, which says that the arena is there and has items.
fn scrape(address: SocketAddr) -> Result<(), LoadFailure> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    let says = |name: &str, not: &str| {
        page.lines().any(|line| line.starts_with(name) && line.rsplit(' ').next().is_some_and(|value| value != not))
    };
    if page.starts_with("HTTP/1.1 200 ") && says("memcached_up{", "0") && says("memcached_current_items{", "0") {
        return Ok(());
    }
    Err(LoadFailure::Wrong(format!("a scrape was answered {:?}", page.get(..200).unwrap_or(&page))))
}
