# shellcheck shell=bash
# ./x test: every part runs even when an earlier one failed, reports its counts, and the sum is the last line.

# Longest time for one part, in seconds: a hung test must fail by name, not stop CI without a word.
PART_SECONDS_MAX=1200

# ./x test [PART [FILTER]]: PART is lint, rust, model, generated, phpt, leaks, ruby or system. Without it: all.
verb_test() {
    need_rust lint
    local packages=("${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}")
    is_installed apache2 || packages+=("$MOD_PHP_PACKAGE")
    need "${packages[@]}"
    local part=${1:-all}
    [ $# -eq 0 ] || shift
    case $part in
        all)
            # In a subshell, so that a broken build is one failed test and the parts that need no build still run.
            check "build" build_for_tests
            check "build: the extension asks PHP for nothing that some releases lack" asks_php_for_what_all_have build/leveret.so
            lint_parts
            generated_parts
            rust_part
            model_part
            phpt_part
            leaks_short_part
            ruby_part
            system_part
            ;;
        lint) lint_parts ;;
        generated) generated_parts ;;
        model) model_part ;;
        rust) rust_part "$@" ;;
        phpt) build_for_tests && phpt_part "$@" ;;
        leaks) build_for_tests && leaks_short_part ;;
        ruby) build_for_tests && ruby_part "$@" ;;
        system) build_for_tests && system_part "$@" ;;
        *) fail "There is no part '$part'." "The parts are lint, generated, rust, model, phpt, leaks, ruby and system." ;;
    esac
    report_counts
}

# Tests after a commit take the command of before it, which says the version of the last ./x build.
build_for_tests() { LEVERET_KEEP_VERSION=1 bash x build; }

# counted NAME LOG PARSER COMMAND...: runs a part's command, shows and keeps its output, and takes its counts from that.
counted() {
    local name=$1 log=$2 parser=$3 status=0 shown job p f s
    shift 3
    step "$name"
    mkdir -p build
    exec 8> >(tee "$log")
    shown=$!
    # A process group of its own (timeout makes it), so that whatever the command has started ends with it: at the time limit,
    # and when somebody presses Ctrl-C here.
    timeout -k 10 "$PART_SECONDS_MAX" "$@" </dev/null >&8 2>&1 8>&- &
    job=$!
    exec 8>&-
    trap 'kill "$job"; exit 130' INT TERM
    wait "$job" || status=$?
    trap - INT TERM
    # Not the dead that wait for init to take note of them, as run-tests.php leaves them.
    if pgrep -g "$job" -r D,R,S,T,t >/dev/null; then note "It left processes behind; they were stopped."; fi
    kill -- "-$job" 2>/dev/null || true
    wait "$shown" || true
    read -r p f s < <("$parser" "$log")
    if [ "$status" -eq 124 ]; then note "It took longer than $PART_SECONDS_MAX seconds and was stopped."; fi
    # The command failed and named no failed test: the step itself broke, and that is a failure too.
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
    # Nothing ran: a part without tests would pass in silence.
    if [ $((p + f + s)) -eq 0 ]; then f=1; note "No test ran."; fi
    count "$name" "$p" "$f" "$s"
}

