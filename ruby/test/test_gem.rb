# frozen_string_literal: true

require_relative 'helper'

# The gems as a user installs them.
class TestGem < LeveretTest
  def bash(*words)
    IO.popen([*words, { err: %i[child out], chdir: ROOT }], &:read)
  end

  def gem(*words)
    [RbConfig.ruby, '-S', 'gem', *words]
  end

  def install(file, *words, **environment)
    said = bash({ 'GEM_HOME' => "#{@folder}/home" }.merge(environment.transform_keys(&:to_s)), *gem('install', '--local', '--no-document', file, *words))
    assert_predicate $?, :success?, said
    bash({ 'GEM_HOME' => "#{@folder}/home", 'LEVERET_DIR' => @folder }, RbConfig.ruby, '-e', <<~'RUBY')
      gem 'leveret'
      require 'leveret'
      c = Leveret::Cache.new('gem')
      c['key'] = [1, 'a']
      p c['key'], $LOADED_FEATURES.grep(/leveret\.so/).first.start_with?(ENV['GEM_HOME'])
      require 'leveret/dalli'
      p Dalli::Client.new('arena:gem').get('key')
    RUBY
  end

  # Packs a gem as ./x gem does; its file.
  def packed(function)
    said = bash({ 'RUBY' => RbConfig.ruby }, 'bash', '-c', ". scripts/say.sh && . scripts/ruby.sh && trap - EXIT && #{function} #{@folder}/packed")
    Dir["#{@folder}/packed/leveret-*.gem"].first or flunk(said)
  end

  WORKS = "[1, \"a\"]\ntrue\n[1, \"a\"]\n"

  def test_the_platform_gem_needs_no_compiler
    assert_equal WORKS, install(packed('build_platform_gem'))
    assert_empty Dir["#{@folder}/home/gems/leveret-*/ext"]
  end

  def test_the_source_gem_builds_over_a_library_that_is_there
    file = File.join(@folder, 'leveret.gem')
    said = IO.popen([*gem('build', 'leveret.gemspec', '-o', file), { err: %i[child out], chdir: File.join(ROOT, 'ruby') }], &:read)
    assert_includes said, 'Successfully built'
    assert_equal WORKS, install(file, '--', "--with-leveret-core=#{ENV.fetch('LEVERET_CORE')}", "--with-leveret-include=#{ROOT}/crates/leveret-ffi/include")
  end

  # The crates are in the gem. Not as fast as a release: cargo would take minutes.
  def test_the_source_gem_builds_its_library_without_a_network
    skip 'no cargo here' unless system('cargo', '--version', %i[out err] => File::NULL)
    quick = { CARGO_HOME: "#{@folder}/cargo", CARGO_NET_OFFLINE: 'true', CARGO_PROFILE_RELEASE_LTO: 'off', CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
              CARGO_PROFILE_RELEASE_OPT_LEVEL: '0', CARGO_PROFILE_RELEASE_DEBUG: '0' }
    assert_equal WORKS, install(packed('build_source_gem'), **quick)
    assert_empty Dir["#{@folder}/home/gems/leveret-*/**/{rust-target,libleveret_ffi.a}"]
  end
end
