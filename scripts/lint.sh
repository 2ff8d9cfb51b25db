# shellcheck shell=bash
# Formatting, clippy and shellcheck. Each check is counted, so that `./x test` can add it to its sum.

# The first clippy whose warnings we heed. That of Debian 13 (1.85) warns of a shift beside & and |, and of unsafe blocks whose proof it does not
# find.
CLIPPY_MIN=1.95

verb_lint() {
    need_rust lint
    need shellcheck clang-format
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
    check "lint: C of php/ and ruby/ (clang-format)" lint_c
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

# The C that people write, by .clang-format. Generated files stay as they come.
lint_c() {
    local file files=()
    while read -r file; do
        if [ -f "$file" ]; then files+=("$file"); fi
    done < <(git ls-files --cached --others --exclude-standard 'php/*.[ch]' 'ruby/ext/*.[ch]' | grep -v '_arginfo\.h$')
    note "${#files[@]} files of C"
    clang-format --dry-run -Werror "${files[@]}"
}
