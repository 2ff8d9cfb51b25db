//! Authentication of clients: passwords of `-Y` and of `-S`, and their files.
pub(crate) mod sasl;
mod sasldb;
pub(crate) mod secret;
mod users;

pub use sasl::PasswordFile;
pub use users::{UserError, Users};
