# shellcheck shell=bash
# What is built for musl, the libc of Alpine: the Rust library, the command, and PHPs that show that the extension works there. What Rust
# needs lies below build/musl; of this machine comes musl-gcc, the C compiler with musl's headers.

MUSL=build/musl
MUSL_TARGET=x86_64-unknown-linux-musl

musl_core() { printf '%s/target/%s/release/libleveret_ffi.a' "$ROOT/$MUSL" "$MUSL_TARGET"; }

# What has no other library than the kernel: it runs on any Linux with this processor, with any libc.
musl_command() { printf '%s/target-static/%s/release/leveret' "$ROOT/$MUSL" "$MUSL_TARGET"; }

# with_musl COMMAND...: what this compiles in C is for musl.
with_musl() { CC=musl-gcc LDFLAGS="$ROOT/$MUSL/no-unwinding.o" PATH="$ROOT/$MUSL/bin:$PATH" "$@"; }

# Debian has no standard library of Rust for musl, but its sources: it is compiled from them, by the compiler that they belong to.
musl_tools() {
    local std llvm program rust=$ROOT/$MUSL/rust/usr
    [ "$DEBIAN" = 12 ] || fail "For musl is built on Debian 12 only: elsewhere the packages of Rust have other names."
    need musl-tools gcc libc6-dev
    if [ ! -e "$rust" ]; then
        std=$(apt-cache depends libstd-rust-web-dev | grep -oE 'libstd-rust-web-[0-9.]+' | head -n 1)
        llvm=$(apt-cache depends "$std" | grep -oE 'libllvm[0-9]+' | head -n 1)
        unpack musl/rust rustc-web "$std" "$llvm" libstd-rust-web-dev rust-web-src
    fi
    for program in rustc rustdoc; do
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s/lib/x86_64-linux-gnu exec %s/bin/%s --sysroot %s "$@"\n' \
            "$rust" "$rust" "$program" "$rust" >"$MUSL/$program"
        chmod +x "$MUSL/$program"
    done
    # PHP's configure asks ldd which libc this is, and that is what the extension learns of it from PHP's headers.
    mkdir -p "$MUSL/bin"
    printf '#!/bin/sh\necho musl libc\n' >"$MUSL/bin/ldd"
    chmod +x "$MUSL/bin/ldd"
    # Debian's libgcc asks glibc for the tables by which a stack is unwound. Nothing unwinds here: a panic aborts. Weak: some PHPs name LDFLAGS twice.
    printf '__attribute__((weak)) int _dl_find_object(void *pc, void *found) { (void) pc; (void) found; return -1; }\n' >"$MUSL/no-unwinding.c"
    musl-gcc -O2 -fPIC -c "$MUSL/no-unwinding.c" -o "$MUSL/no-unwinding.o"
    # Rust's library asks for LLVM's unwinder when all is static; gcc's has the same functions. To ld this text is a library.
    mkdir -p "$MUSL/lib"
    printf 'INPUT(%s)\n' "$(gcc -print-file-name=libgcc_eh.a)" >"$MUSL/lib/libunwind.a"
}

# musl_cargo FOLDER FLAGS ARGUMENT...: cargo build into FOLDER. The standard library is built by what only a compiler of tomorrow takes, or
# one that is told so.
musl_cargo() {
    CC_x86_64_unknown_linux_musl=musl-gcc RUSTC_BOOTSTRAP=1 RUSTC=$ROOT/$MUSL/rustc CARGO_TARGET_DIR=$ROOT/$MUSL/$1 \
        RUSTFLAGS=$2 \
        cargo build --release --locked --target "$MUSL_TARGET" -Zbuild-std=std,panic_abort -Zbuild-std-features= "${@:3}"
}

# -crt-static: it becomes a part of a library that is loaded.
build_musl_library() {
    musl_tools
    step "Building the C library for musl"
    musl_cargo target "-C target-feature=-crt-static -C link-self-contained=no" -p leveret-ffi
}

# Other flags than the library's, so that everything is compiled again: a folder of its own keeps both.
build_musl_command() {
    musl_tools
    step "Building the command for musl, with all that it needs in it"
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=musl-gcc LIBRARY_PATH=$ROOT/$MUSL/lib \
        musl_cargo target-static "-C target-feature=+crt-static -C link-self-contained=no -C relocation-model=static -C link-arg=$ROOT/$MUSL/no-unwinding.o" \
        -p leveret-cli
}

# build_php_musl FOLDER VERSION OPTION...
build_php_musl() { with_musl build_php "$1" "$2" "for musl" --without-valgrind "${@:3}"; }

# ./x php musl: the phpt tests, with a PHP for musl from Debian 12's sources.
php_musl() {
    build_musl_library
    [ -e build/php-musl/.done ] || build_php_musl build/php-musl 8.2
    with_musl counted "php musl: phpt" build/php-musl/part.log system_counts \
        scripts/part php "$ROOT/build/php-musl/php/bin/php-config" build/php-musl "$(musl_core)" "$@"
}

# --- aarch64 ---

# ./x aarch64: the Rust tests, built for aarch64 and run by qemu-user. Compiler, standard library and emulator are Debian's, unpacked
# below build/aarch64: what the machine has installed stays as it is. Only the C compiler and libraries of the target are installed,
# which lie beside the machine's own. `./x package arm64` takes the same.

AARCH64=build/aarch64
AARCH64_TARGET=aarch64-unknown-linux-gnu
AARCH64_PACKAGES=(gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross libedit2 libffi8 libxml2 libz3-4)

