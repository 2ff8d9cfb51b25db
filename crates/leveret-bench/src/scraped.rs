//! The cost of a scrape of metrics: the server's CPU time for one full page. With one scrape a second that is the share
//! of a CPU, in percent.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde::Deserialize;

use crate::answer::{LoadAnswer, Repeated};
use crate::server::{free_port, BenchTransport, ServerProcess};
use crate::starter::Starter;
use crate::traffic::{RequestKind, RowTraffic};
use leveret_load::failure::LoadFailure;

/// Scrapes of a measurement.
const SCRAPES: u32 = 50;

const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScrapedSize {
    keys: u32,
    /// A time without requests.
    milliseconds: u64,
}

pub struct Scraped {
    server: ServerProcess,
    address: SocketAddr,
    idle: Duration,
}

impl Scraped {
    pub fn new(mut starter: Starter, size: ScrapedSize) -> Result<Scraped, LoadFailure> {
        let address = free_port()?;
        let traffic = RowTraffic {
            transport: BenchTransport::Tcp,
            request: RequestKind::Set,
            connections: 50,
            depth: 1,
            keys: size.keys,
            value_len: 100,
            milliseconds: size.milliseconds,
            memory: 64,
            options: vec!["--metrics".to_owned(), address.to_string()],
            warm: false,
        };
        let server = starter.start(traffic.transport, &traffic.words())?;
        let mut workload = traffic.workload(&starter.pad, starter.dialect());
        starter.fill(&server, &traffic, &mut workload)?;
        Ok(Scraped { server, address, idle: traffic.turn() })
    }

    /// The share of a CPU that the server takes by itself, in percent.
    fn by_itself(&self) -> Result<f64, LoadFailure> {
        let before = self.server.usage()?;
        std::thread::sleep(self.idle);
        Ok(self.server.usage()?.since(before).cpu.as_secs_f64() / self.idle.as_secs_f64() * 100.0)
    }
}

impl Repeated for Scraped {
    /// CPU time of a scrape, in percent of a second.
    fn measure(&mut self) -> Result<LoadAnswer, LoadFailure> {
        let by_itself = self.by_itself()?;
        let before = self.server.usage()?;
        for _ in 0..SCRAPES {
            scrape(self.address)?;
        }
        // The kernel books the time when the thread sleeps again.
        std::thread::sleep(Duration::from_millis(5));
        let cpu = self.server.usage()?.since(before).cpu.as_secs_f64();
        Ok(LoadAnswer {
            figure: cpu / f64::from(SCRAPES) * 100.0,
            beside: vec![("when nobody asks", by_itself)],
            asked: u64::from(SCRAPES),
            right: u64::from(SCRAPES),
            ..LoadAnswer::default()
        })
    }
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
