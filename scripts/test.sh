# shellcheck shell=bash
# ./x test: every part runs even when an earlier one failed, reports its counts, and the sum is the last line.

# Longest time for one part, in seconds: a hung test must fail by name, not stop CI without a word.
PART_SECONDS_MAX=${PART_SECONDS_MAX:-1200}

# ./x test [PART [WORD...]]: PART is lint, rust, model, generated, phpt, leaks, ruby or system. Without it: all.
verb_test() {
    local part=${1:-all}
    [ $# -eq 0 ] || shift
    need_for_tests "$part" "$@"
    case $part in
        all)
            # In a subshell, so that a broken build is one failed test and the parts that need no build still run.
            check "build" build_for_tests
            check "build: the extension asks PHP for nothing that some releases lack" asks_php_for_what_all_have build/leveret.so
            lint_parts
            generated_parts
            rust_part
            phpt_part
            leaks_short_part
            ruby_part
            system_part
            ;;
        lint) lint_parts ;;
        generated) generated_parts ;;
        model) model_part ;;
        rust) rust_part "$@" ;;
        phpt) build_for_phpt && phpt_part "$@" ;;
        leaks) build_for_phpt && leaks_short_part ;;
        ruby) build_for_tests && ruby_part "$@" ;;
        system) build_for_tests && system_part "$@" ;;
        *) fail "There is no part '$part'." "The parts are lint, generated, rust, model, phpt, leaks, ruby and system." ;;
    esac
    report_counts
}

# need_for_tests PART [WORD...]: installs what this part's tests take.
need_for_tests() {
    local part=$1 packages=()
    shift
    case $part in
        lint)
            need_rust lint
            need git shellcheck clang-format
            return
            ;;
        generated) return ;;
        model) packages=("${RUST_PACKAGES[@]}") ;;
        rust) mapfile -t packages < <(rust_packages "$@") ;;
        phpt) mapfile -t packages < <(phpt_packages "$@") ;;
        leaks) mapfile -t packages < <(phpt_packages "${LEAKS_SHORT[@]}" && echo valgrind) ;;
        ruby) packages=("${BUILD_PACKAGES[@]}" "${RUBY_PACKAGES[@]}") ;;
        *)
            packages=("${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}")
            is_installed apache2 || packages+=("$MOD_PHP_PACKAGE")
            ;;
    esac
    if [ "$part" = all ]; then need_rust lint; else need_rust; fi
    need "${packages[@]}"
}

# Tests after a commit take the command of before it, which says the version of the last ./x build.
build_for_tests() { LEVERET_KEEP_VERSION=1 bash x build; }

# They run PHP alone. Joined by &&, because `set -e` does not hold where it is called.
build_for_phpt() {
    build_rust leveret-ffi &&
        lock_build &&
        build_extension "$(leveret_core)" &&
        unlock_build
}

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
    if runs_in_group "$job"; then note "It left processes behind; they were stopped."; fi
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

# runs_in_group ID: whether a process of this group runs. Zombies, as run-tests.php leaves them, do not. A minimal Debian has no pgrep.
runs_in_group() {
    local file line state parent group
    for file in /proc/[0-9]*/stat; do
        { read -r line <"$file"; } 2>/dev/null || continue # it has ended
        # The name in brackets may have spaces.
        # shellcheck disable=SC2034
        read -r state parent group _ <<<"${line##*) }"
        if [ "$group" = "$1" ] && [ "$state" != Z ] && [ "$state" != X ]; then return 0; fi
    done
    return 1
}

