# shellcheck shell=bash
# Installs what a verb needs and the machine lacks. Only Debian packages, only the missing ones, no service started.

# The first Rust that knows all we use; Debian 12 has at least this in its *-web packages (a newer compiler kept for
# browsers, beside the distribution's own rustc 1.63). Those packages name their programs plainly: /usr/bin/rustc,
# cargo, cargo-fmt, rustfmt, cargo-clippy. They conflict with the packages rustc, cargo and rustup.
RUST_MIN=1.85

# debian_release: "debian 12", or what else this is.
# shellcheck source=/dev/null
debian_release() { (. /etc/os-release && echo "${ID:-} ${VERSION_ID:-without a version}") 2>/dev/null || echo "no known system"; }

# The releases that packages are made for, Debian's and Ubuntu's, and the PHP that each has.
declare -A DEBIAN_SUITES=([12]=bookworm [13]=trixie [24.04]=noble [26.04]=resolute)
declare -A DEBIAN_PHPS=([12]=8.2 [13]=8.4 [24.04]=8.3 [26.04]=8.5)

# debian_known: the release, where its packages are known here by name and what is missing can be installed. Ubuntu 24.04's Rust is too old.
debian_known() {
    local release
    release=$(debian_release)
    case $release in "debian 12" | "debian 13" | "ubuntu 26.04") echo "${release#* }" ;; esac
}
DEBIAN=$(debian_known)

# Which PHP is built for and tested with: that of this machine's release, or what the caller says.
LEVERET_PHP=${LEVERET_PHP:-${DEBIAN_PHPS[${DEBIAN:-12}]}}
export LEVERET_PHP

RUST_PACKAGES=(ca-certificates gcc libc6-dev)
BUILD_PACKAGES=("${RUST_PACKAGES[@]}" make "php$LEVERET_PHP-cli" "php$LEVERET_PHP-dev")
DEMO_PACKAGES=("php$LEVERET_PHP-apcu" memcached "php$LEVERET_PHP-memcached" "php$LEVERET_PHP-igbinary" "php$LEVERET_PHP-msgpack"
    redis-server "php$LEVERET_PHP-redis" "php$LEVERET_PHP-fpm" "php$LEVERET_PHP-opcache")

# What the tests of these crates run beside. Those of the others take Rust alone.
declare -A CRATE_PACKAGES=(
    [leveret-bench]="memcached redis-server"
    [leveret-cli]="memcached"
    [leveret-client]="memcached redis-server"
    [leveret-engine]="valgrind"
    [leveret-server]="memcached libsasl2-modules sasl2-bin"
    [leveret-strings]="redis-server"
)
RUBY_PACKAGES=(
    ruby ruby-dev ruby-minitest ruby-dalli ruby-activesupport ruby-connection-pool ruby-rack ruby-rack-attack ruby-railties ruby-redis ruby-sidekiq
    ruby-sinatra puma yard memcached redis-server "php$LEVERET_PHP-igbinary" "php$LEVERET_PHP-msgpack" python3
)
# Their Rails can store by it.
case $DEBIAN in 13 | 26.04) RUBY_PACKAGES+=(ruby-msgpack) ;; esac
TEST_PACKAGES=(
    "${RUBY_PACKAGES[@]}" shellcheck clang-format valgrind nginx-light liburi-perl sasl2-bin libsasl2-modules libmemcached-tools netcat-openbsd curl
    python3-pymemcache python3-django python3-pylibmc python3-redis python3-django-redis redis-tools tcl
    "php$LEVERET_PHP-"{fpm,xml,mbstring,apcu,memcached,memcache,redis}
    phpunit php-cache-integration-tests php-symfony-cache php-psr-simple-cache
    php-symfony-lock php-symfony-http-foundation mediawiki-classes
    debhelper dh-php build-essential pkg-config
)
# What newer ones have no more, as the tests say.
case $DEBIAN in
    12) TEST_PACKAGES+=(php-illuminate-cache php-illuminate-redis php-predis php-horde-memcache) ;;
    13) TEST_PACKAGES+=(php-illuminate-cache php-illuminate-redis php-predis) ;;
esac

# Installing it changes an Apache that is there: to the MPM prefork and to mod_php. Only where there is none is it asked for; elsewhere its
# tests are left out and say why.
MOD_PHP_PACKAGE=libapache2-mod-php$LEVERET_PHP

# need PACKAGE...: installs those that are missing.
need() {
    [ -z "${LEVERET_NO_INSTALL:-}" ] || return 0
    local missing=() package
    for package; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ -n "$DEBIAN" ] || say_what_is_needed "This is $(debian_release). Packages are installed on Debian 12 and 13 and on Ubuntu 26.04 only: elsewhere they have other names." "${missing[@]}"
    command -v apt-get >/dev/null || say_what_is_needed "This machine has no apt-get, so nothing can be installed for you." "${missing[@]}"
    install_packages "${missing[@]}"
}

