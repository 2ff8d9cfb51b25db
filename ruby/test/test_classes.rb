# frozen_string_literal: true

require_relative 'helper'
require 'set'
require 'ostruct'
require 'bigdecimal'
require 'active_support'
require 'active_support/cache'

# The list of classes that Marshal data may name.
class TestClasses < LeveretTest
  Point = Struct.new(:x, :y)
  Tagged = Class.new(String)
  module Extra; end

  # What marshals itself leaves a trace here when it is loaded, as an attacker's class would.
  class Trap
    LOADED = []
    def marshal_dump = [1]
    def marshal_load(_) = LOADED << 1
  end

  class OldTrap
    def _dump(_) = 'x'
    def self._load(_) = Trap::LOADED << 1
  end

  def quietly
    value = nil
    _, @warned = capture_io { value = yield }
    value
  end

  def test_what_needs_no_class_passes_and_the_rest_only_by_name
    c = cache
    plain = { sym: [:sym, 1, -300, 70_000, 2**70, -2**70, 1.5, 'text', 'ü'.encode('UTF-16LE'), "\xff".b, nil, true, false, { 1 => {} }, :ü, :ü, [[]]] }
    named = { Point => Point.new(1, { a: 2 }), Set => Set[1, :a], OpenStruct => OpenStruct.new(a: 1), Time => Time.at(5), Range => (1..2), Tagged => Tagged.new('x'),
              BigDecimal => BigDecimal('1.5'), Complex => Complex(1, 2), Class => String, Module => Kernel, Regexp => /x/ }
    c['plain'] = plain
    named.each { |type, value| c["of #{type}"] = value }
    none = cache(classes: [])
    assert_equal plain, none['plain']
    # A class in a Class's place is named by itself; a Regexp has none.
    quietly { named.each_key { |type| type == Regexp ? assert_equal(/x/, none["of #{type}"]) : assert_nil(none["of #{type}"], type.to_s) } }
    # In a process of its own, for each warns once.
    said = ruby("p Leveret::Cache.new('test', dir: #{@folder.inspect}, classes: []).then { |listed| [listed['of Set'], listed['of Time']] }")
    assert_match(/\A[^\n]*not in the list[^\n]*\n\[nil, nil\]\n\z/, said)
    names = [*named.keys.map(&:name), 'String', 'Kernel', 'Hash']
    all = cache(classes: names)
    named.each { |type, value| assert_equal value, all["of #{type}"] }
    assert_equal named.values, cache(classes: named.keys + [String, Kernel]).get_multi(named.keys.map { |type| "of #{type}" }).values
  end

  def test_nothing_of_a_class_that_is_not_in_the_list_runs
    c = cache
    c.set_multi('trap' => Trap.new, 'old' => OldTrap.new, 'inner' => [{ a: [Trap.new] }], 'extended' => { s: 'x'.dup.extend(Extra) },
                'default' => Hash.new(Trap.new).merge(a: 1), 'ivar' => 'x'.dup.tap { |text| text.instance_variable_set(:@a, Trap.new) })
    listed = cache(classes: [Set])
    keys = %w[trap old inner extended default ivar]
    quietly do
      assert_equal [:miss] * 6, keys.map { |key| listed.get(key, :miss) }
      assert_equal({}, listed.get_multi(keys))
      assert_equal [], listed.each.to_a
      assert_equal 'new', listed.fetch('trap') { 'new' }
      assert_nil(listed.cas('inner') { flunk })
    end
    assert_empty Trap::LOADED
    c['trap'] = Trap.new
    cache['trap']
    assert_equal [1], Trap::LOADED
    Trap::LOADED.clear
  end

  def test_damaged_data_is_a_miss_and_never_more
    random = Random.new(Integer(ENV.fetch('LEVERET_SEED', 7)))
    whole = Marshal.dump([Point.new(1, 'text'), :sym, { a: [1.5, 2**80, 'ü'] }, Set[1], /x/i, String, (1..2)])
    allowed = Leveret.class_list([Point, Set, Range, String, Hash])
    assert_equal Marshal.load(whole), Leveret.load(whole, allowed)
    good = 0
    5000.times do
      bytes = whole.dup
      random.rand(1..3).times { bytes.setbyte(random.rand(2...bytes.bytesize), random.rand(256)) }
      bytes = bytes.byteslice(0, random.rand(bytes.bytesize + 1)) if random.rand(4).zero?
      Leveret.load(bytes, allowed)
      good += 1
    rescue Leveret::UnmarshalError
      nil
    end
    assert_operator good, :<, 5000
    deep = "\x04\b".b + '['.b * 100_000
    assert_raises(Leveret::UnmarshalError) { Leveret.load(deep.gsub('[', "[\x06"), allowed) }
    ["", "\x04", "\x04\b", "\x04\b[", "\x04\t0", "\x04\b;\x06", "\x04\b\"\x04\xff\xff\xff\x7f", "\x04\b[\x04\xff\xff\xff\x7f", "\x04\bl+\x04\xff\xff\xff\x7f"].each do |bytes|
      assert_raises(Leveret::UnmarshalError, bytes.inspect) { Leveret.load(bytes.b, allowed) }
    end
  end

  def test_what_the_list_may_hold
    assert_raises(ArgumentError) { cache(classes: [5]) }
    assert_raises(ArgumentError) { cache(classes: [Class.new]) }
    assert_nil Leveret.class_list(nil)
    assert_equal({ 'Set' => true, 'Time' => true }, Leveret.class_list([Set, 'Time']))
  end

  def test_the_store_of_rails_keeps_the_list
    places = [['test', { dir: @folder, memory: 16 << 20 }], [memcached, {}], [leveret_serve, {}]]
    places.each do |place, options|
      open = ActiveSupport::Cache.lookup_store(:leveret_store, place, options.dup)
      listed = ActiveSupport::Cache.lookup_store(:leveret_store, place, options.merge(classes: [Point]))
      open.write('good', Point.new(1, 2))
      open.write('versioned', Point.new(1, 2), version: 1, expires_in: 60)
      open.write('bad', Trap.new)
      open.write('bad version', Trap.new, version: 1)
      open.write('packed', [Trap.new, 'x' * 5000], compress: true, compress_threshold: 1)
      Trap::LOADED.clear
      quietly do
        assert_equal [Point.new(1, 2)] * 2, [listed.read('good'), listed.read('versioned', version: 1)]
        assert_equal [nil] * 3, [listed.read('bad'), listed.read('bad version', version: 1), listed.read('packed')]
        assert_equal({ 'good' => Point.new(1, 2) }, listed.read_multi('good', 'packed'))
        assert_equal 'new', listed.fetch('bad') { 'new' }
      end
      assert_empty Trap::LOADED
      listed.write('long', 'x' * 5000)
      assert_equal 'x' * 5000, listed.read('long')
    end
  end

  # Each client in a process of its own, as what they are called is a gem's name. Prints what it reads, or what it raises, and what ran.
  CLIENTS = <<~'RUBY'
    class Trap
      def marshal_dump = [1]
      def marshal_load(_) = $ran = true
    end
    Point = Struct.new(:x)
    make = { 'dalli' => ->(more) { Dalli::Client.new(ARGV[1], more) }, 'memcached' => ->(more) { Memcached.new(ARGV[1], more) }, 'memcache' => ->(more) { MemCache.new([ARGV[1]], more) } }[ARGV[0]]
    open, listed = make.call({}), make.call({ classes: [Point] })
    open.set('good', [Point.new(1), { a: 'text' }])
    open.set('bad', [Trap.new])
    arena = ARGV[1].end_with?('.arena') ? Leveret::Cache.new(ARGV[1]) : open
    arena.set('other', Trap.new)
    try = ->(&block) { block.call rescue $!.class }
    p try.call { listed.get('good') == open.get('good') }, *%w[bad other].map { |key| try.call { listed.get(key) } }
    p try.call { listed.get(['bad']) } if ARGV[0] == 'memcached'
    p try.call { listed.get_multi('bad') } unless ARGV[0] == 'memcached'
    p $ran, try.call { make.call({ classes: [5] }) }
  RUBY

  def test_the_clients_of_other_gems_keep_the_list
    errors = { 'dalli' => 'Dalli::UnmarshalError', 'memcached' => 'Memcached::Error', 'memcache' => 'MemCache::MemCacheError' }
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    [memcached, leveret_serve, "#{@folder}/clients.arena"].each do |server|
      errors.each do |name, error|
        said = IO.popen([{ 'LEVERET_DIR' => @folder }, RbConfig.ruby, '-W0', *paths, '-r', "leveret/#{name}", '-e', CLIENTS, name, server, { err: %i[child out] }], &:read)
        assert_equal "true\n#{"#{error}\n" * 3}nil\nArgumentError\n", said, "#{name} on #{server}"
      end
    end
  end

  # Bytes as Rails 7.1 makes them: a signature, then type, end and length of the version, the version, the value.
  def test_the_store_of_rails_keeps_the_list_in_the_formats_of_its_versions
    skip 'Rails 6.1 makes no bytes of its own' unless ActiveSupport.gem_version >= Gem::Version.new('7.1')
    server = memcached
    written = ActiveSupport::Cache.lookup_store(:leveret_store, server)
    listed = ActiveSupport::Cache.lookup_store(:leveret_store, server, { classes: [Point] })
    trap = Marshal.dump(Trap.new)
    later = ->(type, version, value) { "\x00\x11".b + [type, -1.0, version ? version.bytesize : -1].pack('CEl<') + version.to_s.b + value }
    bytes = { 'value' => later.call(1, nil, trap), 'version' => later.call(1, trap, Marshal.dump(1)), 'packed' => later.call(0x81, nil, Zlib.deflate(trap)),
              'old' => "\x00".b + Marshal.dump([Trap.new]), 'old packed' => "\x01".b + Zlib.deflate(Marshal.dump([Trap.new])), 'alone' => trap,
              'damaged' => later.call(0x81, nil, 'no zlib'), 'short' => "\x00\x11\x01".b, 'lies' => later.call(1, nil, Marshal.dump(1)).tap { |text| text.setbyte(14, 127) } }
    bytes.each { |name, text| written.cache.set(name, ActiveSupport::Cache::LeveretStore::Servers::Payload.new(text), nil) }
    bytes.each_key { |name| assert_nil listed.read(name), name }
    assert_equal({}, listed.read_multi(*bytes.keys))
    assert_empty Trap::LOADED
    [7.0, 7.1].each do |format|
      ActiveSupport::Cache.format_version = format
      stores = [ActiveSupport::Cache.lookup_store(:leveret_store, server), ActiveSupport::Cache.lookup_store(:leveret_store, server, { classes: [Point] })]
      stores.permutation.each do |from, to|
        from.write('point', [Point.new(1, 'x' * 3000)], version: 'v', expires_in: 60)
        assert_equal [Point.new(1, 'x' * 3000)], to.read('point', version: 'v')
        assert_nil to.read('point', version: 'w')
      end
    end
  ensure
    ActiveSupport::Cache.format_version = 7.0 if ActiveSupport::Cache.respond_to?(:format_version=)
  end
end
