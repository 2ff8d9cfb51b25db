//! The committed header is what the source says.
use std::path::Path;

#[test]
fn the_committed_header_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut generated = Vec::new();
    cbindgen::Builder::new().with_crate(root).with_config(config).generate().expect("a header").write(&mut generated);
    let path = root.join("include/leveret.h");
    if std::env::var_os("LEVERET_WRITE_HEADER").is_some() {
        std::fs::write(&path, &generated).expect("written");
    }
    let committed = std::fs::read(&path).expect("the committed header");
    assert!(committed == generated, "include/leveret.h is stale: LEVERET_WRITE_HEADER=1 cargo test -p leveret-ffi");
}
