//! Parts of TLS shared by the server and the client: certificates and keys in files, sending encrypted bytes, and
//! wiping secrets.
#![forbid(unsafe_code)]

mod pem;
mod pump;
mod secret;

pub use pem::{certificates, key, why_refused};
pub use pump::flush;
pub use secret::wipe;
