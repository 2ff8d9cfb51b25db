# shellcheck shell=bash
# ./x package: Debian's and Ubuntu's packages, each release's built and tried in roots of its own in build/. The Rust library and the command are
# built outside, by the compiler of ./x build (debian/README.source says why); what is C is built in the root.
#
# NAME is what a set of packages and its roots are called: a release, as 12 or 24.04, and with -arm64 behind it what is for that architecture. Those
# roots are whole Debians of arm64, so they build and try as the others do; qemu-user runs all that happens in them. Only Rust is compiled across.

# ./x package [12|13|24.04|26.04] [arm64]: without a release those of Debian.
verb_package() {
    local releases=() architecture='' word release
    for word; do
        case $word in
            12 | 13 | 24.04 | 26.04) releases+=("$word") ;;
            amd64) architecture='' ;;
            arm64) architecture=-arm64 ;;
            *) fail "There are no packages for '$word'." \
                "Take 12 or 13, which are releases of Debian, 24.04 or 26.04, which are Ubuntu's, and arm64 if they are for that: ./x package 12 arm64" ;;
        esac
    done
    [ ${#releases[@]} -gt 0 ] || releases=(12 13)
    [ "$(id -u)" -eq 0 ] || fail "Only root can enter another system." "Run it as root: sudo ./x package $*"
    need_rust
    need gcc libc6-dev mmdebstrap iproute2 python3
    renew_version
    if [ -z "$architecture" ]; then
        build_rust
    else
        need_aarch64
        build_rust_aarch64
    fi
    for release in "${releases[@]}"; do package_release "$release$architecture"; done
    [ -z "$architecture" ] || note "No machine of arm64 was there: an emulator ran these packages, and it orders memory as the processor below it."
    report_counts
}

# package_release NAME
package_release() {
    local enter=() seconds=$PART_SECONDS_MAX title
    title=$(package_title "$1")
    check "package: those of $title are built, and lintian finds no error" build_packages "$1"
    package_try_root "$1"
    ! is_arm64 "$1" || enter=(scripts/in-aarch64 --all-users) seconds=7200
    LEVERET_PACKAGES=$1 PART_SECONDS_MAX=$seconds counted "package: installed, used, upgraded and removed on $title" \
        "build/package-$1.test.log" system_counts "${enter[@]}" /usr/bin/python3 -u tests/run.py test_packages
}

is_arm64() { [[ $1 = *-arm64 ]]; }

package_suite() { echo "${DEBIAN_SUITES[${1%-arm64}]}"; }

package_title() {
    if is_ubuntu "$(package_suite "$1")"; then echo "Ubuntu $1"; else echo "Debian $1"; fi
}

# package_debian NAME WHAT FOLDER PACKAGE...
package_debian() {
    local architecture=''
    ! is_arm64 "$1" || architecture=arm64
    [ -e "$3/.done" ] || DEBIAN_ARCHITECTURE=$architecture install_debian "$2" "$3" "$(package_suite "$1")" "${@:4}"
}

# Where packages are built. lintian is in the roots of this machine's architecture alone: it reads packages of any.
package_root() {
    local php=${DEBIAN_PHPS[${1%-arm64}]} lintian=(lintian)
    ! is_arm64 "$1" || lintian=()
    package_debian "$1" "what builds packages" "build/package-$1" \
        debhelper dh-php "php$php-dev" "php$php-cli" build-essential pkg-config "${lintian[@]}" fakeroot ruby ruby-dev
}

# What the packages meet when they are installed: a web server, PHP, and the originals.
package_try_root() {
    local php=${DEBIAN_PHPS[${1%-arm64}]}
    package_debian "$1" "what packages meet" "build/package-try-$1" \
        systemd "php$php-fpm" "php$php-cli" "php$php-apcu" "php$php-memcached" "php$php-memcache" nginx-light curl gcc libc6-dev \
        pkg-config ruby memcached
}

# build_packages NAME: into build/packages/NAME. Joined by &&, because `set -e` does not hold where it is called.
build_packages() {
    local folder=build/packages/$1 work=build/packages/$1.new native=${1%-arm64} stamp enter=()
    stamp=$(package_stamp "$1") || return 1
    if packages_are_fresh "$1"; then
        note "Nothing has changed since the last build."
        return 0
    fi
    package_root "$1"
    package_root "$native"
    ! is_arm64 "$1" || enter=(scripts/in-aarch64 --all-users)
    rm -rf --one-file-system "$work"
    package_sources "$1" "$work/source" || return 1
    {
        "${enter[@]}" scripts/in-root "build/package-$1/root" scripts/part package "$work/source" &&
            scripts/in-root "build/package-$native/root" lintian --fail-on error --tag-display-limit 0 "$work"/*.changes
    } >"$folder.log" 2>&1 || {
        tail -n 40 "$folder.log" >&2
        note "The last lines are above; all of them are in $folder.log"
        return 1
    }
    grep -E '^[EW]: ' "$folder.log" || true
    rm -rf "$work/source" "$folder" && printf '%s\n' "$stamp" >"$work/.stamp" && mv "$work" "$folder" &&
        note "$(find "$folder" -name '*.deb' | wc -l) packages in $folder"
}

# package_sources NAME FOLDER: what `scripts/part package` takes.
package_sources() {
    mkdir -p "$2/debian/prebuilt" &&
        cp -r debian php packaging ruby docs README.md CHANGELOG.md LICENSE-* "$2/" &&
        cp -r --parents crates/leveret-ffi/include crates/leveret-ffi/examples "$2/" &&
        scripts/crates.py notices "$2/debian/prebuilt/THIRD-PARTY.txt" &&
        package_prebuilt "$1" | xargs cp -t "$2/debian/prebuilt/" || return 1
    # Debian's packages go into unstable first, Ubuntu's into the release that they are for.
    local suite=unstable
    ! is_ubuntu "$(package_suite "$1")" || suite=$(package_suite "$1")
    use_version
    scripts/version changelog "$suite" >"$2/debian/changelog" && put_gem_version "$2/ruby"
}

# The command and the library.
package_prebuilt() {
    if is_arm64 "$1"; then
        printf '%s\n' "$(aarch64_made leveret)" "$(aarch64_made libleveret_ffi.a)"
    else
        printf '%s\n' build/leveret "$(leveret_core)"
    fi
}

packages_are_fresh() { [ "$(cat "build/packages/$1/.stamp" 2>/dev/null)" = "$(package_stamp "$1")" ]; }

# What the packages are made of.
package_stamp() {
    {
        find debian php packaging docs ruby/lib ruby/ext crates/leveret-ffi/include crates/leveret-ffi/examples -type f -print0 | sort -z | xargs -0 sha256sum
        package_prebuilt "$1" | xargs sha256sum
        sha256sum scripts/version scripts/package.sh scripts/part scripts/crates.py CHANGELOG.md README.md
    } | sha256sum | cut -d' ' -f1
}
