//! Random operations against a plain map: a cache may forget, never lie. Each run has an arena of another size, form and age.

use leveret_testkit::{model, rng, scratch};

#[test]
fn the_arena_answers_as_a_map_does() {
    let folder = scratch::folder().expect("a temporary folder");
    let first = rng::fresh_seed();
    for seed in first..first + 50 {
        if let Err(failure) = model::run(folder.path(), seed, 400) {
            panic!("seed {seed}: {}\n{}", failure.why, failure.ops);
        }
    }
}
