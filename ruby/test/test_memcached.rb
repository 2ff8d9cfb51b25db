# frozen_string_literal: true

require_relative 'helper'
require 'leveret/memcached'

# The class Memcached of the gem 1.8, which no current Ruby can build: its documented calls, on each kind of server. Keys lie where Debian's
# libmemcached puts them.
class TestMemcached < LeveretTest
  def each_place
    places = { memcached: memcached, arena: File.join(@folder, 'gem.arena'), served: leveret_serve }
    places.each { |name, place| yield Memcached.new(place), name }
  end

  def test_values_are_marshalled_unless_they_are_not_to_be
    each_place do |m|
      assert_nil m.set('key', { a: [1, nil] })
      assert_equal({ a: [1, nil] }, m.get('key'))
      m.set('nil', nil)
      assert_nil m.get('nil')
      m.set('raw', 'text', 100, false)
      assert_equal 'text', m.get('raw', false)
      assert_raises(TypeError) { m.get('raw') }
      assert_raises(TypeError) { m.set('raw', 5, 100, false) }
      assert_raises(TypeError) { m.set(:key, 5) }
      assert_raises(TypeError) { m.set('key', 5, 1.5) }
      assert_equal Marshal.dump(a: [1, nil]), m.get('key', false)
    end
  end

  # Bit 2 is Dalli's for what is compressed.
  def test_flags_are_the_callers_own
    each_place do |m|
      (0..7).each do |flags|
        m.set('raw', 'text', 0, false, flags)
        assert_equal ['text', { 'raw' => 'text' }], [m.get('raw', false), m.get(['raw'], false)]
      end
    end
  end

  def test_what_is_not_there_is_raised
    each_place do |m|
      [-> { m.get('none') }, -> { m.delete('none') }, -> { m.increment('none') }, -> { m.decr('none') }, -> { m.exist('none') }].each do |call|
        error = assert_raises(Memcached::NotFound, &call)
        assert_equal ['Memcached::NotFound', []], [error.message, error.backtrace]
      end
      m.set('key', 1)
      assert_raises(Memcached::NotStored) { m.add('key', 2) }
      [-> { m.replace('none', 2) }, -> { m.append('none', 'x') }, -> { m.prepend('none', 'x') }].each { |call| assert_raises(Memcached::NotStored, &call) }
      assert_nil m.exist('key')
      assert_nil m.delete('key')
      assert_kind_of RuntimeError, Memcached::NotFound.new
    end
  end

  def test_counting_wants_a_number_that_was_stored_raw
    each_place do |m|
      m.set('n', '10', 0, false)
      assert_equal [11, 16, 15], [m.increment('n'), m.incr('n', 5), m.decrement('n')]
      m.set('r', 'b', 0, false)
      m.append('r', 'c')
      m.prepend('r', 'a')
      assert_equal 'abc', m.get('r', false)
      m.set('object', [])
      assert_raises(Memcached::ClientError) { m.increment('object') }
    end
  end

  def test_an_array_gives_what_was_found
    each_place do |m|
      50.times { |i| m.set("k#{i}", i) }
      assert_equal (0...50).to_h { |i| ["k#{i}", i] }, m.get((0...60).map { |i| "k#{i}" })
      assert_equal({}, m.get(%w[none neither]))
    end
  end

  def test_cas
    places = [memcached, File.join(@folder, 'cas.arena')]
    places.each do |place|
      m = Memcached.new(place, support_cas: true)
      m.set('key', [1])
      m.cas('key') { |value| value + [2] }
      assert_equal [1, 2], m.get('key')
      assert_raises(Memcached::ConnectionDataExists) { m.cas('key') { m.set('key', 5) } }
      assert_raises(Memcached::NotFound) { m.cas('none') { 1 } }
      m.set('other', 1)
      assert_equal({ 'key' => 6 }, m.cas(%w[key other none]) { |found| m.set('other', 9); found.transform_values { |value| value + 1 } })
      assert_equal [6, 9], [m.get('key'), m.get('other')]
      assert_raises(Memcached::ClientError) { Memcached.new(place).cas('key') { 1 } }
    end
  end

  def test_a_prefix_stands_before_each_key
    server = memcached
    m = Memcached.new(server, prefix_key: 'app', prefix_delimiter: ':')
    m.set('key', 1)
    assert_equal 1, Memcached.new(server).get('app:key')
    assert_equal({ 'key' => 1 }, m.get(['key']))
    assert_equal 'app', m.prefix_key
    m.set_prefix_key('other')
    assert_raises(Memcached::NotFound) { m.get('key') }
    assert_raises(ArgumentError) { m.set_prefix_key('x' * 127) }
  end

  # Debian's libmemcached puts a key where php-memcached does: the same ring with the same hash, through PHP's Memcached.
  def test_keys_lie_where_libmemcached_puts_them
    needs_php
    servers = Array.new(4) { memcached }
    [[:consistent_ketama, 'Memcached::OPT_LIBKETAMA_COMPATIBLE, true'], [:modula, 'Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_MODULA']].each do |distribution, option|
      m = Memcached.new(servers.map { |server| distribution == :modula ? server : "#{server}:8" }, distribution: distribution)
      code = "$m = new Memcached(); $m->setOption(#{option}); $m->setOption(Memcached::OPT_HASH, Memcached::HASH_FNV1_32); " \
             "foreach (explode(',', '#{servers.join(',')}') as $s) { [$h, $p] = explode(':', $s); $m->addServer($h, (int) $p, 8); } " \
             'for ($i = 0; $i < 200; $i++) { echo $m->getServerByKey("key$i")["port"], "\n"; }'
      ports = IO.popen([PHP_COMMAND, '-r', code], &:read).split
      assert_equal ports, (0...200).map { |i| m.server_by_key("key#{i}").split(':')[1] }, distribution
    end
  end

  def test_servers_and_options
    m = Memcached.new(['127.0.0.1:11311', '127.0.0.1:11312:3'])
    assert_equal ['127.0.0.1:11311:8', '127.0.0.1:11312:3'], m.servers
    assert_predicate m.options, :frozen?
    assert_equal 604_800, m.options[:default_ttl]
    assert_equal ':nonsense is not a valid configuration parameter.', assert_raises(ArgumentError) { Memcached.new('localhost', nonsense: 1) }.message
    assert_raises(ArgumentError) { Memcached.new('localhost', hash: :nonsense) }
    assert_raises(ArgumentError) { Memcached.new(5) }
    assert_raises(Memcached::Error) { Memcached.new('127.0.0.1:1', exception_retry_limit: 1).get('key') }
  end

  def test_what_does_not_block_is_stored_all_the_same
    server = memcached
    m = Memcached.new(server, no_block: true, buffer_requests: true, noreply: true)
    250.times { |i| m.set("k#{i}", i) }
    m.delete('k7')
    assert_equal 249, m.get((0...250).map { |i| "k#{i}" }).size
    ruby("m = Memcached.new('#{server}', buffer_requests: true); m.set('last', 1)", 'leveret/memcached')
    assert_equal 1, Memcached.new(server).get('last')
  end

  def test_clone_reset_flush_and_stats
    server = memcached
    m = Memcached.new(server)
    m.set('key', 1)
    assert_equal 1, m.clone.get('key')
    m.reset
    assert_equal 1, m.get('key')
    assert_equal [1], m.stats[:curr_items]
    assert_nil m.flush
    assert_raises(Memcached::NotFound) { m.get('key') }
    assert_same m, m.quit
  end

  def test_the_wrapper_for_rails_raises_nothing
    lines = []
    logger = Object.new.tap { |log| log.define_singleton_method(:warn) { |line| lines << line } && log.define_singleton_method(:info) { |*| nil } }
    [memcached, File.join(@folder, 'rails.arena')].each do |place|
      r = Memcached::Rails.new(place, namespace: 'app', logger: logger, support_cas: true)
      assert_equal [nil, nil, false, nil, nil, false], [r.get('none'), r.read('none'), r.delete('none'), r.incr('none'), r.append('none', 'x'), r.exist?('none')]
      assert_equal true, r.set('key', [1])
      assert_equal [[1], [1], [1]], [r['key'], r.read('key'), r.fetch('key') { flunk }]
      assert_nil r.add('key', 1)
      assert_equal true, r.add('new', 1)
      assert_equal true, r.write('n', 5, raw: true, expires_in: 100)
      assert_equal [6, 8, 7], [r.incr('n'), r.increment('n', 2), r.decrement('n')]
      assert_equal '7', r.read('n', raw: true)
      assert_equal({ 'key' => [1], 'new' => 1 }, r.read_multi('key', 'new', 'none'))
      assert_equal 'made', r.fetch('f') { 'made' }
      assert_equal 'made', r['f']
      assert_equal true, (r.cas('key') { |value| value + [2] })
      assert_equal false, (r.cas('none') { 1 })
      assert_equal 'app', r.namespace
      assert r.active?
      r.clear
      assert_nil r['key']
    end
    assert_empty lines
    assert_equal false, Memcached::Rails.new('127.0.0.1:1', logger: logger, exception_retry_limit: 0).get('key')
    assert_match(/memcached error: Memcached::/, lines.last)
  end

  def test_leveret_cache_reads_it
    m = Memcached.new(File.join(@folder, 'test.arena'))
    m.set('object', { symbol: 1 })
    m.set('raw', 'text', 0, false)
    assert_equal({ 'object' => { symbol: 1 }, 'raw' => 'text' }, cache.get_multi('object', 'raw'))
    cache.set_multi('n' => 5, 'json' => [1])
    assert_equal({ 'n' => 5, 'json' => [1] }, m.get(%w[n json]))
  end
end
