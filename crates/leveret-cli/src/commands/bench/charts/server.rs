//! Servers without a language's client: cost of a request, and latency of its answer.
use super::{Chart, ChartLanguage, Unit, Variant};

const REQUESTS: [Variant; 4] = [
    Variant { name: "get", title: "gets one by one", servers: 1, words: &["cpu", "get", "50", "1"] },
    Variant { name: "pipelined", title: "gets, 32 at a time", servers: 1, words: &["cpu", "get", "8", "32"] },
    Variant { name: "multiget", title: "gets of a hundred keys", servers: 1, words: &["cpu", "multiget", "10", "1"] },
    Variant { name: "set", title: "sets one by one", servers: 1, words: &["cpu", "set", "50", "1"] },
];

const QUANTILES: [Variant; 3] = [
    Variant { name: "p50", title: "median", servers: 1, words: &["latency", "0.5", "20000", "50"] },
    Variant { name: "p99", title: "99 of 100", servers: 1, words: &["latency", "0.99", "20000", "50"] },
    Variant { name: "p999", title: "999 of 1000", servers: 1, words: &["latency", "0.999", "20000", "50"] },
];

pub static CPU: Chart = Chart {
    name: "server-cpu",
    title: "Processor time of a server for {keys} keys (100 bytes each)",
    means: "CPU time of the server's threads: single gets over 50 connections, gets over 8 connections with 32 \
            outstanding each, gets of a hundred keys over 10, and sets over 50. Each answer is compared byte \
            by byte, and stored values are read back.",
    fairness: "One program with one CPU asks all servers, in memcached's text protocol or Redis' own. memcached \
               and leveret serve have two threads each, Redis one.",
    keys: 100_000,
    program: &[],
    words: &[],
    peers: include_str!("server.toml"),
    takes_added: false,
    variants: &REQUESTS,
    unit: Unit::Seconds,
    keys_if_quick_max: 2_000,
    memory_mib: |_| 1024,
    language: ChartLanguage::Own,
    published: &[],
};

pub static LATENCY: Chart = Chart {
    name: "latency",
    title: "How long an answer takes at 20,000 gets a second ({keys} gets)",
    means: "Time within which 50 %, 99 % and 99.9 % of the answers arrived, counted from the moment when the \
            request was due (no coordinated omission). Requests come independently, over 50 connections.",
    keys: 20_000,
    variants: &QUANTILES,
    ..CPU
};
