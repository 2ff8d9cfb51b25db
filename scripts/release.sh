# shellcheck shell=bash
# ./x release: what a release is made of, in build/release: the extension for each PHP under the names that PIE looks for, the sources with
# all crates, a list of what is inside, and sums.

RELEASE_PHPS=(8.2 8.4 8.5 8.6)

# ./x release [PHP...]: for these only.
verb_release() {
    local version php phps=("$@") folder=build/release.new
    [ $# -gt 0 ] || phps=("${RELEASE_PHPS[@]}")
    for php in "${phps[@]}"; do
        case " ${RELEASE_PHPS[*]} " in
            *" $php "*) ;;
            *) fail "There are no binaries for PHP $php." "Take of these: ${RELEASE_PHPS[*]}. Any other PHP from 8.2 on builds from source." ;;
        esac
    done
    need_rust
    need "${BUILD_PACKAGES[@]}" python3 git
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | sed -n 1p)
    [ -z "$(git status --porcelain)" ] || note "The sources are those of the last commit; the binaries are of this folder, which has changed since."
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    build_rust
    for php in "${phps[@]}"; do
        check "release: the extension for PHP $php, loaded there" release_extension "$php" "$version" "$folder"
    done
    check "release: the command" release_command "$version" "$folder"
    check "release: the sources with all crates, which build without a network" release_sources "$version" "$folder"
    check "release: the list of what is inside (CycloneDX)" scripts/sbom "$version" "$folder/leveret-$version.cdx.json"
    (cd "$folder" && sha256sum -- * >SHA256SUMS)
    rm -rf --one-file-system build/release
    mv "$folder" build/release
    (cd build/release && du -h -- *)
    report_counts
}

# PIE's name: php_EXTENSION-VERSION_phpX.Y-ARCHITECTURE-SYSTEM-LIBC, and at the archive's root EXTENSION.so.
release_extension() {
    local php=$1 folder=$3 root=build/php-$1 work name enter=()
    name=php_leveret-$2_php$1-$(uname -m)-linux-glibc.tgz
    if [ "$php" != "${PHP_CONFIG#php-config}" ]; then
        [ "$(id -u)" -eq 0 ] || { note "Only root can enter another Debian."; return 1; }
        [ -e "$root/.done" ] || install_debian "PHP $php" "$root" "${PHP_SUITES[$php]}" "php$php-cli" "php$php-dev" gcc libc6-dev make || return 1
        enter=(scripts/in-root "$root/root")
    fi
    work=$PWD/$folder/php-$php
    mkdir -p "$work" &&
        PHP_CONFIG=php-config$php PHP_BUILD=$work "${enter[@]}" scripts/build-extension "$(leveret_core)" &&
        strip --strip-unneeded "$work/leveret.so" &&
        "${enter[@]}" "php$php" -n -d "extension=$work/leveret.so" -r 'exit((int) !class_exists("Leveret\\Cache"));' &&
        tar -C "$work" --owner=0 --group=0 -czf "$folder/$name" leveret.so &&
        rm -rf "$work" && note "$name"
}

release_command() {
    local work=$2/leveret-$1
    mkdir "$work" && strip -o "$work/leveret" build/leveret && cp -r LICENSE-* packaging "$work/" &&
        tar -C "$2" --owner=0 --group=0 -czf "$2/leveret-$1-$(uname -m)-linux-glibc.tgz" "leveret-$1" && rm -rf "$work"
}

# What git knows, and the crates of Cargo.lock beside it.
release_sources() {
    local tree=$2/leveret-$1 home target
    git archive --prefix="leveret-$1/" HEAD | tar -x -C "$2" &&
        mkdir "$tree/.cargo" &&
        (cd "$tree" && cargo vendor --locked vendor >.cargo/config.toml 2>/dev/null) &&
        tar -C "$2" --owner=0 --group=0 -czf "$2/php_leveret-$1-src.tgz" "leveret-$1" || return 1
    home=$(mktemp -d) target=$(mktemp -d)
    (cd "$tree" && CARGO_HOME=$home CARGO_NET_OFFLINE=true cargo build --quiet --locked --target-dir "$target" -p leveret-ffi -p leveret-cli)
    local status=$?
    rm -rf --one-file-system "$home" "$target" "$tree"
    return "$status"
}
