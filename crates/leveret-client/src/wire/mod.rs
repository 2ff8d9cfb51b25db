//! Between requests and bytes. `write` writes requests in the protocol of the server; `read` gives answers to their
//! requests; `datagrams` does both by UDP.
pub(crate) mod datagrams;
pub(crate) mod read;
pub(crate) mod write;

use std::collections::VecDeque;

/// Requests that await an answer, in the order in which they were sent.
pub(crate) type Expected = VecDeque<u32>;
