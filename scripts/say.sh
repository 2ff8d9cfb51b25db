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

# Adds up what the parts of a run report. Each part prints its own counts, so that the sum can be audited.

COUNTS=() # "passed failed skipped seconds name", one a part
PART_BEGAN=0 # where the part before ended, in seconds of this shell

# count NAME PASSED FAILED SKIPPED
count() {
    COUNTS+=("$2 $3 $4 $((SECONDS - PART_BEGAN)) $1")
    PART_BEGAN=$SECONDS
    note "$1: $2 passed, $3 failed, $4 skipped"
}

# check NAME COMMAND...: a part that is one test: it passes when the command ends with 0.
check() {
    local name=$1
    shift
    step "$name"
    if "$@"; then count "$name" 1 0 0; else count "$name" 0 1 0; fi
}

# The last line is the one that machines read. A run that tested nothing has not passed.
report_counts() {
    local passed=0 failed=0 skipped=0 p f s seconds name
    step "Sum"
    for line in "${COUNTS[@]}"; do
        read -r p f s seconds name <<<"$line"
        printf '    %6d passed %4d failed %4d skipped %4d s   %s\n' "$p" "$f" "$s" "$seconds" "$name"
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done
    CURRENT_STEP=''
    printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
