# frozen_string_literal: true

module Dalli
  # Reads that say more than the value, and one computation for all clients.
  class Client
    # The value, and what else the server says about it: a Hash of :value, :cas, :won_recache (it is to this client to make the value
    # anew), :lost_recache (another one has begun to) and :stale; :hit_before, :last_access and :ttl_remaining (in seconds; -1: it has
    # no end) where +return_hit_status+, +return_last_access+ and +return_ttl_remaining+ ask for them. +vivify_ttl+ puts an empty item
    # in the place of a missing one, for so many seconds, and lets one client win; +recache_ttl+ lets one win when fewer seconds than
    # these are left; +skip_lru_bump+ leaves no trace of the read.
    #
    # An arena without a server knows the first two alone.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param options [Hash]
    # @return [Hash{Symbol => Object}]
    # @raise [DalliError] the server has no meta commands, a password is given, or an arena is asked for more
    # @raise [UnmarshalError] the value cannot be read
    # @raise [RingError] the server cannot be asked
    def get_with_metadata(key, options = {})
      key = wire_key(key)
      with_server(key) { |server| server.arena? ? metadata_in_arena(key, options) : metadata_on(server, key, options || {}) }
    end

    # The value; where there is none, or less than +recache_threshold+ seconds are left of it, one client computes it. Until it has, and
    # for at most +lock_ttl+ seconds, the others get the old value, or nil. On an arena they wait for the new one.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param lock_ttl [Integer] seconds
    # @param recache_threshold [Integer, nil] seconds
    # @param req_options [Hash, nil] options of #get and #set
    # @yieldreturn [Object] the value to store
    # @return [Object, nil]
    # @raise [ArgumentError] there is no block, or the key is empty
    # @raise [DalliError] as #get_with_metadata and #set
    def fetch_with_lock(key, ttl: nil, lock_ttl: 30, recache_threshold: nil, req_options: nil, &block)
      raise ArgumentError, 'Block is required for fetch_with_lock' unless block

      options = (req_options || {}).merge(vivify_ttl: lock_ttl, recache_ttl: recache_threshold)
      wire = wire_key(key)
      found = with_server(wire) do |server|
        return fetch_with_lease(server, key, ttl, req_options, &block) if server.arena?

        metadata_on(server, wire, options)
      end
      found[:won_recache] ? compute(key, found, ttl, req_options, &block) : found[:value]
    end

    private

    # The block gets the server that #get would use now. A server that does not answer backs off, for all calls of this client,
    # for at least a second: until then the next server has its keys.
    def with_server(key)
      asked = []
      while (index = @pool.route(key)) && !asked.include?(index)
        begin
          return yield @servers[index]
        rescue Metadata::Unreachable
          @pool.rest(index, [@options.fetch(:down_retry_delay, 30).ceil, 1].max)
          asked << index
        end
      end
      raise RingError, 'No server available'
    end

    def metadata_on(server, key, options)
      if Leveret::Servers.credentials(server, @options)
        raise DalliError, "#{server.name}: who gives a password (SASL) speaks the binary protocol, which has no metadata"
      end

      if Leveret::Servers.secured(server, @options).start_with?(Leveret::Tls::SCHEME)
        raise DalliError, "#{server.name}: metadata are not asked for by TLS"
      end

      metadata_of(Metadata.ask(@sockets, server, key, options), options)
    end

    def metadata_in_arena(key, options)
      asked = %i[vivify_ttl recache_ttl return_hit_status return_last_access return_ttl_remaining].select { |name| options && options[name] }
      raise DalliError, "An arena without a server has no #{asked.join(', ')}: ask a leveret serve on it" unless asked.empty?

      value, cas = guard { @pool.get_cas(key) } || [miss_for(options), 0]
      { value: value, cas: cas, won_recache: false, stale: false, lost_recache: false }
    end

    def metadata_of(answer, options)
      found = answer.slice(:cas, :won_recache, :stale, :lost_recache)
      found[:hit_before] = answer[:hit_before] if options[:return_hit_status]
      found[:last_access] = answer[:last_access] if options[:return_last_access]
      found[:ttl_remaining] = answer[:ttl_remaining] if options[:return_ttl_remaining]
      found.merge(value: answer[:bytes] ? value_of(answer[:bytes], answer[:flags]) : miss_for(options))
    end

    def value_of(bytes, flags)
      flags &= Values::SERIALIZED | Values::COMPRESSED
      return @values.retrieve(bytes, flags) unless flags.zero?

      bytes.ascii_only? ? bytes.force_encoding(Encoding::UTF_8) : bytes
    end

    def miss_for(options)
      options && options[:cache_nils] ? NOT_FOUND : nil
    end

    # The empty item of a computation that failed goes, so that the next client may try.
    def compute(key, found, ttl, options)
      value = yield
      set(key, value, ttl, options)
      stored = true
      value
    ensure
      delete_cas(key, found[:cas]) unless stored || found[:value]
    end

    def fetch_with_lease(server, key, ttl, options)
      wire = wire_key(key)
      @leases ||= {}
      arena = @leases[server] ||= Leveret::Cache.new(server.host, dir: @options[:dir], memory: @options[:memory] || Leveret::Cache::MEMORY)
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
      loop do
        value = guard { @pool.get(wire, NOT_FOUND) }
        return value unless value.equal?(NOT_FOUND)

        lease = guard { arena.lease(wire, Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond) - began) }
        next if lease == false

        begin
          value = yield
          set(key, value, ttl, options)
          return value
        ensure
          lease&.release
        end
      end
    end
  end
end
