//! The committed header is what the source says.
use std::fs;
use std::path::Path;

/// The sources of this crate and of the engine in packages that need no others: cbindgen asks cargo for all that a package
/// may ever need, on any system and with any feature, and cargo would fetch it.
fn sources_alone(folder: &Path) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates");
    for (name, dependencies) in [("leveret-engine", ""), ("leveret-ffi", "leveret-engine.path = '../leveret-engine'")] {
        let source = crates.join(name).join("src/lib.rs");
        let manifest = format!(
            "[package]\nname = '{name}'\nversion = '0.0.0'\nedition = '2021'\n[lib]\npath = '{}'\n[dependencies]\n{dependencies}\n[workspace]\n",
            source.display()
        );
        fs::create_dir(folder.join(name)).expect("a folder");
        fs::write(folder.join(name).join("Cargo.toml"), manifest).expect("written");
    }
}

#[test]
fn the_committed_header_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let alone = tempfile::tempdir().expect("a folder");
    sources_alone(alone.path());
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let builder = cbindgen::Builder::new().with_crate(alone.path().join("leveret-ffi")).with_config(config);
    let mut generated = Vec::new();
    builder.generate().expect("a header").write(&mut generated);
    let path = root.join("include/leveret.h");
    if std::env::var_os("LEVERET_WRITE_HEADER").is_some() {
        fs::write(&path, &generated).expect("written");
    }
    let committed = fs::read(&path).expect("the committed header");
    assert!(committed == generated, "include/leveret.h is stale: LEVERET_WRITE_HEADER=1 cargo test -p leveret-ffi");
}
