# shellcheck shell=bash
# Formatting, clippy and shellcheck. Each check is counted, so that `./x test` can add it to its sum.

# The first clippy whose warnings we heed. That of Debian 13 (1.85) warns of a shift beside & and |, and of unsafe blocks whose proof it does not
# find.
CLIPPY_MIN=1.95

verb_lint() {
    need_rust lint
    need shellcheck
    lint_parts
    report_counts
}

lint_parts() {
    check "lint: formatting (cargo fmt)" cargo fmt --all --check
    if has_rust "$CLIPPY_MIN"; then
        check "lint: clippy without a warning" cargo clippy --workspace --all-targets --locked -- -D warnings
        check "lint: leveret-engine without its features (clippy)" cargo clippy -p leveret-engine --no-default-features --locked -- -D warnings
    else
        count "lint: clippy, which before Rust $CLIPPY_MIN warns of what newer ones take back" 0 0 2
    fi
    check "lint: leveret-engine is a crate by itself (cargo package)" cargo package -p leveret-engine --allow-dirty --locked
    check "lint: shell scripts (shellcheck)" lint_shell
}

# Each script with a shebang, and through it (-x -a) the files that it reads in.
lint_shell() {
    local file scripts=()
    while read -r file; do
        if [ -f "$file" ] && head -n 1 "$file" | grep -qaE '^#!.*\b(ba)?sh$'; then scripts+=("$file"); fi
    done < <(git ls-files --cached --others --exclude-standard)
    note "${#scripts[@]} scripts"
    shellcheck -x -a "${scripts[@]}"
}
