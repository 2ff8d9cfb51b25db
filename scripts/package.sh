# shellcheck shell=bash
# ./x package: Debian's packages, each release's built and tried in roots of its own in build/. The Rust library and the command are built
# outside, by the compiler of ./x build (debian/README.source says why); what is C is built in the root.

# ./x package [12|13]: without a word both.
verb_package() {
    local releases=(12 13) release
    case ${1:-} in
        '') ;;
        12 | 13) releases=("$1") ;;
        *) fail "There are no packages for '$1'." "Take 12 or 13, which are releases of Debian: ./x package 12" ;;
    esac
    [ $# -le 1 ] || fail "'package' takes one word, and there is '$2'." "Say: ./x package 12"
    [ "$(id -u)" -eq 0 ] || fail "Only root can enter another Debian." "Run it as root: sudo ./x package ${1:-}"
    need_rust
    need gcc libc6-dev mmdebstrap iproute2 python3
    mkdir -p build
    build_rust
    for release in "${releases[@]}"; do
        check "package: those of Debian $release are built, and lintian finds no error" build_packages "$release"
        package_try_root "$release"
        LEVERET_PACKAGES=$release counted "package: installed, used, upgraded and removed on Debian $release" \
            "build/package-$release.test.log" system_counts /usr/bin/python3 -u tests/run.py test_packages
    done
    report_counts
}

package_root() {
    local php=${DEBIAN_PHPS[$1]}
    [ -e "build/package-$1/.done" ] || install_debian "what builds packages" "build/package-$1" "${DEBIAN_SUITES[$1]}" \
        debhelper dh-php "php$php-dev" "php$php-cli" build-essential pkg-config lintian fakeroot ruby ruby-dev
}

# What the packages meet when they are installed: a web server, PHP, and the originals.
package_try_root() {
    local php=${DEBIAN_PHPS[$1]}
    [ -e "build/package-try-$1/.done" ] || install_debian "what packages meet" "build/package-try-$1" "${DEBIAN_SUITES[$1]}" \
        systemd "php$php-fpm" "php$php-cli" "php$php-apcu" "php$php-memcached" "php$php-memcache" nginx-light curl gcc libc6-dev \
        pkg-config ruby memcached
}

# build_packages RELEASE: into build/packages/RELEASE. Joined by &&, because `set -e` does not hold where it is called.
build_packages() {
    local folder=build/packages/$1 work=build/packages/$1.new stamp
    stamp=$(package_stamp) || return 1
    if packages_are_fresh "$1"; then
        note "Nothing has changed since the last build."
        return 0
    fi
    package_root "$1"
    rm -rf --one-file-system "$work"
    mkdir -p "$work/source/debian/prebuilt" "$work/source/crates"
    cp -r debian php packaging ruby CHANGELOG.md LICENSE-* "$work/source/" &&
        cp -r --parents crates/leveret-ffi/include crates/leveret-ffi/examples "$work/source/" &&
        cp build/leveret "$(leveret_core)" "$work/source/debian/prebuilt/" || return 1
    scripts/in-root "build/package-$1/root" scripts/package-part "$work/source" >"$folder.log" 2>&1 || {
        tail -n 40 "$folder.log" >&2
        note "The last lines are above; all of them are in $folder.log"
        return 1
    }
    grep -E '^[EW]: ' "$folder.log" || true
    rm -rf "$work/source" "$folder" && printf '%s\n' "$stamp" >"$work/.stamp" && mv "$work" "$folder" &&
        note "$(find "$folder" -name '*.deb' | wc -l) packages in $folder"
}

packages_are_fresh() { [ "$(cat "build/packages/$1/.stamp" 2>/dev/null)" = "$(package_stamp)" ]; }

# What the packages are made of.
package_stamp() {
    {
        find debian php packaging ruby/lib ruby/ext crates/leveret-ffi/include crates/leveret-ffi/examples -type f -print0 | sort -z | xargs -0 sha256sum
        sha256sum build/leveret "$(leveret_core)" scripts/package.sh scripts/package-part CHANGELOG.md
    } | sha256sum | cut -d' ' -f1
}
