# frozen_string_literal: true

module Dalli
  # What a client is told about its servers: "host:port:weight", "[::1]:port", "/path:weight", "memcached://host:port", and ours:
  # "arena:NAME" and "/path/NAME.arena".
  module Servers
    PORT = 11_211
    PATTERN = /\A(?:\[(?<ipv6>[\h:]+)\]|(?<host>[^:]+))(?::(?<first>\d+))?(?::(?<second>\d+))?\z/

    Server = Struct.new(:host, :port, :weight) do
      def name
        port.zero? ? host : "#{host}:#{port}"
      end
    end

    module_function

    def parse(list)
      normalize(list).map { |text| server(text) }
    end

    def normalize(list)
      list = ENV['MEMCACHE_SERVERS'] || "127.0.0.1:#{PORT}" if list.nil?
      unless list.is_a?(String) || (list.is_a?(Array) && list.all?(String))
        raise ArgumentError, 'An explicit servers argument must be a comma separated string or an array containing strings.'
      end

      Array(list).flat_map { |text| text.split(',') }.reject(&:empty?)
    end

    def server(text)
      return Server.new(text, 0, 1) if text.start_with?('arena:') || text.end_with?('.arena')
      return uri(text) if text.start_with?('memcached://')

      match = PATTERN.match(text) or raise DalliError, "Could not parse hostname #{text}"
      match[:host]&.start_with?('/') ? socket(text, match) : tcp(match)
    end

    def uri(text)
      uri = URI.parse(text)
      raise NotImplementedError, 'Users and passwords (SASL) are not supported' if uri.user

      Server.new(uri.host, uri.port || PORT, 1)
    end

    def socket(text, match)
      raise DalliError, "Could not parse hostname #{text}" if match[:second]

      Server.new(match[:host], 0, Integer(match[:first] || 1))
    end

    def tcp(match)
      Server.new(match[:ipv6] || match[:host], Integer(match[:first] || PORT), Integer(match[:second] || 1))
    end
  end
end