# Development profile: overflow checks and debug assertions are on, and no test binary waits for link-time optimization.
rust_part() {
    # Without it the conversations are held beside Debian 12's memcached alone.
    newer_memcached || count "rust: conversations beside memcached $MEMCACHED_FOLLOWED, which could not be had" 0 0 1
    counted "rust: cargo test --workspace" build/test-rust.log rust_counts \
        cargo test --workspace --locked --no-fail-fast "$@"
    [ $# -gt 0 ] || counted "rust: the codecs with the feature zstd" build/test-zstd.log rust_counts \
        cargo test --locked -p leveret-client --features zstd --lib codec
}

rust_counts() {
    # test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; ...
    awk '/^test result:/ { p += $4; f += $6; s += $8 } END { print p + 0, f + 0, s + 0 }' "$1"
}

# Files that a tool wrote from others and that are committed. leveret.h is compared by a test of leveret-ffi (cargo test).
generated_parts() {
    local stub header
    for stub in php/*/*.stub.php; do
        header=${stub%.stub.php}_arginfo.h
        check "generated: $header is fresh" arginfo_is_fresh "$stub" "$header"
    done
}

# gen_stub.php writes the stub's SHA-1 into the header that it makes.
arginfo_is_fresh() {
    local hash
    hash=$(sha1sum "$1" | cut -d' ' -f1)
    grep -qs "Stub hash: $hash" "$2" || {
        note "$2 was not made from this $1: run PHP's build/gen_stub.php on the stub and commit the header."
        return 1
    }
}

# phpt_part [WORD...]: the tests whose name contains one of the words, as "apcu/ttl". Without a word: all.
phpt_part() {
    local files=("$PHP_BUILD/php-src/tests")
    [ $# -eq 0 ] || mapfile -t files < <(phpt_files "$PHP_BUILD/php-src/tests" "$@")
    [ ${#files[@]} -gt 0 ] || fail "No phpt test has '$*' in its name." "ls php/tests/* shows the names."
    run_phpt "php: phpt" "$PHP_BUILD/test-phpt.log" "$("$PHP_CONFIG" --php-binary)" "${files[@]}"
}

# phpt_files FOLDER [WORD...]
phpt_files() {
    local folder=$1 word file
    shift
    for file in "$folder"/*/*.phpt; do
        for word in "${@:-}"; do
            if [[ ${file#"$folder/"} = *"$word"* ]]; then echo "$file" && break; fi
        done
    done
}

# run_phpt NAME LOG PHP TEST...: phpt tests run on the copy in php-src, because run-tests.php writes its logs beside each failed
# test. phpize has put run-tests.php there.
run_phpt() {
    local name=$1 log=$2 php=$3 arenas status=0
    shift 3
    arenas=$(mktemp -d /dev/shm/leveret-phpt.XXXXXX)
    LEVERET_DIR=$arenas TEST_PHP_EXECUTABLE=$php NO_INTERACTION=1 \
        counted "$name" "$log" phpt_counts \
        "$("$PHP_CONFIG" --php-binary)" -n "$PHP_BUILD/php-src/run-tests.php" \
        -q -n "-j$(nproc)" -d "extension=$ROOT/$PHP_BUILD/leveret.so" --no-color --no-progress --show-diff "$@" || status=$?
    rm -rf "$arenas"
    return "$status"
}

phpt_counts() {
    awk -F: '/^Tests passed/ { p += $2 } /^Tests (failed|borked|warned|leaked)/ { f += $2 } /^(Tests skipped|Expected fail)/ { s += $2 }
         END { print p + 0, f + 0, s + 0 }' "$1"
}

system_part() {
    # Not installed: it wants a web server and a database. Where it cannot be had, its test says so.
    [ -n "${LEVERET_NO_INSTALL:-}" ] || (unpack wordpress wordpress) || true
    # promtool, of which the same holds. Debian 12 has it in Prometheus' own package.
    local promtool=promtool
    [ "$DEBIAN" != 12 ] || promtool=prometheus
    [ -n "${LEVERET_NO_INSTALL:-}" ] || (unpack prometheus "$promtool") || true
    # Redis' and php-redis' own tests. Where they cannot be had, theirs are skipped and say so.
    [ -n "${LEVERET_NO_INSTALL:-}" ] || (redis_suites) || true
    counted "system: real servers, processes and faults" build/test-system.log system_counts \
        /usr/bin/python3 -u tests/run.py "$@"
}

# tests/run.py ends with "N passed, N failed, N skipped".
system_counts() {
    awk '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p = $1; f = $3; s = $5 } END { print p + 0, f + 0, s + 0 }' "$1"
}
