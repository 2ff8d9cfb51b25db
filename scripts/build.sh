# shellcheck shell=bash
# Builds the command and the PHP extension, and leaves them under names that never change.

# Which PHP the extension is built for and tested with, and the folder that its build is left in. `./x php` names others.
PHP_CONFIG=${PHP_CONFIG:-php-config${LEVERET_PHP:-8.2}}
PHP_BUILD=${PHP_BUILD:-build}

verb_build() {
    need_rust
    need "${BUILD_PACKAGES[@]}"
    [ -n "${LEVERET_KEEP_VERSION:-}" ] || renew_version
    build_rust
    lock_build
    build_extension "$(leveret_core)"
    unlock_build
    step "Built"
    note "build/leveret      the command: build/leveret --help"
    note "build/leveret.so   the PHP extension: php$LEVERET_PHP -n -d extension=$ROOT/build/leveret.so --ri leveret"
}

# Cargo's target folder: its default, or where the caller's environment puts it.
cargo_target() {
    local target=${CARGO_TARGET_DIR:-target}
    [[ $target = /* ]] && printf '%s' "$target" || printf '%s' "$ROOT/$target"
}

# The Rust library that every PHP's extension is made of.
leveret_core() { printf '%s/release/libleveret_ffi.a' "$(cargo_target)"; }

# build_rust [CRATE...]: leveret-ffi is the library, leveret-cli the command. Without a word: both.
build_rust() {
    local crate crates=()
    [ $# -gt 0 ] || set -- leveret-ffi leveret-cli
    for crate; do crates+=(-p "$crate"); done
    step "Building in Rust: $*"
    lock_build
    use_version
    # LEVERET_FEATURES=zstd: what is not built by itself.
    cargo build --release --locked "${crates[@]}" ${LEVERET_FEATURES:+--features "leveret-ffi/$LEVERET_FEATURES"} || return 1
    case " $* " in *" leveret-cli "*) put "$(cargo_target)/release/leveret" build/leveret ;; esac
    unlock_build
}

# What is built says this version. Only verbs that hand out files, and ./x build, ask git again: each commit has another version, and with another
# one the command is compiled and linked again.
renew_version() {
    mkdir -p build
    scripts/version >build/version
}
use_version() {
    local release
    [ -z "${LEVERET_VERSION:-}" ] || return 0
    release=$(scripts/version)
    [[ -e build/version && $(<build/version)~ = "${release%%~*}~"* ]] || renew_version
    LEVERET_VERSION=$(<build/version)
    export LEVERET_VERSION
}

# put_gem_version FOLDER: version.rb there has the version of the release; a development build has its own.
put_gem_version() {
    sed -i "s/VERSION = '.*'/VERSION = '$(scripts/version gem)'/" "$1/lib/leveret/version.rb"
}

# One build at a time: two terminals, with any verb that builds, must not write build/ over each other.
lock_build() {
    mkdir -p build
    exec 9>build/.lock
    flock 9
}
unlock_build() { exec 9>&-; }

# build_extension LIBRARY: phpize litters the folder it runs in and its `make clean` deletes every library below, so it works on a
# copy of php/, which stays: what has changed since is copied again, and `make` compiles that and what includes it. phpize lies beside
# php-config, under the same version.
build_extension() {
    local core=$1 source=$PHP_BUILD/php-src made_of configured_for
    step "Building the PHP extension"
    use_version
    made_of=$(extension_sources "$core" | sha256sum)
    if [ -e "$PHP_BUILD/leveret.so" ] && [ "$(cat "$source/.made-of" 2>/dev/null)" = "$made_of" ]; then
        note "Nothing has changed since the last build."
        return
    fi
    configured_for=$(extension_configuration "$core" | sha256sum)
    [ "$(cat "$source/.configured-for" 2>/dev/null)" = "$configured_for" ] || rm -rf "$source"
    copy_changed php "$source"
    # Joined by &&, because `set -e` does not hold on the left of ||.
    (
        cd "$source" &&
            { [ -e .configured-for ] || configure_extension "$core"; } &&
            echo "$configured_for" >.configured-for && name_version && make -s -j"$(nproc)"
    ) >"$PHP_BUILD/extension.log" 2>&1 || {
        tail -n 40 "$PHP_BUILD/extension.log" >&2
        fail "The PHP extension does not build." "The last lines are above; all of them are in $PHP_BUILD/extension.log"
    }
    if grep -E '\.[ch]:[0-9]+:.*warning:' "$PHP_BUILD/extension.log"; then note "The C compiler warned: see above."; fi
    put "$source/modules/leveret.so" "$PHP_BUILD/leveret.so"
    echo "$made_of" >"$source/.made-of"
}

configure_extension() {
    "${PHP_CONFIG/php-config/phpize}" &&
        ./configure -q --with-php-config="$PHP_CONFIG" --enable-leveret \
            --with-leveret-core="$1" --with-leveret-include="$ROOT/crates/leveret-ffi/include"
}

# config.m4 has written it. With another version only what includes it is compiled again.
name_version() {
    local line="#define PHP_LEVERET_VERSION \"$LEVERET_VERSION\""
    [ "$(cat release.h)" = "$line" ] || echo "$line" >release.h
}

# extension_sources LIBRARY: what the extension is made of, and its tests, which are copied with it.
extension_sources() {
    find php crates/leveret-ffi/include -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    sha256sum "$1"
    echo "$LEVERET_VERSION"
    extension_configuration "$1"
}

# extension_configuration LIBRARY: where this changes all is built from nothing: where what lies, how it is built, for which PHP, and of which
# files. A header that is gone would stop `make`, as what has included it still asks for it.
extension_configuration() {
    echo "$ROOT $1"
    find php crates/leveret-ffi/include -name '*.[ch]' | LC_ALL=C sort
    sha256sum php/config.m4 php/Makefile.frag scripts/build.sh
    "$PHP_CONFIG" --vernum
    "$PHP_CONFIG" --configure-options
}

# copy_changed FROM TO: what TO lacks or has otherwise, by its bytes: git gives files the time at which it writes them. The tests are
# copied anew, as a test that is gone would still run.
copy_changed() {
    local sums file
    sums=$(mktemp)
    mkdir -p "$2"
    (cd "$1" && find . -path ./tests -prune -o -type f -print0 | xargs -0 sha256sum) >"$sums"
    while read -r file; do
        mkdir -p "$2/$(dirname "$file")"
        cp "$1/$file" "$2/$file"
    done < <(cd "$2" && LC_ALL=C sha256sum --quiet --check "$sums" 2>/dev/null | sed -n 's/: FAILED.*//p')
    rm -rf "$sums" "$2/tests"
    cp -r "$1/tests" "$2/tests"
}

# asks_php_for_what_all_have EXTENSION: whether it asks PHP for nothing but what php/symbols lists. PHP's headers call functions inline that older
# releases of the same X.Y lack (8.2.36 has some forty new ones), and a file that asks for one of them is not loaded there. For glibc alone, whose own
# symbols have a version.
asks_php_for_what_all_have() {
    local new
    new=$(readelf -W --dyn-syms "$1" | awk '$7 == "UND" && $8 != "" && $8 !~ /@|^_ITM_|^__gmon_start__$/ { print $8 }' | LC_ALL=C sort -u | LC_ALL=C comm -23 - <(LC_ALL=C sort -u php/symbols)) || return 1
    [ -z "$new" ] || {
        note "This extension asks PHP for: ${new//$'\n'/ }"
        note "What every release of its PHP has belongs into php/symbols; what only new ones have must not be called, also not by what a header has inline."
        return 1
    }
}

# put FILE NAME: replaces NAME in one step, because a running PHP may have the old file mapped.
put() {
    cp "$1" "$2.new"
    mv "$2.new" "$2"
}
