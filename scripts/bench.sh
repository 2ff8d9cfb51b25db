# shellcheck shell=bash
# ./x bench: each benchmark is a program of its own or a suite of `leveret bench`; here is only how it is started.

# ./x bench [charts|php|engine|client|server|redis|ruby|pages|published|eviction] [ARGUMENT...]: what follows the name goes to that benchmark.
verb_bench() {
    local name=${1:-all}
    [ $# -eq 0 ] || shift
    case $name in
        charts) bench_charts "$@" ;;
        php) bench_php "$@" ;;
        engine) bench_engine "$@" ;;
        client) bench_client "$@" ;;
        server) bench_server "$@" ;;
        redis) bench_redis "$@" ;;
        ruby) bench_ruby "$@" ;;
        pages) bench_pages "$@" ;;
        published) bench_published "$@" ;;
        eviction) bench_eviction "$@" ;;
        all) bench_php && bench_engine && bench_server && bench_redis && bench_client && bench_ruby && bench_pages && bench_published ;;
        *) fail "There is no benchmark '$name'." "Take charts, php, client, server, redis, ruby, pages, published, eviction or engine." ;;
    esac
}

# bench_suite FOLDER [ARGUMENT...]: the rows of a suite, by our command with the extension and the gem that lie here.
bench_suite() {
    local folder=$1
    shift
    build/leveret bench --suite "crates/leveret-bench/suites/$folder" --php "php$LEVERET_PHP" --extension "$ROOT/build/leveret.so" \
        --gem "ruby/lib:build/ruby/lib" "$@"
}

# Without arguments: the run that docs/benchmarks.md shows. All that follows its mark there is drawn anew, and so are the pictures.
bench_charts() {
    need memcached redis-server nginx ruby ruby-dev ruby-dalli "php$LEVERET_PHP-cli" "php$LEVERET_PHP-fpm" "php$LEVERET_PHP-opcache" "php$LEVERET_PHP-apcu" \
        "php$LEVERET_PHP-memcached" "php$LEVERET_PHP-memcache" "php$LEVERET_PHP-redis" "php$LEVERET_PHP-igbinary" "php$LEVERET_PHP-msgpack" \
        "php$LEVERET_PHP-xml" "php$LEVERET_PHP-mbstring" "php$LEVERET_PHP-intl" "php$LEVERET_PHP-sqlite3"
    newer_memcached || note "The charts of servers go without memcached $MEMCACHED_FOLLOWED."
    export LEVERET_MEMCACHED_NEWER=$MEMCACHED_FOLDER/memcached
    unpack mediawiki mediawiki mediawiki-classes
    export LEVERET_MEDIAWIKI=$ROOT/build/mediawiki/usr/share/mediawiki
    verb_build
    build_ruby "$(leveret_core)"
    step "Benchmark: the charts of leveret bench, with all that Debian has"
    local bench=(build/leveret bench --php "php$LEVERET_PHP" --extension "$ROOT/build/leveret.so" --gem "ruby/lib:$RUBY_BUILD/lib") page=docs/benchmarks.md
    if [ $# -gt 0 ]; then
        "${bench[@]}" "$@"
        return
    fi
    "${bench[@]}" --json >build/charts.json || fail "The run did not come to its end, and $page stays as it was." "What is whole of it: build/leveret bench --from build/charts.json"
    build/leveret bench --from build/charts.json --csv build/charts.csv --html build/charts.html --svg docs/charts --markdown docs/charts.md
    { sed '/^<!-- charts:begin/q' "$page" && cat docs/charts.md; } >build/benchmarks.md
    mv build/benchmarks.md "$page"
    rm docs/charts.md
    note "build/charts.html has all of it on one page"
}

bench_php() {
    need "php$LEVERET_PHP-cli" "php$LEVERET_PHP-apcu"
    verb_build
    step "Benchmark: PHP against APCu"
    bench_suite apcu "$@"
}

bench_client() {
    need memcached valgrind "php$LEVERET_PHP-memcached" "php$LEVERET_PHP-memcache" "php$LEVERET_PHP-msgpack" "php$LEVERET_PHP-igbinary"
    verb_build
    step "Benchmark: the class Memcached against Debian's php-memcached and php-memcache"
    bench_suite clients "$@"
}

bench_ruby() {
    need memcached ruby ruby-dev ruby-dalli ruby-activesupport
    verb_build
    build_ruby "$(leveret_core)"
    step "Benchmark: the Ruby gem against Debian's Dalli"
    bench_suite ruby "$@"
}

# MediaWiki takes 230 MB, so ./x test goes without it. Installed, it would bring Apache, or add itself to the one that is
# there, as PHP's cgi package does.
bench_pages() {
    need memcached valgrind "php$LEVERET_PHP-cli" "php$LEVERET_PHP-xml" "php$LEVERET_PHP-mbstring" "php$LEVERET_PHP-intl" "php$LEVERET_PHP-sqlite3" "php$LEVERET_PHP-opcache" "php$LEVERET_PHP-apcu" \
        "php$LEVERET_PHP-memcached" "php$LEVERET_PHP-msgpack" "php$LEVERET_PHP-igbinary"
    unpack pages mediawiki mediawiki-classes "php$LEVERET_PHP-cgi"
    verb_build
    step "Benchmark: whole pages of MediaWiki with the originals and with ours"
    export LEVERET_MEDIAWIKI=$ROOT/build/pages/usr/share/mediawiki LEVERET_PHP_CGI=$ROOT/build/pages/usr/bin/php-cgi$LEVERET_PHP
    if [ -n "${LEVERET_REDIS_CACHE:-}" ]; then
        wordpress_pages
    elif [ $# -eq 0 ]; then
        note "Row wordpress is left out: LEVERET_REDIS_CACHE names no folder with the plugin redis-cache."
        set -- apcu serve arena
    fi
    bench_suite pages "$@"
}

# WordPress with a theme, and MariaDB with what of PHP asks it, unpacked.
wordpress_pages() {
    local aio=libaio1
    ! apt-cache show libaio1t64 >/dev/null 2>&1 || aio=libaio1t64
    need redis-server "php$LEVERET_PHP-redis"
    unpack wordpress wordpress
    unpack wordpress-pages wordpress-theme-twentytwentyone mariadb-server-core liburing2 "$aio" "php$LEVERET_PHP-mysql"
    export LEVERET_WORDPRESS=$ROOT/build/wordpress/usr/share/wordpress LEVERET_MARIADB=$ROOT/build/wordpress-pages
    export LEVERET_WORDPRESS_THEMES=$LEVERET_MARIADB/usr/share/wordpress/wp-content/themes
}

# ./x bench eviction [--trace FILE] [ARGUMENT...]: the rows of the suite, or the requests of a file.
bench_eviction() {
    local rows=(zipf scans {lru,lfu}-{zipf-0.7,zipf-0.9,scans} overhead-{10,100,300,1000})
    if [ "${1:-}" = --trace ]; then
        [ -r "${2:-}" ] || fail "'${2:-}' is no stream." "Write one: cargo run --release -p leveret-testkit --bin leveret-policy -- --write DIR"
        LEVERET_TRACE=$(realpath "$2")
        export LEVERET_TRACE
        rows=(trace)
        shift 2
    fi
    need memcached redis-server "php$LEVERET_PHP-cli"
    verb_build
    step "Benchmark: misses and overhead of leveret serve beside memcached and Redis"
    bench_suite eviction "${rows[@]}" "$@"
}

bench_server() {
    need memcached openssl
    verb_build
    # The memcached that is followed has answers to pipelined requests wait for each other, which Debian 12's has not.
    if [ "${1:-}" = newer ]; then
        shift
        newer_memcached || fail "memcached $MEMCACHED_FOLLOWED could not be had." "Without the word 'newer' it is Debian 12's."
        PATH=$MEMCACHED_FOLDER:$PATH
    fi
    step "Benchmark: leveret serve against memcached"
    bench_load server "$@"
}

# ./x bench redis [class | 8.0 | valkey] [ROW...]: the server and the class Redis. A first word `class`: only the class; 8.0 or valkey: only
# the server, against that one.
bench_redis() {
    need redis-server
    case ${1:-} in
        class) shift ;;
        8.0 | valkey)
            redis_peer "$1" || fail "Its packages could not be had." "Without the word '$1' it is this machine's Redis."
            shift
            PATH=$REDIS_PEER:$PATH bench_redis_server "$@"
            return
            ;;
        '') bench_redis_server ;;
        *)
            bench_redis_server "$@"
            return
            ;;
    esac
    need valgrind "php$LEVERET_PHP-cli" "php$LEVERET_PHP-redis" "php$LEVERET_PHP-igbinary" "php$LEVERET_PHP-msgpack"
    verb_build
    step "Benchmark: the class Redis against Debian's php-redis"
    bench_load class "$@"
}

