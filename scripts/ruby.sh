# shellcheck shell=bash
# The gem: its extension is built into build/ruby, its tests run there, and a platform gem is made of it.

# Where ruby finds the gem: its own files, and the compiled library.
RUBY_PATHS=(-I ruby/lib -I build/ruby/lib)

# build_ruby LIBRARY: mkmf writes into the folder that it runs in.
build_ruby() {
    local core=$1 folder=build/ruby/ext stamp
    step "Building the Ruby extension"
    stamp=$(ruby_stamp "$core")
    if [ -e build/ruby/lib/leveret/leveret.so ] && [ "$(cat build/ruby/.stamp 2>/dev/null)" = "$stamp" ]; then
        note "Nothing has changed since the last build."
        return
    fi
    rm -rf build/ruby
    mkdir -p "$folder" build/ruby/lib/leveret
    (
        cd "$folder" && ruby "$ROOT/ruby/ext/leveret/extconf.rb" --with-leveret-core="$core" \
            --with-leveret-include="$ROOT/crates/leveret-ffi/include" && make -s -j"$(nproc)"
    ) >build/ruby.log 2>&1 || {
        tail -n 40 build/ruby.log >&2
        fail "The Ruby extension does not build." "The last lines are above; all of them are in build/ruby.log"
    }
    if grep -E '\.[ch]:[0-9]+:.*warning:' build/ruby.log; then note "The C compiler warned: see above."; fi
    put "$folder/leveret.so" build/ruby/lib/leveret/leveret.so
    printf '%s\n' "$stamp" >build/ruby/.stamp
}

ruby_stamp() {
    {
        find ruby/ext crates/leveret-ffi/include -type f -print0 | sort -z | xargs -0 sha256sum
        sha256sum "$1" scripts/ruby.sh
        ruby --version
    } | sha256sum | cut -d' ' -f1
}

# ruby_part [WORD...]: the test files whose name contains one of the words.
ruby_part() {
    build_ruby "$(leveret_core)"
    rails_source || note "Debian's sources of Rails could not be had: build/rails-source.log says why. Rails' own tests of stores are left out."
    counted "ruby: minitest" build/test-ruby.log ruby_counts \
        env "LEVERET_CORE=$(leveret_core)" ruby -W "${RUBY_PATHS[@]}" ruby/test/run.rb "$@"
}

# Rails' own tests of its stores are in no package but the source's.
rails_source() {
    [ ! -e build/rails-source/.done ] || return 0
    [ -z "${LEVERET_NO_INSTALL:-}" ] || return 0
    step "Fetching Debian's sources of Rails into build/rails-source: 20 MB, once"
    need dpkg-dev xz-utils
    rm -rf build/rails-source
    mkdir -p build/rails-source
    fetch_source rails "$ROOT/build/rails-source/rails" >build/rails-source.log 2>&1 || return
    touch build/rails-source/.done
}

# minitest ends with "N runs, N assertions, N failures, N errors, N skips".
ruby_counts() {
    awk '/^[0-9]+ runs, / { p = $1 - $5 - $7 - $9; f = $5 + $7; s = $9 } END { print p + 0, f + 0, s + 0 }' "$1"
}

# ./x gem: a gem with the compiled library, for this processor and this minor version of Ruby: to install it takes no compiler.
verb_gem() {
    need_rust
    need "${BUILD_PACKAGES[@]}" ruby ruby-dev
    mkdir -p build
    build_rust
    build_ruby "$(leveret_core)"
    build_gem
    step "Built"
    note "$(ls build/gem/*.gem)   gem install FILE"
}

build_gem() {
    local folder=build/gem
    rm -rf "$folder"
    mkdir -p "$folder"
    cp -r ruby/lib ruby/sig ruby/README.md ruby/leveret.gemspec LICENSE-MIT LICENSE-APACHE "$folder"
    cp build/ruby/lib/leveret/leveret.so "$folder/lib/leveret/"
    strip --strip-debug "$folder/lib/leveret/leveret.so"
    (cd "$folder" && LEVERET_GEM=platform gem build -q leveret.gemspec)
}
