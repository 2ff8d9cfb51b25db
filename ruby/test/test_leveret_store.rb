# frozen_string_literal: true

require_relative 'helper'
require 'active_support'
require 'active_support/cache'
require 'active_support/notifications'
require 'active_support/core_ext/integer/time'
require 'active_support/cache/memory_store'

# ActiveSupport::Cache::LeveretStore keeps the contract of Rails' stores. What is said of a store is also said of MemoryStore, in the same
# run, where that can do it.
class TestLeveretStore < LeveretTest
  Versioned = Struct.new(:cache_key, :cache_version)

  def store(**options)
    ActiveSupport::Cache.lookup_store(:leveret_store, 'test', { dir: @folder, memory: 16 << 20 }.merge(options))
  end

  def each_store(**options)
    yield store(**options)
    yield ActiveSupport::Cache::MemoryStore.new(options)
  end

  def test_read_write_delete_exist
    each_store do |s|
      assert_nil s.read('none')
      assert s.write('key', { a: [1, nil] })
      assert_equal({ a: [1, nil] }, s.read('key'))
      assert s.exist?('key')
      assert s.write('nil', nil)
      assert_nil s.read('nil')
      assert s.exist?('nil')
      s.write('false', false)
      assert_equal false, s.read('false')
      assert s.delete('key')
      refute s.delete('key')
      refute s.exist?('key')
      assert s.write('once', 1, unless_exist: true)
      refute s.write('once', 2, unless_exist: true)
      assert_equal 1, s.read('once')
    end
  end

  def test_fetch
    each_store do |s|
      assert_equal 'made', s.fetch('key') { 'made' }
      assert_equal 'made', s.fetch('key') { flunk }
      assert_equal 'forced', s.fetch('key', force: true) { 'forced' }
      assert_equal 'forced', s.fetch('key')
      assert_raises(ArgumentError) { s.fetch('key', force: true) }
      assert_nil(s.fetch('nil') { nil })
      assert_nil(s.fetch('nil') { flunk })
      assert_nil(s.fetch('skipped', skip_nil: true) { nil })
      assert_equal 1, s.fetch('skipped', skip_nil: true) { 1 }
      assert_equal 'named key', s.fetch('named key') { |name| name }
      assert_raises(ZeroDivisionError) { s.fetch('raised') { 1 / 0 } }
      refute s.exist?('raised')
    end
  end

  def test_many
    each_store do |s|
      s.write_multi('a' => 1, 'b' => nil, 'c' => [3])
      assert_equal({ 'a' => 1, 'b' => nil, 'c' => [3] }, s.read_multi('a', 'b', 'c', 'd'))
      assert_equal({ 'a' => 1, 'd' => 'dd' }, s.fetch_multi('a', 'd') { |name| name * 2 })
      assert_equal 'dd', s.read('d')
      assert_equal 2, s.delete_multi(%w[a b none])
      assert_raises(ArgumentError) { s.fetch_multi('a') }
    end
  end

  def test_names_become_keys_as_everywhere_in_rails
    each_store do |s|
      s.write([:user, 7, { b: 2, a: 1 }], 'array')
      assert_equal 'array', s.read('user/7/a=1/b=2')
      s.write(Versioned.new('post/1', nil), 'object')
      assert_equal 'object', s.read('post/1')
      s.write('ü' * 2000, 'long')
      assert_equal 'long', s.read('ü' * 2000)
      assert_nil s.read("#{'ü' * 2000}x")
    end
  end

  def test_namespaces
    each_store(namespace: 'app') do |s|
      s.write('key', 1)
      assert_equal 1, s.read('key')
      assert_nil s.read('key', namespace: 'other')
      assert_equal 1, s.read('key', namespace: -> { 'app' })
      assert_equal({ 'key' => 1 }, s.read_multi('key', 'none'))
    end
    cache['elsewhere'] = 1
    store(namespace: 'app').clear
    assert_equal ['elsewhere'], cache.keys
  end

  def test_versions
    each_store do |s|
      old, new = Versioned.new('post', '1'), Versioned.new('post', '2')
      s.write(old, 'old')
      assert_equal 'old', s.read(old)
      assert_nil s.read(new)
      refute s.exist?(new)
      assert_equal 'old', s.read('post')
      assert_equal 'new', s.fetch(new) { 'new' }
      assert_equal 'new', s.read(new)
      s.write('key', 1, version: 1)
      assert_equal [1, nil], [s.read('key', version: 1), s.read('key', version: 2)]
      assert_equal({ new => 'new' }, s.read_multi(new))
      assert_equal({}, s.read_multi(old))
    end
  end

  def test_counting
    s = store
    assert_equal [1, 5, 3], [s.increment('n'), s.increment('n', 4), s.decrement('n', 2)]
    assert_equal 3, s.read('n')
    s.write('raw', 5, raw: true)
    assert_equal '5', s.read('raw', raw: true)
    assert_equal 6, s.increment('raw')
    s.write('text', '7')
    assert_equal 8, s.increment('text')
    assert_equal 8, s.read('text').to_i
    s.write('versioned', 1, version: 'v')
    assert_equal 2, s.increment('versioned')
    assert_equal 2, s.read('versioned', version: 'v')
    memory = ActiveSupport::Cache::MemoryStore.new
    [s, memory].each { |each| each.write('c', 1, raw: true) && assert_equal([2, 1], [each.increment('c'), each.decrement('c')]) }
  end

  def test_an_entry_ends_with_its_time
    s = store(expires_in: 1)
    s.write('key', 1)
    s.write('long', 1, expires_in: 1.hour)
    assert_equal [1, 1], [s.read('key'), s.read('long')]
    eventually('the end of the entry') { s.read('key').nil? }
    assert_equal 1, s.read('long')
    s.write('over', 1, expires_in: 0)
    assert_nil s.read('over')
  end

  def test_what_is_over_is_read_by_others_while_one_computes_it_anew
    s = store
    s.write('key', 'old', expires_in: 0.05, race_condition_ttl: 10)
    sleep 0.1
    inner = nil
    assert_equal 'new', (s.fetch('key', race_condition_ttl: 10, expires_in: 100) { inner = s.fetch('key', race_condition_ttl: 10) { flunk }; 'new' })
    assert_equal 'old', inner
    assert_equal 'new', s.read('key')
  end

  def test_one_process_computes_and_the_others_wait
    s = store
    forks = Array.new(5) { begin_fork { s.fetch('key') { s.increment('computed'); sleep 0.2; 'value' } } }
    assert_equal ['value'], forks.map { |fork| finish(fork) }.uniq
    assert_equal 1, s.read('computed')
    pid, = begin_fork { s.fetch('other') { s.write('begun', 1); sleep } }
    eventually('the computation') { s.read('begun') }
    stop(pid)
    assert_equal 'mine', s.fetch('other') { 'mine' }
  end

  def test_delete_matched_cleanup_clear
    each_store do |s|
      s.write_multi('foo/1' => 1, 'foo/2' => 2, 'bar' => 3)
      s.delete_matched(/\Afoo/)
      assert_equal({ 'bar' => 3 }, s.read_multi('foo/1', 'foo/2', 'bar'))
      s.cleanup
      assert_equal 3, s.read('bar')
      s.clear
      assert_nil s.read('bar')
    end
    spaced = store(namespace: 'app')
    spaced.write('key', 1)
    store.write('key', 2)
    spaced.delete_matched(/key/)
    assert_equal [nil, 2], [spaced.read('key'), store.read('key')]
  end

  def test_coders_compression_and_large_values
    coder = Module.new do
      def self.dump(entry) = "coded #{Marshal.dump(entry)}"
      def self.load(bytes) = Marshal.load(bytes.delete_prefix('coded '))
    end
    coded = store(coder: coder)
    coded.write('key', { a: 1 })
    assert_equal({ a: 1 }, coded.read('key'))
    assert_includes cache['key'], 'coded '
    compressing = store(compress: true)
    compressing.write('text', 'x' * 100_000)
    assert_equal 'x' * 100_000, compressing.read('text')
    assert_equal 'x' * 100_000, store.read('text')
    store.write('large', 'x' * 1_000_000)
    assert_equal 1_000_000, store.read('large').size
    refute store.write('too large', 'x' * 16_000_000)
  end

  def test_events
    events = []
    subscription = ActiveSupport::Notifications.subscribe(/cache_.*active_support/) { |name, *, payload| events << [name[/cache_\w+/], payload[:hit], payload[:store]] }
    s = store
    s.write('key', 1)
    s.read('key')
    s.read('none')
    s.fetch('key') { 2 }
    s.increment('n')
    s.delete('key')
    name = 'ActiveSupport::Cache::LeveretStore'
    assert_equal [['cache_write', nil, name], ['cache_read', true, name], ['cache_read', false, name], ['cache_read', true, name], ['cache_fetch_hit', nil, name],
                  ['cache_increment', nil, name], ['cache_delete', nil, name]], events
  ensure
    ActiveSupport::Notifications.unsubscribe(subscription)
  end

  def test_the_local_cache_of_a_request
    s = store
    s.with_local_cache do
      s.write('key', 1)
      cache['key'] = 2
      assert_equal 1, s.read('key')
    end
    assert_equal 2, s.read('key')
  end

  def test_values_are_those_of_the_arena
    s = store
    s.write('list', { 'a' => [1] })
    assert_equal({ 'a' => [1] }, cache['list'])
    assert_equal '{"a":[1]}', php('echo json_encode($cache->get("list"));')
    php('$cache->set("php", ["k" => 1.5]);')
    assert_equal({ 'k' => 1.5 }, s.read('php'))
    frozen = store(frozen: true)
    assert_same frozen.read('list'), frozen.read('list')
    assert_equal 16 << 20, s.stats[:memory_limit]
  end
end
