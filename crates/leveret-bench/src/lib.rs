//! Comparisons over sockets: `./x bench server`.
#![forbid(unsafe_code)]
