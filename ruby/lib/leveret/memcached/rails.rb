# frozen_string_literal: true

class Memcached
  # The gem's wrapper that raises nothing: a miss is nil, a failure is false and a line in the log.
  class Rails < ::Memcached
    DEFAULTS = { logger: nil, string_return_types: false }.freeze

    attr_accessor :logger

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

    def namespace
      @options[:prefix_key]
    end

    def active?
      @servers.any?
    end

    # Servers as objects, as the gem gives them.
    def servers
      @servers
    end

    alias servers= set_servers

    def log_exception(error)
      logger&.warn("memcached error: #{error.class}: #{error.message}")
      false
    end

    def get(key, raw = false)
      quietly { super(key, !raw) }
    end
    alias [] get

    def read(key, options = nil)
      get(key, options && options[:raw])
    end

    def get_multi(keys, raw = false)
      quietly { get_many(keys, !raw) }
    end

    def read_multi(*keys)
      keys.empty? ? {} : get_multi(keys)
    end

    def exist?(key, _options = {})
      exist(key)
      true
    rescue NotFound
      false
    rescue Error => e
      log_exception(e)
    end

    def set(key, value, ttl = @default_ttl, raw = false)
      super(key, value, seconds(ttl), !raw)
      true
    rescue NotStored
      false
    rescue Error => e
      log_exception(e)
    end
    alias []= set

    def write(key, value, options = nil)
      options ||= {}
      value = value.to_s if options[:raw]
      ttl = options[:ttl] || options[:expires_in] || @default_ttl
      options[:unless_exist] ? add(key, value, ttl, options[:raw]) : set(key, value, ttl, options[:raw])
    end

    def fetch(key, options = nil)
      value = read(key, options)
      return value if !value.nil? || !block_given?

      yield.tap { |made| write(key, made, options) }
    end

    def add(key, value, ttl = @default_ttl, raw = false)
      super(key, value, seconds(ttl), !raw)
      @string_return_types ? "STORED\r\n" : true
    rescue NotStored
      nil
    rescue Error => e
      log_exception(e)
      @string_return_types ? "NOT STORED\r\n" : false
    end

    def cas(key, ttl = @default_ttl, raw = false, &block)
      super(key, seconds(ttl), !raw, &block)
      true
    rescue NotFound, ConnectionDataExists
      false
    rescue Error => e
      log_exception(e)
    end
    alias compare_and_swap cas

    def delete(key, _options = nil)
      super(key)
      true
    rescue NotFound
      false
    rescue Error => e
      log_exception(e)
    end

    def incr(key, offset = 1)
      quietly { count(Pool::INCREMENT, key, offset) }
    end

    def decr(key, offset = 1)
      quietly { count(Pool::DECREMENT, key, offset) }
    end

    def increment(name, amount = 1, _options = nil)
      incr(name, amount) || nil
    end

    def decrement(name, amount = 1, _options = nil)
      decr(name, amount) || nil
    end

    def append(*args)
      quietly { super }
    end

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
