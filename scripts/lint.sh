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
    check "lint: subjects of this branch's commits" lint_subjects
    check "lint: shell scripts (shellcheck)" lint_shell
    check "lint: C of php/ and ruby/ (clang-format)" lint_c
}

# What a commit of this branch is called: those that main lacks. Where there is no main but this: those since the rule.
lint_subjects() {
    local base
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || { note "No history here."; return 0; }
    base=$(subjects_base)
    git log --no-merges --format='%h %s' "$base..HEAD" | subjects_are_right
}

subjects_base() {
    local base
    for base in origin/main main; do
        if git rev-parse -q --verify "$base^{commit}" >/dev/null && [ "$(git rev-parse "$base")" != "$(git rev-parse HEAD)" ]; then
            echo "$base"
            return
        fi
    done
    git log --format=%H -S'subjects_are_right()' -- scripts/lint.sh | tail -n 1
}

# subjects_are_right: reads "HASH SUBJECT", one a line. Lines that are wrong are shown with the reason.
subjects_are_right() {
    local hash subject first wrong=0 count=0
    # The regular expressions mean bytes.
    local LC_ALL=C area='[a-z0-9][a-z0-9./_-]*'
    while IFS=' ' read -r hash subject; do
        count=$((count + 1))
        first=${subject#*: } first=${first%% *}
        if [[ $subject = *[!\ -~]* ]]; then
            subject_is_wrong "not ASCII"
        elif [ ${#subject} -gt 72 ]; then
            subject_is_wrong "${#subject} characters, 72 at most"
        elif ! [[ $subject =~ ^$area(,\ $area)*:\ [a-z] ]]; then
            subject_is_wrong "not 'area: imperative', as 'client: reset failure state on quit()'"
        elif [[ $subject = *. ]]; then
            subject_is_wrong "a full stop"
        elif [[ $first = *?ed || $first = *?ing || $first = *[!s]s ]] && ! [[ $first =~ ^(embed|exceed|feed|need|proceed|seed|shed|shred|speed|bring|focus|alias|bias)$ ]]; then
            subject_is_wrong "'$first' is not the imperative: add, not added, adding or adds"
        fi
    done
    note "$count subjects"
    return "$wrong"
}
subject_is_wrong() { note "$hash $subject: $1"; wrong=1; }

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
