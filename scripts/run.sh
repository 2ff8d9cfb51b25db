# shellcheck shell=bash
# The long runs: benchmarks, torture, kill harness. Each is a program of its own; here is only how it is started.

verb_bench() {
    case ${1:-all} in
        php) bench_php ;;
        engine) bench_engine ;;
        all) bench_php && bench_engine ;;
        *) fail "There is no benchmark '$1'." "Take php or engine." ;;
    esac
}

bench_php() {
    need "${DEMO_PACKAGES[@]}"
    verb_build
    step "Benchmark: PHP against APCu"
    bench/php/run
}

bench_engine() {
    need_rust
    step "Benchmark: the engine alone"
    cargo bench --locked -p leveret-engine
}

verb_torture() {
    local seconds=${1:-60}
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "'$seconds' is not a number of seconds." "Example: ./x torture 60"
    verb_build
    step "Torture: $seconds seconds of kills"
    cargo run --release --locked -p leveret-testkit --bin torture -- --seconds "$seconds" --extension "$ROOT/build/leveret.so"
}

verb_kill() {
    need_rust
    step "Kill harness: every instruction of every small operation"
    cargo test --release --locked -p leveret-testkit -- --include-ignored kill
}