bench_redis_server() {
    verb_build
    step "Benchmark: leveret serve --redis against Redis"
    bench_load redis "$@"
}

# The script and the pages of seed 004.
bench_published() {
    need redis-server memcached "php$LEVERET_PHP-cli" "php$LEVERET_PHP-fpm" "php$LEVERET_PHP-opcache" "php$LEVERET_PHP-redis" "php$LEVERET_PHP-memcached" \
        "php$LEVERET_PHP-igbinary" "php$LEVERET_PHP-msgpack"
    verb_build
    step "Benchmark: a published script and its pages, word for word"
    bench_suite published "$@"
}

# bench_load FOLDER [ARGUMENT...]: a suite whose sides are servers and the load on them, a program of this tree.
bench_load() {
    cargo build --quiet --release --locked -p leveret-bench
    PATH=$(cargo_target)/release:$PATH bench_suite "$@"
}

bench_engine() {
    need_rust
    need gcc libc6-dev
    step "Benchmark: the engine alone"
    cargo bench --locked -p leveret-engine "$@"
    [ $# -eq 0 ] || return 0
    step "Counting the longest hold of a lock"
    cargo run --quiet --release --locked -p leveret-testkit --bin leveret-holds
}

# ./x demo [quick]: builds, then does the work of the seeds in PHP. The work itself is in demo/.

verb_demo() {
    [[ ${1:-quick} = quick ]] || fail "There is no demo '$1'." "Take ./x demo for all of it, ./x demo quick for a twentieth of the keys."
    need_rust
    need "${BUILD_PACKAGES[@]}" "${DEMO_PACKAGES[@]}"
    verb_build
    step "The main job: seeds 000, 001 and 004 on the arena and beside it"
    demo/run "$@"
}
