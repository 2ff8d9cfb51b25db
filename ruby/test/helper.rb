# frozen_string_literal: true

# What the tests share: arenas of their own in shared memory, real servers, PHP. What a test starts ends with it.
require 'minitest/autorun'
require 'leveret'
require 'socket'
require 'tmpdir'

# A failing comparison in the forks must end them, not run their tests again.
Minitest.after_run { exit!(0) if Process.pid != MAIN_PID && $!.nil? }
MAIN_PID = Process.pid

ROOT = File.expand_path('../..', __dir__)
BUILD = File.join(ROOT, ENV.fetch('RUBY_BUILD', 'build/ruby'))
COMMAND = File.join(ROOT, 'build/leveret')
PHP_COMMAND = "php#{ENV.fetch('LEVERET_PHP', '8.2')}"
PHP_EXTENSION = File.join(ROOT, 'build/leveret.so')

# A hung process must end as a failed test. Far above what any of them takes: nothing here measures time.
PATIENCE = Integer(ENV.fetch('LEVERET_PATIENCE', 60))

class LeveretTest < Minitest::Test
  def setup
    @folder = Dir.mktmpdir('leveret-ruby-', File.writable?('/dev/shm') ? '/dev/shm' : nil)
    @started = []
  end

  def teardown
    # A copy, because stop() takes each of them off the list.
    @started.dup.each { |pid| stop(pid) }
    FileUtils.remove_entry(@folder)
  end

  def cache(name = 'test', **options)
    Leveret::Cache.new(name, dir: @folder, memory: 16 << 20, **options)
  end

  # Runs the block in a process of its own; the value of the block comes back, or the test fails with what it raised.
  def in_fork
    finish(begin_fork { yield })
  end

  def begin_fork
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      answer = begin
        [:value, yield]
      rescue Exception => e
        [:error, "#{e.class}: #{e.message}\n#{e.backtrace.first(5).join("\n")}"]
      end
      writer.write(Marshal.dump(answer))
      writer.close
      exit!(0)
    end
    writer.close
    @started << pid
    [pid, reader]
  end

  def finish((pid, reader))
    assert reader.wait_readable(PATIENCE), 'the process hangs'
    kind, value = Marshal.load(reader.read)
    Process.wait(pid)
    @started.delete(pid)
    flunk(value) if kind == :error
    value
  end

  def eventually(what)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
    until yield
      flunk("#{what} did not happen") if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      sleep 0.01
    end
  end

  # --- servers ---

  def free_port
    server = TCPServer.new('127.0.0.1', 0)
    server.addr[1]
  ensure
    server&.close
  end

  def memcached(*words)
    port = free_port
    start('memcached', '-l', '127.0.0.1', '-p', port.to_s, '-U', '0', *(['-u', 'nobody'] if Process.uid.zero?), *words)
    answers(port)
  end

  def leveret_serve(*words)
    port = free_port
    start({ 'LEVERET_DIR' => @folder }, COMMAND, 'serve', *(%w[-u root] if Process.uid.zero?), '-l', '127.0.0.1', '-p', port.to_s, '-m', '16', *words)
    answers(port)
  end

  def start(*command)
    pid = spawn(*command, in: :close, out: File::NULL, err: File::NULL)
    @started << pid
    pid
  end

  def answers(port)
    eventually("the server on #{port}") do
      TCPSocket.new('127.0.0.1', port).close
      true
    rescue Errno::ECONNREFUSED
      false
    end
    "127.0.0.1:#{port}"
  end

  def stop(pid, signal = :KILL)
    Process.kill(signal, pid)
    Process.wait(pid)
    @started.delete(pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil
  end

  # --- other programs ---

  # What a Ruby process of its own prints, warnings too. `cache` is the arena "test" of this test's folder.
  def ruby(code, *libraries)
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    start = "def cache = @cache ||= Leveret::Cache.new('test', dir: #{@folder.inspect}); "
    as_before IO.popen([RbConfig.ruby, *paths, *(['leveret'] + libraries).flat_map { |name| ['-r', name] }, '-e', start + code, { err: %i[child out] }], &:read)
  end

  # Runs code with a Dalli: the library 'dalli' is Debian's gem, 'leveret/dalli' is ours.
  def dalli_script(library, code, servers)
    paths = library == 'dalli' ? [] : $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    as_before IO.popen([RbConfig.ruby, *paths, '-r', library, '-r', 'logger', '-e', "Dalli.logger = Logger.new(File::NULL)\n#{code}", servers.join(' '), { err: %i[child out] }], &:read)
  end

  # Ruby 3.4 shows a Hash in another way: as before, for comparisons.
  def as_before(text)
    text.gsub(' => ', '=>').gsub(/(?<=\{|, )([a-z_]+): /, ':\\1=>')
  end

  # What PHP code prints. `$cache` is the arena "test" of this test's folder.
  def php(code, *extensions)
    needs_php
    arguments = [PHP_COMMAND, '-n', *extensions.flat_map { |name| ['-d', "extension=#{name}"] }, '-d', "extension=#{PHP_EXTENSION}", '-d', "leveret.dir=#{@folder}", '-d', 'leveret.arena=test',
                 '-d', 'display_errors=stdout', '-d', 'html_errors=0', '-d', 'log_errors=0']
    IO.popen([*arguments, '-r', "$cache = new Leveret\\Cache(); #{code}", { err: %i[child out] }], &:read)
  end

  # Rails 7.2's own store cannot make its pool with connection_pool 3.
  def mem_cache_store?
    rails, pools = %w[activesupport connection_pool].map { |name| Gem::Specification.find_by_name(name).version }
    pools < Gem::Version.new('3') || !rails.between?(Gem::Version.new('7.1'), Gem::Version.new('8.0'))
  end

  def needs_mem_cache_store
    skip "Rails' :mem_cache_store does not run here" unless mem_cache_store?
  end

  def needs_php
    skip "no #{PHP_COMMAND} here" unless system(PHP_COMMAND, '-v', %i[out err] => File::NULL)
  end

  # What PHP code prints with Debian's php-memcached, and without ours.
  def original_php(code)
    needs_php
    extensions = %w[igbinary msgpack memcached].flat_map { |name| ['-d', "extension=#{name}"] }
    IO.popen([PHP_COMMAND, '-n', *extensions, '-d', 'display_errors=stdout', '-d', 'html_errors=0', '-r', code, { err: %i[child out] }], &:read)
  end
end
