# shellcheck shell=bash
# ./x leaks: the phpt tests under valgrind. No block may be lost, no byte used that is nobody's, and the output must be right.

# One of each family that has code of its own; `./x test` has no time for more.
LEAKS_SHORT=(apcu/store_array cache/get_multiple decoded/copy_on_write ini/leveret memcache/arena memcached/compression)

# ./x leaks [WORD...]: the tests whose name contains one of the words. Without a word: all.
verb_leaks() {
    need_rust
    need "${BUILD_PACKAGES[@]}" valgrind memcached php8.2-apcu php8.2-igbinary php8.2-msgpack
    verb_build
    local files=()
    mapfile -t files < <(phpt_files build/php-src/tests "$@")
    [ ${#files[@]} -gt 0 ] || fail "No phpt test has '$*' in its name." "ls php/tests/* shows the names."
    # Some seconds a test; each has a time limit of its own besides.
    PART_SECONDS_MAX=7200 leaks_part "php: phpt under valgrind" "${files[@]}"
    report_counts
}

leaks_short_part() {
    local files=("${LEAKS_SHORT[@]/#/build/php-src/tests/}")
    check "php: valgrind finds what is planted" leaks_finds_what_is_planted
    leaks_part "php: phpt under valgrind, one of a family" "${files[@]/%/.phpt}"
}

# A script that loses a block in a child and reads a freed one: who is silent about it is silent about ours too.
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
    found=$(scripts/php-under-valgrind -n -d extension=ffi -d ffi.enable=1 -f "$dir/php-src/tests/planted.php" 2>&1) || status=$?
    rm -rf "$dir"
    for kind in "4,321 bytes in 1 blocks are definitely lost" "Invalid read of size 1"; do
        [[ $found = *"$kind"* ]] || { note "Not found: $kind" && status=1; }
    done
    return "$status"
}

# TEST_TIMEOUT is how long run-tests.php waits; php-under-valgrind gives up earlier, and says so.
leaks_part() {
    local name=$1
    shift
    TEST_TIMEOUT=900 run_phpt "$name" build/test-leaks.log "$ROOT/scripts/php-under-valgrind" "$@"
}