# say_what_is_needed WHY PACKAGE...
say_what_is_needed() {
    fail "$1" "Install what these packages of Debian hold: ${*:2}
     Rust is $RUST_MIN or newer, by rustup where no package is that new. PHP is any from 8.2 on: LEVERET_PHP says which.
     With LEVERET_PHP=8.3 these must be programs in PATH: php8.3, php-config8.3, phpize8.3.
     Then say: LEVERET_NO_INSTALL=1 LEVERET_PHP=8.3 ./x ..."
}

# need_rust [lint]: a compiler of at least RUST_MIN; with `lint` its formatter and clippy too.
need_rust() {
    local packages=(rustc-web cargo-web)
    [ "${1:-}" != lint ] || packages+=(rustfmt-web rust-web-clippy)
    if [ "$DEBIAN" != 12 ]; then
        packages=(rustc cargo)
        [ "${1:-}" != lint ] || packages+=(rustfmt rust-clippy)
    fi
    if ! has_rust; then
        need "${packages[@]}"
        has_rust || PATH=/usr/bin:$PATH # an older Rust stood first
        has_rust || fail "No Rust of version $RUST_MIN or newer." "Install it with rustup${DEBIAN:+, or with: apt-get install ${packages[*]}}"
    fi
    [ "${1:-}" = lint ] || return 0
    if ! has_rust_lint && is_installed "${packages[0]}"; then need "${packages[@]}"; fi
    has_rust_lint || fail "This Rust has no formatter or no clippy." "Run: rustup component add rustfmt clippy"
}

# unpack FOLDER PACKAGE...: what is in these packages, below build/FOLDER, for packages that change the machine's own web
# server when they are installed. No maintainer script runs. Links to absolute places would lead out of the folder: they go.
unpack() {
    local folder=$ROOT/build/$1 new=$ROOT/build/$1.new deb
    shift
    [ ! -e "$folder" ] || return 0
    step "Unpacking into ${folder#"$ROOT/"}: $*"
    command -v apt-get >/dev/null || fail "This machine has no apt-get, which fetches packages." "Unpack these Debian packages into $folder: $*"
    rm -rf "$new"
    mkdir -p "$new"
    (cd "$new" && apt-get -q -o APT::Sandbox::User="$(id -un)" download "$@") ||
        fail "apt-get could not fetch the packages; its lines above say why." "If it does not know them: apt-get update, as root"
    for deb in "$new"/*.deb; do
        dpkg-deb -W "$deb" >>"$new/versions"
        dpkg-deb -x "$deb" "$new"
        rm "$deb"
    done
    find "$new" -type l -lname '/*' -delete
    mv "$new" "$folder"
}

# has_rust [VERSION]: a compiler that is at least so new.
has_rust() {
    command -v cargo >/dev/null || return 1
    local version
    version=$(rustc --version 2>/dev/null | cut -d' ' -f2) || return 1
    [ "$(printf '%s\n' "${1:-$RUST_MIN}" "$version" | sort -V | head -n 1)" = "${1:-$RUST_MIN}" ]
}

has_rust_lint() { cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; }

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "Packages are missing, and this is neither root nor a machine with sudo." "As root: apt-get install $*"
        as_root=(sudo)
    fi
    step "Installing: $*"
    # --no-remove: apt says no rather than take a package of yours away to make room for one of ours.
    "${as_root[@]}" bash -s -- "$@" <<'SCRIPT' || fail "apt-get could not install the packages; its lines above say why." "By hand, as root: apt-get update && apt-get install $*"
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

# Debian starts a service as soon as its package is installed: nginx on port 80 of every interface, memcached on 11211, Redis on 6379.
# The tests start their own, on loopback and Unix sockets. So for this one installation policy-rc.d (the file that
# maintainer scripts ask before they start anything) answers 101, "not allowed", and the units that came new are
# switched off, so that the next boot does not start them either. Services that were there before are left alone.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
services_before=$(ls /lib/systemd/system/{nginx,memcached,redis-server,apache2,php*-fpm}.service 2>/dev/null || true)

# patiently COMMAND...: another apt may be at work, such as a new machine's first upgrade. It holds its locks for some minutes; DPkg::Lock::Timeout
# does not wait for the one of the package lists.
patiently() {
    local turn errors
    errors=$(mktemp)
    for ((turn = 0; turn < 300; turn++)); do
        if LC_ALL=C "$@" </dev/null 2>"$errors"; then
            cat "$errors" >&2
            rm "$errors"
            return 0
        fi
        grep -qE 'Could not get lock|Unable to (acquire|lock)' "$errors" || break
        [ "$turn" -gt 0 ] || echo "Waiting for another apt: $(grep -m 1 -E 'Could not get lock|Unable to' "$errors")" >&2
        sleep 2
    done
    cat "$errors" >&2
    rm "$errors"
    return 1
}

patiently apt-get -q update
patiently apt-get -q install -y --no-install-recommends --no-remove "$@"

for unit in nginx memcached redis-server apache2 php8.{2,3,4,5}-fpm; do
    file=/lib/systemd/system/$unit.service
    if [ -e "$file" ] && [[ $services_before != *"$file"* ]] && command -v systemctl >/dev/null; then
        systemctl -q disable "$unit" </dev/null || true
    fi
done
SCRIPT
}
