# frozen_string_literal: true

require_relative 'helper'
require 'json'

Point = Struct.new(:x, :y)

# What comes back is what was stored: class, encoding and all.
class TestValues < LeveretTest
  class Person
    attr_reader :name

    def initialize(name)
      @name = name
    end

    def ==(other)
      other.is_a?(Person) && name == other.name
    end
  end

  SELF_HOLDING = [].tap { |list| list << list }

  VALUES = [
    '', 'text', 'ü', "a\0b", 'x' * 100_000, "\xff\xfe".b, 'ascii'.b, 'ü'.b, 'ü'.encode('UTF-16LE'), 'ü'.encode('ISO-8859-1'), "\xff",
    0, 1, -1, 2**62, 2**63 - 1, -2**63, 2**63, -2**64, 10**40,
    0.0, -0.0, 1.5, 0.1, 1e300, 5e-324, 1e16, 123_456_789.123, Float::INFINITY, -Float::INFINITY, true, false, nil,
    [], {}, [nil, true, false, 1, 1.5, 'x'], { 'a' => { 'b' => [1, { 'c' => nil }] } }, { '0' => 1, '' => 2 }, { "\"\\\n\u0001ü\u{1f600}" => "\b\f\t\u2028" },
    [1e20, 1e-7, 100.0, -5], [[[[[[]]]]]], { a: 1 }, { 1 => 2, nil => 3 }, Hash.new(5).merge('a' => 1), [2**70], ["\xff".b], ['ü'.encode('UTF-16LE')], ["\xff"],
    { 'a' => Float::NAN.to_s, 'b' => Float::INFINITY }, Array.new(150) { |i| i }.reduce([]) { |inner, _| [inner] },
    :symbol, Point.new(1, [2]), Person.new('Eve'), Time.at(1, 5, :nsec), 1..3, Rational(1, 3), Complex(1, 2), /x/i, Person, Encoding::UTF_8
  ].freeze

  def test_every_value_comes_back_as_it_was
    c = cache
    VALUES.each do |value|
      c['key'] = value
      got = c['key']
      assert_equal value.class, got.class, value.inspect[0, 100]
      assert value == got, "#{value.inspect[0, 100]} became #{got.inspect[0, 100]}"
      assert_equal value.encoding, got.encoding if value.is_a?(String) && !value.ascii_only?
      assert_equal 1 / value, 1 / got if value == 0.0 && value.is_a?(Float)
    end
    c['key'] = Float::NAN
    assert_predicate c['key'], :nan?
  end

  def test_what_contains_itself_or_has_more_than_its_elements_goes_by_marshal
    c = cache
    c['key'] = SELF_HOLDING
    got = c['key']
    assert_same got, got.first
    c['key'] = Hash.new(5)
    assert_equal 5, c['key']['missing']
    string = +'text'
    string.instance_variable_set(:@mark, 1)
    c['key'] = string
    assert_equal 1, c['key'].instance_variable_get(:@mark)
  end

  KEYS = ['id', 'name', 'a', '', 'ü', 'x' * 64, 'x' * 65, '-', '-0', '07', '7a', '7', '-12', '9999999999999999999999'].freeze
  TEXTS = ['', 'x', 'same', 'ü', "a\"\\\n\u0001", 'y' * 64, 'y' * 65, 'z' * 3000].freeze

  def any(random, depth = 0)
    case random.rand(depth > 4 ? 7 : 10)
    when 0 then [nil, true, false].sample(random: random)
    when 1 then random.rand(-70..70)
    when 2 then random.rand(2) * 2 - 1 << random.rand(62)
    when 3 then [0.0, -0.0, 1.5, 1e20, 5e-324, -1e-7].sample(random: random)
    when 4, 5 then TEXTS.sample(random: random)
    when 6 then "only #{random.rand(1000)}"
    when 7 then Array.new(random.rand(9)) { any(random, depth + 1) }
    when 8 then KEYS.sample(random.rand(6), random: random).to_h { |key| [key, any(random, depth + 1)] }
    else
      keys = KEYS.sample(random.rand(1..5), random: random)
      Array.new(random.rand(1..9)) { keys.to_h { |key| [key, any(random, depth + 2)] } }
    end
  end

  # Ruby, PHP and clients of a server: each reads what was meant, and JSON is what goes over the socket.
  def test_hashes_and_arrays_are_json_to_others_and_compact_in_the_arena
    server = leveret_serve('--arena', 'test')
    c = cache
    random = Random.new(Integer(ENV.fetch('LEVERET_SEED', 1)))
    socket = TCPSocket.new(*server.split(':'))
    values = Array.new(300) { [any(random), { 'n' => any(random) }] }
    values << (1..40_000).map { |i| { "key #{i}" => "value #{i}", 'more' => "value #{i - 1}" } } << Array.new(90) { |i| i }.reduce([]) { |inner, i| [inner, { 'i' => i }] }
    flags = values.map do |value|
      c['key'] = value
      assert_equal value, c['key'], 'by Ruby'
      socket.write("get key\r\n")
      _, _, flags, len = socket.gets.split
      assert_equal value, JSON.parse(socket.read(Integer(len)), max_nesting: false), 'by a client'
      assert_equal "\r\nEND\r\n", socket.read(7)
      flags
    end
    assert_equal 1, flags.uniq.size
    c['rows'] = [{ 'id' => 1 }, { 'id' => 2 }]
    c['number'] = { '7' => 'seven' }
    bytes = Dir.children(@folder).sum(''.b) { |name| File.binread(File.join(@folder, name)) }
    assert_includes bytes, "rows\xCA\x01".b
    assert_includes bytes, 'number{"7":"seven"}'
  end

  def test_each_read_is_a_copy
    c = cache
    c['key'] = { 'list' => ['x'] }
    c['key']['list'].first << 'y'
    assert_equal({ 'list' => ['x'] }, c['key'])
    refute_predicate c['key'], :frozen?
    c['text'] = 'x'.freeze
    assert_equal 'xy', c['text'] << 'y'
  end

  def test_what_cannot_be_marshalled_raises_as_marshal_does_and_stores_nothing
    c = cache
    c['key'] = 1
    [-> {}, Class.new, [Thread.new {}], Hash.new { 1 }].each do |value|
      assert_raises(TypeError) { c['key'] = value }
    end
    assert_equal 1, c['key']
  end

  def test_a_class_that_is_not_there_is_a_miss_with_one_warning
    in_fork do
      Object.const_set(:Elsewhere, Struct.new(:a))
      cache.set_multi('one' => Elsewhere.new(1), 'two' => Elsewhere.new(2))
    end
    said = ruby('p cache["one"], cache.get("two", :none), cache.fetch("one") { 5 }, cache["one"]')
    assert_equal "nil\n:none\n5\n5\n", said.lines.grep_v(/leveret:/).join
    assert_equal 1, said.scan('it is Marshal data of a class that is not there').size
  end

  # Whatever stands in Marshal, JSON or PHP's format: a value, or a miss, but never the end of the process.
  def test_damaged_bytes_harm_nobody
    server = leveret_serve('--arena', 'test')
    c = cache
    random = Random.new(Integer(ENV.fetch('LEVERET_SEED', 1)))
    bytes = [Marshal.dump({ a: [1, 'x', 2.5, Point.new(1, 2)] }), '{"a":[1,"x\\u00fc",2.5e3,null,true]}', 'a:2:{i:0;s:1:"x";s:1:"k";d:1.5;}']
    capture_io do
      socket = TCPSocket.new(*server.split(':'))
      500.times do
        damaged = bytes.sample(random: random).b
        random.rand(1..4).times { damaged.setbyte(random.rand(damaged.bytesize), random.rand(256)) }
        damaged = damaged[0, random.rand(damaged.bytesize)] if random.rand(4).zero?
        [0, 1, 2, 3, 4, 6, 16, 48].each do |flags|
          socket.write("set k #{flags} 0 #{damaged.bytesize}\r\n#{damaged}\r\n")
          assert_equal "STORED\r\n", socket.gets
          c['k']
        end
      end
    end
    assert c.set('k', 1)
  end
end
