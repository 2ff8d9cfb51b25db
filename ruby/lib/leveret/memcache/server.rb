# frozen_string_literal: true

class MemCache
  # Of the gem whose calls these are.
  VERSION = '1.8.5'
  # memcached's port.
  DEFAULT_PORT = 11_211
  # Of a server without one.
  DEFAULT_WEIGHT = 1

  # The error of a MemCache.
  class MemCacheError < RuntimeError; end

  # A server as the client was told about it.
  class Server
    # What the server was named by; an arena or a socket has port 0.
    attr_reader :host, :port, :weight

    # "host:port:weight", "tls://host:port:weight"; "/path" and "/path:weight" of a socket; "arena:NAME" and "/path/NAME.arena".
    # @param client [MemCache]
    # @param text [String]
    # @return [Server]
    # @raise [ArgumentError] there is no host, or no port
    def self.parse(client, text)
      return new(client, text, 0) if text.start_with?('arena:') || text.end_with?('.arena')

      scheme, plain = Leveret::Tls.split(text)
      host, port, weight = plain.split(':', 3)
      return new(client, host, 0, port || DEFAULT_WEIGHT) if scheme.empty? && host&.start_with?('/')

      raise ArgumentError, 'No host specified' if host.nil? || host.empty?
      raise ArgumentError, 'No port specified' if port && port.to_i.zero?

      new(client, scheme + host, port || DEFAULT_PORT, weight || DEFAULT_WEIGHT)
    end

    # @param client [MemCache] whose server it is
    # @param host [String]
    # @param port [#to_i]
    # @param weight [#to_i] its share of the keys
    def initialize(client, host, port = DEFAULT_PORT, weight = DEFAULT_WEIGHT)
      @client = client
      @host = host
      @port = port.to_i
      @weight = weight.to_i
    end

    # @return [String] host:port, or the path or the arena
    def name
      port.zero? ? host : "#{host}:#{port}"
    end

    # @return [Boolean] whether there is a connection to it, or one can be made
    def alive?
      @client.reach?(self)
    end

    # @return [String]
    def inspect
      format('<MemCache::Server: %<host>s:%<port>d [%<weight>d]>', host: host, port: port, weight: weight)
    end
  end
end
