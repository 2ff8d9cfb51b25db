# shellcheck shell=bash
# ./x demo [quick]: builds, then does the work of the seeds in PHP. The work itself is in demo/.

verb_demo() {
    [[ ${1:-quick} = quick ]] || fail "There is no demo '$1'." "Take ./x demo for all of it, ./x demo quick for a twentieth of the keys."
    need_rust
    need "${BUILD_PACKAGES[@]}" "${DEMO_PACKAGES[@]}"
    verb_build
    step "The main job: seeds 000 and 001 on the arena and beside it"
    demo/run "$@"
}
