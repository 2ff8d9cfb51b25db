# shellcheck shell=bash
# ./x php, ./x ruby and ./x redis. The extension built for, and tested with, PHPs that Debian 12 does not have. Each lies in a folder of its own in build/ and
# is made once; what they share is the Rust library, which knows nothing of PHP.

# Where which PHP is: Debian has no 8.3, Ubuntu 24.04 has. With several suites the last one has it, and the first one what it depends on.
declare -A PHP_SUITES=([8.2]="bookworm" [8.3]="noble" [8.4]="trixie" [8.5]="sid experimental" [8.6]="sid experimental")
# And their sources. Some mirrors of Debian have those of the PHPs that it releases only.
declare -A PHP_SOURCES=([8.2]="bookworm" [8.3]="noble" [8.4]="trixie questing" [8.5]="experimental resolute" [8.6]="experimental")
# APCu, igbinary and msgpack, with which some tests compare, are not there for newer ones.
declare -A PHP_PEERS=([8.3]="php8.3-apcu php8.3-igbinary php8.3-msgpack" [8.4]="php8.4-apcu php8.4-igbinary php8.4-msgpack")

# ./x php VERSION [WORD...]: the tests whose name contains a word, as apcu/ttl. Without one: all of them and, for zts, the threads.
verb_php() {
    local version versions=()
    case ${1:-} in
        8.3 | 8.4 | 8.5 | 8.6 | zts | musl | static) versions=("$1") ;;
        all) versions=(8.3 8.4 8.5 8.6 zts musl static) ;;
        *) fail "There is no PHP '${1:-}' here." "Take 8.3, 8.4, 8.5, 8.6, zts, musl, static or all: ./x help says what they are." ;;
    esac
    shift
    need_rust
    need "${BUILD_PACKAGES[@]}" memcached
    build_rust
    for version in "${versions[@]}"; do
        case $version in
            zts) php_zts "$@" ;;
            musl) php_musl "$@" ;;
            static) check "php static: leveret is a part of PHP itself" php_static ;;
            *) php_of_debian "$version" "$@" ;;
        esac
    done
    report_counts
}

# --- another Debian, or an Ubuntu, in a folder ---

php_of_debian() {
    local version=$1 folder=build/php-$1 packages suites
    shift
    [ "$(id -u)" -eq 0 ] || fail "Only root can enter another Debian." "Run it as root: sudo ./x php $version"
    read -ra packages <<<"php$version-cli php$version-dev ${PHP_PEERS[$version]:-} gcc libc6-dev make procps memcached"
    read -ra suites <<<"${PHP_SUITES[$version]}"
    [ -e "$folder/.done" ] || install_debian "PHP $version" "$folder" "${suites[*]}" "${packages[@]}"
    counted "php $version: phpt" "$folder/part.log" system_counts \
        scripts/in-root "$folder/root" scripts/part php "php-config$version" "$folder" "$(leveret_core)" "$@"
}

# --- PHP for threads, from the sources that a distribution has ---

PHP_ZTS=$ROOT/build/php-zts/php