# What cargo is told so that it builds for aarch64.
AARCH64_CARGO=(CARGO_TARGET_DIR="$ROOT/$AARCH64/target" CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc RUSTC="$ROOT/$AARCH64/rustc")

# What runs without arguments. The engine first: its words are what another processor may order otherwise. Not the testkit: its kill
# harness steps x86 instructions. Not what measures: an emulator's instructions tell nothing.
AARCH64_TESTS=(-p leveret-engine -p leveret-protocol -p leveret-client -p leveret-server -p leveret-ffi --lib
    --test basics --test limits --test processes --test terms --test conversation --test differential)

# ./x aarch64 [ARGUMENT...]: what `cargo test` takes, as `-p leveret-engine lock`.
verb_aarch64() {
    need_aarch64
    need memcached
    local arguments=("${AARCH64_TESTS[@]}")
    # The emulator says yes to huge pages and makes none, which that test notices.
    [ $# -gt 0 ] || arguments+=(-- --skip an_arena_on_huge_pages)
    [ $# -eq 0 ] || arguments=("$@")
    PART_SECONDS_MAX=3600 counted "aarch64: cargo test under qemu-user" "$AARCH64/test.log" rust_counts \
        env "${AARCH64_CARGO[@]}" CARGO_PROFILE_DEV_OPT_LEVEL=1 RUSTDOC="$ROOT/$AARCH64/rustdoc" \
        scripts/in-aarch64 cargo test --target "$AARCH64_TARGET" --locked --no-fail-fast "${arguments[@]}"
    note "Shown: what these tests assert, in aarch64 instructions and by its system calls, with pages of 4 KiB."
    note "Not shown: a processor that reorders (the emulator orders as the x86 below it; models of the orderings are for that), pages"
    note "of 16 and 64 KiB, huge pages, a kill at each instruction, the PHP extension, speed."
    report_counts
}

need_aarch64() {
    need_rust
    need "${AARCH64_PACKAGES[@]}"
    scripts/in-aarch64 true || fail "This kernel lets nobody register an emulator for himself." \
        "Linux 6.7 or newer does, where user namespaces are allowed (sysctl user.max_user_namespaces)."
    [ -e "$AARCH64/.done" ] || unpack_aarch64
}

# aarch64_made FILE: what build_rust_aarch64 has made.
aarch64_made() { printf '%s/target/%s/release/%s' "$AARCH64" "$AARCH64_TARGET" "$1"; }

build_rust_aarch64() {
    step "Building the C library and the command for aarch64"
    env "${AARCH64_CARGO[@]}" cargo build --release --locked --target "$AARCH64_TARGET" -p leveret-ffi -p leveret-cli
}

# Debian's compiler of today for this machine, its standard library for both, and an emulator that keeps MADV_WIPEONFORK (Debian 12's
# does not, and a fork would take itself for its parent). apt has lists of its own for that: the machine's stay as they are.
unpack_aarch64() {
    local folder=$ROOT/$AARCH64 bookworm trixie security std llvm deb program
    step "Unpacking a compiler for aarch64 and an emulator into $AARCH64: a minute, 800 MB, once"
    rm -rf --one-file-system "$folder"
    mkdir -p "$folder/debs"
    bookworm=$(source_of bookworm deb)
    trixie=$(source_of trixie deb)
    # shellcheck disable=SC2016 # $(REPO_URI) is apt's own.
    security=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm-security' 'Component: main' | sed -n 1p)
    [ -n "$security" ] || security=$(debian_mirror)-security
    own_sources "$folder/apt/12" "$bookworm" "deb [signed-by=$DEBIAN_KEYS] ${security%/} bookworm-security main"
    own_sources "$folder/apt/13" "$trixie"
    (
        set -e
        cd "$folder/debs"
        aarch64_apt 12 apt-get -q update
        std=$(aarch64_apt 12 apt-cache depends libstd-rust-web-dev:amd64 | grep -oE 'libstd-rust-web-[0-9.]+' | head -n 1)
        llvm=$(aarch64_apt 12 apt-cache depends "$std:amd64" | grep -oE 'libllvm[0-9]+' | head -n 1)
        aarch64_apt 12 apt-get -q download {rustc-web,"$std","$llvm",libstd-rust-web-dev}:amd64 libstd-rust-web-dev:arm64
        aarch64_apt 13 apt-get -q update
        aarch64_apt 13 apt-get -q download qemu-user:amd64
    ) || fail "apt-get could not fetch the packages; its lines above say why." "Try again; DEBIAN_MIRROR=URL names another mirror."
    for deb in "$folder"/debs/*.deb; do
        case $deb in
            *qemu-user*) dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder" --strip-components=3 ./usr/bin/qemu-aarch64 ;;
            *) dpkg-deb -x "$deb" "$folder/root" ;;
        esac
    done
    rm -rf "$folder/debs"
    for program in rustc rustdoc; do
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s/root/usr/lib/x86_64-linux-gnu exec %s/root/usr/bin/%s "$@"\n' \
            "$folder" "$folder" "$program" >"$folder/$program"
        chmod +x "$folder/$program"
    done
    touch "$folder/.done"
}

# aarch64_apt RELEASE COMMAND...: apt with the lists of that Debian, for both architectures.
aarch64_apt() {
    apt_in "$ROOT/$AARCH64/apt/$1" "$2" -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 "${@:3}"
}
