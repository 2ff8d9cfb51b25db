# shellcheck shell=bash
# The memcached that the server follows, which Debian 12 does not have: Debian's newest, with the libraries that it needs, in a folder. It
# runs by their own loader, so that nothing of this machine's is changed.

MEMCACHED_FOLLOWED=1.6.45
MEMCACHED_FOLDER=${ROOT:-$PWD}/build/memcached-$MEMCACHED_FOLLOWED

# Leaves build/memcached-1.6.45/memcached. 16 MB come over the network, most of them sid's list of packages, once.
newer_memcached() {
    [ ! -x "$MEMCACHED_FOLDER/memcached" ] || return 0
    local folder=$MEMCACHED_FOLDER.new
    [ -z "${LEVERET_NO_INSTALL:-}" ] && command -v apt-get >/dev/null || return 1
    step "Fetching Debian's memcached $MEMCACHED_FOLLOWED into ${MEMCACHED_FOLDER#"$ROOT/"}"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder/apt/lists/partial" "$folder/root"
    # A shell of its own, which stops at the first failure: here `set -e` has no say, as the caller asks for the outcome.
    bash -euo pipefail -c '. scripts/say.sh; . scripts/debian.sh; . scripts/memcached.sh; fetch_newer_memcached "$1"' - "$folder" \
        </dev/null >"$MEMCACHED_FOLDER.log" 2>&1 || {
        tail -n 3 "$MEMCACHED_FOLDER.log"
        note "memcached $MEMCACHED_FOLLOWED could not be had: ${MEMCACHED_FOLDER#"$ROOT/"}.log says why."
        return 1
    }
    rm -rf --one-file-system "$folder/apt" "$MEMCACHED_FOLDER"
    mv "$folder" "$MEMCACHED_FOLDER"
}

fetch_newer_memcached() {
    local folder=$1 mirror name loader wanted=() libraries=(memcached) deb
    mirror=$(debian_mirror)
    printf 'deb [signed-by=%s] %s sid main\n' "$DEBIAN_KEYS" "$mirror" >"$folder/apt/sources.list"
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
    while [ ${#libraries[@]} -gt 0 ]; do
        wanted+=("${libraries[@]}")
        mapfile -t libraries < <(apt-cache "${options[@]}" depends --no-{recommends,suggests,conflicts,breaks,replaces,enhances} "${libraries[@]}" |
            sed -nE 's/^ +(Pre)?Depends: (lib[^ ]*|zlib1g)$/\2/p' | sort -u | grep -vxF "$(printf '%s\n' "${wanted[@]}")")
    done
    # The version that the tests were written beside, and no other: sid moves on.
    (cd "$folder" && apt-get -q "${options[@]}" download "memcached=$MEMCACHED_FOLLOWED-*" "${wanted[@]:1}")
    for deb in "$folder"/*.deb; do
        dpkg-deb -W "$deb" >>"$folder/versions"
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder/root" --wildcards --exclude './usr/share/*' --exclude './usr/lib/*/gconv/*' './*'
        rm "$deb"
    done
    # Links that a root of its own would resolve; here they would lead out of it.
    find "$folder/root" -type l -lname '/*' -delete
    loader=$(cd "$folder/root" && find . -name 'ld-linux-*' -type f -printf '%P\n' | sed -n 1p)
    cat >"$folder/memcached" <<WRAPPER
#!/bin/sh
root=\$(dirname "\$(readlink -f "\$0")")/root
exec "\$root/$loader" --library-path "\$(echo "\$root"/usr/lib/*-linux-gnu* "\$root"/lib/*-linux-gnu* | tr ' ' :)" "\$root/usr/bin/memcached" "\$@"
WRAPPER
    chmod 755 "$folder/memcached"
    [ "$("$folder/memcached" -V)" = "memcached $MEMCACHED_FOLLOWED" ]
}
