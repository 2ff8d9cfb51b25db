# frozen_string_literal: true

require 'timeout'

module Dalli
  # The client of the gem dalli. Its own documentation describes the methods; this page has only the differences.
  #
  # Further options: +dir+ (the folder of arenas), +memory+ (bytes of a new arena, if a server is an arena), +short_cut+ (false:
  # requests to a <tt>leveret serve</tt> of this host go through its socket as to any other server), +classes+ (classes, modules
  # or their names: the only ones that Marshal data may name; others raise UnmarshalError before any object is created), +tls+
  # (for servers named <tt>tls://host</tt>, a Hash with some of +ca_file+, +peer_name+, +certificate+, +key+, +verify+).
  class Client
    Pool = Leveret::Pool
    private_constant :Pool

    # Seconds that the protocol takes as such; a larger number is a moment.
    # @private
    THIRTY_DAYS = 30 * 24 * 60 * 60

    # As a client is made, its servers are parsed and nothing is opened.
    # @param servers [String, Array<String>, nil] "host:port:weight", "/socket", "memcached://user:password@host", "arena:NAME",
    #   several with commas between; nil: $MEMCACHE_SERVERS, else 127.0.0.1:11211
    # @param options [Hash] of Dalli, and those above; times are in seconds: +expires_in+, +socket_timeout+ (1), +down_retry_delay+ (30)
    # @raise [DalliError] a server cannot be understood
    # @raise [ArgumentError] an option has no meaning
    def initialize(servers = nil, options = {})
      @servers = Leveret::Servers.parse(servers, DalliError)
      @options = normalize_options(options)
      @keys = KeyManager.new(@options)
      @values = Values.new(@options)
      @cache_nils = @options[:cache_nils]
      @miss = nil
      @sockets = Metadata::Sockets.new(@options.fetch(:socket_timeout, 1))
      @pool = Leveret::Servers.pool(@values, @servers, @options, @values.allowed)
    end

    # --- reading ---

    # The value of a key.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param options [Hash, nil] <tt>cache_nils: true</tt>: NOT_FOUND for a miss
    # @return [Object, nil] nil: a miss
    # @raise [UnmarshalError] it cannot be read
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def get(key, options = nil)
      @pool.get(wire_key(key), options.is_a?(Hash) && options[:cache_nils] ? NOT_FOUND : nil)
    rescue Leveret::Error => e
      translate(e)
    end

    # The value of a key, which is given another end.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @return [Object, nil] nil: a miss
    # @raise [UnmarshalError] it cannot be read
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def gat(key, ttl = nil)
      guard { @pool.gat(wire_key(key), exptime(ttl), nil) }
    end

    # The values of many keys, of all servers at once. A server that fails counts as a miss.
    # @param keys [Array<String, Symbol>] also in arrays; nil is left out
    # @yieldparam key [String]
    # @yieldparam value [Object]
    # @return [Hash{String => Object}] what was found, by the keys without the namespace
    # @raise [UnmarshalError] a value cannot be read
    # @raise [ArgumentError] a key is empty
    def get_multi(*keys)
      keys.flatten!
      keys.compact!
      found = found_of(keys, false)
      return found.transform_values(&:first) unless block_given?

      found.each { |key, (value)| yield key, value }
    end

    # The value of a key and its version.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @yieldparam value [Object, nil]
    # @yieldparam cas [Integer]
    # @return [Array(Object, Integer), Object] nil and 0 for a miss; what the block gives, where there is one
    # @raise [UnmarshalError] it cannot be read
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def get_cas(key)
      value, cas = guard { @pool.get_cas(wire_key(key)) } || [nil, 0]
      block_given? ? yield(value, cas) : [value, cas]
    end

    # The values of many keys and their versions.
    # @param keys [Array<String, Symbol>] also in arrays
    # @yieldparam key [String]
    # @yieldparam found [Array(Object, Integer)]
    # @return [Hash{String => Array(Object, Integer)}] what was found
    # @raise [UnmarshalError] a value cannot be read
    # @raise [ArgumentError] a key is empty
    def get_multi_cas(*keys, &block)
      found = found_of(keys.flatten, true)
      block ? found.each(&block) : found
    end

    # The value of a key; where there is none, that of the block, which is added. Several processes may compute: see #fetch_with_lock.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @yieldreturn [Object] the value to store
    # @return [Object, nil]
    # @raise [UnmarshalError] what is there cannot be read
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def fetch(key, ttl = nil, options = nil)
      options = (options || {}).merge(cache_nils: true) if @cache_nils
      value = get(key, options)
      if not_found?(value) && block_given?
        value = yield
        add(key, value, ttl_or_default(ttl), options)
      end
      value
    end

    # @return [Boolean] whether #get means a miss by this value
    def not_found?(value)
      @cache_nils ? value.equal?(NOT_FOUND) : value.nil?
    end

    # @return [Boolean, nil] the option: nil is a value
    def cache_nils
      @options[:cache_nils]
    end

    # --- storing ---

    # Stores a value unconditionally.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param value [Object]
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @return [Integer, false, nil] the version (cas) of what is stored; false: it was not; nil in a #quiet block
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def set(key, value, ttl = nil, options = nil)
      write(Pool::SET, key, value, ttl, options)
    end

    # Stores a value where there is none.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param value [Object]
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @return [Integer, false, nil] the version (cas) of what is stored; false: it was not; nil in a #quiet block
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def add(key, value, ttl = nil, options = nil)
      write(Pool::ADD, key, value, ttl, options)
    end

    # Stores a value in place of one that is there.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param value [Object]
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @return [Integer, false, nil] the version (cas) of what is stored; false: it was not; nil: there is nothing, or a #quiet block
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def replace(key, value, ttl = nil, options = nil)
      write(Pool::REPLACE, key, value, ttl, options)
    end

    # Pipelined, over all servers at once.
    # @param hash [Hash{String, Symbol => Object}]
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @return [Integer, nil] how many were stored; nil for an empty Hash
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def set_multi(hash, ttl = nil, options = nil)
      return if hash.empty?

      rows = hash.map do |key, value|
        key = wire_key(key)
        [key, *@values.store(key, value, options)]
      end
      guard { @pool.set_multi(rows, exptime(ttl)) }
    end

    # Joins bytes to the end of a value that was stored raw.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param value [#to_s]
    # @return [Boolean, nil] false: there is nothing; nil in a #quiet block
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def append(key, value)
      join(Pool::APPEND, key, value)
    end

    # Joins bytes to the beginning of a value that was stored raw.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param value [#to_s]
    # @return [Boolean, nil] false: there is nothing; nil in a #quiet block
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def prepend(key, value)
      join(Pool::PREPEND, key, value)
    end

    # Deletes an item.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @return [Boolean, nil] whether it was there; nil in a #quiet block
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def delete(key)
      return @pool.delete_quietly(wire_key(key)) && nil if quiet?

      guard { @pool.delete(wire_key(key), 0) }
    end

    # Deletes what still is that version.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param cas [Integer] 0: any version
    # @return [Boolean] whether it was deleted
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def delete_cas(key, cas = 0)
      guard { @pool.delete(wire_key(key), cas) }
    end

    # Deletes many items, on all servers at once.
    # @param keys [Array<String, Symbol>]
    # @return [Integer] how many were there
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def delete_multi(keys)
      guard { @pool.delete_multi(keys.map { |key| wire_key(key) }) }
    end

    # Gives an item another end.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @return [true, nil] nil: there is nothing
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def touch(key, ttl = nil)
      guard { @pool.touch(wire_key(key), exptime(ttl)) } || nil
    end

    # --- versions ---

    # Stores what the block makes of the value, unless another one was stored meanwhile.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @yieldparam value [Object]
    # @yieldreturn [Object] what is to be there
    # @return [Integer, false, nil] the new version; false: another client was faster; nil: there is nothing, and the block was not called
    # @raise [UnmarshalError] what is there cannot be read
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def cas(key, ttl = nil, options = nil, &block)
      swap(key, ttl, options, always: false, &block)
    end

    # As #cas, but the block is called with nil where there is nothing.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @yieldparam value [Object, nil]
    # @yieldreturn [Object] what is to be there
    # @return [Integer, false, nil] the new version; false: another client was faster
    # @raise [UnmarshalError] what is there cannot be read
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def cas!(key, ttl = nil, options = nil, &block)
      swap(key, ttl, options, always: true, &block)
    end

    # Stores a value in place of this version.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param value [Object]
    # @param cas [Integer] 0: unconditionally
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @return [Integer, false, nil] the new version; false: another version is there; nil: there is nothing
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def set_cas(key, value, cas, ttl = nil, options = nil)
      write_cas(key, value, cas, ttl, options)
    end

    # As #set_cas.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param value [Object]
    # @param cas [Integer] 0: unconditionally
    # @param ttl [#to_i, nil] seconds; 0: no end; nil: the option +expires_in+, else no end
    # @param options [Hash, nil] <tt>raw: true</tt> (bytes of to_s, not serialized), +compress+
    # @return [Integer, false, nil] the new version; false: another version is there; nil: there is nothing
    # @raise [MarshalError] the value cannot be serialized
    # @raise [ValueOverMaxSize] it takes more than +value_max_bytes+
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the key is empty, or a ttl is no number
    def replace_cas(key, value, cas, ttl = nil, options = nil)
      write_cas(key, value, cas, ttl, options)
    end

    # --- counting ---

    # Adds to a number of 64 bits that was stored raw, past the largest one from 0 on.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param amt [Integer] 0 or more
    # @param ttl [#to_i, nil] seconds, of an item that is made
    # @param default [Integer, nil] the number of an item that is made; nil: none is
    # @return [Integer, nil] the new number; nil: there was nothing, or a #quiet block
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the amount is negative, the key is empty, or a ttl is no number
    def incr(key, amt = 1, ttl = nil, default = nil)
      count(Pool::INCREMENT, key, amt, ttl, default)
    end

    # Takes from a number that was stored raw, down to 0.
    # @param key [String, Symbol] not empty; with the namespace, of more than 250 characters a digest is sent
    # @param amt [Integer] 0 or more
    # @param ttl [#to_i, nil] seconds, of an item that is made
    # @param default [Integer, nil] the number of an item that is made; nil: none is
    # @return [Integer, nil] the new number; nil: there was nothing, or a #quiet block
    # @raise [RingError] no server can be asked
    # @raise [DalliError] the server refuses it
    # @raise [ArgumentError] the amount is negative, the key is empty, or a ttl is no number
    def decr(key, amt = 1, ttl = nil, default = nil)
      count(Pool::DECREMENT, key, amt, ttl, default)
    end

    # --- quiet ---

    # What this client stores and deletes in the block, in the same thread, tells no outcome, and is sent in batches: at the latest before
    # its next request that is not quiet, and at the end of the block. Other clients are not quiet there.
    # @yieldreturn [Object]
    # @return [Object] what the block gives
    def quiet
      before = Thread.current[QUIET]
      Thread.current[QUIET] = [self, *(before if before.is_a?(Array))]
      yield
    ensure
      Thread.current[QUIET] = before
      @pool.flush_quiet
    end
    alias multi quiet

    # --- servers ---

    # Empties all servers, each this many seconds after the previous one.
    # @param delay [Integer] seconds
    # @return [Array<Object>] an answer for each server; nil for each in a #quiet block
    # @raise [NetworkError] a server does not answer; all others were asked
    def flush(delay = 0)
      time = -delay
      answers = each_server { |index| @pool.ask_server(index, Pool::FLUSH, '', time += delay) }
      down = @servers.zip(answers).filter_map { |server, answer| server.name if answer.nil? }
      raise NetworkError, "#{down.join(', ')} cannot be asked, so what is there was not deleted: try again" if down.any?

      quiet? ? answers.map { nil } : answers
    end
    alias flush_all flush

    # What the servers say about themselves.
    # @param type [Symbol, nil] :items, :slabs or :settings
    # @return [Hash{String => Hash{String => String}, nil}] by the servers' names; nil: it does not answer
    def stats(type = nil)
      type = nil unless [nil, :items, :slabs, :settings].include?(type)
      by_name { |index| @pool.ask_server(index, Pool::STATS, type.to_s, 0) }
    end

    # Sets the servers' counters to 0.
    # @return [Array<true, nil>] nil: one does not answer
    def reset_stats
      each_server { |index| @pool.ask_server(index, Pool::STATS, 'reset', 0) && true }
    end

    # The versions of the servers.
    # @return [Hash{String => String, nil}] by their names; nil: one does not answer
    def version
      by_name { |index| @pool.ask_server(index, Pool::VERSION, '', 0) }
    end

    # Raises RingError when no server can be reached.
    # @return [true]
    # @raise [RingError]
    def alive!
      @servers.each_index.any? { |index| @pool.reach?(index) } or raise RingError, 'No server available'
    end

    # Ends the connections; a later call opens them again.
    # @return [nil]
    def close
      @pool.quit
      @sockets.close
      nil
    end
    alias reset close

    # For code that takes clients from a pool.
    # @yieldparam client [Client] this one
    # @return [Object] what the block gives
    def with
      yield self
    end

    # @return [String] the class and the servers, without passwords
    def inspect
      "#<#{self.class} #{@servers.map(&:name).join(', ')}>"
    end

    private

    def normalize_options(options)
      options = options.dup
      if options[:expires_in]
        unless options[:expires_in].respond_to?(:to_i)
          raise ArgumentError, "cannot convert :expires_in => #{options[:expires_in].inspect} to an integer"
        end

        options[:expires_in] = options[:expires_in].to_i
      end
      options
    end

    def wire_key(key)
      @keys.validate_key(key.is_a?(String) ? key : key.to_s)
    end

    def ttl_or_default(ttl)
      (ttl || @options[:expires_in]).to_i
    rescue NoMethodError
      raise ArgumentError, "Cannot convert ttl (#{ttl}) to an integer"
    end

    # More than thirty days would be a moment of 1970: it becomes one of our time.
    def exptime(ttl)
      ttl = ttl_or_default(ttl)
      return ttl if ttl <= THIRTY_DAYS

      now = Time.now.to_i
      ttl > now ? ttl : now + ttl
    end

    def quiet?
      clients = Thread.current[QUIET]
      clients.is_a?(Array) && clients.any? { |client| client.equal?(self) }
    end

    def write(operation, key, value, ttl, options)
      key = wire_key(key)
      bytes, flags = @values.store(key, value, options)
      if quiet?
        @pool.store_quietly(operation, key, bytes, flags, exptime(ttl))
      else
        @pool.store(operation, key, bytes, flags, exptime(ttl), 0)
      end
    rescue Leveret::Error => e
      translate(e)
    end

    def write_cas(key, value, cas, ttl, options)
      key = wire_key(key)
      bytes, flags = @values.store(key, value, options)
      # 0 compares nothing, as in the binary protocol.
      guard { @pool.store(cas.zero? ? Pool::SET : Pool::CAS, key, bytes, flags, exptime(ttl), cas) }
    end

    # Joined bytes are the value's own: nothing is serialized.
    def join(operation, key, value)
      return guard { @pool.store_quietly(operation, wire_key(key), value.to_s, 0, 0) } if quiet?

      guard { @pool.store(operation, wire_key(key), value.to_s, 0, 0, 0) ? true : false }
    end

    def swap(key, ttl, options, always:)
      value, cas = guard { @pool.get_cas(wire_key(key)) }
      return if value.nil? && !always

      write_cas(key, yield(value), cas || 0, ttl, options)
    end

    def count(operation, key, amount, ttl, default)
      raise ArgumentError, "Positive values only: #{amount}" if amount.negative?

      number = guard { @pool.count(operation, wire_key(key), amount.to_i, default, exptime(ttl)) }
      number unless quiet?
    end

    # Key, as the caller named it without the namespace => [value] or [value, cas].
    def found_of(keys, with_cas)
      return {} if keys.empty?

      keys = keys.map { |key| wire_key(key) }
      answers = guard { @pool.get_multi(keys, with_cas) }
      found = {}
      answers.each_with_index { |answer, place| found[@keys.key_without_namespace(keys[place])] = answer if answer }
      found
    end

    def each_server
      @servers.each_index.map { |index| guard { yield index } }
    end

    def by_name
      @servers.each_with_index.to_h { |server, index| [server.name, guard { yield index }] }
    end

    def guard
      yield
    rescue Leveret::Error => e
      translate(e)
    end

    # Dalli asks again until no server is left, so what ends up with its caller is a RingError.
    def translate(error)
      case error
      when Pool::Failed
        Dalli.logger.debug { error.message }
        raise RingError, ['No server available', *(error.message if error.message.start_with?(Leveret::Tls::SCHEME))].join(': ')
      when Leveret::UnmarshalError then raise UnmarshalError, "Unable to unmarshal value: #{error.message}"
      when Pool::Refused then raise DalliError, "Response error #{error.code}: #{error.message}"
      else raise DalliError, error.message
      end
    end
  end
end
