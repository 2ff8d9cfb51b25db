# frozen_string_literal: true

require_relative 'helper'

# A fork has its parent's clients, and must neither use their connections nor go on with what they were at. The garbage collector only closes.
class TestForks < LeveretTest
  # Speaks memcached's text protocol as far as needed. Its first connection gets no answer before `release`. It notes all that it is sent.
  class Server
    attr_reader :port, :heard

    def initialize
      @listener = TCPServer.new('127.0.0.1', 0)
      @port = @listener.addr[1]
      @heard = []
      @held = Queue.new
      @thread = Thread.new { loop { serve(@listener.accept) } }
      @thread.report_on_exception = false
    end

    def release = @held.close

    # What the connections were sent; nil at the end stands for their end.
    def sent(number) = @heard[number]&.join

    def ended?(number) = @heard[number]&.last.nil?

    def stop
      @thread.kill.join
      @listener.close
    end

    private

    def serve(socket)
      number = @heard.size
      @heard << [+'']
      Thread.new do
        while (line = socket.gets)
          @heard[number] << line
          @held.pop if number.zero?
          answer(socket, line, number)
        end
        @heard[number] << nil
        socket.close
      rescue SystemCallError, IOError
        @heard[number] << nil
      end
    end

    def answer(socket, line, number)
      verb, *keys = line.split
      case verb
      when 'get', 'gets' then socket.write(keys.map { |key| "VALUE #{key} 0 #{key.size}\r\n#{key}\r\n" }.join, "END\r\n")
      when 'set' then (@heard[number] << socket.read(keys[3].to_i + 2)) && (keys.include?('noreply') || socket.write("STORED\r\n"))
      when 'version' then socket.write("VERSION 1.6\r\n")
      end
    end
  end

  def setup
    super
    @server = Server.new
  end

  def teardown
    @server.stop
    super
  end

  # Prints what the child and then what the parent's thread got; `busy` is under way in a thread as the process forks.
  def forked(busy, child)
    reader, writer = IO.pipe
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    code = <<~RUBY
      CLIENT = Memcached.new('127.0.0.1:#{@server.port}', timeout: 30, prefix_key: 'app:', hash_with_prefix_key: false)
      busy = Thread.new { #{busy} }
      $stdin.gets
      read, write = IO.pipe
      pid = fork do
        write.write((begin; #{child}; rescue => e; e; end).inspect)
        GC.start
      end
      write.close
      puts read.read, Process.wait2(pid).last.exitstatus.inspect
      $stdout.flush
      $stdin.gets
      puts busy.value.inspect, CLIENT.get('after', false)
    RUBY
    pid = spawn(RbConfig.ruby, *paths, '-r', 'leveret/memcached', '-e', code, in: (input, to = IO.pipe).first, out: writer, err: writer)
    @started << pid
    [input, writer].each(&:close)
    eventually('the request') { @server.heard[0]&.size.to_i > 1 }
    to.puts
    said = Array.new(2) { reader.wait_readable(PATIENCE) && reader.gets }
    # The parent's connection is as it was.
    alone = [@server.sent(0), @server.ended?(0)]
    @server.release
    to.puts
    said.push(*reader.read.lines)
    Process.wait(pid)
    @started.delete(pid)
    [said.map { |line| line.to_s.chomp }, alone]
  end

  BUSY = {
    "CLIENT.get('one', false)" => ['"app:one"', "get app:one \r\n"], "CLIENT.get(%w[one two], false)" => ['{"one"=>"app:one", "two"=>"app:two"}', "get app:one app:two \r\n"],
    "CLIENT.set('three', 'value', 0, false)" => ['nil', "set app:three 0 0 5\r\n"]
  }.freeze
  CHILD = {
    "CLIENT.get('child', false)" => '"app:child"', "CLIENT.get(%w[a b], false)" => '{"a"=>"app:a", "b"=>"app:b"}', "CLIENT.set('key', 'value', 0, false)" => 'nil',
    'CLIENT.quit && CLIENT.prefix_key' => '"app:"', 'CLIENT.server_by_key("x")' => nil, 'Object.send(:remove_const, :CLIENT) && GC.start' => 'nil', 'nil' => 'nil'
  }.freeze

  BUSY.each_with_index do |(busy, (value, request)), number|
    define_method(:"test_a_fork_beside_a_request_has_connections_of_its_own_#{number}") do
      CHILD.each do |child, answer|
        @server.stop
        @server = Server.new
        said, (sent, ended) = forked(busy, child)
        assert_equal [answer || "\"127.0.0.1:#{@server.port}:8\"", '0', value, 'app:after'], said.map { |line| as_before(line) }, "#{busy} and #{child}"
        assert_equal [request.delete(' '), false], [sent.delete(' ').lines.first, ended]
        assert_operator sent.lines.size, :<=, 2
      end
    end
  end

  # Processes fork as a job server does, while other threads are at work with the same clients.
  def test_forks_at_any_moment
    server = memcached
    said = ruby(<<~RUBY, 'leveret/dalli')
      client = Dalli::Client.new('#{server}', namespace: 'jobs')
      keys = Array.new(200) { |i| "key\#{i}" }
      client.set_multi(keys.to_h { |key| [key, key * 20] })
      stop = false
      threads = Array.new(3) do
        Thread.new do
          counts = Hash.new(0)
          until stop
            counts[client.get_multi(keys).values == keys.map { |key| key * 20 }] += 1
            counts[client.set('own', 'x' * 50_000) && client.get('own').size == 50_000] += 1
          end
          counts
        end
      end
      children = Array.new(60) do
        fork do
          good = 3.times.all? { client.get('key7') == 'key7' * 20 && client.get_multi('key1', 'key2').size == 2 && client.set('child', 1) }
          GC.start
          exit!(1) unless good && client.with { |own| own.close }.nil?
        end
      end
      p children.map { |pid| Process.wait2(pid).last.exitstatus }.tally
      stop = true
      p threads.map { |thread| thread.value.keys }.flatten.uniq
    RUBY
    assert_equal "{0=>60}\n[true]\n", said
  end

  # A trap runs within the request of the main thread. In the child that request has no future.
  def test_a_fork_by_a_trap_within_a_request
    { 0 => 'Memcached::ConnectionFailure', 1 => 'key' }.each do |tries, said|
      @server.stop
      @server = Server.new
      fork_in_a_trap(tries, said)
    end
  end

  def fork_in_a_trap(tries, said)
    reader, writer = IO.pipe
    code = <<~RUBY
      main = Process.pid
      child = nil
      trap(:USR1) { child ||= fork }
      # A try more is one of the child's own.
      client = Memcached.new('127.0.0.1:#{@server.port}', timeout: 30, exception_retry_limit: ARGV[0].to_i)
      said = begin; client.get('key', false); rescue => e; e.class; end
      if Process.pid == main
        Process.wait(child)
        puts "parent: \#{said}"
      else
        puts "child: \#{said}, \#{client.get('again', false)}"
        $stdout.flush
      end
    RUBY
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    pid = spawn(RbConfig.ruby, *paths, '-r', 'leveret/memcached', '-e', code, tries.to_s, out: writer, err: writer)
    @started << pid
    writer.close
    eventually('the request') { @server.heard[0]&.size.to_i > 1 }
    Process.kill(:USR1, pid)
    assert reader.wait_readable(PATIENCE), 'the child hangs'
    assert_equal "child: #{said}, again\n", reader.gets
    assert_equal ["get key\r\n", false], [@server.sent(0), @server.ended?(0)]
    @server.release
    assert_equal "parent: key\n", reader.read
    stop(pid)
  end

  def test_the_garbage_collector_sends_nothing
    code = <<~RUBY
      def lose
        pool = Leveret::Pool.new(nil)
        pool.set_option(Leveret::Pool::PROTOCOL, Leveret::Pool::TEXT)
        pool.add_server('127.0.0.1', #{@server.port}, 1, nil)
        pool.reach?(0)
        pool.store_quietly(Leveret::Pool::SET, 'key', 'value', 0, 0)
        nil
      end
      10.times { lose }
      $stdout.sync = true
      20.times { Array.new(1000) { +'x' }; GC.start }
      puts ObjectSpace.each_object(Leveret::Pool).count
    RUBY
    assert_operator Integer(ruby(code)), :<=, 2
    eventually('the end of the connections') { @server.heard.size == 10 && (0...10).all? { |number| @server.ended?(number) } }
    assert_equal [''] * 10, Array.new(10) { |number| @server.sent(number) }
  end

  # What waits in the buffers of clients that nobody refers to is sent as the program ends, once, and not by its forks.
  def test_buffered_writes_are_sent_once_by_the_process_that_made_them
    server = memcached
    ruby(<<~RUBY, 'leveret/memcached')
      Memcached.new('#{server}').set('log', '', 0, false)
      40.times { |i| Memcached.new('#{server}', buffer_requests: true).append('log', "<\#{i}>") }
      GC.start
      2.times { Process.wait(fork { GC.start }) }
    RUBY
    log = ruby("puts Memcached.new('#{server}').get('log', false)", 'leveret/memcached')
    assert_equal (0...40).map { |i| "<#{i}>" }.sort, log.chomp.scan(/<\d+>/).sort
  end

  def test_a_lease_stays_its_parents
    c = cache
    lease = c.lease('key', 0)
    in_fork do
      lease.release
      lease = nil
      GC.start
    end
    assert_equal "false\n", ruby("p cache.lease('key', 0)")
    lease.release
    assert_kind_of Leveret::Lease, c.lease('key', 0)
  end
end
