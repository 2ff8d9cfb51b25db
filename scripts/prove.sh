# shellcheck shell=bash
# What takes long and proves: models, torture, kills, fuzzing, leaks. Each is a program of its own; here is how it is started.

# --- models ---

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

# --- torture, kills, fuzzing ---

verb_torture() {
    local seconds=${1:-60}
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "'$seconds' is not a number of seconds." "Example: ./x torture 60"
    need ruby ruby-dev
    verb_build
    build_ruby "$(leveret_core)"
    step "Full arenas: $seconds seconds of values of every size"
    cargo run --release --locked -p leveret-testkit --bin leveret-full -- "$seconds"
    step "Torture: $seconds seconds of kills"
    cargo run --release --locked -p leveret-testkit --bin leveret-torture -- "$seconds" --php build/leveret.so \
        --ruby ruby/lib --ruby build/ruby/lib --redis
    step "Soak: $seconds seconds of a server that is killed"
    cargo run --release --locked -p leveret-testkit --bin leveret-soak -- "$seconds" --command build/leveret
}

# ./x kill [ARGUMENT...]: see `./x kill --help`; the quick form runs in `./x test`.
verb_kill() {
    need_rust
    need gcc libc6-dev
    step "Kill harness: every instruction of every small operation"
    cargo run --release --locked -p leveret-testkit --bin leveret-kill -- "$@"
}

# ./x fuzz [SECONDS]: a quarter each for the parsers of the protocols, the engine against a map, damaged arenas, and what Ruby decodes;
# then a million bent arrays before PHP, whatever that takes.
verb_fuzz() {
    local seconds=${1:-60}
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "'$seconds' is not a number of seconds." "Example: ./x fuzz 60"
    local each=$(((seconds + 3) / 4))
    need_rust
    need gcc libc6-dev ruby ruby-dev
    step "Fuzz: the protocols, $each seconds"
    # Optimised, but with the overflow checks and debug assertions that tests have. All targets at the same time.
    LEVERET_FUZZ_SECONDS=$each CARGO_PROFILE_TEST_OPT_LEVEL=2 \
        cargo test --locked -p leveret-protocol --test fuzz -- --nocapture --test-threads=16
    step "Fuzz: the engine against a map, $each seconds"
    cargo run --release --locked -p leveret-testkit --bin leveret-fuzz -- model "$each"
    step "Fuzz: damaged arenas, $each seconds"
    cargo run --release --locked -p leveret-testkit --bin leveret-fuzz -- corrupt "$each"
    verb_build
    build_ruby "$(leveret_core)"
    step "Fuzz: hostile items before Ruby's decoders, $each seconds"
    LEVERET_CORE=$(leveret_core) ruby -W "${RUBY_PATHS[@]}" ruby/test/hostile.rb "$each"
    step "Fuzz: a million bent arrays before PHP, half of them read into the pool"
    local seed=${LEVERET_SEED:-$RANDOM}
    note "LEVERET_SEED=$seed"
    local decoded
    for decoded in 0 512K; do
        "php$LEVERET_PHP" -n -d extension="$ROOT/build/leveret.so" -d leveret.decoded_cache=$decoded -d leveret.memory=8M -d memory_limit=512M -r \
            "require 'php/tests/cache.inc'; require 'php/tests/value/bent.inc'; bend_arrays(new_cache(), 500000, $seed, '$decoded' ? 400 : 1);"
    done
}

# --- leaks ---

# ./x leaks: the phpt tests under valgrind. No block may leak, no invalid byte may be used, and the output must be right.

# One of each family that has code of its own; `./x test` has no time for more.
LEAKS_SHORT=(apcu/store_array cache/get_multiple decoded/copy_on_write ini/leveret memcache/arena memcached/compression memcached/more_behind_a_value)

# The gem's tests that run the C shim in their own process. The others start programs, which are not looked at.
LEAKS_RUBY=(test_cache test_values test_frozen test_classes test_processes test_hostile)

