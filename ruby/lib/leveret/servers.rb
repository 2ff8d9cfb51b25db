# frozen_string_literal: true

require 'uri'

module Leveret
  # What a client or a store is told about its servers: "host:port:weight", "[::1]:port", "/path:weight", "memcached://host:port", and
  # ours: "arena:NAME" and "/path/NAME.arena".
  module Servers
    PORT = 11_211
    PATTERN = /\A(?:\[(?<ipv6>[\h:]+)\]|(?<host>[^:]+))(?::(?<first>\d+))?(?::(?<second>\d+))?\z/

    Server = Struct.new(:host, :port, :weight) do
      def name
        port.zero? ? host : "#{host}:#{port}"
      end

      def arena?
        host.start_with?('arena:') || host.end_with?('.arena')
      end
    end

    module_function

    # +error+ is raised for what cannot be a server.
    def parse(list, error = ArgumentError)
      normalize(list).map { |text| server(text, error) }
    end

    def normalize(list)
      list = ENV['MEMCACHE_SERVERS'] || "127.0.0.1:#{PORT}" if list.nil?
      unless list.is_a?(String) || (list.is_a?(Array) && list.all?(String))
        raise ArgumentError, 'An explicit servers argument must be a comma separated string or an array containing strings.'
      end

      Array(list).flat_map { |text| text.split(',') }.reject(&:empty?)
    end

    def server(text, error)
      return Server.new(text, 0, 1) if text.start_with?('arena:') || text.end_with?('.arena')
      return uri(text, error) if text.start_with?('memcached://')

      match = PATTERN.match(text) or raise error, "Could not parse hostname #{text}"
      match[:host]&.start_with?('/') ? socket(text, match, error) : tcp(match)
    end

    def uri(text, error)
      uri = URI.parse(text)
      refuse_password(error) if uri.user

      Server.new(uri.host, uri.port || PORT, 1)
    end

    def socket(text, match, error)
      raise error, "Could not parse hostname #{text}" if match[:second]

      Server.new(match[:host], 0, Integer(match[:first] || 1))
    end

    def tcp(match)
      Server.new(match[:ipv6] || match[:host], Integer(match[:first] || PORT), Integer(match[:second] || 1))
    end

    # Silence would send every request without the password, and only the server would complain.
    def refuse_password(error)
      raise error, 'Leveret sends no user names and passwords (SASL): take them out of the options, the addresses and MEMCACHE_USERNAME, ' \
                   'and let only those reach the server who may, as by a private network'
    end

    # A Leveret::Pool of these servers, with Dalli's options and defaults: a second for each step, half a minute of rest for who failed,
    # twenty other places to look at. +values+ makes values of bytes and flags (#retrieve).
    def pool(values, servers, options, allowed = nil)
      pool = Pool.new(values, allowed)
      pool.set_option(Pool::RING, Pool::RING_DALLI)
      pool.set_option(Pool::PROTOCOL, options[:protocol].to_s == 'meta' ? Pool::META : Pool::BINARY)
      timeout = (options.fetch(:socket_timeout, 1) * 1000).ceil
      pool.set_option(Pool::CONNECT_TIMEOUT_MS, timeout)
      pool.set_option(Pool::POLL_TIMEOUT_MS, timeout)
      pool.set_option(Pool::RETRY_TIMEOUT_S, options.fetch(:down_retry_delay, 30).ceil)
      pool.set_option(Pool::FAILOVER_ATTEMPTS, options.fetch(:failover, true) ? 20 : 0)
      pool.set_option(Pool::KEEPALIVE, 1) if options.fetch(:keepalive, true)
      pool.set_option(Pool::SEND_SIZE, options[:sndbuf]) if options[:sndbuf]
      pool.set_option(Pool::RECV_SIZE, options[:rcvbuf]) if options[:rcvbuf]
      pool.set_option(Pool::SHORT_CUT, options.fetch(:short_cut, true) ? 1 : 0)
      pool.set_option(Pool::ARENA_MEMORY, options[:memory]) if options[:memory]
      servers.each { |server| pool.add_server(server.host, server.port, server.weight, options[:dir]) }
      pool
    end
  end
end
