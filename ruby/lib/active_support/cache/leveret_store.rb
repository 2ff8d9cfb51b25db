# frozen_string_literal: true

require 'leveret'
require 'active_support'
require 'active_support/cache'
require 'active_support/digest'
require 'active_support/core_ext/hash/keys'
require 'active_support/core_ext/array/extract_options'
require 'active_support/core_ext/enumerable'
require 'active_support/core_ext/object/blank'
# Marshal.load that loads classes on the way; since Rails 7.1 that is Zeitwerk's work.
require 'active_support/core_ext/marshal' if ActiveSupport.gem_version < Gem::Version.new('7.1')
require_relative 'leveret_store_servers'
require_relative 'leveret_store_coder' if ActiveSupport.gem_version >= Gem::Version.new('7.1')

# Rails' own.
module ActiveSupport
  # Rails' caches.
  module Cache
    # Rails' cache in the arena that all processes of the host share: a MemoryStore for every Puma worker, job and script. Or on
    # memcached servers, for several hosts.
    #
    #   config.cache_store = :leveret_store
    #   config.cache_store = :leveret_store, "arena:shop", { namespace: "shop", memory: 256.megabytes }
    #   config.cache_store = :leveret_store, "cache-1.example.com:11211", "cache-2.example.com:11211"
    #   config.cache_store = :leveret_store, { servers: ENV["CACHE_SERVERS"] }
    #
    # A bare name is an arena. A name with a port, a dot or a slash, and "localhost", is a server, unless it ends in ".arena".
    #
    # Besides Rails' options it takes those of Leveret::Cache: +dir+, +memory+, +lock_timeout+, +frozen+, +frozen_bytes+,
    # +classes+; with servers the connection options of Dalli::Client, +pool_size+ and +pool_timeout+ (with the gem
    # connection_pool).
    #
    # In an arena values are stored as Leveret::Cache stores them, so PHP and memcached clients can read them. Values with a
    # version, or with +race_condition_ttl+, are entries of Rails. Values are compressed only with <tt>compress: true</tt>. #fetch
    # computes a value in one process; the others wait for it.
    #
    # On servers keys and values are those of Rails' own :mem_cache_store, with Rails' compression, so hosts with either share
    # them. #fetch computes in one process there too: the first one adds an item "leveret:lease:DIGEST" for up to ten seconds. The
    # others wait for the value or for the end of that item: its holder deletes it, or was killed and the ten seconds are over. A
    # miss takes four more requests for that; with <tt>lease: false</tt> each process computes for itself. Counters end at 0, and
    # a missing counter is not decremented; #clear empties the servers, and #delete_matched is not supported.
    class LeveretStore < Store
      # Those that Leveret::Cache takes.
      # @private
      CACHE_OPTIONS = %i[dir memory lock_timeout frozen frozen_bytes classes].freeze
      # Since Rails 7.1 entries become bytes in formats of their own, and errors are reported.
      # @private
      HAS_FORMATS = ActiveSupport.gem_version >= Gem::Version.new('7.1')
      # Since Rails 7.0 a request's own memory keeps stored values, not entries.
      # @private
      LOCAL_CACHE_KEEPS_STORED = Strategy::LocalCache.private_method_defined?(:read_serialized_entry)
      # Bytes of a key; of a longer one the end becomes a digest. On servers it is 250.
      KEY_MAX = 1024
      MISS = Object.new.freeze
      CANNOT_BE_READ = HAS_FORMATS ? [DeserializationError].freeze : [].freeze
      private_constant :MISS, :CANNOT_BE_READ

      # A value without a version or an end of its own: the arena knows when it is over.
      # @private
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

      # Stored in place of a String made by an application's own coder.
      # @private
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

      # @return [true]
      def self.supports_cache_versioning?
        true
      end

      # The Leveret::Cache behind the store, or its servers.
      # @return [Leveret::Cache, Object]
      attr_reader :cache

      # @overload initialize(*addresses, options = {})
      #   @param addresses [Array<String>] one arena, or servers; none: the arena "default"
      #   @param options [Hash]
      #   @raise [Leveret::ArenaError] the arena cannot be opened
      #   @raise [ArgumentError] an option has no meaning, a server cannot be understood, or +classes+ stands beside a coder, serializer or
      #     compressor of one's own
      def initialize(*addresses)
        addresses = addresses.flatten
        options = addresses.extract_options!.symbolize_keys
        addresses.concat(Leveret::Servers.normalize(options[:servers])) if options[:servers]
        @on_servers = addresses.compact.size > 1 || Servers.server?(addresses.first.to_s) || options.key?(:servers)
        @has_classes = !options[:classes].nil?
        choose_coder(options)
        @leases = options.delete(:lease) { true }
        options[:skip_nil] = !options.delete(:cache_nils) if options.key?(:cache_nils)
        options[:classes] = [*options[:classes], Entry] if @has_classes
        @cache, options = @on_servers ? on_servers(addresses, options) : in_arena(addresses.first, options)
        super(options)
      end

      # Without a value there the count begins at 0, and the new value lives for +expires_in+.
      # @param name [Object] a key, as everywhere in Rails
      # @param amount [Integer]
      # @param options [Hash, nil] of Rails; +expires_in+ is in seconds
      # @return [Integer, nil] the new number; nil: it failed, which is logged and reported
      def increment(name, amount = 1, options = nil)
        count(:increment, name, amount, options)
      end

      # Takes from a number, as #increment adds to it. On servers it ends at 0.
      # @param name [Object] a key, as everywhere in Rails
      # @param amount [Integer]
      # @param options [Hash, nil] of Rails; +expires_in+ is in seconds
      # @return [Integer, nil] the new number; nil: it failed, or a server has nothing there to take from
      def decrement(name, amount = 1, options = nil)
        count(:decrement, name, -amount, options)
      end

      # Deletes what the pattern matches, a Regexp or, as of Rails' RedisCacheStore, a String with "*" and "?"; with a namespace only what
      # lies there.
      # @param matcher [Regexp, String]
      # @param options [Hash, nil] of Rails
      # @return [Integer] how many were deleted
      # @raise [NotImplementedError] on servers, which do not tell their keys
      def delete_matched(matcher, options = nil)
        return super if @on_servers

        options = merged_options(options)
        instrument(:delete_matched, matcher.inspect) do
          rescue_error_with(0) { @cache.delete_multi(@cache.keys.select(&matching(matcher, options))) }
        end
      end

      # Expired items leave the arena by themselves.
      # @param options [Hash, nil] of Rails
      # @return [true]
      def cleanup(options = nil)
        instrument(:cleanup, nil, merged_options(options)) { true }
      end

      # With a namespace, only what lies there; servers are emptied.
      # @param options [Hash, nil] of Rails
      # @return [Boolean] false: it failed, which is logged
      def clear(options = nil)
        namespace = merged_options(options)[:namespace] unless @on_servers
        return rescue_error_with(false) { @cache.clear } unless namespace

        namespace = namespace.call if namespace.respond_to?(:call)
        rescue_error_with(false) { @cache.delete_multi(@cache.keys.select { |key| key.start_with?("#{namespace}:") }) && true }
      end

      # @return [Hash] of Leveret::Cache#stats; over servers what each says, by its name
      # @raise [Leveret::Error] it cannot be asked
      def stats
        @cache.stats
      end

      # @return [String] the class, the arena or the servers, and the options, without a password
      def inspect
        "#<#{self.class.name} #{@cache.path} options=#{@options.inspect}>"
      end

      private

      # An application's own; or, on servers, what :mem_cache_store of this Rails makes of an entry. In an arena there is none.
      def choose_coder(options)
        own = options[:coder] || (HAS_FORMATS && (options[:serializer] || options[:compressor]))
        raise ArgumentError, 'classes: goes without a coder, serializer or compressor of your own: nobody would look at what those load' if own && @has_classes

        @has_coder = (own || (HAS_FORMATS && @on_servers && !options.key?(:coder))) ? true : false
        return if own || !HAS_FORMATS

        options[:coder] = nil unless @has_coder
        options[:coder] = ListedCoder.new(Leveret.class_list([*options[:classes], Entry])) if @has_coder && @has_classes
      end

      def matching(matcher, options)
        if matcher.is_a?(String)
          glob = namespace_key(matcher, options)
          return ->(key) { File.fnmatch?(glob, key, File::FNM_DOTMATCH) }
        end
        pattern = key_matcher(matcher, options)
        ->(key) { key.valid_encoding? && pattern.match?(key) }
      end

      def in_arena(name, options)
        # An entry that Rails has compressed would hide its classes.
        forced = @has_classes ? { compress: false } : {}
        [Leveret::Cache.new(name, **options.slice(*CACHE_OPTIONS)), { compress: false }.merge(options.except(*CACHE_OPTIONS), forced)]
      end

      def on_servers(addresses, options)
        forced = @has_classes ? { compress: false } : {}
        [Servers.new(addresses.compact.presence, options), options.except(:servers, *Servers::OPTIONS).merge(forced)]
      end

      def read_entry(key, **options)
        return entry_of(rescue_error_with(MISS) { @cache.get(key, MISS) }, options) unless LOCAL_CACHE_KEEPS_STORED

        deserialize_entry(read_serialized_entry(key, **options), **options)
      end

      def write_entry(key, entry, **options)
        write_serialized_entry(key, serialize_entry(entry, **options), **options)
      end

      def read_serialized_entry(key, **_options)
        rescue_error_with(MISS) { @cache.get(key, MISS) }
      end

      def write_serialized_entry(key, stored, **options)
        rescue_error_with(false) do
          options[:unless_exist] ? @cache.add(key, stored, ttl_of(options)) : @cache.set(key, stored, ttl_of(options))
        end
      end

      # The stored form of an entry. A value kept in a request's own memory must not change with the caller's object.
      def serialize_entry(entry, **options)
        # Rails itself asks with options of its own alone.
        options = merged_options(options) if HAS_FORMATS && !(options.key?(:compress) && options.key?(:compress_threshold))
        stored = form_of(entry, options)
        LOCAL_CACHE_KEEPS_STORED && local_cache ? copy_of(stored) : stored
      end

      def deserialize_entry(stored, **options)
        entry_of(LOCAL_CACHE_KEEPS_STORED && local_cache ? copy_of(stored) : stored, options)
      end

      def copy_of(stored)
        return stored if stored.equal?(MISS) || stored.is_a?(Servers::Payload) || Ractor.shareable?(stored)

        stored.instance_of?(String) ? stored.dup : Marshal.load(Marshal.dump(stored))
      end

      def delete_entry(key, **_options)
        rescue_error_with(false) { @cache.delete(key) }
      end

      def delete_multi_entries(keys, **_options)
        keys.each { |key| local_cache.delete_entry(key) } if local_cache
        rescue_error_with(0) { @cache.delete_multi(keys) }
      end

      # Over servers all at once. What the request's own memory has to know goes one by one.
      def write_multi_entries(entries, **options)
        return super if !@on_servers || local_cache || options[:unless_exist]

        rescue_error_with(false) { @cache.set_multi(entries.transform_values { |entry| form_of(entry, options) }, ttl_of(options)) }
      end

      def read_multi_entries(names, **options)
        keys = names.index_by { |name| normalize_key(name, options) }
        found = rescue_error_with({}) { @cache.get_multi(keys.keys) }
        found.each_with_object({}) do |(key, value), values|
          name = keys[key]
          entry = entry_of(value, options)
          next if entry.nil? || entry.expired? || entry.mismatched?(normalize_version(name, options))

          values[name] = entry.value
        rescue *CANNOT_BE_READ
          next
        end
      end

      def entry_of(stored, options)
        return if stored.equal?(MISS)
        return allowed(stored) if stored.is_a?(Entry)
        return stored.entry(@has_coder) { |bytes| decoded(bytes) } if @on_servers && stored.is_a?(Servers::Payload)
        return Found.new(options[:raw] && stored.is_a?(Integer) ? stored.to_s : stored) unless @has_coder

        bytes = Coded.bytes(stored)
        bytes ? decoded(bytes) : Found.new(stored)
      end

      def decoded(bytes)
        @coder.load(bytes)
      rescue *CANNOT_BE_READ
        nil
      end

      def coded(entry, options)
        return @coder.dump_compressed(entry, options[:compress_threshold]) if HAS_FORMATS && options[:compress] && @coder.respond_to?(:dump_compressed)

        @coder.dump(entry)
      end

      # With a list of classes, an entry may not load its bytes by itself.
      def allowed(entry)
        @has_classes && compressed?(entry) ? nil : entry
      end

      # As Rails checks it: whether the variable exists.
      def compressed?(entry)
        entry.instance_variable_defined?(:@compressed)
      end

      # Raw numbers are counted in place, so they are stored as numbers.
      def form_of(entry, options)
        if options[:raw]
          text = entry.value.to_s
          return text if @on_servers

          return text.match?(/\A-?(0|[1-9]\d{0,17})\z/) ? text.to_i : text
        end
        return @on_servers ? Servers::Payload.new(coded(entry, options)) : Coded.dump(coded(entry, options)) if @has_coder

        entry = entry.compressed(options[:compress_threshold]) if HAS_FORMATS && options[:compress]
        return entry if @on_servers || entry.version || options[:race_condition_ttl] || compressed?(entry) || entry.value.is_a?(Entry)

        entry.value
      end

      # What may be read a little longer than it lives has to be there a little longer: five minutes, as in Rails' other stores.
      def ttl_of(options)
        ttl = options[:expires_in]
        ttl && options[:race_condition_ttl] && !options[:raw] ? ttl.to_f + 300 : ttl&.to_f
      end

      # One process computes; the others take its value, if #read would return it.
      # Since Rails 7.1 the block also gets the key.
      def save_block_result_to_cache(name, *normalized, options)
        return super if options[:force] || !@leases

        key = normalized.first || normalize_key(name, options)
        lease = waited = false
        began = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
        until lease
          lease = rescue_error_with(nil) { @cache.lease(key, Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond) - began) }
          # Here #fetch has just extended the life of an expired entry for the others.
          break if lease && !waited && options[:race_condition_ttl]

          waited = true
          # The request's own memory still says that there is nothing.
          local_cache&.delete_entry(key)
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
        key = normalize_key(name, options)
        instrument(operation, HAS_FORMATS ? key : name, amount: amount.abs) do
          rescue_error_with(nil) do
            @cache.increment(key, amount, ttl_of(options))
          rescue Leveret::NotAnIntegerError
            count_value(key, amount, options)
          end
        end
      end

      # Counts a value that is no number in the arena, such as the text "5" or an entry with a version. The number gets the old
      # deadline.
      def count_value(key, amount, options)
        counted = left = nil
        swap = lambda do |stored|
          entry = entry_of(stored, options) or raise Leveret::NotAnIntegerError, "The value of #{key} cannot be read"
          counted = entry.value.to_i + amount
          left = entry.expires_at && [entry.expires_at - Time.now.to_f, 1].max
          form_of(Entry.new(counted, version: entry.version, expires_in: left, compress: false), options.merge(compress: false))
        end
        # false: another process has stored meanwhile; nil: it is gone.
        stored = false
        stored = @cache.cas(key, @on_servers ? -> { left } : :keep, &swap) while stored == false
        counted if stored
      end

      def normalize_key(key, options = nil)
        key = super
        return key && Servers.wire_key(key) if @on_servers

        key && key.bytesize > KEY_MAX ? "#{key.byteslice(0, KEY_MAX - 64).scrub('')}:#{ActiveSupport::Digest.hexdigest(key)}" : key
      end

      # What Rails' own would say of a String, without the questions that it asks of all keys.
      def expanded_key(key)
        key.instance_of?(String) ? key : super
      end

      def expanded_version(key)
        key.instance_of?(String) ? nil : super
      end

      # Without a namespace among them, options need not be merged to find it.
      def namespace_key(key, options = nil)
        super(key, options&.key?(:namespace) && !options.equal?(@options) ? options : nil)
      end

      def rescue_error_with(fallback)
        yield
      rescue Leveret::Error => e
        logger&.error("LeveretStore: #{e.class}: #{e.message}")
        ActiveSupport.error_reporter&.report(e, handled: true, severity: :warning, source: 'leveret_store.active_support') if HAS_FORMATS
        fallback
      end
    end
  end
end
