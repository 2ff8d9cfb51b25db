# frozen_string_literal: true

require 'leveret'
require 'active_support'
require 'active_support/cache'
require 'active_support/digest'
require 'active_support/core_ext/hash/keys'

module ActiveSupport
  module Cache
    # Rails' cache in the arena that all processes of the host share: a MemoryStore that every Puma worker, job and script sees.
    #
    #   config.cache_store = :leveret_store
    #   config.cache_store = :leveret_store, "arena:shop", { namespace: "shop", memory: 256.megabytes }
    #
    # Besides Rails' options it takes those of Leveret::Cache: +dir+, +memory+, +lock_timeout+, +frozen+, +frozen_bytes+.
    #
    # Values are stored as Leveret::Cache stores them, so PHP and memcached's clients see what they can read. Those with a version, or
    # that may be read a little longer than they live (+race_condition_ttl+), are entries of Rails. Nothing is compressed unless
    # <tt>compress: true</tt> says so. #fetch computes a value in one process; the others wait for it.
    class LeveretStore < Store
      CACHE_OPTIONS = %i[dir memory lock_timeout frozen frozen_bytes].freeze
      KEY_MAX = 1024
      MISS = Object.new.freeze
      private_constant :MISS

      # A value without a version or an end of its own: the arena knows when it is over.
      class Found < Entry # :nodoc:
        attr_reader :value

        def initialize(value)
          @value = value
        end

        def expired?
          false
        end

        def mismatched?(_version)
          false
        end
      end

      # What is stored in place of a String that an application's own coder has made.
      module Coded # :nodoc:
        MARK = "\0leveret coded\0".b.freeze

        def self.dump(bytes)
          MARK + bytes.b
        end

        def self.bytes(value)
          value.byteslice(MARK.bytesize..) if value.is_a?(String) && value.b.start_with?(MARK)
        end
      end

      prepend Strategy::LocalCache

      def self.supports_cache_versioning?
        true
      end

      # The Leveret::Cache behind the store.
      attr_reader :cache

      def initialize(arena = nil, options = nil)
        arena, options = nil, arena if arena.is_a?(Hash)
        options = (options || {}).symbolize_keys
        @has_coder = options.key?(:coder)
        @cache = Leveret::Cache.new(arena, **options.slice(*CACHE_OPTIONS))
        super({ compress: false }.merge(options.except(*CACHE_OPTIONS)))
      end

      # Without a value there the count begins at 0, and the new value lives for +expires_in+.
      def increment(name, amount = 1, options = nil)
        count(:increment, name, amount, options)
      end

      def decrement(name, amount = 1, options = nil)
        count(:decrement, name, -amount, options)
      end

      # Deletes what the pattern matches; with a namespace only what lies there.
      def delete_matched(matcher, options = nil)
        options = merged_options(options)
        instrument(:delete_matched, matcher.inspect) do
          pattern = key_matcher(matcher, options)
          rescue_error_with(0) { @cache.delete_multi(@cache.keys.select { |key| key.valid_encoding? && pattern.match?(key) }) }
        end
      end

      # Whatever is over leaves the arena by itself.
      def cleanup(options = nil)
        instrument(:cleanup, nil, merged_options(options)) { true }
      end

      # With a namespace, only what lies there.
      def clear(options = nil)
        namespace = merged_options(options)[:namespace]
        return rescue_error_with(false) { @cache.clear } unless namespace

        namespace = namespace.call if namespace.respond_to?(:call)
        rescue_error_with(false) { @cache.delete_multi(@cache.keys.select { |key| key.start_with?("#{namespace}:") }) && true }
      end

      def stats
        @cache.stats
      end

      def inspect
        "#<#{self.class.name} #{@cache.path} options=#{@options.inspect}>"
      end

      private

      def read_entry(key, **options)
        entry_of(rescue_error_with(MISS) { @cache.get(key, MISS) }, options)
      end

      def write_entry(key, entry, **options)
        rescue_error_with(false) do
          stored = form_of(entry, options)
          options[:unless_exist] ? @cache.add(key, stored, ttl_of(options)) : @cache.set(key, stored, ttl_of(options))
        end
      end

      def delete_entry(key, **_options)
        rescue_error_with(false) { @cache.delete(key) }
      end

      def delete_multi_entries(keys, **_options)
        rescue_error_with(0) { @cache.delete_multi(keys) }
      end

      def read_multi_entries(names, **options)
        keys = names.index_by { |name| normalize_key(name, options) }
        found = rescue_error_with({}) { @cache.get_multi(keys.keys) }
        found.each_with_object({}) do |(key, value), values|
          name = keys[key]
          entry = entry_of(value, options)
          next if entry.nil? || entry.expired? || entry.mismatched?(normalize_version(name, options))

          values[name] = entry.value
        end
      end

      def entry_of(stored, options)
        return if stored.equal?(MISS)
        return stored if stored.is_a?(Entry)
        return Found.new(options[:raw] && stored.is_a?(Integer) ? stored.to_s : stored) unless @has_coder

        bytes = Coded.bytes(stored)
        bytes ? deserialize_entry(bytes) : Found.new(stored)
      end

      # Raw numbers are counted in place, so they are stored as numbers.
      def form_of(entry, options)
        if options[:raw]
          text = entry.value.to_s
          return text.match?(/\A-?(0|[1-9]\d{0,17})\z/) ? text.to_i : text
        end
        return Coded.dump(serialize_entry(entry)) if @has_coder
        return entry if entry.version || options[:race_condition_ttl] || options[:compress] || entry.value.is_a?(Entry)

        entry.value
      end

      # What may be read a little longer than it lives has to be there a little longer: five minutes, as in Rails' other stores.
      def ttl_of(options)
        ttl = options[:expires_in]
        ttl && options[:race_condition_ttl] && !options[:raw] ? ttl.to_f + 300 : ttl&.to_f
      end

      # One process computes; whoever waits takes its value, if that is one that #read would give.
      def save_block_result_to_cache(name, options)
        return super if options[:force]

        key = normalize_key(name, options)
        lease = waited = false
        began = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
        until lease
          lease = rescue_error_with(nil) { @cache.lease(key, Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond) - began) }
          # Here #fetch has just prolonged the life of what was over, for the others.
          break if lease && !waited && options[:race_condition_ttl]

          waited = true
          entry = read_entry(key, **options)
          return get_entry_value(entry, name, options) if entry && !entry.expired? && !entry.mismatched?(normalize_version(name, options))
          break if lease.nil?
        end
        super
      ensure
        lease.release if lease
      end

      def count(operation, name, amount, options)
        options = merged_options(options)
        instrument(operation, name, amount: amount.abs) do
          key = normalize_key(name, options)
          rescue_error_with(nil) do
            @cache.increment(key, amount, ttl_of(options))
          rescue Leveret::NotAnIntegerError
            count_value(key, amount, options)
          end
        end
      end

      # What is no number in the arena, as the text "5" or an entry with a version.
      def count_value(key, amount, options)
        counted = nil
        swap = lambda do |stored|
          entry = entry_of(stored, options)
          counted = entry.value.to_i + amount
          entry.version ? Entry.new(counted, version: entry.version, compress: false) : counted
        end
        # false: somebody else has stored meanwhile; nil: it is gone.
        nil while @cache.cas(key, ttl_of(options), &swap) == false
        counted
      end

      def normalize_key(key, options = nil)
        key = super
        key && key.bytesize > KEY_MAX ? "#{key.byteslice(0, KEY_MAX - 64).scrub('')}:#{ActiveSupport::Digest.hexdigest(key)}" : key
      end

      def rescue_error_with(fallback)
        yield
      rescue Leveret::Error => e
        logger&.error("LeveretStore: #{e.class}: #{e.message}")
        fallback
      end
    end
  end
end
