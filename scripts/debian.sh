# shellcheck shell=bash
# What of Debian is neither this machine's nor to be installed here: newer Debians in folders, and packages' sources.

DEBIAN_KEYS=/usr/share/keyrings/debian-archive-keyring.gpg

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

# install_debian WHAT FOLDER SUITES PACKAGE...: a Debian of these suites, divided by spaces, in FOLDER/root, with the packages.
install_debian() {
    local what=$1 folder=$2 mirror suite suites packages=("${@:4}") sources=()
    need mmdebstrap
    read -ra suites <<<"$3"
    step "Installing $what of Debian $3 into $folder/root: some minutes and 500 MB, once"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder"
    mirror=$(debian_mirror)
    for suite in "${suites[@]}"; do
        sources+=("deb [signed-by=$DEBIAN_KEYS] $mirror $suite main")
    done
    # How this machine reaches its mirror (a proxy, say) is how that one does.
    apt-config dump --format '%f "%v";%n' Acquire | grep -E '^Acquire::(https?::|Check-|Retries|ForceIPv)' >"$folder/apt.conf" || true
    unshare --mount mmdebstrap --quiet --mode=root --variant=apt --aptopt="$folder/apt.conf" \
        --include="$(IFS=, && echo "${packages[*]}")" "${suites[0]}" "$folder/root" "${sources[@]}" ||
        fail "Debian with $what could not be installed; the lines above say why." "Try again; DEBIAN_MIRROR=URL names another mirror."
    touch "$folder/.done"
}

# fetch_source NAME FOLDER SUITE: the sources of a package of that suite, as its authors published them. apt keeps what it
# needs for that beside them: this machine's own lists stay as they are.
fetch_source() {
    local name=$1 folder=$2 suite=$3 state=$2.apt mirror
    mirror=$(debian_mirror)
    mkdir -p "$state/lists/partial"
    printf 'deb-src [signed-by=%s] %s %s main\n' "$DEBIAN_KEYS" "$mirror" "$suite" >"$state/sources.list"
    local apt=(apt-get -q -o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$state/lists"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
    # The tar file alone: no mirror is without it, and Debian's patches are not wanted.
    (cd "$state" && "${apt[@]}" update && "${apt[@]}" source --download-only --tar-only "$name" &&
        mkdir -p "$folder" && tar -xf ./*.orig.tar.* -C "$folder" --strip-components=1)
}
