# shellcheck shell=bash
# ./x php: the extension built for, and tested with, PHPs that Debian 12 does not have. Each lies in a folder of its own in build/ and
# is made once; what they share is the Rust library, which knows nothing of PHP.

# Where Debian has which PHP.
declare -A PHP_SUITES=([8.4]="trixie" [8.5]="sid experimental" [8.6]="sid experimental")
# APCu, igbinary and msgpack, with which some tests compare, are there for trixie's PHP only.
declare -A PHP_PEERS=([8.4]="php8.4-apcu php8.4-igbinary php8.4-msgpack")

# ./x php VERSION [WORD...]: the tests whose name contains a word, as apcu/ttl. Without one: all of them and, for zts, the threads.
verb_php() {
    local version versions=()
    case ${1:-} in
        8.4 | 8.5 | 8.6 | zts | musl | static) versions=("$1") ;;
        all) versions=(8.4 8.5 8.6 zts musl static) ;;
        *) fail "There is no PHP '${1:-}' here." "Take 8.4, 8.5, 8.6, zts, musl, static or all: ./x help says what they are." ;;
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

# --- a newer Debian in a folder ---

php_of_debian() {
    local version=$1 folder=build/php-$1 packages suites
    shift
    [ "$(id -u)" -eq 0 ] || fail "Only root can enter another Debian." "Run it as root: sudo ./x php $version"
    read -ra packages <<<"php$version-cli php$version-dev ${PHP_PEERS[$version]:-} gcc libc6-dev make memcached"
    read -ra suites <<<"${PHP_SUITES[$version]}"
    [ -e "$folder/.done" ] || install_debian "PHP $version" "$folder" "${suites[*]}" "${packages[@]}"
    counted "php $version: phpt" "$folder/part.log" system_counts \
        scripts/in-root "$folder/root" scripts/php-part "php-config$version" "$folder" "$(leveret_core)" "$@"
}

# --- PHP for threads, from Debian 12's sources ---

PHP_ZTS=$ROOT/build/php-zts/php

php_zts() {
    [ -e build/php-zts/.done ] || build_php_zts
    counted "php zts: phpt" build/php-zts/part.log system_counts \
        scripts/php-part "$PHP_ZTS/bin/php-config" build/php-zts "$(leveret_core)" "$@"
    [ $# -gt 0 ] || threads_part
}

# The options are those of PHP's own images for threads, and --enable-debug: then PHP reports blocks that nobody has freed and checks
# its tables at each step.
build_php_zts() {
    build_php build/php-zts "for threads" --enable-zts --disable-zend-signals --enable-zend-max-execution-timers --enable-debug --enable-embed \
        --enable-session --enable-pcntl --enable-posix --enable-tokenizer
}

# build_php FOLDER WHAT OPTION...: PHP 8.2 from Debian 12's sources into FOLDER/php, with little but these options of its configure.
build_php() {
    local folder=$1 what=$2 source=$ROOT/$1/src
    shift 2
    need dpkg-dev xz-utils
    step "Building PHP 8.2 $what into $folder: some minutes and 700 MB, once"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    (
        fetch_source php8.2 "$source" && cd "$source" &&
            ./configure -q --prefix="$ROOT/$folder/php" --disable-all --disable-cgi --disable-phpdbg --without-pear "$@" &&
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
            fetch_source php8.2 "$source"
        fi
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
    # What the modules are, and that each of them reaches an arena. The variables are PHP's.
    local dir status=0
    dir=$(mktemp -d /dev/shm/leveret-static.XXXXXX)
    # shellcheck disable=SC2016
    LEVERET_DIR=$dir "$php" -n -d apc.enable_cli=1 -d session.use_cookies=0 -r '
        $missing = array_diff(["leveret", "apcu", "memcached", "memcache"], get_loaded_extensions());
        $m = new Memcached;
        $m->addServer("arena:static", 0);
        $works = apcu_store("k", [1]) && apcu_fetch("k") === [1] && $m->set("k", 2.5) && $m->get("k") === 2.5
            && (new Leveret\Cache("arena:static"))->get("k") === 2.5
            && ini_set("session.save_handler", "memcached") !== false;
        echo $missing ? "not there: " . implode(", ", $missing) : ($works ? "all there, and at work" : "wrong values"), "\n";
        exit($missing || !$works ? 1 : 0);' || status=$?
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
