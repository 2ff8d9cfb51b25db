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
  end

  def named(file, name)
    text = File.read(File.join(SIGNATURES, file))[/  class #{name}\n.*?\n  end\n/m]
    (text.scan(/^    def (\S+):/) + text.scan(/^    alias (\S+)/)).flatten.map(&:to_sym).uniq.sort - [:initialize]
  end
end