php_zts() {
    [ -e build/php-zts/.done ] || build_php_zts
    counted "php zts: phpt" build/php-zts/part.log system_counts \
        scripts/part php "$PHP_ZTS/bin/php-config" build/php-zts "$(leveret_core)" "$@"
    [ $# -gt 0 ] || threads_part
}

# Those of PHP's own images for threads. An extension sees what they change: it works only with a PHP that was built with the same.
PHP_THREADS=(--enable-zts --disable-zend-signals --enable-zend-max-execution-timers)

# With --enable-debug PHP reports blocks that were not freed and checks its tables at each step. Only extensions that were built for
# such a PHP can be loaded: those of a release are not.
build_php_zts() { build_php build/php-zts 8.2 "for threads, with its own checks" "${PHP_THREADS[@]}" --enable-debug --enable-embed; }

# build_php FOLDER VERSION WHAT OPTION...: PHP from its sources into FOLDER/php, with what our tests take and these options of its
# configure, and little else.
build_php() {
    local folder=$1 version=$2 what=$3 source=$ROOT/$1/src suites
    shift 3
    read -ra suites <<<"${PHP_SOURCES[$version]}"
    need dpkg-dev xz-utils
    step "Building PHP $version $what into $folder: some minutes and 700 MB, once"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    fetch_source "php$version" "$source" "${suites[@]}" >"$folder/fetch.log" 2>&1 || {
        grep -E '^(E|Err)[:0-9]' "$folder/fetch.log" >&2
        fail "The sources of PHP $version could not be had." "The lines above say why. DEBIAN_MIRROR=URL and UBUNTU_MIRROR=URL name other mirrors."
    }
    (
        cd "$source" &&
            ./configure -q --prefix="$ROOT/$folder/php" --disable-all --disable-cgi --disable-phpdbg --without-pear \
                --enable-session --enable-pcntl --enable-posix --enable-tokenizer "$@" &&
            make -s -j"$(nproc)" && make -s install
    ) >"$folder/build.log" 2>&1 || {
        tail -n 40 "$folder/build.log" >&2
        fail "PHP does not build." "The last lines are above; all of them are in $folder/build.log"
    }
    touch "$folder/.done"
}

# --- PHP 8.2 with leveret built in, as static builds and FrankenPHP have their extensions ---

php_static() {
    local source=$ROOT/build/php-static/src php
    php=$source/sapi/cli/php
    (
        set -e
        if [ ! -e "$source/configure" ]; then
            need dpkg-dev xz-utils
            rm -rf --one-file-system build/php-static
            mkdir -p build/php-static
            fetch_source php8.2 "$source" "${PHP_SOURCES[8.2]}"
        fi
        use_version
        rm -rf "$source/ext/leveret"
        cp -r php "$source/ext/leveret"
        cd "$source"
        ./buildconf --force
        ./configure -q --disable-all --disable-cgi --disable-phpdbg --without-pear --enable-session --enable-leveret \
            --with-leveret-core="$(leveret_core)" --with-leveret-include="$ROOT/crates/leveret-ffi/include"
        make -s -j"$(nproc)" sapi/cli/php
    ) >build/php-static.log 2>&1 || {
        tail -n 40 build/php-static.log >&2
        note "PHP does not build: the last lines are above, all of them in build/php-static.log"
        return 1
    }
    at_work "$php"
}

# at_work COMMAND...: a PHP with leveret in it, which says whether all modules are there and each of them reaches an arena. The arenas lie
# below build/, as a Debian that is entered sees nothing else of this machine. The variables are PHP's.
at_work() {
    local dir status=0
    dir=$(mktemp -d "$ROOT/build/at-work.XXXXXX")
    # shellcheck disable=SC2016
    LEVERET_DIR=$dir "$@" -n -d apc.enable_cli=1 -d session.use_cookies=0 -r '
        $missing = array_diff(["leveret", "apcu", "memcached", "memcache"], get_loaded_extensions());
        if ($missing) {
            echo "not there: ", implode(", ", $missing), "\n";
            exit(1);
        }
        $m = new Memcached;
        $m->addServer("arena:static", 0);
        $works = apcu_store("k", [1]) && apcu_fetch("k") === [1] && $m->set("k", 2.5) && $m->get("k") === 2.5
            && ($c = new Leveret\Cache("arena:static"))->get("k") === 2.5 && $c->set("l", "v") && $c->get("l") === "v"
            && ini_set("session.save_handler", "memcached") !== false;
        echo PHP_VERSION, PHP_ZTS ? " for threads: " : ": ", $works ? "all there, and at work" : "wrong values", "\n";
        exit($works ? 0 : 1);' || status=$?
    rm -rf "$dir"
    return "$status"
}

# --- threads ---

# Many threads of one process, each of which runs the scripts of tests/threads/.
threads_part() {
    local script name
    step "php zts: threads"
    # shellcheck disable=SC2046
    gcc -std=gnu11 -Wall -Wextra -g $("$PHP_ZTS/bin/php-config" --includes) tests/threads/threads.c -o build/php-zts/threads \
        -L"$PHP_ZTS/lib" -Wl,-rpath,"$PHP_ZTS/lib" -lphp -lpthread
    for script in tests/threads/*.php; do
        name=$(basename "$script" .php)
        check "php zts: threads: $name" in_threads "$script"
    done
}

# The program calls itself FrankenPHP, as that has requests that do not end: its workers.
in_threads() {
    local dir server status=0
    dir=$(mktemp -d /dev/shm/leveret-threads.XXXXXX)
    cat >"$dir/php.ini" <<INI
extension=$ROOT/build/php-zts/leveret.so
leveret.dir=$dir
leveret.decoded_cache=1M
apc.shm_size=64
register_argc_argv=1
error_reporting=-1
display_errors=stderr
html_errors=0
INI
    build/leveret serve -u "$(id -un)" --dir "$dir" --arena served -s "$dir/socket" &
    server=$!
    until [ -S "$dir/socket" ] || ! kill -0 "$server"; do sleep 0.1; done
    LEVERET_SOCKET=$dir/socket timeout -k 10 600 build/php-zts/threads "$dir/php.ini" frankenphp "$1" 8 6 >"$dir/said" 2>&1 || status=$?
    cat "$dir/said"
    # What there is to say of a setting is said once, not in each thread.
    [ "$(grep -c 'apc.shm_size=64 has no unit' "$dir/said")" -eq 1 ] || {
        note "The warning of apc.shm_size=64 should be said exactly once: the lines above hold it more often, or not at all."
        status=1
    }
    kill "$server"
    wait "$server" || true
    rm -rf "$dir"
    return "$status"
}

# --- Rubies ---

# ./x ruby: the gem built for, and tested with, Rubies and Rails that Debian 12 does not have. Each lies in a folder of its own in build/ and
# is made once; what they share is the Rust library, which knows nothing of Ruby.

# Where Debian has which Ruby, and what of it is there beside the gems that need no compiler.
declare -A RUBY_SUITES=([3.3]="trixie" [3.4]="sid experimental")
RUBY_GEMS=(ruby ruby-minitest ruby-dalli ruby-activesupport ruby-connection-pool ruby-rack ruby-rack-session ruby-rack-attack ruby-railties
    ruby-actionpack ruby-actionview ruby-msgpack puma)

# ./x ruby VERSION [WORD...]: the test files whose name contains a word. Without one: all of them.
verb_ruby() {
    local version versions=()
    case ${1:-} in
        3.3 | 3.4) versions=("$1") ;;
        all) versions=(3.3 3.4) ;;
        *) fail "There is no Ruby '${1:-}' here." "Take 3.3, 3.4 or all: ./x help says what they are." ;;
    esac
    shift
    need_rust
    need gcc libc6-dev make
    mkdir -p build
    build_rust
    for version in "${versions[@]}"; do ruby_of_debian "$version" "$@"; done
    report_counts
}

ruby_of_debian() {
    local version=$1 folder=build/ruby-$1 suites
    shift
    [ "$(id -u)" -eq 0 ] || fail "Only root can enter another Debian." "Run it as root: sudo ./x ruby $version"
    read -ra suites <<<"${RUBY_SUITES[$version]}"
    [ -e "$folder/.done" ] || install_debian "Ruby $version" "$folder" "${suites[*]}" \
        "ruby$version" "ruby$version-dev" "${RUBY_GEMS[@]}" gcc libc6-dev make procps memcached redis-server ruby-sinatra ruby-sidekiq
    rails_source "$folder/rails-source" "${suites[0]}" trixie
    counted "ruby $version: minitest" "$folder/part.log" system_counts \
        scripts/in-root "$folder/root" scripts/part ruby "ruby$version" "$folder" "$(leveret_core)" "$@"
}

# --- Redis' successors ---

# Tests that hold the class Redis beside the original's, on any server.
REDIS_PEER_TESTS=(redis_suites.phpredis.test_our redis_random redis_fleets redis_class)

# ./x redis VERSION [WORD...]: the tests of the class Redis beside php-redis' on another server than Redis 7.0; or those whose name contains a word.
verb_redis() {
    local peer peers=()
    case ${1:-} in
        8.0 | valkey) peers=("$1") ;;
        all) peers=(8.0 valkey) ;;
        *) fail "There is no Redis '${1:-}' here." "Take 8.0, valkey or all: ./x help says what they are." ;;
    esac
    shift
    need_for_tests system
    build_for_tests
    redis_suites || fail "php-redis' own tests could not be had." "build/redis-suites.log says why."
    [ $# -gt 0 ] || set -- "${REDIS_PEER_TESTS[@]}"
    for peer in "${peers[@]}"; do
        redis_peer "$peer" || fail "Its packages could not be had." "The lines above say why. DEBIAN_MIRROR=URL names another mirror."
        PATH=$REDIS_PEER:$PATH counted "redis $peer: system" "$REDIS_PEER.log" system_counts /usr/bin/python3 -u tests/run.py "$@"
    done
    report_counts
}
