# shellcheck shell=bash
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
        LEVERET_HOSTILE_CALLS=500 "LEVERET_RUBY=$ROOT/scripts/ruby-under-valgrind" scripts/ruby-under-valgrind -W "${RUBY_PATHS[@]}" ruby/test/run.rb "$@"
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
    found=$(scripts/ruby-under-valgrind "$file" 2>&1) && status=1
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
