# shellcheck shell=bash
# The gem: its extension is built into build/ruby, its tests run there, and a platform gem is made of it.

# Which Ruby the extension is built for and tested with, and the folder that its build is left in. `./x ruby` names others.
RUBY=${RUBY:-ruby}
RUBY_BUILD=${RUBY_BUILD:-build/ruby}

# The test files that take longest.
RUBY_LONGEST=(test_dalli.rb test_rails_behaviors.rb test_leveret_store.rb test_processes.rb)

# Where ruby finds the gem: its own files, and the compiled library.
RUBY_PATHS=(-I ruby/lib -I "$RUBY_BUILD/lib")

# build_ruby LIBRARY: mkmf writes into the folder that it runs in.
build_ruby() {
    local core=$1 folder=$RUBY_BUILD/ext stamp
    step "Building the Ruby extension"
    stamp=$(ruby_stamp "$core")
    if [ -e "$RUBY_BUILD/lib/leveret/leveret.so" ] && [ "$(cat "$RUBY_BUILD/.stamp" 2>/dev/null)" = "$stamp" ]; then
        note "Nothing has changed since the last build."
        return
    fi
    rm -rf "$RUBY_BUILD"
    mkdir -p "$folder" "$RUBY_BUILD/lib/leveret"
    (
        cd "$folder" && "$RUBY" "$ROOT/ruby/ext/leveret/extconf.rb" --with-leveret-core="$core" \
            --with-leveret-include="$ROOT/crates/leveret-ffi/include" && make -s -j"$(nproc)"
    ) >"$RUBY_BUILD.log" 2>&1 || {
        tail -n 40 "$RUBY_BUILD.log" >&2
        fail "The Ruby extension does not build." "The last lines are above; all of them are in $RUBY_BUILD.log"
    }
    if grep -E '\.[ch]:[0-9]+:.*warning:' "$RUBY_BUILD.log"; then note "The C compiler warned: see above."; fi
    put "$folder/leveret.so" "$RUBY_BUILD/lib/leveret/leveret.so"
    printf '%s\n' "$stamp" >"$RUBY_BUILD/.stamp"
}

ruby_stamp() {
    {
        find ruby/ext crates/leveret-ffi/include -type f -print0 | sort -z | xargs -0 sha256sum
        sha256sum "$1" scripts/ruby.sh
        "$RUBY" --version
    } | sha256sum | cut -d' ' -f1
}

# ruby_part [WORD...]: the test files whose name contains one of the words.
ruby_part() {
    build_ruby "$(leveret_core)"
    rails_source build/rails-source
    ruby_tests "$(leveret_core)" build/rails-source "$@"
}

# ruby_tests LIBRARY RAILS [WORD...]
ruby_tests() {
    local core=$1 rails=$2
    shift 2
    local file files=() in_lanes=()
    for file in ruby/test/test_*.rb; do files+=("${file##*/}"); done
    # Each file is a process, and they run side by side. The longest begin first. Another Debian's root may have no Python.
    if [ $# -eq 0 ] && command -v python3 >/dev/null; then
        in_lanes=(python3 -u tests/lanes.py)
        set -- -- "${RUBY_LONGEST[@]}"
        for file in "${files[@]}"; do [[ " ${RUBY_LONGEST[*]} " = *" $file "* ]] || set -- "$@" "$file"; done
    fi
    counted "ruby: minitest" "$(dirname "$RUBY_BUILD")/test-ruby.log" ruby_counts \
        env "LEVERET_CORE=$core" "LEVERET_RAILS=$ROOT/$rails" "RUBY_BUILD=$RUBY_BUILD" "${in_lanes[@]}" "$RUBY" -W "${RUBY_PATHS[@]}" ruby/test/run.rb "$@"
}

# rails_source FOLDER [SUITE...]: Rails' own tests of its stores are in no package but the source's. The mirror may not have that of a package
# that is being replaced: the next suite's will do.
rails_source() {
    local folder=$1 suite suites=("${@:2}")
    [ ! -e "$folder/.done" ] || return 0
    [ -z "${LEVERET_NO_INSTALL:-}" ] || return 0
    [ ${#suites[@]} -gt 0 ] || suites=("$(debian_suite)")
    step "Fetching Debian's sources of Rails into $folder: 20 MB, once"
    need xz-utils
    for suite in "${suites[@]}"; do
        rm -rf "$folder"
        mkdir -p "$folder"
        if fetch_source rails "$ROOT/$folder/rails" "$suite" >"$folder.log" 2>&1; then
            touch "$folder/.done"
            return 0
        fi
    done
    note "Debian's sources of Rails could not be had: $folder.log says why. Rails' own tests of stores are left out."
}

# minitest ends with "N runs, N assertions, N failures, N errors, N skips".
ruby_counts() {
    awk '/^[0-9]+ runs, / { p += $1 - $5 - $7 - $9; f += $5 + $7; s += $9 } END { print p + 0, f + 0, s + 0 }' "$1"
}

# ./x gem: two gems. The one with the compiled library is for this processor and this minor version of Ruby, and takes no compiler; the
# other one has the sources, and the crates that they need: it takes cargo and a C compiler, and no network.
verb_gem() {
    need_rust
    need gcc libc6-dev make ruby ruby-dev
    renew_version
    build_rust
    build_ruby "$(leveret_core)"
    build_gems
    step "Built"
    note "$(ls build/gem/leveret-*-*.gem)   gem install FILE"
    note "$(ls build/gem/source/*.gem)   gem install FILE, with cargo"
}

build_gems() {
    rm -rf build/gem
    build_platform_gem build/gem
    build_source_gem build/gem/source
}

build_platform_gem() {
    local folder=$1
    gem_files "$folder"
    cp "$RUBY_BUILD/lib/leveret/leveret.so" "$folder/lib/leveret/"
    scripts/crates.py notices "$folder/THIRD-PARTY.txt"
    strip --strip-debug "$folder/lib/leveret/leveret.so"
    (cd "$folder" && LEVERET_GEM=platform "$RUBY" -S gem build -q leveret.gemspec)
}

build_source_gem() {
    local folder=$1
    gem_files "$folder"
    cp -r ruby/ext "$folder"
    "$RUBY" scripts/rust-sources "$folder/rust"
    (cd "$folder" && "$RUBY" -S gem build -q leveret.gemspec)
}

gem_files() {
    mkdir -p "$1"
    cp -r ruby/lib ruby/sig ruby/.yardopts ruby/README.md ruby/leveret.gemspec LICENSE-MIT LICENSE-APACHE "$1"
    use_version
    put_gem_version "$1"
}
