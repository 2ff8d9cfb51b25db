# shellcheck shell=bash
# ./x ruby: the gem built for, and tested with, Rubies and Rails that Debian 12 does not have. Each lies in a folder of its own in build/ and
# is made once; what they share is the Rust library, which knows nothing of Ruby.

# Where Debian has which Ruby, and what of it is there beside the gems that need no compiler.
declare -A RUBY_SUITES=([3.3]="trixie" [3.4]="sid experimental")
RUBY_GEMS=(ruby ruby-minitest ruby-dalli ruby-activesupport ruby-connection-pool ruby-rack ruby-rack-session ruby-rack-attack ruby-railties
    ruby-actionpack ruby-actionview ruby-msgpack puma)

# ./x ruby VERSION [WORD...]: the test files whose name contains a word. Without one: all of them.
verb_ruby() {
    local version versions=()
    case ${1:-} in
        3.3 | 3.4) versions=("$1") ;;
        all) versions=(3.3 3.4) ;;
        *) fail "There is no Ruby '${1:-}' here." "Take 3.3, 3.4 or all: ./x help says what they are." ;;
    esac
    shift
    need_rust
    need gcc libc6-dev make
    mkdir -p build
    build_rust
    for version in "${versions[@]}"; do ruby_of_debian "$version" "$@"; done
    report_counts
}

ruby_of_debian() {
    local version=$1 folder=build/ruby-$1 suites
    shift
    [ "$(id -u)" -eq 0 ] || fail "Only root can enter another Debian." "Run it as root: sudo ./x ruby $version"
    read -ra suites <<<"${RUBY_SUITES[$version]}"
    [ -e "$folder/.done" ] || install_debian "Ruby $version" "$folder" "${suites[*]}" \
        "ruby$version" "ruby$version-dev" "${RUBY_GEMS[@]}" gcc libc6-dev make procps memcached redis-server ruby-sinatra ruby-sidekiq
    rails_source "$folder/rails-source" "${suites[0]}" trixie
    counted "ruby $version: minitest" "$folder/part.log" system_counts \
        scripts/in-root "$folder/root" scripts/ruby-part "ruby$version" "$folder" "$(leveret_core)" "$@"
}
