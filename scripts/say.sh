# shellcheck shell=bash
# What ./x says while it works: one line a step, and on failure which step it was and what to do.

CURRENT_STEP=''

step() {
    CURRENT_STEP=$1
    printf '\n==> %s\n' "$1"
}

note() { printf '    %s\n' "$1"; }

# fail WHAT WHAT-TO-DO
fail() {
    trap - EXIT
    printf '\n./x: %s\n     %s\n' "$1" "${2:-}" >&2
    exit 1
}

# A command that ends badly under `set -e` has printed its own reason: name the step it belongs to.
say_where_it_stopped() {
    local status=$?
    if [ "$status" -ne 0 ] && [ -n "$CURRENT_STEP" ]; then
        printf '\n./x: stopped at this step: %s (exit code %s).\n     The lines above say why.\n' "$CURRENT_STEP" "$status" >&2
    fi
}
trap say_where_it_stopped EXIT