# rust_part [WORD...]: words are those of cargo test, as -p leveret-protocol. Development profile: overflow checks and debug assertions are on, and
# no test program waits for link-time optimization.
rust_part() {
    local crates
    crates=$(rust_crates "$@")
    # Without it the conversations are held beside Debian 12's memcached alone.
    if [ $# -eq 0 ] || [[ " ${crates//$'\n'/ } " = *" leveret-server "* ]]; then
        newer_memcached || count "rust: conversations beside memcached $MEMCACHED_FOLLOWED, which could not be had" 0 0 1
    fi
    if [ $# -eq 0 ]; then
        # The models are built by themselves and compute, while others wait: ./x test model runs them alone.
        counted "rust: all crates, and the models' short forms" build/test-rust.log rust_counts \
            python3 -u tests/rust.py "the models, in short" "${MODEL_TESTS[@]}" models::
    else
        counted "rust: cargo test $*" build/test-rust.log rust_counts cargo test --locked --no-fail-fast "$@"
    fi
}

# rust_packages [WORD...]: what the tests of the crates run beside that -p names among the words of cargo test. Without one: of all crates.
rust_packages() {
    local crate crates=()
    mapfile -t crates < <(rust_crates "$@")
    [ ${#crates[@]} -gt 0 ] || crates=("${!CRATE_PACKAGES[@]}")
    # Words, divided by spaces.
    # shellcheck disable=SC2086
    for crate in "${crates[@]}"; do printf '%s\n' "${RUST_PACKAGES[@]}" ${CRATE_PACKAGES[$crate]:-}; done
    [ $# -gt 0 ] || echo python3
}

# rust_crates [WORD...]: those that -p names.
rust_crates() {
    local before='' word
    for word; do
        case $word in
            -p?* | --package=*) word=${word#--package=} && echo "${word#-p}" ;;
            *) case $before in -p | --package) echo "$word" ;; esac ;;
        esac
        before=$word
    done
}

rust_counts() {
    # test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; ...
    awk '/^test result:/ { p += $4; f += $6; s += $8 } END { print p + 0, f + 0, s + 0 }' "$1"
}

# Files that a tool wrote from others and that are committed. leveret.h is compared by a test of leveret-ffi (cargo test).
# LEVERET_WRITE_ARGINFO=1 writes them.
generated_parts() {
    local stub header
    [ -z "${LEVERET_WRITE_ARGINFO:-}" ] || write_arginfo
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
        note "$2 was not made from this $1. Run: LEVERET_WRITE_ARGINFO=1 ./x test generated"
        return 1
    }
}

# PHP's gen_stub.php looks for a parser beside itself, and would fetch it from the network. Debian has that parser in a package.
write_arginfo() {
    local folder parser
    need "${BUILD_PACKAGES[@]}" php-parser
    folder=$(mktemp -d)
    cp "$("$PHP_CONFIG" --extension-dir)/build/gen_stub.php" "$folder/"
    # shellcheck disable=SC2016 # $version is PHP's.
    parser=$folder/PHP-Parser-$(sed -n 's/^ *\$version = "\([0-9.]*\)";/\1/p' "$folder/gen_stub.php")
    mkdir -p "$parser/lib"
    ln -s /usr/share/php/PhpParser "$parser/lib/PhpParser"
    "php$LEVERET_PHP" "$folder/gen_stub.php" php
    rm -r "$folder"
}

# phpt_part [WORD...]: the tests whose name contains one of the words, as "apcu/ttl". Without a word: all.
phpt_part() {
    local files=("$PHP_BUILD/php-src/tests")
    [ $# -eq 0 ] || mapfile -t files < <(phpt_files "$PHP_BUILD/php-src/tests" "$@")
    [ ${#files[@]} -gt 0 ] || fail "No phpt test has '$*' in its name." "ls php/tests/* shows the names."
    run_phpt "php: phpt" "$PHP_BUILD/test-phpt.log" "$("$PHP_CONFIG" --php-binary)" "${files[@]}"
}

# phpt_packages [WORD...]: what takes the tests whose name contains one of the words: PHP, and what their lines name beside it.
phpt_packages() {
    local files=() name
    mapfile -t files < <(phpt_files php/tests "$@")
    printf '%s\n' "${BUILD_PACKAGES[@]}"
    [ ${#files[@]} -gt 0 ] || return 0
    if grep -qsE 'on_server|memcached_socket' "${files[@]}"; then echo memcached; fi
    for name in apcu igbinary msgpack; do
        if grep -qE "\\b$name(\.so\b|\$|')" "${files[@]}"; then echo "php$LEVERET_PHP-$name"; fi
    done
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
