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
