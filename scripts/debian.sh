# shellcheck shell=bash
# What of Debian and Ubuntu is neither this machine's nor to be installed here: other releases in folders, and packages' sources.

DEBIAN_KEYS=/usr/share/keyrings/debian-archive-keyring.gpg
# Ubuntu's releases, as they are called below. Its keys come with a package of Debian's.
UBUNTU_SUITES=(noble questing resolute)
UBUNTU_KEYS=build/ubuntu-keys/usr/share/keyrings/ubuntu-archive-keyring.gpg

# debian_suite: the name of this machine's Debian, as its mirror knows it: bookworm is 12, trixie is 13.
# shellcheck source=/dev/null
debian_suite() { (. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}") 2>/dev/null || echo bookworm; }

# The mirror that this machine's own packages come from, unless DEBIAN_MIRROR names another.
debian_mirror() {
    local mirror=${DEBIAN_MIRROR:-} suite
    suite=$(debian_suite)
    # shellcheck disable=SC2016 # $(REPO_URI) is apt's own.
    [ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" 'Component: main' | sed -n 1p)
    [ -n "$mirror" ] || fail "apt has no list of the packages of Debian's $suite." "Run apt-get update, or name a mirror: DEBIAN_MIRROR=URL ./x …"
    echo "${mirror%/}"
}

is_ubuntu() { [[ " ${UBUNTU_SUITES[*]} " = *" $1 "* ]]; }

# The mirror that mmdebstrap knows, unless UBUNTU_MIRROR names another.
ubuntu_mirror() {
    local mirror=${UBUNTU_MIRROR:-}
    need mmdebstrap
    [ -n "$mirror" ] || mirror=$(sed -nE "s|.*mirror *= '(http://[a-z.]*ubuntu[a-z./]*)'.*|\\1|p" "$(command -v mmdebstrap)" | sed -n 1p)
    [ -n "$mirror" ] || fail "mmdebstrap knows no mirror of Ubuntu." "Name one: UBUNTU_MIRROR=URL ./x …"
    echo "${mirror%/}"
}

# source_of SUITE TYPE: its line in apt's sources; TYPE is deb or deb-src.
source_of() {
    if is_ubuntu "$1"; then
        ubuntu_keys >&2
        echo "$2 [signed-by=$ROOT/$UBUNTU_KEYS] $(ubuntu_mirror) $1 main universe"
    else
        echo "$2 [signed-by=$DEBIAN_KEYS] $(debian_mirror) $1 main"
    fi
}

ubuntu_keys() {
    local deb state=$ROOT/build/ubuntu-keys.apt source
    [ ! -e "$UBUNTU_KEYS" ] || return 0
    source=$(source_of trixie deb)
    own_sources "$state" "$source"
    (cd "$state" && apt_in "$state" apt-get -q update && apt_in "$state" apt-get -q download ubuntu-keyring) ||
        fail "The keys of Ubuntu's archive could not be had." "They are in Debian 13's package ubuntu-keyring; the lines above say why."
    deb=$(echo "$state"/*.deb)
    dpkg-deb -x "$deb" build/ubuntu-keys
    rm -rf "$state"
}

# own_sources FOLDER SOURCE...: what apt_in takes packages from.
own_sources() {
    mkdir -p "$1/lists/partial"
    printf '%s\n' "${@:2}" >"$1/sources.list"
}

# apt_in FOLDER COMMAND...: apt with the sources of FOLDER alone, where it keeps what it needs for them: this machine's own lists stay as they are.
apt_in() {
    local folder=$1 program=$2
    shift 2
    "$program" -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$folder/lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o "APT::Sandbox::User=$(id -un)" "$@"
}

# install_debian WHAT FOLDER SUITES PACKAGE...: a Debian, or an Ubuntu, of these suites, divided by spaces, in FOLDER/root, with the packages. With
# DEBIAN_ARCHITECTURE=arm64 it is one of arm64, whose programs scripts/in-aarch64 runs.
install_debian() {
    local what=$1 folder=$2 suite suites packages=("${@:4}") source sources=() enter=(unshare --mount) options=() takes="some minutes"
    need mmdebstrap
    read -ra suites <<<"$3"
    if [ "${DEBIAN_ARCHITECTURE:-}" = arm64 ]; then
        # mmdebstrap would ask arch-test whether programs of arm64 run, and only the owner of the network may mount /sys.
        enter=(scripts/in-aarch64 --all-users) options=(--architectures=arm64 --skip=check/qemu --skip=chroot/mount/sys) takes="a quarter of an hour"
    fi
    step "Installing $what of ${suites[0]} into $folder/root: $takes and 500 MB, once"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    for suite in "${suites[@]}"; do
        source=$(source_of "$suite" deb)
        sources+=("$source")
    done
    # How this machine reaches its mirror (a proxy, say) is how that one does.
    apt-config dump --format '%f "%v";%n' Acquire | grep -E '^Acquire::(https?::|Check-|Retries|ForceIPv)' >"$folder/apt.conf" || true
    "${enter[@]}" mmdebstrap --quiet --mode=root --variant=apt --aptopt="$folder/apt.conf" --dpkgopt=force-unsafe-io "${options[@]}" \
        --include="$(IFS=, && echo "${packages[*]}")" "${suites[0]}" "$folder/root" "${sources[@]}" ||
        fail "$3 with $what could not be installed; the lines above say why." "Try again; DEBIAN_MIRROR=URL and UBUNTU_MIRROR=URL name other mirrors."
    touch "$folder/.done"
}

# fetch_source NAME FOLDER SUITE...: the sources of a package as its authors published them, from the first of these suites that has them.
fetch_source() {
    local name=$1 folder=$2 state=$2.apt suite source
    for suite in "${@:3}"; do
        rm -rf "$state"
        source=$(source_of "$suite" deb-src) || continue
        own_sources "$state" "$source"
        # The tar file alone: no mirror is without it, and a distribution's patches are not wanted.
        if (cd "$state" && apt_in "$state" apt-get -q update && apt_in "$state" apt-get -q source --download-only --tar-only "$name" &&
            mkdir -p "$folder" && tar -xf ./*.orig.tar.* -C "$folder" --strip-components=1); then
            return 0
        fi
    done
    return 1
}

# --- other servers ---

# Servers that Debian 12 does not have, each with the libraries that it needs in a folder. It runs by their own loader, so that nothing of
# this machine's is changed.

# The memcached that the server follows: Debian's newest.
MEMCACHED_FOLLOWED=1.6.45
MEMCACHED_FOLDER=${ROOT:-$PWD}/build/memcached-$MEMCACHED_FOLLOWED

# The peers of Redis 7.0, by the words of ./x redis: NAME-VERSION, its Debian, its program, the package's version, the packages.
declare -A REDIS_PEERS=(
    [8.0]="redis-8.0.2 trixie redis-server 5:8.0.2-* redis-server redis-tools"
    [valkey]="valkey-8.1.1 trixie valkey-server 8.1.1* valkey-server valkey-tools"
)

# Leaves build/memcached-1.6.45/memcached.
newer_memcached() { other_server "memcached-$MEMCACHED_FOLLOWED" sid memcached "$MEMCACHED_FOLLOWED-*" memcached; }

# redis_peer WORD: leaves build/NAME-VERSION/redis-server, a link where the program has another name; sets REDIS_PEER to the folder.
redis_peer() {
    local words
    read -ra words <<<"${REDIS_PEERS[$1]}"
    REDIS_PEER=$ROOT/build/${words[0]}
    other_server "${words[@]}" && { [ -e "$REDIS_PEER/redis-server" ] || ln -s "${words[2]}" "$REDIS_PEER/redis-server"; }
}

# other_server NAME-VERSION SUITE PROGRAM PACKAGE-VERSION PACKAGE...: leaves build/NAME-VERSION/PROGRAM. 16 MB come over the network, most of
# them the suite's list of packages, once.
other_server() {
    local place=${ROOT:-$PWD}/build/$1 folder=${ROOT:-$PWD}/build/$1.new
    [ ! -x "$place/$3" ] || return 0
    [ -z "${LEVERET_NO_INSTALL:-}" ] && command -v apt-get >/dev/null || return 1
    step "Fetching Debian's ${1/-/ } into build/$1"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder/apt/lists/partial" "$folder/root"
    # A shell of its own, which stops at the first failure: here `set -e` has no say, as the caller asks for the outcome.
    bash -euo pipefail -c '. scripts/say.sh; . scripts/debian.sh; fetch_server "$@"' - "$folder" "${@:2}" </dev/null >"$place.log" 2>&1 || {
        tail -n 3 "$place.log"
        note "${1/-/ } could not be had: build/$1.log says why."
        return 1
    }
    rm -rf --one-file-system "$folder/apt" "$place"
    mv "$folder" "$place"
}

# fetch_server FOLDER SUITE PROGRAM PACKAGE-VERSION PACKAGE...
fetch_server() {
    local folder=$1 suite=$2 program=$3 version=$4 packages=("${@:5}") mirror name loader wanted=() libraries=() deb
    mirror=$(debian_mirror)
    printf 'deb [signed-by=%s] %s %s main\n' "$DEBIAN_KEYS" "$mirror" "$suite" >"$folder/apt/sources.list"
    # No packages are installed in this Debian, and of its lists only that of the packages is wanted.
    local options=(-o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$folder/apt/lists"
        -o Dir::State::status=/dev/null -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o "APT::Sandbox::User=$(id -un)"
        -o Acquire::Languages=none -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30
        -o Acquire::IndexTargets::deb::Packages::DefaultEnabled=true)
    for name in DEP-11 DEP-11-icons-small DEP-11-icons DEP-11-icons-hidpi CNF Contents-deb; do
        options+=(-o "Acquire::IndexTargets::deb::$name::DefaultEnabled=false")
    done
    apt-get -q "${options[@]}" update
    # Its libraries and theirs. What else it names (adduser, systemd) is for its service.
    libraries=("${packages[@]}")
    while [ ${#libraries[@]} -gt 0 ]; do
        wanted+=("${libraries[@]}")
        mapfile -t libraries < <(apt-cache "${options[@]}" depends --no-{recommends,suggests,conflicts,breaks,replaces,enhances} "${libraries[@]}" |
            sed -nE 's/^ +(Pre)?Depends: (lib[^ ]*|zlib1g)$/\2/p' | sort -u | grep -vxF "$(printf '%s\n' "${wanted[@]}")")
    done
    # The version that the tests were written beside, and no other: suites move on.
    (cd "$folder" && apt-get -q "${options[@]}" download "${packages[@]/%/=$version}" "${wanted[@]:${#packages[@]}}")
    for deb in "$folder"/*.deb; do
        dpkg-deb -W "$deb" >>"$folder/versions"
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder/root" --wildcards --exclude './usr/share/*' --exclude './usr/lib/*/gconv/*' './*'
        rm "$deb"
    done
    # Links that a root of its own would resolve; here they would lead out of it.
    find "$folder/root" -type l -lname '/*' -delete
    loader=$(cd "$folder/root" && find . -name 'ld-linux-*' -type f -printf '%P\n' | sed -n 1p)
    cat >"$folder/$program" <<WRAPPER
#!/bin/sh
root=\$(dirname "\$(readlink -f "\$0")")/root
exec "\$root/$loader" --library-path "\$(echo "\$root"/usr/lib/*-linux-gnu* "\$root"/lib/*-linux-gnu* | tr ' ' :)" "\$root/usr/bin/$program" "\$@"
WRAPPER
    chmod 755 "$folder/$program"
    # As memcached 1.6.45, Redis server v=8.0.2, or Valkey server v=8.1.1.
    version=${version#*:}
    [[ $("$folder/$program" --version) = *"${version%%[-*]*}"* ]]
}

# --- Redis' own tests ---

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
    bash -euo pipefail -c '. scripts/say.sh; . scripts/debian.sh; fetch_redis_suites' \
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
