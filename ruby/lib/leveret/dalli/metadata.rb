# frozen_string_literal: true

require 'socket'

module Dalli
  # Reads that tell more than the value: memcached's meta get, which no other protocol has. They go over connections of their own, so a
  # client may speak any protocol besides.
  # @private
  module Metadata
    FLAGS = { vivify_ttl: 'N', recache_ttl: 'R' }.freeze
    MARKS = { return_hit_status: 'h', return_last_access: 'l', return_ttl_remaining: 't', skip_lru_bump: 'u' }.freeze

    # That server cannot be reached, or makes no sense: another one may take its place.
    class Unreachable < StandardError; end

    # One connection to each server, for one request at a time. A fork makes its own.
    # @private
    class Sockets
      def initialize(timeout)
        @timeout = timeout
        @mutex = Mutex.new
        @open = {}
      end

      # What the block returns; a connection on which anything went wrong is given up.
      def with(server)
        @mutex.synchronize do
          socket = kept_one(server) || connect(server)
          begin
            answer = yield socket, @timeout
            @open[[Process.pid, server]] = socket
            kept = true
            answer
          ensure
            socket.close unless kept
          end
        end
      end

      def close
        @mutex.synchronize { @open.each_value(&:close) && @open.clear }
      end

      private

      # Nothing is owed, so what there is to read is the end of the connection.
      def kept_one(server)
        socket = @open.delete([Process.pid, server]) or return
        return socket unless socket.wait_readable(0)

        socket.close
        nil
      end

      def connect(server)
        server.port.zero? ? UNIXSocket.new(server.host) : Socket.tcp(server.host, server.port, connect_timeout: @timeout)
      end
    end

    module_function

    # :bytes (nil: nothing is there), :flags, :cas and what else was asked for.
    def ask(sockets, server, key, options)
      sockets.with(server) do |socket, timeout|
        socket.write(request(key, options))
        read(Reader.new(socket, timeout))
      end
    rescue SystemCallError, SocketError, IOError => e
      Dalli.logger.debug { "#{server.name}: #{e.message}" }
      raise Unreachable
    end

    def request(key, options)
      plain = key.b.match?(/\A[!-~]+\z/n)
      words = ['mg', plain ? key : [key].pack('m0'), *('b' unless plain), 'v', 'f', 'c']
      FLAGS.each { |name, flag| words << "#{flag}#{Integer(options[name])}" if options[name] }
      MARKS.each { |name, flag| words << flag if options[name] }
      "#{words.join(' ')}\r\n"
    end

    def read(reader)
      code, *words = reader.line.split
      case code
      when 'EN' then { cas: 0, won_recache: false, stale: false, lost_recache: false }
      when 'VA' then answer(reader.value(words.shift), words.to_h { |word| [word[0], word[1..]] })
      else raise DalliError, "Response error: #{[code, *words].join(' ')} (meta commands take memcached 1.6)"
      end
    end

    def answer(bytes, said)
      won, lost = said.key?('W'), said.key?('Z')
      { bytes: ((won || lost) && bytes.empty? ? nil : bytes), flags: said['f'].to_i, cas: said['c'].to_i, won_recache: won, lost_recache: lost,
        stale: said.key?('X'), hit_before: said['h'] == '1', last_access: said['l'].to_i, ttl_remaining: said['t'].to_i }
    end

    # Reads a line and a value from a socket, within the time-out of an answer; each further 64 KiB restarts it.
    # @private
    class Reader
      LINE_MAX = 2048
      VALUE_MAX = 1 << 30

      def initialize(socket, timeout)
        @socket = socket
        @timeout = timeout
        @read = String.new(encoding: Encoding::BINARY)
        again
      end

      def line
        until (at = @read.index("\r\n"))
          raise IOError, 'it does not speak the protocol' if @read.bytesize > LINE_MAX

          more
        end
        @read.slice!(0, at + 2)
      end

      def value(length)
        count = Integer(length.to_s, 10, exception: false)
        raise IOError, 'it does not speak the protocol' unless count&.between?(0, VALUE_MAX)

        more while @read.bytesize < count + 2
        @read.slice!(0, count + 2).byteslice(0, count)
      end

      private

      def more
        @read << @socket.read_nonblock(64 * 1024)
        again if @read.bytesize >= @progress
      rescue IO::WaitReadable
        left = @ends - Process.clock_gettime(Process::CLOCK_MONOTONIC)
        (left.positive? && @socket.wait_readable(left)) or raise IOError, 'it did not answer in time'
        retry
      end

      def again
        @progress = @read.bytesize + 64 * 1024
        @ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + @timeout
      end
    end
  end
end
