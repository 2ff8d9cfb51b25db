dnl The extension is C over a Rust static library. Either the library is given (--with-leveret-core), or cargo builds it.
PHP_ARG_ENABLE([leveret],
  [whether to enable leveret],
  [AS_HELP_STRING([--enable-leveret], [Enable leveret, the shared-memory cache])])

PHP_ARG_WITH([leveret-core],
  [for a prebuilt Rust library],
  [AS_HELP_STRING([--with-leveret-core=FILE], [Link this libleveret_ffi.a instead of running cargo])],
  [no], [no])

PHP_ARG_WITH([leveret-cargo],
  [for cargo],
  [AS_HELP_STRING([--with-leveret-cargo=PATH], [The cargo that builds the Rust library])],
  [cargo], [no])

PHP_ARG_WITH([leveret-include],
  [for leveret.h],
  [AS_HELP_STRING([--with-leveret-include=DIR], [The folder of leveret.h, where it is not found beside the library])],
  [no], [no])

PHP_ARG_ENABLE([leveret-zstd],
  [whether cargo builds in zstd],
  [AS_HELP_STRING([--enable-leveret-zstd], [Read and write values that Memcached compresses with zstd])],
  [no], [no])

dnl Without a path.
if test "$PHP_LEVERET_CARGO" = "yes"; then
  PHP_LEVERET_CARGO=cargo
fi

