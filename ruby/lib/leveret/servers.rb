# frozen_string_literal: true

require 'uri'
require_relative 'tls'

module Leveret
  # Addresses of servers for a client or a store: "host:port:weight", "[::1]:port", "/path:weight", "memcached://host:port", and
  # ours: "tls://host:port:weight", "arena:NAME" and "/path/NAME.arena".
  # @private
  module Servers
    # memcached's port.
    PORT = 11_211
    # host:port:weight, each but the host may be missing.
    PATTERN = /\A(?:\[(?<ipv6>[\h:]+)\]|(?<host>[^:]+))(?::(?<first>\d+))?(?::(?<second>\d+))?\z/

    # One server; an arena or a socket has port 0.
    # @private
    Server = Struct.new(:host, :port, :weight, :user, :password) do
      # As messages and statistics name it.
      def name
        port.zero? ? host : "#{host}:#{port}"
      end

      # Without the password.
      def inspect
        "#<#{self.class} #{name}>"
      end
      alias_method :to_s, :inspect

      # Without the password, for pp.
      def pretty_print(printer)
        printer.text(inspect)
      end

      # Whether it is shared memory, and no server.
      def arena?
        host.start_with?('arena:') || host.end_with?('.arena')
      end
    end

    module_function

    # +error+ is raised for what cannot be a server.
    def parse(list, error = ArgumentError)
      normalize(list).map { |text| server(text, error) }
    end

    # The texts of the servers; nil: those of $MEMCACHE_SERVERS.
    def normalize(list)
      list = ENV['MEMCACHE_SERVERS'] || "127.0.0.1:#{PORT}" if list.nil?
      unless list.is_a?(String) || (list.is_a?(Array) && list.all?(String))
        raise ArgumentError, 'An explicit servers argument must be a comma separated string or an array containing strings.'
      end

      Array(list).flat_map { |text| text.split(',') }.reject(&:empty?)
    end

    # The Server that a text means.
    def server(text, error)
      return Server.new(text, 0, 1) if text.start_with?('arena:') || text.end_with?('.arena')
      return uri(text, error) if text.start_with?('memcached://')

      scheme, plain = Tls.split(text)
      match = PATTERN.match(plain)
      raise error, "Could not parse hostname #{text}" if match.nil? || (!scheme.empty? && match[:host]&.include?('/'))

      match[:host]&.start_with?('/') ? socket(text, match, error) : tcp(match, scheme)
    end

    # memcached://user:password@host:port
    def uri(text, error)
      uri = URI.parse(text)
      Server.new(uri.host, uri.port || PORT, 1, uri.user, uri.password)
    rescue URI::InvalidURIError
      # Its own words would show the password.
      raise error, 'Could not parse a hostname that begins with memcached://', cause: nil
    end

    # /path:weight
    def socket(text, match, error)
      raise error, "Could not parse hostname #{text}" if match[:second]

      Server.new(match[:host], 0, Integer(match[:first] || 1))
    end

    # host:port:weight
    def tcp(match, scheme)
      Server.new(scheme + (match[:ipv6] || match[:host]), Integer(match[:first] || PORT), Integer(match[:second] || 1))
    end

    # With Dalli's +ssl_context+ each server that is neither a socket nor an arena is spoken with by TLS.
    def secured(server, options)
      return server.host if options[:ssl_context].nil? || server.port.zero? || server.host.start_with?(Tls::SCHEME)

      Tls::SCHEME + server.host
    end

    # Credentials for a server: from its address, then the options, then the environment. nil: none.
    def credentials(server, options)
      return if server.arena?

      user = server.user || options[:username] || ENV['MEMCACHE_USERNAME']
      [user, (server.password || options[:password] || ENV['MEMCACHE_PASSWORD']).to_s] if user
    end

    # The block gives the user name and the password of a server.
    def sign_in(pool, servers)
      servers.each_with_index do |server, index|
        user, password = yield server
        pool.set_credentials(index, user, password) if user
      end
    end

    # A Leveret::Pool of these servers, with Dalli's options and defaults: a second for each step, half a minute of back-off after
    # a failure, twenty other places to look at. +values+ converts bytes and flags to values (#retrieve).
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
      Tls.set(pool, options)
      servers.each { |server| pool.add_server(secured(server, options), server.port, server.weight, options[:dir]) }
      sign_in(pool, servers) { |server| credentials(server, options) }
      pool
    end
  end
end
