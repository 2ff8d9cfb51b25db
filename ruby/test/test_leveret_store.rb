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

  def over(*servers, **options)
    ActiveSupport::Cache.lookup_store(:leveret_store, *servers, { down_retry_delay: 1 }.merge(options))
  end

  def each_store(servers: true, **options)
    yield store(**options)
    yield over(memcached, memcached, **options) if servers
    yield over(leveret_serve, **options) if servers
    yield ActiveSupport::Cache::MemoryStore.new(options)
  end

  def rails_6?
    ActiveSupport::VERSION::MAJOR < 7
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
    # Rails' middleware keeps what a request has read, also that there was nothing.
    forks = Array.new(5) { begin_fork { s.with_local_cache { s.fetch('local') { s.increment('computed in requests'); sleep 0.2; 'value' } } } }
    assert_equal ['value'], forks.map { |fork| finish(fork) }.uniq
    assert_equal 1, s.read('computed in requests')
    pid, = begin_fork { s.fetch('other') { s.write('begun', 1); sleep } }
    eventually('the computation') { s.read('begun') }
    stop(pid)
    assert_equal 'mine', s.fetch('other') { 'mine' }
  end

  def test_over_servers_one_process_computes_and_the_others_wait
    [[memcached, memcached], [leveret_serve]].each do |servers|
      s = over(*servers)
      forks = Array.new(5) { begin_fork { s.fetch('key') { s.increment('computed'); sleep 0.3; 'value' } } }
      assert_equal ['value'], forks.map { |fork| finish(fork) }.uniq
      assert_equal '1', s.read('computed', raw: true)
      threads = Array.new(5) { Thread.new { s.fetch('of threads') { s.increment('computed of threads'); sleep 0.2; nil } } }
      assert_equal [nil], threads.map(&:value).uniq
      assert_equal '1', s.read('computed of threads', raw: true)
      # What was raised, or is not kept, is for the next one.
      assert_raises(ZeroDivisionError) { s.fetch('raised') { 1 / 0 } }
      assert_equal 'second', s.fetch('raised') { 'second' }
      assert_nil s.fetch('skipped', skip_nil: true) { nil }
      assert_equal 'second', s.fetch('skipped', skip_nil: true) { 'second' }
      assert_equal 'inner', s.fetch('recursive') { s.fetch('recursive') { 'inner' } }
      # A killed one is waited for until its term is over.
      pid, = begin_fork { s.fetch('killed') { s.write('begun', 1); sleep } }
      eventually('the computation') { s.read('begun') }
      stop(pid)
      assert_equal 'mine', s.fetch('killed') { 'mine' }
      # Who took longer than the term gives nothing back that is another's.
      leases = s.cache
      slow = leases.lease('slow', 0)
      leases.delete(leases.send(:lease_key, 'slow'))
      other = Thread.new { leases.lease('slow', 0) }.value
      slow.release
      refute leases.lease('slow', 0)
      other.release
      leases.lease('slow', 0).release
      free = over(*servers, lease: false)
      assert_equal 'inner', free.fetch('free') { in_fork { free.fetch('free') { 'inner' } } }
    end
  end

  # As MemoryStore since Rails 7.1.
  def test_counting_keeps_the_end
    [store, over(memcached)].each do |s|
      s.write('versioned', 5, expires_in: 2, version: '1')
      s.write('text', '5', expires_in: 2) unless s.cache.is_a?(ActiveSupport::Cache::LeveretStore::Servers)
      assert_equal 6, s.increment('versioned')
      assert_equal 6, s.increment('text') if s.exist?('text')
      began = Time.now
      sleep 0.1 while (s.exist?('versioned') || s.exist?('text')) && Time.now - began < 30
      refute s.exist?('versioned') || s.exist?('text')
    end
  end

  def test_a_list_of_classes_stands_beside_no_reader_of_ones_own
    own = ActiveSupport.gem_version >= Gem::Version.new('7.1') ? { coder: Marshal, serializer: Marshal, compressor: Zlib } : { coder: Marshal }
    own.each do |option, reader|
      assert_match(/classes: goes without/, assert_raises(ArgumentError) { store(classes: [], option => reader) }.message)
      assert_match(/classes: goes without/, assert_raises(ArgumentError) { over('localhost:1', classes: [], option => reader) }.message)
    end
  end

  class Evil
    def marshal_dump = 1
    def marshal_load(_) = raise(NotImplementedError, 'made')
  end

  # Rails inflates and loads what has that variable, whatever it says.
  def test_an_entry_hides_no_class
    hidden = ActiveSupport::Cache::Entry.new(Zlib::Deflate.deflate(Marshal.dump(Evil.new)))
    [true, false, nil].each do |said|
      hidden.instance_variable_set(:@compressed, said)
      cache['hidden'] = hidden
      assert_nil store(classes: [Time]).read('hidden')
    end
  end

  def test_a_port_is_one
    assert_match(/port 70000 cannot be a server/, assert_raises(ArgumentError) { over('localhost:70000') }.message)
  end

  def test_delete_matched_cleanup_clear
    each_store(servers: false) do |s|
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
    spaced.write_multi('foo/1' => 1, 'foo/.2' => 2, 'bar' => 3)
    spaced.delete_matched('foo/*')
    spaced.delete_matched('ba')
    assert_equal({ 'bar' => 3 }, spaced.read_multi('foo/1', 'foo/.2', 'bar'))
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

  # Rails' own store, on Debian's Dalli and on the same servers.
  def theirs(*servers, **options)
    require 'dalli'
    Dalli.logger = Logger.new(File::NULL)
    ActiveSupport::Cache.lookup_store(:mem_cache_store, *servers, options)
  end

  def test_over_servers_its_items_are_those_of_mem_cache_store
    needs_mem_cache_store
    servers = Array.new(3) { memcached }
    [{}, { namespace: 'app' }, { pool_size: 2 }, { compress: false }].each do |options|
      stores = [over(*servers, **options), theirs(*servers, **options)]
      [stores, stores.reverse].each_with_index do |(writer, reader), i|
        values = { 'text' => "text #{i}", "a b ü % #{i}" => { a: [nil, 1.5, :ü] }, 'k' * 300 => i, 'nil' => nil, 'false' => false, 'large' => 'x' * 300_000,
                   "bytes\xff" => "\xff".b }
        values.each { |name, value| assert writer.write(name, value, expires_in: 100) }
        values.each { |name, value| value.nil? ? assert_nil(reader.read(name)) : assert_equal(value, reader.read(name), name[0, 20]) }
        assert_equal values, reader.read_multi(*values.keys)
        assert writer.write_multi('m1' => 1, 'm2' => [i])
        assert_equal({ 'm1' => 1, 'm2' => [i] }, reader.read_multi('m1', 'm2', 'm3'))
        writer.write('raw', 'bytes', raw: true)
        writer.write('count', 5, raw: true)
        assert_equal ['bytes', 6, '6', 4], [reader.read('raw', raw: true), reader.increment('count'), writer.read('count', raw: true), reader.decrement('count', 2)]
        writer.write('versioned', i, version: i)
        assert_equal [i, nil], [reader.read('versioned', version: i), reader.read('versioned', version: 'other')]
        assert_equal i, reader.fetch('versioned', version: i) { flunk }
        assert reader.delete('text')
        refute writer.exist?('text')
        refute writer.write('m1', 2, unless_exist: true)
      end
    end
  end

  def test_over_servers_with_a_coder_as_mem_cache_store
    needs_mem_cache_store
    coder = Module.new do
      def self.dump(entry) = "coded #{Marshal.dump(entry)}"
      def self.load(bytes) = bytes && Marshal.load(bytes.delete_prefix('coded '))
    end
    server = memcached
    ours, original = over(server, coder: coder), theirs(server, coder: coder)
    ours.write('ours', [1])
    original.write('theirs', [2])
    assert_equal [[1], [2]], [original.read('ours'), ours.read('theirs')]
    assert_equal({ 'ours' => [1], 'theirs' => [2] }, ours.read_multi('ours', 'theirs'))
  end

  def test_over_servers_what_only_they_can_say
    s = over(*Array.new(2) { memcached })
    assert_equal [1, 5, 3, 0], [s.increment('n'), s.increment('n', 4), s.decrement('n', 2), s.decrement('n', 9)]
    # As Rails' own store of that version.
    rails_6? ? assert_nil(s.decrement('none')) : assert_equal(0, s.decrement('none'))
    s.write('entry', 7)
    assert_equal [8, 8], [s.increment('entry'), s.read('entry').to_i]
    s.write('versioned', 1, version: 'v')
    assert_equal [2, 2], [s.increment('versioned'), s.read('versioned', version: 'v')]
    assert_equal 2, s.stats.size
    assert_raises(NotImplementedError) { s.delete_matched(/n/) }
    assert_equal true, s.cleanup
    s.write('over', 1, expires_in: 0)
    s.write('raw over', 1, expires_in: 0, raw: true)
    s.write('short', 1, expires_in: 1)
    s.write('long', 1, expires_in: 90.days)
    assert_equal [nil, nil, 1], [s.read('over'), s.read('raw over', raw: true), s.read('long')]
    eventually('the end of the entry') { s.read('short').nil? }
    assert s.clear
    assert_nil s.read('long')
  end

  def test_over_servers_that_die_the_store_forgets_and_goes_on
    s = over(memcached, memcached, socket_timeout: 0.5)
    s.write_multi((0...40).to_h { |i| ["k#{i}", i] })
    stop(@started.last)
    (0...40).each { |i| assert_includes [nil, i], s.read("k#{i}") }
    assert_operator s.read_multi(*(0...40).map { |i| "k#{i}" }).size, :>, 0
    assert s.write('k', 1)
    assert_equal 1, s.read('k')
    stop(@started.last)
    assert_equal [nil, false, false, nil, {}, 5], [s.read('k'), s.write('k', 2), s.delete('k'), s.increment('n'), s.read_multi('k'), s.fetch('k') { 5 }]
    assert_equal false, s.clear
  end

  def test_what_is_a_server_and_what_an_arena
    arena = ->(*words) { ActiveSupport::Cache.lookup_store(:leveret_store, *words, { dir: @folder, memory: 16 << 20 }).cache.is_a?(Leveret::Cache) }
    assert [['test'], ['arena:test'], ["#{@folder}/x.arena"], [nil], []].all? { |words| arena.call(*words) }
    refute [['localhost'], ['127.0.0.1'], ['cache.example.com'], ['h:11211'], ['/tmp/socket'], %w[a b], ['[::1]:5'], ['a:1,b:2']].any? { |words| arena.call(*words) }
    assert_equal '127.0.0.1:11211', over(servers: nil).cache.path unless ENV['MEMCACHE_SERVERS']
    assert_equal 'a:11211, b:5', over(servers: 'a,b:5').cache.path
    assert_raises(ArgumentError) { over('a:b:c:d') }
    assert_equal 'host:11211', over('memcached://user:password@host').cache.path
  end

  def test_a_request_sees_what_it_has_deleted_and_written
    each_store(servers: true) do |s|
      next unless s.respond_to?(:with_local_cache)

      s.with_local_cache do
        s.write_multi('a' => 1, 'b' => 2)
        assert_equal [1, 2], [s.read('a'), s.read('b')]
        s.write_multi('a' => 3)
        assert_equal 3, s.read('a')
        s.delete_multi(%w[a b])
        assert_equal [nil, nil], [s.read('a'), s.read('b')]
      end
    end
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
