# shellcheck shell=bash
# Redis' own tests, and php-redis with its own, from Debian's source packages. Nothing of this machine is changed: apt's lists neither.

REDIS_SUITES=${ROOT:-$PWD}/build/redis-suites
# The versions that are counted and that the lists in tests/redis_suites/ belong to, with the Debians whose source packages they are.
REDIS_SUITE=(redis 7.0.15 bookworm)
PHP_REDIS_SUITE=(php-redis 6.2.0 trixie)

# Leaves build/redis-suites/redis-7.0.15 and build/redis-suites/php-redis-6.2.0, the latter with modules/redis.so for this PHP.
redis_suites() {
    [ ! -e "$REDIS_SUITES/.done-$LEVERET_PHP" ] || return 0
    command -v apt-get >/dev/null || return 1
    step "Fetching the tests of Redis ${REDIS_SUITE[1]} and php-redis ${PHP_REDIS_SUITE[1]} into ${REDIS_SUITES#"$ROOT/"}"
    mkdir -p "$REDIS_SUITES"
    # A shell of its own, which stops at the first failure: here `set -e` has no say, as the caller asks for the outcome.
    bash -euo pipefail -c '. scripts/say.sh; . scripts/debian.sh; . scripts/redis.sh; fetch_redis_suites' \
        </dev/null >"$REDIS_SUITES.log" 2>&1 || {
        tail -n 3 "$REDIS_SUITES.log"
        note "They could not be had: ${REDIS_SUITES#"$ROOT/"}.log says why."
        return 1
    }
    touch "$REDIS_SUITES/.done-$LEVERET_PHP"
}

fetch_redis_suites() {
    fetch_suite "${REDIS_SUITE[@]}"
    fetch_suite "${PHP_REDIS_SUITE[@]}"
    cd "$REDIS_SUITES/php-redis-${PHP_REDIS_SUITE[1]}" || return
    "phpize$LEVERET_PHP"
    ./configure --with-php-config="php-config$LEVERET_PHP" --enable-redis-igbinary --enable-redis-msgpack --enable-redis-lzf CFLAGS=-O1
    make -j"$(nproc)"
}

# fetch_suite NAME VERSION SUITE
fetch_suite() {
    local folder=$REDIS_SUITES/$1-$2
    rm -rf "$folder" "$folder.new"*
    fetch_source "$1" "$folder.new" "$3"
    mv "$folder.new" "$folder"
    rm -rf "$folder.new.apt"
}
