# frozen_string_literal: true

require_relative 'helper'

# What YARD reads in the sources, by ruby/.yardopts.
class TestDocumentation < LeveretTest
  def test_everything_public_is_documented
    assert_includes yard('YARD::CLI::Stats.run("--list-undoc", "--no-cache", "--no-save")'), ' 100.00% documented'
  end

  # Methods in C belong to whom their variable names: YARD only guesses which class that is.
  def test_it_names_the_methods_and_errors_that_there_are
    said = yard(<<~'RUBY').lines(chomp: true)
      YARD::CLI::Stats.run('--no-cache', '--no-save', '-q')
      %w[Cache Lease Pool].each { |name| puts YARD::Registry.at("Leveret::#{name}").meths(inherited: false).select { |found| found.visibility == :public }.map(&:path) }
      puts YARD::Registry.at('Leveret').children.select { |child| child.name.end_with?('Error') }.map(&:path)
    RUBY
    named = [Leveret::Cache, Leveret::Lease, Leveret::Pool].flat_map { |type| type.public_instance_methods(false).map { |method| "#{type}##{method}" } }
    errors = Leveret.constants.grep(/Error\z/).map { |name| "Leveret::#{name}" }
    assert_equal (named + errors).sort, said.grep(/\ALeveret::/).reject { |path| path.end_with?('#initialize') }.sort
  end

  def yard(code)
    skip 'no YARD here' unless system(RbConfig.ruby, '-r', 'yard', '-e', '', %i[out err] => File::NULL)
    said = IO.popen([RbConfig.ruby, '-r', 'yard', '-e', code, { err: %i[child out], chdir: File.join(ROOT, 'ruby') }], &:read)
    refute_includes said, '[warn]', said
    said
  end
end
