# frozen_string_literal: true

# Builds the extension: C over the Rust library of crates/leveret-ffi. Either that library is given
# (--with-leveret-core=FILE), or cargo builds it from the sources around this folder.
require 'mkmf'

HERE = __dir__
BUILT_CORE = 'libleveret_ffi.a'
ROOT = File.expand_path('../../..', HERE)

# A source gem carries the Rust sources beside itself, a checkout has them above.
def rust_root
  [File.expand_path('../../rust', HERE), ROOT].find { |folder| File.exist?(File.join(folder, 'Cargo.toml')) }
end

def given_core
  core = with_config('leveret-core') or return
  abort "There is no library #{core}: build it with cargo build --release -p leveret-ffi" unless File.file?(core)
  File.expand_path(core)
end

def built_core
  root = rust_root or abort 'No Rust sources here: pass --with-leveret-core=FILE'
  find_executable('cargo') or abort 'cargo not found: install Rust 1.85 or newer, or pass --with-leveret-core=FILE'
  target = File.expand_path('rust-target')
  # In that folder, whose settings say that a gem's crates are all there.
  offline = File.directory?(File.join(root, 'vendor')) ? ['--offline'] : []
  system({ 'CARGO_TARGET_DIR' => target }, 'cargo', 'build', '--release', '--locked', *offline, '-p', 'leveret-ffi', chdir: root) or
    abort 'cargo could not build leveret-ffi; its lines above say why.'
  # What cargo leaves behind is some hundred megabytes.
  FileUtils.mv(File.join(target, 'release', BUILT_CORE), '.')
  FileUtils.rm_rf(target)
  File.expand_path(BUILT_CORE)
end

# When it is installed, what it was linked of goes too.
def drop_built_core
  File.write('Makefile', "\ninstall: drop-core\n.PHONY: drop-core\ndrop-core: install-so\n\t$(Q)$(RM) #{BUILT_CORE}\n", mode: 'a')
end

def include_folder
  folders = [with_config('leveret-include'), rust_root && File.join(rust_root, 'crates/leveret-ffi/include')]
  folders.compact.find { |folder| File.file?(File.join(folder, 'leveret.h')) } or
    abort 'leveret.h not found: pass --with-leveret-include=DIR'
end

core = given_core || built_core
$INCFLAGS << " -I#{include_folder}"
$CFLAGS << ' -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-declaration-after-statement -fvisibility=hidden'
# Only Init_leveret is to be seen from outside: symbols of the Rust library must not meet those of another one.
$LOCAL_LIBS << " #{core} -lpthread -ldl -lm"
$DLDFLAGS << ' -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-z,relro,-z,now'

create_makefile('leveret/leveret')
drop_built_core if File.exist?(BUILT_CORE)
