# shellcheck shell=bash
# ./x release: what a release is made of, in build/release: the extension for each PHP under the names that PIE looks for, the command, the
# sources with all crates, a list of what is inside, and sums.

RELEASE_PHPS=(8.2 8.3 8.4 8.5 8.6)
# The extension for a PHP: without threads or for threads (zts), for glibc or for musl. Last what there is once, whatever the PHP.
RELEASE_KINDS=(nts zts musl musl-zts)
RELEASE_OTHERS=(command sources)
# The same for arm64, without threads and for glibc. An emulator tries them.
RELEASE_ARM64=(arm64 arm64-command)
# The oldest glibc that the files run with, that of Ubuntu 22.04 and Red Hat 9 among others: in it threads became a part of libc.
RELEASE_GLIBC=2.34

# ./x release [PHP...] [KIND...]: without a PHP for all of them, without a KIND all that there is for this machine's processor.
verb_release() {
    local version word php kind phps=() kinds=() folder=build/release.new
    for word; do
        if is_one_of "$word" "${RELEASE_PHPS[@]}"; then
            phps+=("$word")
        elif is_one_of "$word" "${RELEASE_KINDS[@]}" "${RELEASE_OTHERS[@]}" "${RELEASE_ARM64[@]}"; then
            kinds+=("$word")
        else
            fail "There is nothing to release for '$word'." \
                "PHPs are ${RELEASE_PHPS[*]}; kinds are ${RELEASE_KINDS[*]} ${RELEASE_OTHERS[*]} ${RELEASE_ARM64[*]}. Any other PHP from 8.2 on builds from source."
        fi
    done
    [ ${#phps[@]} -gt 0 ] || phps=("${RELEASE_PHPS[@]}")
    [ ${#kinds[@]} -gt 0 ] || kinds=("${RELEASE_KINDS[@]}" "${RELEASE_OTHERS[@]}")
    need_rust
    need "${BUILD_PACKAGES[@]}" binutils python3 git
    renew_version
    version=$(<build/version)
    [ -z "$(git status --porcelain)" ] || note "The sources are those of the last commit; the binaries are of this folder, which has changed since."
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    build_rust
    check "release: the notices of those whose code is inside" scripts/crates.py notices "$folder/THIRD-PARTY.txt"
    if is_one_of musl "${kinds[@]}" || is_one_of musl-zts "${kinds[@]}"; then build_musl_library; fi
    if is_one_of arm64 "${kinds[@]}" || is_one_of arm64-command "${kinds[@]}"; then
        # Whether an order of memory that x86 gives for nothing was forgotten, no emulator notices.
        model_part
        need_aarch64
        build_rust_aarch64
    fi
    for php in "${phps[@]}"; do
        for kind in "${kinds[@]}"; do
            is_one_of "$kind" "${RELEASE_KINDS[@]}" arm64 || continue
            if [ "$kind" = arm64 ] && is_ubuntu "${PHP_SUITES[$php]}"; then
                count "release: PHP $php is Ubuntu's, whose arm64 is on other mirrors" 0 0 1
                continue
            fi
            # In a subshell: a PHP that cannot be had is one failure, and the others are still made.
            check "release: the extension for PHP $php $kind, at work there" in_subshell release_extension "$php" "$kind" "$version" "$folder"
        done
    done
    if is_one_of command "${kinds[@]}"; then
        check "release: the command" release_glibc_command "$version" "$folder"
        check "release: the command for any Linux, at work" in_subshell release_static_command "$version" "$folder"
    fi
    if is_one_of arm64-command "${kinds[@]}"; then
        check "release: the command for arm64, at work under an emulator" in_subshell release_arm64_command "$version" "$folder"
    fi
    if is_one_of sources "${kinds[@]}"; then
        check "release: the sources with all crates, which build without a network" release_sources "$version" "$folder"
    fi
    check "release: the list of what is inside (CycloneDX)" scripts/crates.py sbom "$version" "$folder/leveret-$version.cdx.json"
    (cd "$folder" && sha256sum -- * >SHA256SUMS)
    rm -rf --one-file-system build/release
    mv "$folder" build/release
    (cd build/release && du -h -- *)
    report_counts
}

# is_one_of WORD WORD...
is_one_of() {
    local word
    for word in "${@:2}"; do
        [ "$1" != "$word" ] || return 0
    done
    return 1
}

in_subshell() { ("$@"); }

# release_system KIND: processor, system and libc in PIE's words.
release_system() {
    local processor libc=glibc
    processor=$(uname -m)
    case $1 in
        arm64*) processor=arm64 ;;
        musl*) libc=musl ;;
    esac
    printf '%s-linux-%s' "$processor" "$libc"
}

# release_name PHP KIND VERSION: the first name with .tgz that PIE looks for, in lower case: php_EXTENSION-VERSION_phpX.Y-ARCHITECTURE-SYSTEM-LIBC,
# with -zts behind it for threads. A PHP without threads has no word there; -nts is PIE's second try.
release_name() {
    local threads=''
    case $2 in *zts) threads=-zts ;; esac
    printf 'php_leveret-%s_php%s-%s%s.tgz' "${3,,}" "$1" "$(release_system "$2")" "$threads"
}

# release_extension PHP KIND VERSION FOLDER: at the archive's root lies EXTENSION.so, as PIE takes it, and beside it what its licences ask for.
# Joined by &&, because `set -e` does not hold where it is called.
release_extension() {
    local php=$1 kind=$2 folder=$4 name work core config binary enter=() flags="-g -O2 -include $ROOT/packaging/older-glibc.h"
    name=$(release_name "$php" "$kind" "$3")
    config=php-config$php binary=php$php core=$(leveret_core)
    case "$kind $php" in
        "nts $LEVERET_PHP") ;;
        "nts "*)
            release_debian "$php" "build/php-$php" || return 1
            enter=(scripts/in-root "build/php-$php/root")
            ;;
        "arm64 "*)
            DEBIAN_ARCHITECTURE=arm64 release_debian "$php" "build/php-$php-arm64" || return 1
            enter=(scripts/in-aarch64 --all-users scripts/in-root "build/php-$php-arm64/root")
            core=$ROOT/$(aarch64_made libleveret_ffi.a)
            ;;
        *)
            release_php "$php" "$kind" || return 1
            config=$ROOT/$(release_php_folder "$php" "$kind")/php/bin/php-config binary=${config%-config}
            ;;
    esac
    case $kind in musl*) core=$(musl_core) enter=(with_musl) flags='-g -O2' ;; esac
    work=$ROOT/$folder/php-$php-$kind
    mkdir -p "$work" &&
        CFLAGS=$flags "${enter[@]}" scripts/part extension "$config" "$work" "$core" &&
        "${enter[@]}" strip --strip-unneeded "$work/leveret.so" &&
        asks_for_little "$kind" "$work/leveret.so" &&
        asks_php_for_little "$kind" "$work/leveret.so" &&
        at_work "${enter[@]}" "$binary" -d "extension=$work/leveret.so" &&
        cp LICENSE-* "$folder/THIRD-PARTY.txt" "$work/" &&
        tar -C "$work" --owner=0 --group=0 -czf "$folder/$name" leveret.so LICENSE-APACHE LICENSE-MIT THIRD-PARTY.txt &&
        rm -rf "$work" && note "$name" && return
    # The others are still made, and summed.
    rm -rf "$work" "${folder:?}/$name"
    return 1
}

