//! Certificates and keys in PEM files. An error is one line that names the file.
use leveret_engine::reason;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// All certificates of a file of at most `len_max` bytes; at least one.
pub fn certificates(path: &Path, len_max: u64) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&contents(path, len_max)?).collect();
    let found = found.map_err(|error| format!("{}: not PEM: {error}", path.display()))?;
    if found.is_empty() {
        return Err(format!("{}: no certificate in it (PEM: BEGIN CERTIFICATE)", path.display()));
    }
    Ok(found)
}

/// The first private key of a file of at most `len_max` bytes.
pub fn key(path: &Path, len_max: u64) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_slice(&contents(path, len_max)?)
        .map_err(|_| format!("{}: no private key in it (PEM, without a passphrase: BEGIN PRIVATE KEY)", path.display()))
}

/// Why rustls does not take this key for this certificate.
pub fn why_refused(error: &rustls::Error, key: &Path, certificate: &Path) -> String {
    match error {
        rustls::Error::InconsistentKeys(_) => {
            format!("{}: this key does not belong to the certificate {}", key.display(), certificate.display())
        }
        error => format!("{}: {error}", key.display()),
    }
}

fn contents(path: &Path, len_max: u64) -> Result<Vec<u8>, String> {
    let failed = |error: io::Error| format!("{}: {}", path.display(), reason(&error));
    // A pipe would have the caller wait.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{}: not a file", path.display()));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(len_max + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > len_max {
        return Err(format!("{}: longer than {len_max} bytes", path.display()));
    }
    Ok(bytes)
}
