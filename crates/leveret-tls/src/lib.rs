//! What both ends of TLS share, the server and the client: certificates and keys in files, sending what is encrypted, and
//! wiping what was secret.
#![forbid(unsafe_code)]

mod pem;
mod pump;
mod secret;

pub use pem::{certificates, key, why_refused};
pub use pump::flush;
pub use secret::wipe;
