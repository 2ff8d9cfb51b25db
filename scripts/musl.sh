# shellcheck shell=bash
# What is built for musl, the libc of Alpine: the Rust library, and a PHP 8.2 that shows that the extension works there. Everything lies
# below build/musl; of this machine comes musl-gcc, the C compiler with musl's headers.

MUSL=build/musl
MUSL_TARGET=x86_64-unknown-linux-musl

musl_core() { printf '%s/target/%s/release/libleveret_ffi.a' "$ROOT/$MUSL" "$MUSL_TARGET"; }

# with_musl COMMAND...: what this compiles in C is for musl.
with_musl() { CC=musl-gcc LDFLAGS="$ROOT/$MUSL/no-unwinding.o" "$@"; }

# Debian has no standard library of Rust for musl, but its sources: it is compiled from them, by the compiler that they belong to.
build_musl_library() {
    local std llvm program rust=$ROOT/$MUSL/rust/usr
    [ "$(debian_release)" = "debian 12" ] || fail "For musl is built on Debian 12 only: elsewhere the packages of Rust have other names."
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
    # Debian's libgcc asks glibc for the tables by which a stack is unwound. Nobody unwinds here: a panic aborts.
    printf 'int _dl_find_object(void *pc, void *found) { (void) pc; (void) found; return -1; }\n' >"$MUSL/no-unwinding.c"
    musl-gcc -O2 -fPIC -c "$MUSL/no-unwinding.c" -o "$MUSL/no-unwinding.o"
    step "Building the C library for musl"
    # -crt-static: it becomes a part of a library that is loaded. The standard library is built by what only a compiler of tomorrow
    # takes, or one that is told so.
    CC_x86_64_unknown_linux_musl=musl-gcc RUSTC_BOOTSTRAP=1 RUSTC=$ROOT/$MUSL/rustc CARGO_TARGET_DIR=$ROOT/$MUSL/target \
        RUSTFLAGS="-C target-feature=-crt-static -C link-self-contained=no" \
        cargo build --release --locked -p leveret-ffi --target "$MUSL_TARGET" -Zbuild-std=std,panic_abort -Zbuild-std-features=
}

# ./x php musl: the phpt tests, with a PHP for musl from Debian 12's sources.
php_musl() {
    build_musl_library
    [ -e build/php-musl/.done ] || with_musl build_php build/php-musl "for musl" --without-valgrind \
        --enable-session --enable-pcntl --enable-posix --enable-tokenizer
    with_musl counted "php musl: phpt" build/php-musl/part.log system_counts \
        scripts/php-part "$ROOT/build/php-musl/php/bin/php-config" build/php-musl "$(musl_core)" "$@"
}