# release_debian PHP FOLDER: a Debian or Ubuntu that has this PHP.
release_debian() {
    [ "$(id -u)" -eq 0 ] || { note "Only root can enter another Debian."; return 1; }
    [ -e "$2/.done" ] || install_debian "PHP $1" "$2" "${PHP_SUITES[$1]}" "php$1-cli" "php$1-dev" gcc libc6-dev make
}

# Whether PHP of this kind was built already, and where. `./x php musl` has one of these too.
release_php_folder() {
    case "$1 $2" in
        "8.2 musl") echo build/php-musl ;;
        *) echo "build/php-$1-$2" ;;
    esac
}

# PHP's own speed does not matter here, and unoptimised it is compiled in half the time: an extension knows nothing of it.
release_php() {
    local folder
    folder=$(release_php_folder "$1" "$2")
    [ ! -e "$folder/.done" ] || return 0
    case $2 in
        zts) build_php "$folder" "$1" "for threads" "${PHP_THREADS[@]}" CFLAGS=-O0 ;;
        musl) build_php_musl "$folder" "$1" ;;
        musl-zts) build_php_musl "$folder" "$1" "${PHP_THREADS[@]}" CFLAGS=-O0 ;;
    esac
}

# asks_for_little KIND FILE: on a system with musl no other library is there for sure, and one with glibc may have an older one than this.
asks_for_little() {
    local needed newest
    needed=$(readelf -d "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')
    newest=$(readelf -V "$2" | grep -oE 'GLIBC_[0-9.]+' | sort -V | tail -n 1)
    case $1 in
        musl*) [ "$needed" = "libc.so " ] || { note "It asks for more than musl: $needed"; return 1; } ;;
        *)
            [ "$(printf '%s\n' "${newest#GLIBC_}" "$RELEASE_GLIBC" | sort -V | tail -n 1)" = "$RELEASE_GLIBC" ] || {
                note "It asks for $newest, and systems with glibc $RELEASE_GLIBC are to load it."
                return 1
            }
            ;;
    esac
}

