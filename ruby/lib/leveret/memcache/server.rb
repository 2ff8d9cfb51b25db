# frozen_string_literal: true

class MemCache
  VERSION = '1.8.5'
  DEFAULT_PORT = 11_211
  DEFAULT_WEIGHT = 1

  class MemCacheError < RuntimeError; end

  # A server as the client was told about it.
  class Server
    attr_reader :host, :port, :weight

    # "host:port:weight"; "/path" and "/path:weight" of a socket; "arena:NAME" and "/path/NAME.arena".
    def self.parse(client, text)
      return new(client, text, 0) if text.start_with?('arena:') || text.end_with?('.arena')

      host, port, weight = text.split(':', 3)
      return new(client, host, 0, port || DEFAULT_WEIGHT) if host&.start_with?('/')

      raise ArgumentError, 'No host specified' if host.nil? || host.empty?
      raise ArgumentError, 'No port specified' if port && port.to_i.zero?

      new(client, host, port || DEFAULT_PORT, weight || DEFAULT_WEIGHT)
    end

    def initialize(client, host, port = DEFAULT_PORT, weight = DEFAULT_WEIGHT)
      @client = client
      @host = host
      @port = port.to_i
      @weight = weight.to_i
    end

    def name
      port.zero? ? host : "#{host}:#{port}"
    end

    def alive?
      @client.reach?(self)
    end

    def inspect
      format('<MemCache::Server: %<host>s:%<port>d [%<weight>d]>', host: host, port: port, weight: weight)
    end
  end
end
