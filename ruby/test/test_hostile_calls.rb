# frozen_string_literal: true

require_relative 'helper'
require 'open3'

# Keys whose to_s gave a Symbol, and serializers that gave no String, were taken for Strings and ended the process. See hostile_calls.rb.
class TestHostileCalls < LeveretTest
  CALLS = Integer(ENV.fetch('LEVERET_HOSTILE_CALLS', 10_000))
  # With a collection of what is young at each allocation.
  STRESSED = CALLS / 100
  # ./x leaks ruby names one that looks at each byte.
  RUBY = ENV.fetch('LEVERET_RUBY', RbConfig.ruby)

  def hostile(kind, calls, server: '', stress: '')
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    seed = Random.rand(1 << 32)
    said, status = Open3.capture2e({ 'LEVERET_DIR' => @folder }, RUBY, *paths, File.join(__dir__, 'hostile_calls.rb'), kind, @folder, calls.to_s, seed.to_s, server, stress)
    assert_predicate status, :success?, "seed #{seed}: #{status}\n#{said[0, 4000]}"
    said
  end

  %w[cache arena settings].each do |kind|
    define_method(:"test_hostile_calls_of_#{kind}_methods") do
      said = hostile(kind, CALLS)
      # They get further than to the first look at their arguments.
      assert_match(/\d returned/, said)
      assert_match(/StandardError|Leveret::Error|Timeout::Error/, said) if CALLS >= 10_000
    end

    define_method(:"test_hostile_calls_of_#{kind}_methods_while_memory_is_collected") { hostile(kind, STRESSED, stress: 'stress') }
  end

  def test_hostile_calls_of_methods_that_ask_a_server
    server = memcached
    hostile('server', CALLS, server: server)
    hostile('server', STRESSED, server: server, stress: 'stress')
  end

  # What stands in its place is told to those who wrote the key, the serializer or the compressor.
  def test_a_class_that_is_not_string_is_named
    said = ruby(<<~RUBY, 'leveret/dalli', 'leveret/memcached', 'leveret/memcache')
      def told = begin; yield; rescue TypeError => e; puts e.message; end
      section = Struct.new(:name) { def to_s = name }
      none = Class.new { def self.dump(_) = Struct.new(:bytesize).new(1); def self.compress(_) = Struct.new(:bytesize).new(1) }
      ['arena:calls', '#{memcached}'].each do |server|
        d = Dalli::Client.new(server, dir: #{@folder.inspect})
        told { d.get(section.new(:news)) }
        told { d.get_multi('one', section.new(:news)) }
        told { d.set(section.new(:news), 1) }
        told { Dalli::Client.new(server, dir: #{@folder.inspect}, serializer: none).set('key', 1) }
        told { Dalli::Client.new(server, dir: #{@folder.inspect}, compressor: none).set('key', 'x' * 5000) }
      end
      told { Leveret::Pool.new(nil).get(nil, nil) }
      told { Leveret::Pool.new(nil, 1) }
      told { Leveret.load(Marshal.dump(1), 1) }
    RUBY
    key = "a key must be of class String (what did its to_s return?), not of Symbol\n"
    stored = %r{\Awhat is stored must be of class String \(what did the serializer or the compressor return\?\), not of #<Class:}
    lines = said.lines
    2.times do
      assert_equal [key] * 3, lines.shift(3)
      lines.shift(2).each { |line| assert_match(stored, line) }
    end
    assert_equal ["a key must be of class String (what did its to_s return?), not of NilClass\n", *["wrong argument type Integer (expected Hash)\n"] * 2], lines
  end

  # A marshal_load that throws left the error behind as nothing that could be asked for its class.
  def test_user_code_may_throw_out_of_a_read
    c = cache
    frozen = cache(frozen: true)
    c['key'] = Thrower.new
    assert_equal :thrown, (catch(:out) { c['key'] })
    assert_equal :thrown, (catch(:out) { frozen['key'] })
    assert_equal :thrown, (catch(:out) { c.each { |_| nil } })
    Thrower.calm = true
    assert_equal :thrown, (catch(:out) { frozen['key'] })
    assert_equal 'works', (c['key'] = 'works')
  ensure
    Thrower.calm = false
  end

  class Thrower
    class << self
      attr_accessor :calm
    end

    def marshal_dump = []
    def marshal_load(_) = Thrower.calm || throw(:out, :thrown)
    def freeze = throw(:out, :thrown)
  end

  def test_data_too_deep_for_the_stack_of_a_fiber_is_refused
    deep = "\x04\x08#{'[' * 100_000}".b
    message = Fiber.new { assert_raises(Leveret::UnmarshalError) { Leveret.load(deep, {}) }.message }.resume
    assert_equal 'its Marshal data is damaged', message.sub('too deep', 'damaged')
  end
end
