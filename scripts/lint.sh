# shellcheck shell=bash
# Formatting, clippy and shellcheck. Each check is counted, so that `./x test` can add it to its sum.

verb_lint() {
    need_rust lint
    need shellcheck
    lint_parts
    report_counts
}

lint_parts() {
    check "lint: formatting (cargo fmt)" cargo fmt --all --check
    check "lint: clippy without a warning" cargo clippy --workspace --all-targets --locked -- -D warnings
    check "lint: leveret-engine without its features (clippy)" cargo clippy -p leveret-engine --no-default-features --locked -- -D warnings
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