# ./x leaks [WORD...]: the tests whose name contains one of the words. Without a word: all. ./x leaks ruby [WORD...]: the gem's.
verb_leaks() {
    if [ "${1:-}" = ruby ]; then
        shift
        leaks_ruby "$@"
        return
    fi
    need_rust
    need "${BUILD_PACKAGES[@]}" valgrind memcached "php$LEVERET_PHP-apcu" "php$LEVERET_PHP-igbinary" "php$LEVERET_PHP-msgpack"
    verb_build
    local files=()
    mapfile -t files < <(phpt_files build/php-src/tests "$@")
    [ ${#files[@]} -gt 0 ] || fail "No phpt test has '$*' in its name." "ls php/tests/* shows the names."
    # Some seconds a test; each has a time limit of its own besides.
    PART_SECONDS_MAX=7200 leaks_part "php: phpt under valgrind" "${files[@]}"
    report_counts
}

leaks_ruby() {
    need_rust
    need "${BUILD_PACKAGES[@]}" valgrind memcached ruby ruby-dev ruby-minitest "php$LEVERET_PHP-igbinary" "php$LEVERET_PHP-msgpack"
    verb_build
    build_ruby "$(leveret_core)"
    check "ruby: valgrind finds what is planted" leaks_ruby_finds_what_is_planted
    [ $# -gt 0 ] || set -- "${LEAKS_RUBY[@]}"
    PART_SECONDS_MAX=7200 counted "ruby: minitest under valgrind" build/test-leaks-ruby.log ruby_leaks_counts \
        env "LEVERET_CORE=$(leveret_core)" LEVERET_PATIENCE=1200 \
        LEVERET_HOSTILE_CALLS=500 UNDER_VALGRIND=ruby "LEVERET_RUBY=$ROOT/scripts/under-valgrind" scripts/under-valgrind -W "${RUBY_PATHS[@]}" ruby/test/run.rb "$@"
    report_counts
}

# What valgrind has found is one more failure.
ruby_leaks_counts() {
    local p f s
    read -r p f s < <(ruby_counts "$1")
    if grep -q '^==[0-9]*==' "$1"; then f=$((f + 1)); fi
    echo "$p $f $s"
}

# A block lost in a child, uninitialised bytes that are written out, and a freed one that is read.
leaks_ruby_finds_what_is_planted() {
    local file kind found status=0
    file=$(mktemp)
    cat >"$file" <<'RUBY'
require 'fiddle'
call = ->(name, *arguments) { Fiddle::Function.new(Fiddle::Handle::DEFAULT[name], [Fiddle::TYPE_SIZE_T] * arguments.size, Fiddle::TYPE_SIZE_T).call(*arguments) }
if fork.nil?
  call['malloc', 4321]
  exit
end
Process.wait
block = call['malloc', 16]
call['write', File.open(File::NULL, 'w').fileno, block, 16]
call['free', block]
call['strnlen', block, 8]
RUBY
    found=$(UNDER_VALGRIND=ruby scripts/under-valgrind "$file" 2>&1) && status=1
    rm -f "$file"
    for kind in "4,321 bytes in 1 blocks are definitely lost" "write(buf) points to uninitialised" "Invalid read of size 1"; do
        [[ $found = *"$kind"* ]] || { note "Not found: $kind" && status=1; }
    done
    return "$status"
}

leaks_short_part() {
    local files=("${LEAKS_SHORT[@]/#/build/php-src/tests/}")
    check "php: valgrind finds what is planted" leaks_finds_what_is_planted
    leaks_part "php: phpt under valgrind, one of a family" "${files[@]/%/.phpt}"
}

# A script that loses a block in a child and reads a freed one: a check that misses it misses ours too.
leaks_finds_what_is_planted() {
    local dir kind found status=0
    dir=$(mktemp -d)
    mkdir -p "$dir/php-src/tests"
    touch "$dir/php-src/tests/planted.phpt"
    cat >"$dir/php-src/tests/planted.php" <<'PHP'
<?php
$c = FFI::cdef('void *malloc(size_t); void free(void *); size_t strnlen(char *, size_t);');
if (pcntl_fork() === 0) {
    $c->malloc(4321);
    exit;
}
pcntl_wait($status);
$freed = $c->malloc(16);
$c->free($freed);
$c->strnlen($freed, 8);
PHP
    found=$(UNDER_VALGRIND=php scripts/under-valgrind -n -d extension=ffi -d ffi.enable=1 -f "$dir/php-src/tests/planted.php" 2>&1) || status=$?
    rm -rf "$dir"
    for kind in "4,321 bytes in 1 blocks are definitely lost" "Invalid read of size 1"; do
        [[ $found = *"$kind"* ]] || { note "Not found: $kind" && status=1; }
    done
    return "$status"
}

# TEST_TIMEOUT is how long run-tests.php waits; under-valgrind gives up earlier, and says so.
leaks_part() {
    local name=$1
    shift
    TEST_TIMEOUT=900 UNDER_VALGRIND=php run_phpt "$name" build/test-leaks.log "$ROOT/scripts/under-valgrind" "$@"
}
