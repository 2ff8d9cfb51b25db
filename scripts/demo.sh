# shellcheck shell=bash
# ./x demo [quick]: builds, then does the work of the seeds in PHP. The work itself is in demo/.

verb_demo() {
    need_rust
    need "${BUILD_PACKAGES[@]}" "${DEMO_PACKAGES[@]}"
    verb_build
    step "The main job: seeds 000 and 001 on the arena and beside it"
    demo/run "$@"
}