# says_version VERSION COMMAND...
says_version() {
    local said
    said=$("${@:2}") || true
    [ "$said" = "leveret $1" ] || { note "It says '$said' and not 'leveret $1'."; return 1; }
}

asks_php_for_little() {
    case $1 in musl*) return 0 ;; esac
    asks_php_for_what_all_have "$2"
}

# release_command KIND COMMAND VERSION FOLDER [STRIP]
release_command() {
    local name=leveret-$3 work=$4/leveret-$3
    mkdir "$work" && "${5:-strip}" -o "$work/leveret" "$2" && cp -r LICENSE-* "$4/THIRD-PARTY.txt" packaging "$work/" &&
        tar -C "$4" --owner=0 --group=0 -czf "$4/$name-$(release_system "$1").tgz" "$name" && rm -rf "$work"
}

release_glibc_command() {
    asks_for_little glibc build/leveret && release_command glibc build/leveret "$1" "$2"
}

release_static_command() {
    build_musl_command && is_static "$(musl_command)" && serves "$(musl_command)" &&
        release_command musl "$(musl_command)" "$1" "$2"
}

release_arm64_command() {
    local command
    command=$(aarch64_made leveret)
    asks_for_little arm64 "$command" && serves scripts/in-aarch64 "$command" &&
        release_command arm64 "$command" "$1" "$2" aarch64-linux-gnu-strip
}

is_static() {
    ! readelf -lW "$1" | grep -q INTERP || { note "It asks for a loader: it is not static."; return 1; }
}

# serves COMMAND...: it serves an arena on a Unix socket, where what it stores in memory is read, and it finds nothing wrong.
serves() {
    local dir server status=0
    dir=$(mktemp -d /dev/shm/leveret-release.XXXXXX)
    "$@" serve -u "$(id -un)" --dir "$dir" --arena served -s "$dir/socket" &
    server=$!
    until [ -S "$dir/socket" ] || ! kill -0 "$server"; do sleep 0.1; done
    {
        "$@" ping "$dir/socket" &&
            "$@" set --dir "$dir" --arena served k value &&
            [ "$("$@" get --dir "$dir" --arena served k)" = value ] &&
            [[ "$("$@" dump "$dir/socket")" = *value* ]] &&
            "$@" doctor --no-php --dir "$dir" --arena served
    } || status=1
    kill "$server"
    wait "$server" || true
    rm -rf "$dir"
    return "$status"
}

# put_version TREE VERSION: there is no git in an archive, so its Cargo.toml and Cargo.lock say of which commit it is.
put_version() {
    local release
    release=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$1/Cargo.toml")
    sed -i "/^\[workspace\.package\]/,/^\[/s/^version = \"$release\"/version = \"$2\"/" "$1/Cargo.toml" &&
        sed -i "/^name = \"leveret-/{n;s/^version = \"$release\"/version = \"$2\"/}" "$1/Cargo.lock"
}

# What git knows, and the crates of Cargo.lock beside it.
release_sources() {
    local tree=$2/leveret-$1 home target
    git archive --prefix="leveret-$1/" HEAD | tar -x -C "$2" &&
        put_version "$tree" "$(scripts/version cargo)" &&
        mkdir "$tree/.cargo" &&
        (cd "$tree" && cargo vendor --locked vendor >.cargo/config.toml 2>/dev/null) &&
        tar -C "$2" --owner=0 --group=0 -czf "$2/php_leveret-$1-src.tgz" "leveret-$1" || return 1
    home=$(mktemp -d) target=$(mktemp -d)
    (
        cd "$tree" &&
            LEVERET_VERSION='' CARGO_HOME=$home CARGO_NET_OFFLINE=true cargo build --quiet --locked --target-dir "$target" -p leveret-ffi -p leveret-cli &&
            says_version "$1" "$target/debug/leveret" --version
    )
    local status=$?
    rm -rf --one-file-system "$home" "$target" "$tree"
    return "$status"
}
