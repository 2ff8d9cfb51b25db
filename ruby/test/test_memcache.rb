# frozen_string_literal: true

require_relative 'helper'
require 'leveret/memcache'

# The class MemCache of memcache-client, its documented calls, on each kind of server. Its ring is Dalli's, held in test_dalli.rb.
class TestMemCache < LeveretTest
  def each_place(**options)
    [memcached, File.join(@folder, 'client.arena'), leveret_serve].each { |place| yield MemCache.new(place, options) }
  end

  def test_stores_answer_with_the_servers_line
    each_place do |m|
      assert_equal "STORED\r\n", m.set('key', { a: 1 })
      assert_equal({ a: 1 }, m.get('key'))
      assert_equal "NOT_STORED\r\n", m.add('key', 2)
      assert_equal "STORED\r\n", m.add('new', 2)
      assert_equal ["NOT_STORED\r\n", "STORED\r\n"], [m.replace('none', 1), m.replace('new', 3)]
      assert_equal ["DELETED\r\n", "NOT_FOUND\r\n"], [m.delete('new'), m.delete('new', 5)]
      assert_nil m.get('new')
      m['key'] = nil
      assert_nil m['key']
    end
  end

  def test_raw_values_are_joined_and_counted
    each_place do |m|
      m.set('r', 'b', 0, true)
      assert_equal ["STORED\r\n", "STORED\r\n", "NOT_STORED\r\n"], [m.append('r', 'c'), m.prepend('r', 'a'), m.append('none', 'x')]
      assert_equal 'abc', m.get('r', true)
      assert_raises(MemCache::MemCacheError) { m.get('r') }
      m.set('n', 5, 0, true)
      assert_equal [6, 16, 0, nil], [m.incr('n'), m.incr('n', 10), m.decr('n', 100), m.incr('none')]
      m.set('object', [])
      error = assert_raises(MemCache::MemCacheError) { m.incr('object') }
      assert_equal 'cannot increment or decrement non-numeric value', error.message
    end
  end

  def test_many_keys_fetch_and_cas
    each_place do |m|
      50.times { |i| m.set("k#{i}", i) }
      assert_equal (0...50).to_h { |i| ["k#{i}", i] }, m.get_multi((0...60).map { |i| "k#{i}" })
      m.set('r', 'raw', 0, true)
      assert_equal({ 'r' => 'raw' }, m.get_multi('r', 'none', raw: true))
      assert_equal %w[made made], [m.fetch('f') { 'made' }, m.fetch('f') { 'again' }]
      assert_equal "STORED\r\n", (m.cas('k1') { |value| value + 10 })
      assert_equal 11, m['k1']
      assert_nil(m.cas('none') { 1 })
      assert_equal "EXISTS\r\n", (m.cas('k1') { m.set('k1', 5) && 6 })
      assert_equal 5, m['k1']
    end
  end

  def test_keys
    server = memcached
    m = MemCache.new(server, namespace: 'app')
    m.set('key', 1)
    assert_equal 1, MemCache.new(server).get('app:key')
    assert_equal({ 'key' => 1 }, m.get_multi('key'))
    assert_raises(ArgumentError) { m.get('a b') }
    assert_raises(ArgumentError) { m.get('k' * 250) }
    assert_raises(ArgumentError) { MemCache.new(server).get('') }
    fixing = MemCache.new(server, autofix_keys: true)
    fixing.set('a b' * 100, 'fixed')
    assert_equal 'fixed', MemCache.new(server).get("#{Digest::SHA1.hexdigest('a b' * 100)}-autofixed")
  end

  def test_options_and_errors
    server = memcached
    readonly = MemCache.new(server, readonly: true)
    assert_equal 'Update of readonly cache', assert_raises(MemCache::MemCacheError) { readonly.set('key', 1) }.message
    assert readonly.readonly?
    m = MemCache.new(server)
    assert_equal 'Value too large, memcached can only store 1MB of data per key', assert_raises(MemCache::MemCacheError) { m.set('key', 'x' * 1_100_000) }.message
    silent = MemCache.new(server, no_reply: true)
    assert_nil silent.set('key', 1)
    eventually('the set') { m.get('key') == 1 }
    assert_raises(MemCache::MemCacheError) { MemCache.new.get('key') }
    assert_raises(MemCache::MemCacheError) { MemCache.new('127.0.0.1:1').get('key') }
    assert_raises(ArgumentError) { MemCache.new(5) }
    refute MemCache.new.active?
    assert_equal '<MemCache: 1 servers, ns: nil, ro: false>', m.inspect
    assert_kind_of Integer, m.stats[server]['curr_items']
    assert m.servers.first.alive?
    m.flush_all
    assert_nil m.get('key')
    m.reset
    assert_nil m.get('key')
  end

  def test_leveret_cache_reads_it
    MemCache.new(File.join(@folder, 'test.arena')).set('object', { symbol: 1 })
    assert_equal({ symbol: 1 }, cache['object'])
  end
end
