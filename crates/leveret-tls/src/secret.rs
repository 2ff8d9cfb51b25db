//! Secrets in memory.

/// Overwrites a secret, so that it does not stay in freed memory or in a core file, as far as the compiler lets the zeros
/// be.
pub fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    std::hint::black_box(bytes);
}
