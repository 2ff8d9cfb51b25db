# frozen_string_literal: true

class Memcached
  # Values by Marshal, with the flags as they are.
  # Another module with these methods may be given as the option +codec+.
  module MarshalCodec
    # @param _key [String]
    # @param value [Object]
    # @param flags [Integer]
    # @return [Array(String, Integer)] bytes and flags
    # @raise [TypeError] the value cannot be marshalled
    def self.encode(_key, value, flags)
      [Marshal.dump(value), flags]
    end

    # @param _key [String]
    # @param value [String] bytes
    # @param _flags [Integer]
    # @return [Object]
    def self.decode(_key, value, _flags)
      Marshal.load(value)
    end
  end

  # The same, where Marshal data may name the classes of a list only.
  # @private
  class ListedCodec
    # The list, as Leveret.class_list makes it.
    attr_reader :allowed

    def initialize(allowed)
      @allowed = allowed
    end

    def encode(key, value, flags)
      MarshalCodec.encode(key, value, flags)
    end

    def decode(_key, value, _flags)
      Leveret.load(value, @allowed)
    rescue Leveret::UnmarshalError => e
      raise Error, e.message
    end
  end

  # Of values for which none are given.
  FLAGS = 0
  # Characters of the longest prefix with its delimiter.
  PREFIX_MAX = 127

  # The options and their defaults; times are in seconds. Applications may change it.
  DEFAULTS = {
    hash: :fnv1_32, no_block: false, noreply: false, distribution: :consistent_ketama, ketama_weighted: true, buffer_requests: false,
    cache_lookups: true, support_cas: false, tcp_nodelay: false, show_backtraces: false, retry_timeout: 60, timeout: 0.25, rcv_timeout: nil,
    snd_timeout: nil, poll_max_retries: 1, poll_timeout: nil, connect_timeout: 0.25, prefix_key: '', prefix_delimiter: '',
    hash_with_prefix_key: true, default_ttl: 604_800, default_weight: 8, sort_hosts: false, auto_eject_hosts: true, server_failure_limit: 2,
    verify_key: true, use_udp: false, binary_protocol: false, credentials: nil, experimental_features: false, codec: MarshalCodec,
    classes: nil, tls: nil,
    exception_retry_limit: 5,
    exceptions_to_retry: [ServerIsMarkedDead, ATimeoutOccurred, ConnectionBindFailure, ConnectionFailure, ConnectionSocketCreateFailure, Failure,
                          MemoryAllocationFailure, ReadFailure, ServerEnd, ServerError, SystemError, UnknownReadFailure, WriteFailure,
                          SomeErrorsWereReported]
  }

  # The options of a client, checked as the gem checks them.
  # @private
  class Settings
    Pool = Leveret::Pool
    private_constant :Pool

    HASHES = { default: 0, md5: 1, crc: 2, fnv1_64: 3, fnv1a_64: 4, fnv1_32: 5, fnv1a_32: 6, hsieh: 7, murmur: 8, jenkins: 9, none: 0 }.freeze
    RINGS = { modula: Pool::RING_MODULA, consistent: Pool::RING_CONSISTENT, consistent_wheel: Pool::RING_CONSISTENT, ketama: Pool::RING_KETAMA,
              consistent_ketama: Pool::RING_KETAMA }.freeze

    # @private
    Server = Struct.new(:hostname, :port, :weight) do
      def socket?
        port.zero?
      end
    end

    attr_reader :options

    def initialize(given)
      (given.keys - DEFAULTS.keys).each { |key| raise ArgumentError, "#{key.inspect} is not a valid configuration parameter." }
      @options = DEFAULTS.merge(given)
      complete
    end

    # With +classes+, Marshal that makes objects of those only.
    def codec
      allowed = Leveret.class_list(@options[:classes])
      return @options[:codec] unless allowed
      raise ArgumentError, 'classes is a list for Marshal, and there is a codec of your own' unless @options[:codec].equal?(MarshalCodec)

      ListedCodec.new(allowed)
    end

    def pool(servers)
      pool = Pool.new(nil, Leveret.class_list(@options[:classes]))
      pool.set_option(Pool::RING, choice(:distribution, RINGS))
      pool.set_option(Pool::HASH, choice(:hash, HASHES))
      pool.set_option(Pool::PROTOCOL, @options[:binary_protocol] ? Pool::BINARY : Pool::TEXT)
      pool.set_option(Pool::CONNECT_TIMEOUT_MS, milliseconds(:connect_timeout))
      pool.set_option(Pool::POLL_TIMEOUT_MS, milliseconds(:poll_timeout))
      pool.set_option(Pool::RETRY_TIMEOUT_S, @options[:retry_timeout].to_i)
      pool.set_option(Pool::DEAD_TIMEOUT_S, @options[:retry_timeout].to_i)
      pool.set_option(Pool::FAILURE_LIMIT, @options[:server_failure_limit].to_i)
      pool.set_option(Pool::AUTO_EJECT, flag(:auto_eject_hosts))
      pool.set_option(Pool::SORT_HOSTS, flag(:sort_hosts))
      pool.set_option(Pool::UDP, flag(:use_udp))
      Leveret::Tls.set(pool, @options)
      servers.each { |server| pool.add_server(server.hostname, server.port, server.weight, nil) }
      @credentials && servers.each_index { |index| pool.set_credentials(index, *@credentials) }
      pool
    end

    def servers(list)
      list = default_servers if list.nil? || list == []
      Array(list).map { |server| parse(server) }
    end

    # As the gem shows one.
    def name(server)
      return server.hostname if server.socket?

      "#{server.hostname}:#{server.port}#{":#{server.weight}" if @options[:ketama_weighted]}"
    end

    private

    def complete
      # Not among the options, which are shown.
      given = @options[:credentials] || [ENV['MEMCACHE_USERNAME'], ENV['MEMCACHE_PASSWORD']]
      @options[:credentials] = nil
      if given != [nil, nil] && !(given.is_a?(Array) && given.size == 2 && given.all?(String))
        raise ArgumentError, ':credentials are a user name and a password'
      end

      @credentials = given if given.first
      @options[:binary_protocol] = true if @credentials
      @options[:noreply] = true if @options[:use_udp]
      @options[:no_block] = true if @options[:buffer_requests]
      @options.delete(:ketama_weighted) if @options[:distribution] != :consistent_ketama
      raise ArgumentError, ':sort_hosts defeats :consistent hashing' if @options[:sort_hosts] && @options[:distribution] == :consistent

      %i[rcv_timeout poll_timeout snd_timeout].each { |name| @options[name] ||= @options[:timeout] }
      @options.freeze
    end

    def choice(name, values)
      values.fetch(@options[name]) { raise ArgumentError, "Invalid behavior value #{@options[name].inspect} for #{name.inspect}" }
    end

    # 0 means no expiry.
    def milliseconds(name)
      value = @options[name]
      raise ArgumentError, "Invalid behavior value #{value.inspect} for #{name.inspect}" unless value.is_a?(Numeric) && value >= 0

      value.zero? ? 100_000_000 : (value * 1000).ceil
    end

    def flag(name)
      @options[name] ? 1 : 0
    end

    def default_servers
      ENV['MEMCACHE_SERVERS'] ? ENV['MEMCACHE_SERVERS'].split(',').map(&:strip) : '127.0.0.1:11211'
    end

    def parse(server)
      return server if server.is_a?(Server)
      return Server.new(server, 0, @options[:default_weight].to_i) if server.is_a?(String) && place?(server)
      unless server.is_a?(String) && server.match?(%r{\A(tls://)?[\w.-]+(:\d{1,5}){0,2}\z})
        raise ArgumentError, "Servers must be either in the format 'host:port[:weight]' (e.g., 'localhost:11211' or  'localhost:11211:10') " \
                             'for a network server, or a valid path to a Unix domain socket (e.g., /var/run/memcached).'
      end

      scheme, plain = Leveret::Tls.split(server)
      host, port, weight = plain.split(':')
      Server.new(scheme + host, (port || 11_211).to_i, (weight || @options[:default_weight]).to_i)
    end

    # A socket, or an arena.
    def place?(server)
      server.start_with?('arena:') || server.end_with?('.arena') || File.socket?(server)
    end
  end
end
