//! The version that the program says of itself: that of `scripts/version`, which `./x` sets.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-env-changed=LEVERET_VERSION");
    let version = std::env::var("LEVERET_VERSION").ok().filter(|version| !version.is_empty());
    println!("cargo:rustc-env=LEVERET_RELEASE={}", version.unwrap_or_else(by_itself));
}

/// A plain `cargo build` asks no git: each commit would compile everything again. Archives of a development build have
/// its version in Cargo.toml, in cargo's form.
fn by_itself() -> String {
    let version = env!("CARGO_PKG_VERSION");
    if !version.contains('-') && Path::new("../../.git").exists() {
        return format!("{version}~git");
    }
    version.replacen("-git", "~git", 1).replacen(".g", ".", 1)
}
