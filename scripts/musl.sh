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
        scripts/php-part "$ROOT/build/php-musl/php/bin/php-config" build/php-musl "$(musl_core)" "$@"
}
