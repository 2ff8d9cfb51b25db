# frozen_string_literal: true

require_relative 'helper'

# Rails' own tests of what all of its stores have in common, from Debian's source package (scripts/ruby.sh fetches it), each of them once on
# an arena and once over a server.
BEHAVIORS = Dir[File.join(ENV.fetch('LEVERET_RAILS', File.join(ROOT, 'build/rails-source')), 'rails/activesupport/test/cache/behaviors/*.rb')].sort

if BEHAVIORS.empty?
  class TestRailsBehaviors < LeveretTest
    def test_rails_sources
      skip "Debian's sources of Rails are not here: see build/rails-source.log"
    end
  end
else
  require 'active_support'
  require 'active_support/test_case'
  require 'active_support/testing/method_call_assertions'
  require 'active_support/testing/time_helpers'
  require 'active_support/cache'
  require 'active_support/logger'
  require 'active_support/core_ext/numeric/bytes'
  require 'active_support/core_ext/integer/time'
  require 'active_support/notifications'
  require 'minitest/mock'
  require 'securerandom'
  BEHAVIORS.each { |file| require file }

  # What each of the stores below is tested with.
  class TestOfRails < ActiveSupport::TestCase
    include ActiveSupport::Testing::MethodCallAssertions
    include ActiveSupport::Testing::TimeHelpers

    # These stop Ruby's clock. An arena has one of its own, and so have servers for what is counted there; test_leveret_store.rb waits for
    # the real one.
    def self.without_a_stopped_clock(*modules)
      modules.flat_map(&:instance_methods).each do |name|
        file, line = instance_method(name).source_location
        body = File.readlines(file).drop(line).take_while { |text| !text.match?(/^  end/) }.join
        define_method(name) { skip 'stops the clock of Ruby, and an arena has its own' } if body.match?(/Time\.stub|travel/)
      end
    end

    # As later Rails' tests ask for one.
    def lookup_store(**options)
      new_store(**options)
    end

    # What later Rails has more, each where it is there.
    def self.include_later(*names)
      names.each { |name| include Object.const_get(name) if Object.const_defined?(name) }
    end

    def setup
      @cache = new_store(expires_in: 60)
      @peek = new_store
      @cache.clear
      @cache.logger = ActiveSupport::Logger.new(File::NULL)
    end
  end

  class TestRailsBehaviorsOfAnArena < TestOfRails
    FOLDER = Dir.mktmpdir('leveret-ruby-', '/dev/shm')
    Minitest.after_run { FileUtils.remove_entry(FOLDER) if Process.pid == MAIN_PID }

    def new_store(**options)
      ActiveSupport::Cache.lookup_store(:leveret_store, 'test', { dir: FOLDER, memory: 16 << 20 }.merge(options))
    end

    include CacheStoreBehavior
    include CacheStoreVersionBehavior
    include CacheIncrementDecrementBehavior
    include CacheDeleteMatchedBehavior
    include CacheInstrumentationBehavior
    include LocalCacheBehavior
    include EncodedKeyCacheBehavior
    include_later :AutoloadingCacheBehavior, :CacheLoggingBehavior
    without_a_stopped_clock CacheStoreBehavior, CacheStoreVersionBehavior, LocalCacheBehavior
  end

  class TestRailsBehaviorsOfServers < TestOfRails
    # One server for all of them, each of which empties it.
    def self.server
      @server ||= begin
        port = TCPServer.open('127.0.0.1', 0) { |server| server.addr[1] }
        pid = spawn('memcached', '-l', '127.0.0.1', '-p', port.to_s, '-U', '0', *(%w[-u nobody] if Process.uid.zero?), err: File::NULL)
        Minitest.after_run { Process.kill(:KILL, pid) && Process.wait(pid) if Process.pid == MAIN_PID }
        500.times { break if (TCPSocket.new('127.0.0.1', port).close || true rescue sleep(0.01) && false) }
        "127.0.0.1:#{port}"
      end
    end

    def new_store(**options)
      ActiveSupport::Cache.lookup_store(:leveret_store, self.class.server, options)
    end

    include CacheStoreBehavior
    include CacheStoreVersionBehavior
    include CacheIncrementDecrementBehavior
    include CacheInstrumentationBehavior
    include LocalCacheBehavior
    include EncodedKeyCacheBehavior
    include_later :AutoloadingCacheBehavior, :CacheLoggingBehavior, :CacheStoreCoderBehavior, :CacheStoreCompressionBehavior, :CacheStoreFormatVersionBehavior,
                  :CacheStoreSerializerBehavior

    # Debian has a msgpack for its default Ruby only.
    packed = :'test_serializer_can_be_:message_pack'
    define_method(packed) { skip 'no msgpack here' } if method_defined?(packed) && Gem::Specification.find_all_by_name('msgpack').empty?

    # As of Rails' own store of memcached: counts end at 0.
    def test_decrement
      @cache.write('foo', 3, raw: true)
      assert_equal [2, 1, 0, 0], Array.new(4) { @cache.decrement('foo') }
    end
  end
end
