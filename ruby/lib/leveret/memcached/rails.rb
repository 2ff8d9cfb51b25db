# frozen_string_literal: true

class Memcached
  # The gem's wrapper that raises nothing: a miss is nil, a failure is false and a line in the log.
  class Rails < ::Memcached
    # The options that Memcached does not have.
    DEFAULTS = { logger: nil, string_return_types: false }

    # @return [Logger, nil] to which failures are written
    attr_accessor :logger

    # @overload initialize(*servers, options = {})
    #   @param servers [Array<String>]
    #   @param options [Hash] of Memcached, and +servers+, +namespace+, +namespace_separator+, +logger+, +string_return_types+
    #   @raise [ArgumentError] an option is unknown or has no meaning, or a server cannot be understood
    def initialize(*args)
      opts = args.last.is_a?(Hash) ? args.pop.dup : {}
      servers = Array(args.any? ? args : opts.delete(:servers)).flatten.compact
      opts.delete(:servers)
      opts[:prefix_key] = opts.delete(:namespace) if opts[:namespace]
      opts[:prefix_delimiter] = opts.delete(:namespace_separator) if opts[:namespace_separator]
      @logger = opts.delete(:logger)
      @string_return_types = opts.delete(:string_return_types)
      logger&.info { "memcached #{VERSION} #{servers.inspect}" }
      super(servers, opts)
    end

    # @return [String, nil] what all keys begin with
    def namespace
      @options[:prefix_key]
    end

    # @return [Boolean] whether it has servers
    def active?
      @servers.any?
    end

    # Servers as objects, as the gem gives them.
    # @return [Array<Object>] with +hostname+, +port+ and +weight+
    def servers
      @servers
    end

    alias servers= set_servers

    # @param error [Exception]
    # @return [false]
    def log_exception(error)
      logger&.warn("memcached error: #{error.class}: #{error.message}")
      false
    end

    # @param key [String]
    # @param raw [Boolean] a String as it is, without the codec
    # @return [Object, nil, false] nil: a miss; false: it failed, which is logged
    def get(key, raw = false)
      quietly { super(key, !raw) }
    end
    alias [] get

    # As #get.
    # @param key [String]
    # @param options [Hash, nil] +raw+
    # @return [Object, nil, false] nil: a miss; false: it failed, which is logged
    def read(key, options = nil)
      get(key, options && options[:raw])
    end

    # The values of many keys.
    # @param keys [Array<String>]
    # @param raw [Boolean] a String as it is, without the codec
    # @return [Hash{String => Object}, false] what was found; false: it failed, which is logged
    def get_multi(keys, raw = false)
      quietly { get_many(keys, !raw) }
    end

    # As #get_multi.
    # @param keys [Array<String>]
    # @return [Hash{String => Object}, false] what was found; false: it failed, which is logged
    def read_multi(*keys)
      keys.empty? ? {} : get_multi(keys)
    end

    # @param key [String]
    # @return [Boolean] whether there is something
    def exist?(key, _options = {})
      exist(key)
      true
    rescue NotFound
      false
    rescue Error => e
      log_exception(e)
    end

    # Stores a value unconditionally.
    # @param key [String]
    # @param value [Object]
    # @param ttl [#to_i] seconds; 0: no end
    # @param raw [Boolean] a String as it is, without the codec
    # @return [Boolean] false: it failed, which is logged
    def set(key, value, ttl = @default_ttl, raw = false)
      super(key, value, seconds(ttl), !raw)
      true
    rescue NotStored
      false
    rescue Error => e
      log_exception(e)
    end
    alias []= set

    # Stores a value.
    # @param key [String]
    # @param value [Object]
    # @param options [Hash, nil] +raw+, +ttl+ or +expires_in+ in seconds, +unless_exist+: as #add
    # @return [Boolean, String, nil] as #set or #add
    def write(key, value, options = nil)
      options ||= {}
      value = value.to_s if options[:raw]
      ttl = options[:ttl] || options[:expires_in] || @default_ttl
      options[:unless_exist] ? add(key, value, ttl, options[:raw]) : set(key, value, ttl, options[:raw])
    end

    # The value of a key; where there is none, that of the block, which is stored.
    # @param key [String]
    # @param options [Hash, nil] as #write
    # @yieldreturn [Object] the value to store
    # @return [Object, nil]
    def fetch(key, options = nil)
      value = read(key, options)
      return value if !value.nil? || !block_given?

      yield.tap { |made| write(key, made, options) }
    end

    # Stores a value where there is none.
    # @param key [String]
    # @param value [Object]
    # @param ttl [#to_i] seconds; 0: no end
    # @param raw [Boolean] a String as it is, without the codec
    # @return [Boolean, String, nil] nil: something is there; false: it failed, which is logged; with +string_return_types+ "STORED\r\n" or
    #   "NOT STORED\r\n"
    #   in place of true or false
    def add(key, value, ttl = @default_ttl, raw = false)
      super(key, value, seconds(ttl), !raw)
      @string_return_types ? "STORED\r\n" : true
    rescue NotStored
      nil
    rescue Error => e
      log_exception(e)
      @string_return_types ? "NOT STORED\r\n" : false
    end

    # Stores what the block makes of the value.
    # @param key [String]
    # @param ttl [#to_i] seconds; 0: no end
    # @param raw [Boolean] a String as it is, without the codec
    # @yieldparam value [Object]
    # @yieldreturn [Object] what is to be there
    # @return [Boolean] false: there is nothing, another client was faster, or it failed
    def cas(key, ttl = @default_ttl, raw = false, &block)
      super(key, seconds(ttl), !raw, &block)
      true
    rescue NotFound, ConnectionDataExists
      false
    rescue Error => e
      log_exception(e)
    end
    alias compare_and_swap cas

    # Deletes an item.
    # @param key [String]
    # @return [Boolean] whether it was there
    def delete(key, _options = nil)
      super(key)
      true
    rescue NotFound
      false
    rescue Error => e
      log_exception(e)
    end

    # Adds to a number.
    # @param key [String]
    # @param offset [Integer] 0 or more
    # @return [Integer, nil, false] the new number; nil: there is nothing; false: it failed, which is logged
    def incr(key, offset = 1)
      quietly { count(Pool::INCREMENT, key, offset) }
    end

    # Takes from a number, down to 0.
    # @param key [String]
    # @param offset [Integer] 0 or more
    # @return [Integer, nil, false] the new number; nil: there is nothing; false: it failed, which is logged
    def decr(key, offset = 1)
      quietly { count(Pool::DECREMENT, key, offset) }
    end

    # Adds to a number.
    # @param name [String] the key
    # @param amount [Integer] 0 or more
    # @return [Integer, nil] the new number
    def increment(name, amount = 1, _options = nil)
      incr(name, amount) || nil
    end

    # Takes from a number, down to 0.
    # @param name [String] the key
    # @param amount [Integer] 0 or more
    # @return [Integer, nil] the new number
    def decrement(name, amount = 1, _options = nil)
      decr(name, amount) || nil
    end

    # Joins bytes to the end of a value.
    # @param args [Array] key and bytes
    # @return [nil, false] false: it failed, which is logged
    def append(*args)
      quietly { super }
    end

    # Joins bytes to the beginning of a value.
    # @param args [Array] key and bytes
    # @return [nil, false] false: it failed, which is logged
    def prepend(*args)
      quietly { super }
    end

    alias flush_all flush
    alias clear flush

    private

    def quietly
      yield
    rescue NotFound, NotStored
      nil
    rescue Error => e
      log_exception(e)
    end

    # ActiveSupport::Duration too.
    def seconds(ttl)
      ttl.is_a?(Integer) ? ttl : ttl.to_i
    end
  end
end
