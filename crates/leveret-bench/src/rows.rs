//! The rows of the table, as data.

use crate::class::ClassWork;
use crate::server::BenchTransport;
use leveret_load::workload::LoadRequest;
use leveret_rounds::RatioTarget;

#[derive(Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub title: &'static str,
    pub target: RatioTarget,
    pub measure: Measure,
    pub options: &'static [&'static str],
    /// How many times as many rounds as other rows it has.
    pub patience: usize,
}

/// Of rows whose ratio is so near to its target that the median of eleven rounds is on either side of it by chance.
const CLOSE: usize = 3;

#[derive(Clone, Copy)]
pub enum Measure {
    /// Requests per CPU-second of the server.
    Throughput(RowTraffic),
    /// CPU time of the server with a watcher of mutations to that without.
    Watched(RowTraffic),
    /// 99th percentile at 70 % of the rate that the peer can do, in an open loop.
    Latency(RowTraffic),
    /// CPU time of a scrape of metrics, with this many items.
    Scraped { keys: u32 },
    /// Memory of this many idle connections.
    Idle { connections: usize },
    /// The class `Redis` of PHP.
    Class(ClassWork),
}

/// Load of a row.
#[derive(Clone, Copy)]
pub struct RowTraffic {
    pub transport: BenchTransport,
    pub request: LoadRequest,
    pub connections: usize,
    /// Requests under way on each connection.
    pub depth: u32,
    pub keys: u32,
    pub value_len: usize,
}

/// Keys enough that items and index do not fit into a second-level cache.
const MANY: u32 = 100_000;

pub const BASE: RowTraffic = RowTraffic {
    transport: BenchTransport::Tcp,
    request: LoadRequest::Get,
    connections: 50,
    depth: 1,
    keys: MANY,
    value_len: 100,
};

/// Few keys are read back: of those that were stored long ago most are gone.
const NEW: RowTraffic = RowTraffic { request: LoadRequest::SetNew, keys: 1000, ..BASE };

/// 64 MB is memcached's own default, and small enough that the warm-up writes all of it once: the first touch of memory
/// is another measure.
const SMALL: &[&str] = &["-m", "64"];
const LARGE: &[&str] = &["-m", "1024"];
/// A value of 1 MiB and its header are more than memcached's default for an item, which is 1 MiB.
const LARGE_VALUES: &[&str] = &["-m", "256", "-I", "2m"];

