# frozen_string_literal: true

require 'leveret'
require 'leveret/servers'
require 'securerandom'
require 'zlib'

module ActiveSupport
  module Cache
    class LeveretStore < Store
      # What the store asks of a Leveret::Cache, asked of memcached servers: with the keys, the bytes and the flags of :mem_cache_store.
      # @private
      class Servers # :nodoc:
        Pool = Leveret::Pool
        # Of Dalli::Client, and ours.
        OPTIONS = %i[socket_timeout down_retry_delay failover keepalive sndbuf rcvbuf short_cut protocol dir memory pool pool_size pool_timeout
                     classes username password tls ssl_context].freeze
        MARSHAL = 1
        ZLIB = 2
        THIRTY_DAYS = 30 * 24 * 60 * 60
        KEY_MAX = 250
        MISS = Object.new.freeze
        UNSAYABLE = /[\x00-\x20%\x7F-\xFF]/n

        # A String that was marshalled: a coder's work, or a client's without Rails.
        # @private
        Payload = Struct.new(:bytes) do
          def entry(is_coded)
            is_coded ? yield(bytes) : Found.new(bytes)
          end

          def bytesize
            bytes.bytesize
          end
        end

        def self.server?(address)
          !address.start_with?('arena:') && !address.end_with?('.arena') && (address == 'localhost' || address.match?(%r{[:./]}))
        end

        # As the :mem_cache_store of this Rails.
        DIGEST_MARK = ActiveSupport.gem_version >= Gem::Version.new('7.1') ? ':hash:' : ':md5:'

        # Result of decrementing a missing counter: since Rails 7.1 it is stored.
        DECREMENT_FROM = ActiveSupport.gem_version >= Gem::Version.new('7.1') ? 0 : nil

        def self.wire_key(key)
          key = key.b.gsub(UNSAYABLE) { |byte| "%#{byte.ord.to_s(16).upcase}" }
          return key if key.size <= KEY_MAX

          digest = ActiveSupport::Digest.hexdigest(key)
          "#{key[0, KEY_MAX - DIGEST_MARK.size - digest.size]}#{DIGEST_MARK}#{digest}"
        end

        def initialize(addresses, options)
          @servers = Leveret::Servers.parse(addresses)
          @allowed = Leveret.class_list(options[:classes])
          sizes = { size: options[:pool_size], timeout: options[:pool_timeout] }.compact
          # Rails 7.1's word for the same.
          sizes = { size: 5, timeout: 5 }.merge(options[:pool].is_a?(Hash) ? options[:pool] : {}) if options[:pool]
          return @pool = Leveret::Servers.pool(self, @servers, options, @allowed) if sizes.empty?

          require 'connection_pool'
          @pools = ConnectionPool.new(**sizes) { Leveret::Servers.pool(self, @servers, options, @allowed) }
        end

        def get(key, miss)
          with { |pool| pool.get(key, miss) }
        end

        def get_multi(keys)
          answers = with { |pool| pool.get_multi(keys, false) }
          keys.zip(answers).each_with_object({}) { |(key, answer), found| found[key] = answer.first if answer }
        rescue Leveret::UnmarshalError
          readable(keys)
        end

        def set(key, value, ttl)
          store(Pool::SET, key, value, ttl)
        end

        def add(key, value, ttl)
          store(Pool::ADD, key, value, ttl)
        end

        def set_multi(values, ttl)
          return delete_multi(values.keys) if over?(ttl)

          with { |pool| pool.set_multi(values.map { |key, value| [key, *form(value)] }, exptime(ttl)) }
        end

        def delete(key)
          with { |pool| pool.delete(key, 0) }
        end

        def delete_multi(keys)
          with { |pool| pool.delete_multi(keys) }
        end

        def increment(key, amount, ttl)
          operation, initial = amount.negative? ? [Pool::DECREMENT, DECREMENT_FROM] : [Pool::INCREMENT, amount]
          with { |pool| pool.count(operation, key, amount.abs, initial, exptime(ttl)) }
        rescue Pool::Refused => e
          raise Leveret::NotAnIntegerError, e.message
        end

        # As Leveret::Cache#cas; +ttl+ is asked for when the block has been called.
        def cas(key, ttl)
          value, version = with { |pool| pool.get_cas(key) }
          return if version.nil?

          bytes, flags = form(yield(value))
          stored = with { |pool| pool.store(Pool::CAS, key, bytes, flags, exptime(ttl.call), version) }
          stored ? true : stored
        end

        # The right to compute the value of a key is an item beside it, which belongs to the client that added it. It expires if
        # its holder was killed, or takes longer.
        LEASE_SECS = 10
        # Interval between two looks of a waiting client.
        LOOK_MS = (5..50).freeze

        # @private
        class Lease # :nodoc:
          def initialize(servers, key, token)
            @servers, @key, @token = servers, key, token
          end

          def release
            @servers.give_back(@key, @token)
          end
        end

        # As Leveret::Cache#lease: a Lease: compute; false: another client computes, and a moment has passed; nil: compute without
        # one, since the other takes too long, or is this thread itself.
        def lease(key, waited_ms)
          return if waited_ms >= LEASE_SECS * 1000 || held.include?(key)

          token = SecureRandom.alphanumeric
          unless with { |pool| pool.store(Pool::ADD, lease_key(key), token, 0, LEASE_SECS, 0) }
            sleep(waited_ms.clamp(LOOK_MS) / 1000.0)
            return false
          end

          held << key
          Lease.new(self, key, token)
        end

        # Not the lease of another client, which took it after this one's term. If the server is gone, so is the lease.
        def give_back(key, token)
          held.delete(key)
          with do |pool|
            found, version = pool.get_cas(lease_key(key))
            pool.delete(lease_key(key), version) if found == token
          end
        rescue Leveret::Error
          nil
        end

        def clear
          left = @servers.each_index.reject { |index| with { |pool| pool.ask_server(index, Pool::FLUSH, '', 0) } }
          raise Pool::Failed, "#{left.map { |index| @servers[index].name }.join(', ')} was not emptied" if left.any?

          true
        end

        def stats
          @servers.each_with_index.to_h { |server, index| [server.name, with { |pool| pool.ask_server(index, Pool::STATS, '', 0) }] }
        end

        def path
          @servers.map(&:name).join(', ')
        end

        # Called by Leveret::Pool for bytes whose flags are not 0.
        def retrieve(bytes, flags)
          bytes = Zlib::Inflate.inflate(bytes) if flags & ZLIB != 0
          return bytes if flags & MARSHAL == 0

          value = Leveret.load(bytes, @allowed)
          value.is_a?(String) ? Payload.new(value) : value
        rescue Zlib::Error => e
          raise Leveret::UnmarshalError, e.message
        end

        private

        # The keys that this thread computes.
        def held
          Thread.current[:leveret_store_leases] ||= []
        end

        def lease_key(key)
          "leveret:lease:#{ActiveSupport::Digest.hexdigest(key)}"
        end

        # One by one: what cannot be read is missing, and no other.
        def readable(keys)
          keys.each_with_object({}) do |key, found|
            value = get(key, MISS)
            found[key] = value unless value.equal?(MISS)
          rescue Leveret::UnmarshalError
            next
          end
        end

        def with(&block)
          @pools ? @pools.with(&block) : yield(@pool)
        end

        def form(value)
          return [value.to_s, 0] if value.is_a?(String) || value.is_a?(Integer)

          [Marshal.dump(value.is_a?(Payload) ? value.bytes : value), MARSHAL]
        end

        def store(operation, key, value, ttl)
          if over?(ttl)
            delete(key)
            return true
          end

          bytes, flags = form(value)
          with { |pool| pool.store(operation, key, bytes, flags, exptime(ttl), 0) } ? true : false
        end

        def over?(ttl)
          ttl && ttl <= 0
        end

        # Whole seconds; beyond the protocol's thirty days a Unix time.
        def exptime(ttl)
          seconds = ttl ? ttl.ceil : 0
          seconds > THIRTY_DAYS ? Time.now.to_i + seconds : seconds
        end
      end
    end
  end
end
