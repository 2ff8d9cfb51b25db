//! One file per sub-command: its arguments, its work, its words.
pub mod delete;
pub mod doctor;
pub mod dump;
pub mod flush;
pub mod generate;
pub mod get;
pub mod keys;
pub mod list;
pub mod ping;
pub mod ring;
pub mod rm;
pub mod serve;
pub mod set;
pub mod stats;
pub mod verify;