pub const ROWS: &[Row] = &[
    Row {
        name: "get-pipelined",
        title: "gets of 100 B, pipelined 32 deep, TCP",
        target: RatioTarget::AtLeast(1.3),
        measure: Measure::Throughput(RowTraffic { connections: 8, depth: 32, ..BASE }),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "get-tcp",
        title: "gets one by one, 50 connections, TCP",
        target: RatioTarget::AtLeast(1.1),
        measure: Measure::Throughput(BASE),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "get-unix",
        title: "gets one by one, 50 connections, Unix",
        target: RatioTarget::AtLeast(1.1),
        measure: Measure::Throughput(RowTraffic { transport: BenchTransport::Unix, ..BASE }),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "get-udp",
        title: "gets one by one, 50 sockets, UDP",
        target: RatioTarget::AtLeast(1.1),
        measure: Measure::Throughput(RowTraffic { transport: BenchTransport::Udp, ..BASE }),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "get-tls",
        title: "gets one by one, 50 connections, TLS",
        target: RatioTarget::AtLeast(1.0),
        measure: Measure::Throughput(RowTraffic { transport: BenchTransport::Tls, ..BASE }),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "get-tls-pipelined",
        title: "gets of 100 B, pipelined 32 deep, TLS",
        target: RatioTarget::AtLeast(1.3),
        measure: Measure::Throughput(RowTraffic { transport: BenchTransport::Tls, connections: 8, depth: 32, ..BASE }),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "multiget",
        title: "multigets of 100 keys, TCP",
        target: RatioTarget::AtLeast(1.3),
        measure: Measure::Throughput(RowTraffic { request: LoadRequest::MultiGet(100), connections: 10, ..BASE }),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "set-100",
        title: "sets of 100 B one by one, 50 connections",
        target: RatioTarget::AtLeast(1.1),
        measure: Measure::Throughput(RowTraffic { request: LoadRequest::Set, ..BASE }),
        options: SMALL,
        patience: CLOSE,
    },
    Row {
        name: "set-100-pipelined",
        title: "sets of 100 B, pipelined 32 deep",
        target: RatioTarget::AtLeast(1.1),
        measure: Measure::Throughput(RowTraffic { request: LoadRequest::Set, connections: 8, depth: 32, ..BASE }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "watched",
        title: "a watcher of sets of 100 B one by one, 50 connections",
        target: RatioTarget::AtMost(1.05),
        measure: Measure::Watched(RowTraffic { request: LoadRequest::Set, ..BASE }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "watched-pipelined",
        title: "a watcher of sets of 100 B, pipelined 32 deep",
        target: RatioTarget::AtMost(1.05),
        measure: Measure::Watched(RowTraffic { request: LoadRequest::Set, connections: 8, depth: 32, ..BASE }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "scraped",
        title: "metrics scraped once a second",
        target: RatioTarget::AtMost(0.5),
        measure: Measure::Scraped { keys: MANY },
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "set-8k",
        title: "sets of 8 KiB one by one, 50 connections",
        target: RatioTarget::AtLeast(1.0),
        measure: Measure::Throughput(RowTraffic { request: LoadRequest::Set, keys: 2000, value_len: 8 << 10, ..BASE }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "set-full",
        title: "sets of 100 B, new keys, one by one, into 64 MB that are full",
        target: RatioTarget::AtLeast(1.1),
        measure: Measure::Throughput(NEW),
        options: SMALL,
        patience: CLOSE,
    },
    Row {
        name: "set-full-pipelined",
        title: "the same, pipelined 32 deep",
        target: RatioTarget::AtLeast(1.5),
        measure: Measure::Throughput(RowTraffic { connections: 8, depth: 32, ..NEW }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "set-full-8k",
        title: "the same, 8 KiB",
        target: RatioTarget::AtLeast(1.0),
        measure: Measure::Throughput(RowTraffic { connections: 8, depth: 32, value_len: 8 << 10, ..NEW }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "set-full-4g",
        title: "the same, 1000 B, into 4 GB that are full",
        target: RatioTarget::AtLeast(1.5),
        measure: Measure::Throughput(RowTraffic { connections: 8, depth: 32, value_len: 1000, ..NEW }),
        options: &["-m", "4096"],
        patience: 1,
    },
    Row {
        name: "get-1m",
        title: "gets of 1 MiB, 4 connections",
        target: RatioTarget::AtLeast(1.0),
        measure: Measure::Throughput(RowTraffic { connections: 4, keys: 32, value_len: 1 << 20, ..BASE }),
        options: LARGE_VALUES,
        patience: 1,
    },
    Row {
        name: "set-1m",
        title: "sets of 1 MiB, 4 connections",
        target: RatioTarget::AtLeast(1.0),
        measure: Measure::Throughput(RowTraffic {
            request: LoadRequest::Set,
            connections: 4,
            keys: 32,
            value_len: 1 << 20,
            ..BASE
        }),
        options: LARGE_VALUES,
        patience: CLOSE,
    },
    Row {
        name: "latency",
        title: "p99 at 70 % of the peer's maximum, TCP",
        target: RatioTarget::AtMost(1.0),
        measure: Measure::Latency(BASE),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "idle",
        title: "memory of 10,000 idle connections",
        target: RatioTarget::AtMost(1.0),
        measure: Measure::Idle { connections: 10_000 },
        options: &["-m", "64", "-c", "10200"],
        patience: 1,
    },
];

/// Against Redis, in its own protocol. The targets are shares of its CPU time a key, 0.45, 0.8 and 0.85, turned round.
pub const REDIS_ROWS: &[Row] = &[
    Row {
        name: "redis-get-pipelined",
        title: "GETs of 100 B, pipelined 32 deep, TCP",
        target: RatioTarget::AtLeast(2.22),
        measure: Measure::Throughput(RowTraffic { connections: 8, depth: 32, ..BASE }),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "redis-get-tcp",
        title: "GETs one by one, 50 connections, TCP",
        target: RatioTarget::AtLeast(1.18),
        measure: Measure::Throughput(BASE),
        options: LARGE,
        patience: CLOSE,
    },
    Row {
        name: "redis-get-unix",
        title: "GETs one by one, 50 connections, Unix",
        target: RatioTarget::AtLeast(1.18),
        measure: Measure::Throughput(RowTraffic { transport: BenchTransport::Unix, ..BASE }),
        options: LARGE,
        patience: CLOSE,
    },
    Row {
        name: "redis-mget",
        title: "MGETs of 100 keys, TCP",
        target: RatioTarget::AtLeast(2.22),
        measure: Measure::Throughput(RowTraffic { request: LoadRequest::MultiGet(100), connections: 10, ..BASE }),
        options: LARGE,
        patience: CLOSE,
    },
    Row {
        name: "redis-set",
        title: "SETs of 100 B one by one, 50 connections, TCP",
        target: RatioTarget::AtLeast(1.25),
        measure: Measure::Throughput(RowTraffic { request: LoadRequest::Set, ..BASE }),
        options: SMALL,
        patience: CLOSE,
    },
    Row {
        name: "redis-set-pipelined",
        title: "SETs of 100 B, pipelined 32 deep",
        target: RatioTarget::AtLeast(1.25),
        measure: Measure::Throughput(RowTraffic { request: LoadRequest::Set, connections: 8, depth: 32, ..BASE }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "redis-get-1m",
        title: "GETs of 1 MiB, 4 connections",
        target: RatioTarget::AtLeast(1.0),
        measure: Measure::Throughput(RowTraffic { connections: 4, keys: 32, value_len: 1 << 20, ..BASE }),
        options: &["-m", "256"],
        patience: 1,
    },
    Row {
        name: "redis-latency",
        title: "p99 at 70 % of the peer's maximum, TCP",
        target: RatioTarget::AtMost(1.0),
        measure: Measure::Latency(BASE),
        options: LARGE,
        patience: 1,
    },
    Row {
        name: "class-get",
        title: "Redis::get of PHP, Unix: php-redis on Redis, ours by the arena of our server",
        target: RatioTarget::AtMost(0.01),
        measure: Measure::Class(ClassWork { name: "get", calls: 10_000, cpu_of_client: false }),
        options: SMALL,
        patience: 1,
    },
    // The target is 20 microseconds where php-redis takes 85.
    Row {
        name: "class-page",
        title: "connect, get, close, as a page does, Unix",
        target: RatioTarget::AtMost(0.235),
        measure: Measure::Class(ClassWork { name: "page", calls: 2_000, cpu_of_client: false }),
        options: SMALL,
        patience: 1,
    },
    Row {
        name: "class-get-cpu",
        title: "Redis::get of PHP on Redis, Unix: CPU time of the client",
        target: RatioTarget::AtMost(0.8),
        measure: Measure::Class(ClassWork { name: "get", calls: 10_000, cpu_of_client: true }),
        options: SMALL,
        patience: CLOSE,
    },
    Row {
        name: "class-pipeline-cpu",
        title: "pipelines of 50 GETs of PHP on Redis, Unix: CPU time of the client",
        target: RatioTarget::AtMost(0.7),
        measure: Measure::Class(ClassWork { name: "pipeline", calls: 1_000, cpu_of_client: true }),
        options: SMALL,
        patience: CLOSE,
    },
];

impl Row {
    /// Memory of its servers.
    pub fn memory(&self) -> u64 {
        let mebibytes = self.options.windows(2).find(|pair| pair[0] == "-m").and_then(|pair| pair[1].parse().ok());
        mebibytes.unwrap_or(64) << 20
    }
}

impl RowTraffic {
    /// The same, small: it shows that a row runs and verifies.
    pub fn quick(self) -> RowTraffic {
        RowTraffic { keys: self.keys.min(1000), ..self }
    }
}
