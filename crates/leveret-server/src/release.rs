//! Which Leveret this is.

/// The version as Debian orders it: a development build, as `0.2.0~git20261126101530.abc1234`, is older than its
/// release.
pub const RELEASE: &str = env!("LEVERET_RELEASE");
