# frozen_string_literal: true

require_relative 'helper'

# sig/*.rbs names the methods that there are.
class TestSignatures < LeveretTest
  SIGNATURES = File.join(ROOT, 'ruby/sig')

  def test_they_are_valid
    said = IO.popen([RbConfig.ruby, Gem.bin_path('rbs', 'rbs'), '-I', SIGNATURES, 'validate', '--silent', { err: %i[child out] }], &:read)
    assert_predicate $?, :success?, said
  end

  def test_they_name_every_method_and_no_other
    assert_equal named('leveret.rbs', 'Cache'), Leveret::Cache.public_instance_methods(false).sort - [:inspect]
    listed = ruby('puts Dalli::Client.public_instance_methods(false).sort - [:inspect]', 'leveret/dalli').split.map(&:to_sym)
    assert_equal named('dalli.rbs', 'Client'), listed
    { 'memcached.rbs' => %w[Memcached Memcached::Rails], 'memcache.rbs' => %w[MemCache MemCache::Server], 'leveret_store.rbs' => %w[ActiveSupport::Cache::LeveretStore] }.each do |file, names|
      names.each do |name|
        path = name.start_with?('Active') ? 'active_support/cache/leveret_store' : "leveret/#{file.delete_suffix('.rbs')}"
        listed = ruby("require 'active_support'; require #{path.inspect}; puts #{name}.public_instance_methods(false).sort - [:inspect]").split.map(&:to_sym)
        assert_equal named(file, name.split('::').last), listed, name
      end
    end
  end

  def named(file, name)
    text = File.read(File.join(SIGNATURES, file))
    indent = text[/^( *)class #{name}\b(?= |\n)/, 1]
    text = text[/^#{indent}class #{name}(?: < \w+)?\n.*?\n#{indent}end\n/m]
    accessors = text.scan(/^#{indent}  attr_accessor (\w+)/).flat_map { |(accessor)| [[accessor], ["#{accessor}="]] }
    (accessors + text.scan(/^#{indent}  (?:def|attr_reader) (?!self)(\S+):/) + text.scan(/^#{indent}  alias (\S+)/)).flatten.map(&:to_sym).uniq.sort - [:initialize]
  end
end
