# frozen_string_literal: true

require_relative 'helper'
require_relative 'hostile'

# The short form of ruby/test/hostile.rb; ./x fuzz runs the long one, ./x leaks ruby this one under valgrind.
class TestHostile < LeveretTest
  ROUNDS = 100

  def hostile(seed, rounds, **options)
    folder, core, served = @folder, ENV.fetch('LEVERET_CORE'), (@served ||= leveret_serve('--arena', 'hostile'))
    # In a process of its own, whose end would be a failed test, and whose warnings are many.
    in_fork do
      $stderr.reopen(File::NULL)
      plain_marshal
      hostile = Hostile.new(folder, Hostile.writer(folder, core, ROOT), seed, served: served, **options)
      yield if block_given?
      rounds.times { hostile.round }
      hostile.answers
    end
  end

  # Where Rails is loaded too: its Marshal.load tries again for ever where data name a module that is missing in a class that is there.
  def plain_marshal
    load = Marshal.method(:load)
    load = load.super_method until load.owner == Marshal.singleton_class
    Marshal.singleton_class.prepend(Module.new { define_method(:load) { |*words, **options| load.call(*words, **options) } })
  end

  def test_hostile_bytes_of_any_make_give_values_misses_and_errors
    seed = Integer(ENV.fetch('LEVERET_SEED') { Random.rand(1 << 32) })
    answers = hostile(seed, ROUNDS)
    %i[value none error].each { |kind| assert_operator answers[kind], :>, ROUNDS, "seed #{seed}: #{answers}" }
  end

  # Whatever a decoder holds and the collector does not see is gone, or lies elsewhere.
  def test_decoders_hold_what_they_need_while_everything_is_collected_or_moved
    hostile(1, 10, stress: true)
    hostile(2, 30) { GC.auto_compact = true }
  end
end
