# frozen_string_literal: true

require_relative 'helper'

# The real Sidekiq on a Redis of its own: two processes with three threads each, one of which is killed at work and started anew.
class TestSidekiq < LeveretTest
  JOBS = File.join(__dir__, 'sidekiq/jobs.rb')
  THREADS = 3

  def environment(server)
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.join(':')
    { 'RUBYLIB' => paths, 'REDIS_URL' => "redis://127.0.0.1:#{@redis}/0", 'JOBS_DIR' => @folder, 'JOBS_SERVER' => server }
  end

  def redis
    @redis = free_port
    start('redis-server', '--port', @redis.to_s, '--bind', '127.0.0.1', '--save', '', '--dir', @folder)
    answers(@redis)
  end

  def sidekiq(server)
    pid = spawn(environment(server), RbConfig.ruby, '-W0', Gem.bin_path('sidekiq', 'sidekiq'), '-r', JOBS, '-c', THREADS.to_s, '-t', '5', chdir: @folder, in: :close,
                %i[out err] => [File.join(@folder, 'sidekiq.log'), 'a'])
    @started << pid
    pid
  end

  # What a process that knows the jobs prints.
  def beside(server, code)
    said = IO.popen([environment(server), RbConfig.ruby, '-W0', '-r', JOBS, '-e', code, { err: %i[child out] }], &:read)
    assert_predicate $?, :success?, said
    said
  end

  def waiting
    socket = TCPSocket.new('127.0.0.1', @redis)
    socket.write("LLEN queue:default\r\n")
    Integer(socket.gets[/\A:(\d+)/, 1])
  ensure
    socket&.close
  end

  def test_jobs_are_killed_and_no_value_is_wrong
    skip 'no Redis here' unless system('redis-server', '--version', out: File::NULL)
    # The Ruby of a Debian that is being made may have a Sidekiq, and not all that it needs.
    skip 'no Sidekiq here' unless system(RbConfig.ruby, '-W0', '-r', 'sidekiq', '-e', '', %i[out err] => File::NULL)
    redis
    [memcached, leveret_serve, 'arena:values'].each do |server|
      jobs = cache('jobs')
      jobs.clear
      done = -> { jobs.get('done').to_i }
      # Two that make one counter at once lose a count in memcached, for any client: it is made before.
      beside(server, 'SERVER.incr("done", 0, 0, 0); 300.times { |number| Report.perform_async(number) }')
      workers = Array.new(2) { sidekiq(server) }
      kills = 3
      kills.times do |round|
        eventually('the jobs') { done.call > 30 * (round + 1) }
        stop(workers.shift)
        workers << sidekiq(server)
      end
      # What a killed process was at is lost, as Sidekiq loses it; nothing else is, and nobody waits for the dead.
      lost = kills * THREADS
      eventually('the end of the jobs') { waiting.zero? && done.call >= 300 - lost }
      workers.each { |pid| Process.kill(:TERM, pid) && Process.wait(pid) && @started.delete(pid) }
      assert_equal [nil, []], [jobs.get('wrong'), jobs.keys.grep(/\Aerror/).map { |key| jobs[key] }]
      assert_includes done.call..300, jobs.get('begun')
      assert_includes done.call..done.call + lost, Integer(beside(server, 'puts SERVER.get("done")'))
      assert_operator jobs.get('computed'), :<, jobs.get('begun')
    end
  end
end
