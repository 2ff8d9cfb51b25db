//! The leveret command.
fn main() {}
