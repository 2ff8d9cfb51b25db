//! One program, since each further one is linked with everything that it tests.
mod arenas;
mod common;
mod doctor;
mod errors;
mod help;
mod items;
mod listing;
mod metrics;
mod outputs;
mod record;
mod schema;
mod serving;
mod simulate;
mod tools;
mod uninstall;
mod watch;