if test "$PHP_LEVERET" != "no"; then
  dnl Also where PHP's own tree holds this folder, or a link to it, as ext/leveret.
  leveret_source=PHP_EXT_SRCDIR([leveret])
  leveret_source=`cd "$leveret_source" && pwd -P`
  leveret_root=`dirname "$leveret_source"`

  if test "$PHP_LEVERET_CORE" != "no"; then
    if test ! -f "$PHP_LEVERET_CORE"; then
      AC_MSG_ERROR([there is no library $PHP_LEVERET_CORE: build it with cargo build --release -p leveret-ffi])
    fi
    leveret_core_dir=`dirname "$PHP_LEVERET_CORE"`
    LEVERET_CORE_LIB=`cd "$leveret_core_dir" && pwd`/`basename "$PHP_LEVERET_CORE"`
    leveret_core_dir=`dirname "$LEVERET_CORE_LIB"`
  else
    if test ! -f "$leveret_root/Cargo.toml"; then
      AC_MSG_ERROR([no Rust sources in $leveret_root: build in the project's php folder, or pass --with-leveret-core=FILE])
    fi
    AC_PATH_PROG([LEVERET_CARGO], [$PHP_LEVERET_CARGO], [:])
    if test "$LEVERET_CARGO" = ":"; then
      AC_MSG_ERROR([cargo not found: install Rust, or pass --with-leveret-cargo=PATH or --with-leveret-core=FILE])
    fi
    dnl Cargo's folder lies outside the phpize tree, whose `make clean` deletes every *.a below it.
    LEVERET_TARGET="$leveret_root/target/php"
    LEVERET_MANIFEST="$leveret_root/Cargo.toml"
    LEVERET_CORE_LIB="$LEVERET_TARGET/release/libleveret_ffi.a"
    leveret_core_dir="$leveret_root"
    LEVERET_FEATURES=
    if test "$PHP_LEVERET_ZSTD" != "no"; then
      LEVERET_FEATURES="--features zstd"
    fi
    LEVERET_CORE_RULE=leveret-core
    PHP_SUBST([LEVERET_FEATURES])
    PHP_SUBST([LEVERET_CORE_RULE])
    PHP_SUBST([LEVERET_CARGO])
    PHP_SUBST([LEVERET_TARGET])
    PHP_SUBST([LEVERET_MANIFEST])
  fi
  PHP_SUBST([LEVERET_CORE_LIB])

  dnl ./x and debian/rules set the variable: they build a copy of this folder.
  AC_MSG_CHECKING([for the version of leveret])
  leveret_version=$LEVERET_VERSION
  if test -z "$leveret_version" && test -x "$leveret_root/scripts/version"; then
    leveret_version=`"$leveret_root/scripts/version"`
  fi
  if test -z "$leveret_version"; then
    AC_MSG_RESULT([unknown])
    AC_MSG_ERROR([no scripts/version in $leveret_root: set LEVERET_VERSION, as in LEVERET_VERSION=1.2.3 ./configure])
  fi
  AC_MSG_RESULT([$leveret_version])
  dnl A file of its own, left alone while nothing changes: config.h would compile every file again.
  leveret_release_h=PHP_EXT_BUILDDIR([leveret])/release.h
  leveret_release="#define PHP_LEVERET_VERSION \"$leveret_version\""
  if test ! -f "$leveret_release_h" || test "`cat "$leveret_release_h"`" != "$leveret_release"; then
    echo "$leveret_release" >"$leveret_release_h"
  fi

  dnl A copy of this folder is built as well as the original, so the header is looked for around both the sources and the library.
  AC_MSG_CHECKING([for leveret.h])
  leveret_include=
  for dir in "$PHP_LEVERET_INCLUDE" "$leveret_source" "$leveret_root/crates/leveret-ffi/include" "$leveret_root/../crates/leveret-ffi/include" \
             "$leveret_core_dir" "$leveret_core_dir/../include" "$leveret_core_dir/../../crates/leveret-ffi/include"; do
    if test -z "$leveret_include" && test -f "$dir/leveret.h"; then
      leveret_include=`cd "$dir" && pwd`
    fi
  done
  if test -z "$leveret_include"; then
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([leveret.h not found: pass --with-leveret-include=DIR (in the project: crates/leveret-ffi/include)])
  fi
  AC_MSG_RESULT([$leveret_include])
  PHP_ADD_INCLUDE([$leveret_include])

  dnl Only get_module is to be seen from outside: symbols of the Rust library must not meet those of another one in the process.
  dnl Bound when loaded (-z now), once in the master of a web server, and not by the first request of each worker.
  LEVERET_SHARED_LIBADD="$LEVERET_CORE_LIB -lpthread -ldl -lm -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-z,relro,-z,now"
  if test "$ext_shared" = "no"; then
    EXTRA_LIBS="$LEVERET_CORE_LIB -lpthread -ldl -lm $EXTRA_LIBS"
  fi
  PHP_SUBST([LEVERET_SHARED_LIBADD])
  LEVERET_SHARED_DEPENDENCIES="$LEVERET_CORE_LIB"
  PHP_SUBST([LEVERET_SHARED_DEPENDENCIES])

  PHP_NEW_EXTENSION([leveret],
    m4_normalize([
      module.c provide.c
      base/arena.c base/basedir.c base/ini.c base/refused.c base/walk.c
      codec/value.c codec/damage.c codec/decode.c codec/serializer.c codec/compact_read.c codec/compact_objects.c codec/compact_shapes.c codec/compact_text.c codec/compact_write.c codec/igbinary_check.c codec/igbinary_plain.c codec/msgpack_check.c codec/cost.c codec/plain.c
      decoded/table.c decoded/copy.c decoded/pool.c
      apcu/module.c apcu/functions.c apcu/count.c apcu/entry.c apcu/fields.c apcu/info.c apcu/iterator.c apcu/preload.c apcu/search.c
      cache/class.c cache/access.c cache/iterator.c cache/many.c cache/remember.c
      client/payload.c client/copy.c client/session.c
      memcached/module.c memcached/object.c memcached/link.c memcached/call.c memcached/value.c memcached/read.c memcached/many.c memcached/delayed.c memcached/write.c
      memcached/result.c memcached/stats.c memcached/session.c memcached/words.c
      memcache/module.c memcache/object.c memcache/connection.c memcache/link.c memcache/prefix.c memcache/failure.c memcache/call.c
      memcache/value.c memcache/read.c memcache/write.c memcache/stats.c memcache/session.c
      redis/module.c redis/object.c redis/options.c redis/words.c redis/arguments.c redis/table.c redis/failure.c redis/call.c redis/method.c redis/reply.c redis/reply_special.c
      redis/value.c redis/compress.c redis/build_keys.c redis/build_lists.c redis/build_sorted.c redis/build_streams.c redis/build_admin.c redis/build_servers.c redis/tell.c redis/arena.c redis/scan.c redis/session.c redis/session_path.c redis/session_store.c
    ]),
    [$ext_shared],,
    [-I@ext_srcdir@ -I@ext_builddir@ -std=gnu11 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden -fno-asynchronous-unwind-tables -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1])
  PHP_ADD_BUILD_DIR(m4_normalize([
    $ext_builddir/base $ext_builddir/codec $ext_builddir/decoded $ext_builddir/apcu $ext_builddir/cache $ext_builddir/client
    $ext_builddir/memcached $ext_builddir/memcache $ext_builddir/redis
  ]))
  PHP_ADD_EXTENSION_DEP([leveret], [pcre])
  PHP_ADD_EXTENSION_DEP([leveret], [json])
  PHP_ADD_EXTENSION_DEP([leveret], [session])
  PHP_ADD_EXTENSION_DEP([leveret], [spl])
  PHP_ADD_MAKEFILE_FRAGMENT
fi
