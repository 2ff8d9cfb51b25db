# shellcheck shell=bash
# ./x model: the engine's own code in every way that threads can meet (crates/leveret-engine/src/models, docs/proof.md).

# The models' files, those first whose models notice most.
MODEL_GROUPS=(read split lock lease service flush growth count before fill parent watch journal crash)

# In a folder of its own, since all is built again with other atomics. The words of the models wanted come behind.
MODEL_TESTS=(env RUSTFLAGS="--cfg model" CARGO_TARGET_DIR=target/model
    cargo test --profile model --locked -p leveret-engine --lib -- --nocapture)

# ./x model [WORD]: the long forms of the models whose name contains WORD. ./x model weak: without each ordering of the engine in
# turn; prints the tables of crates/leveret-engine/src/models/weakened.md. Without a word: both.
verb_model() {
    need_rust
    need "${BUILD_PACKAGES[@]}" python3
    mkdir -p build
    if [ "${1:-}" != weak ]; then
        PART_SECONDS_MAX=7200 LEVERET_MODEL=long \
            counted "models: long forms" build/model.log rust_counts "${MODEL_TESTS[@]}" "models::${1:-}"
    fi
    case "${1:-weak}" in weak) check "models: without each ordering in turn" model_table ;; esac
    report_counts
}

# Some ten minutes: what one model has noticed the next ones need not try.
model_table() {
    local log=$ROOT/build/model-weak.log group
    : >"$log"
    for group in "${MODEL_GROUPS[@]}"; do
        step "Without each ordering in turn: $group"
        LEVERET_NOTICED=$log LEVERET_MODEL=weak "${MODEL_TESTS[@]}" "models::$group::" >"$log.new" 2>&1 || { tail -30 "$log.new" && return 1; }
        grep -ao "weakened.*" "$log.new" >>"$log" || true
    done
    rm -f "$log.new"
    scripts/weakened <"$log"
}

# The short forms, for ./x test.
model_part() {
    counted "models: short forms" build/test-model.log rust_counts "${MODEL_TESTS[@]}" models::
}
