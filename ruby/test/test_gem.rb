# frozen_string_literal: true

require_relative 'helper'

# The gems as a user installs them.
class TestGem < LeveretTest
  def bash(*words)
    IO.popen([*words, { err: %i[child out], chdir: ROOT }], &:read)
  end

  def install(file, *words)
    said = bash({ 'GEM_HOME' => "#{@folder}/home" }, 'gem', 'install', '--local', '--no-document', file, *words)
    assert_predicate $?, :success?, said
    bash({ 'GEM_HOME' => "#{@folder}/home", 'LEVERET_DIR' => @folder }, RbConfig.ruby, '-e', <<~'RUBY')
      gem 'leveret'
      require 'leveret'
      c = Leveret::Cache.new('gem')
      c['key'] = { 'a' => [1] }
      p c['key'], $LOADED_FEATURES.grep(/leveret\.so/).first.start_with?(ENV['GEM_HOME'])
      require 'leveret/dalli'
      p Dalli::Client.new('arena:gem').get('key')
    RUBY
  end

  WORKS = "{\"a\"=>[1]}\ntrue\n{\"a\"=>[1]}\n"

  def test_the_platform_gem_needs_no_compiler
    said = bash('bash', '-c', '. scripts/say.sh && . scripts/ruby.sh && build_gem')
    file = Dir[File.join(ROOT, 'build/gem/leveret-*.gem')].first
    assert file, said
    assert_equal WORKS, install(file)
    assert_empty Dir["#{@folder}/home/gems/leveret-*/ext"]
  end

  def test_the_source_gem_builds_over_a_library_that_is_there
    file = File.join(@folder, 'leveret.gem')
    assert_includes bash('gem', 'build', '-C', 'ruby', 'leveret.gemspec', '-o', file), 'Successfully built'
    assert_equal WORKS, install(file, '--', "--with-leveret-core=#{ENV.fetch('LEVERET_CORE')}", "--with-leveret-include=#{ROOT}/crates/leveret-ffi/include")
  end
end
