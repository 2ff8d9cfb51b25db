# shellcheck shell=bash
# ./x upgrade: a build of layout 1 beside this one, under a running site (tests/test_upgrade.py).

# The last commit whose arenas have layout 1.
UPGRADE_FROM=32306d7e

# ./x upgrade [COMMIT]
verb_upgrade() {
    local commit=${1:-$UPGRADE_FROM}
    [ $# -le 1 ] || fail "'upgrade' takes one commit, and there is '$2'." "Say: ./x upgrade [COMMIT]"
    git rev-parse --quiet --verify "$commit^{commit}" >/dev/null ||
        fail "There is no commit $commit here." "Clone with history: git fetch --unshallow"
    verb_build
    need "${TEST_PACKAGES[@]}"
    build_before "$(git rev-parse "$commit")"
    step "Testing"
    python3 tests/run.py test_upgrade
}

# build_before COMMIT: build/before/leveret and build/before/leveret.so. The sources and what cargo makes of them stay for the next time.
build_before() {
    local folder=$ROOT/build/before
    [ "$(cat "$folder/.commit" 2>/dev/null)" != "$1" ] || return 0
    step "Building $1 in build/before"
    rm -rf "$folder/source"
    mkdir -p "$folder/source"
    git archive "$1" | tar x -C "$folder/source"
    (
        cd "$folder/source" || exit
        # Its own verb, with what is installed: this one has installed it.
        env -u LEVERET_FEATURES CARGO_TARGET_DIR="$folder/target" LEVERET_NO_INSTALL=1 ./x build
    )
    put "$folder/source/build/leveret" "$folder/leveret"
    put "$folder/source/build/leveret.so" "$folder/leveret.so"
    echo "$1" >"$folder/.commit"
}
