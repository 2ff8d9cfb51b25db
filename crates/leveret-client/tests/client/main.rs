//! One program, since each further one is linked with everything that it tests.
mod arenas;
mod codecs;
mod common;
mod datagrams;
mod dialect;
mod hostile;
mod pool;
mod rings;
mod short_cut;
mod sign_in;
mod tls;
