# frozen_string_literal: true

require_relative 'helper'
require 'timeout'

# Threads, forks, Ractors, kills.
class TestProcesses < LeveretTest
  def test_a_fork_goes_on_with_the_same_arena
    c = cache
    c['parent'] = 1
    assert_equal 1, (in_fork { c['child'] = 2; c.increment('n'); c['parent'] })
    assert_equal 2, c['child']
    assert_equal 2, c.increment('n')
  end

  def test_counts_of_many_processes_and_threads_are_all_there
    c = cache
    forks = Array.new(4) { begin_fork { Array.new(4) { Thread.new { 500.times { c.increment('n') } } }.each(&:join) && nil } }
    forks.each { |fork| finish(fork) }
    assert_equal 8000, c['n']
  end

  def test_one_process_computes_and_the_others_wait_for_its_value
    c = cache
    forks = Array.new(6) do
      begin_fork { c.fetch('key') { c.increment('computed'); sleep 0.2; "by #{c['computed']}" } }
    end
    assert_equal ['by 1'], forks.map { |fork| finish(fork) }.uniq
    assert_equal 1, c['computed']
  end

  def test_one_thread_computes_and_the_others_wait_for_its_value
    c = cache
    computed = Queue.new
    threads = Array.new(8) { Thread.new { c.fetch('key') { computed << 1; sleep 0.1; 'value' } } }
    assert_equal ['value'], threads.map(&:value).uniq
    assert_equal 1, computed.size
  end

  def test_who_waits_does_not_stop_other_threads
    c = cache
    go = Queue.new
    holder = Thread.new { c.fetch('key') { go.pop } }
    eventually('the holder waits') { holder.stop? }
    waiter = Thread.new { c.fetch('key') { flunk 'somebody computes' } }
    1000.times { |i| c["other#{i}"] = i }
    go << 'made'
    assert_equal 'made', waiter.value
  end

  def test_a_killed_process_leaves_no_lease_behind
    c = cache
    pid, = begin_fork { c.fetch('key') { c['begun'] = true; sleep } }
    eventually('the computation') { c['begun'] }
    stop(pid)
    assert_equal 'mine', c.fetch('key') { 'mine' }
  end

  def test_an_exception_a_throw_and_a_killed_thread_leave_no_lease_and_no_value_behind
    c = cache
    assert_raises(ZeroDivisionError) { c.fetch('key') { 1 / 0 } }
    assert_equal 1, catch(:out) { c.fetch('key') { throw :out, 1 } }
    assert_nil(c.fetch('key') { break })
    begun = Queue.new
    thread = Thread.new { c.fetch('key') { begun << 1; sleep } }
    begun.pop
    thread.kill.join
    refute c.exist?('key')
    assert_equal 'mine', c.fetch('key') { 'mine' }
  end

  def test_who_waits_can_be_interrupted
    c = cache
    begun, go = Queue.new, Queue.new
    holder = Thread.new { c.fetch('key') { begun << 1; go.pop } }
    begun.pop
    assert_raises(Timeout::Error) { Timeout.timeout(0.1) { c.fetch('key') { flunk 'somebody computes' } } }
    waiter = Thread.new { c.fetch('key') { flunk 'somebody computes' } }
    eventually('the waiter waits') { waiter.status == 'sleep' || waiter.alive? }
    waiter.kill.join
    go << 'made'
    assert_equal 'made', holder.value
  end

  def test_a_block_may_fetch_another_key_and_the_same_one
    c = cache
    assert_equal 'inner outer', (c.fetch('outer') { "#{c.fetch('inner') { 'inner' }} outer" })
    assert_equal 2, (c.fetch('same') { c.fetch('same') { 1 } + 1 })
    assert_equal 2, c['same']
  end

  # In a process of its own: once there were Ractors, Ruby 3.1 may hang wherever threads and forks are at work later.
  def test_ractors_have_caches_of_their_own
    said = ruby(<<~RUBY)
      $VERBOSE = nil
      ractors = Array.new(3) do |i|
        Ractor.new(#{@folder.inspect}, i) do |dir, number|
          own = Leveret::Cache.new('test', dir: dir)
          200.times { own.increment('n') }
          own["list\#{number}"] = [number, { 'a' => 1.5 }]
          own.get_multi("list\#{number}").values.first
        end
      end
      p ractors.map(&:take), cache['n']
    RUBY
    assert_equal "[[0, {\"a\"=>1.5}], [1, {\"a\"=>1.5}], [2, {\"a\"=>1.5}]]\n600\n", said
  end

  # In a process of its own: collecting at each step takes long where much was loaded.
  def test_values_survive_collection_and_compaction
    said = ruby(<<~RUBY)
      frozen = Leveret::Cache.new('test', dir: #{@folder.inspect}, frozen: true)
      GC.stress = true
      kept = (0...10).all? do |i|
        value = { 'list' => ["text \#{i}" * i], "key\#{i}" => i * 1.5 }
        cache["k\#{i}"] = value
        cache["k\#{i}"] == value && frozen.get_multi("k\#{i}") == { "k\#{i}" => value } && cache.fetch("f\#{i}") { value } == value
      end
      GC.stress = false
      GC.compact
      p kept, frozen['k9']['list'] == ['text 9' * 9], cache.each.to_a.size
    RUBY
    assert_equal "true\ntrue\n20\n", said
  end

  # As Sidekiq's processes do: forked from one that had the arena open, killed and replaced in the middle of their work.
  def test_forked_workers_take_each_job_once_whoever_is_killed
    c = cache
    jobs = 400
    c.set_multi('queue' => (0...jobs).to_a, 'preloaded' => true)
    worker = lambda do
      loop do
        taken = nil
        stored = c.cas('queue') { |queue| taken = queue.last; queue[0...-1] }
        next if stored == false
        break if taken.nil?

        input = c.fetch("input #{taken % 7}") { sleep 0.005; "input of #{taken % 7} " * 50 }
        c.increment("times #{taken}")
        c.set("result #{taken}", [taken, input.bytesize])
      end
    end
    workers = Array.new(4) { begin_fork(&worker) }
    killed = Array.new(6) do
      sleep 0.01
      victim, = workers.shift
      stop(victim)
      workers << begin_fork(&worker)
    end
    workers.each { |fork| finish(fork) }
    times = c.get_multi((0...jobs).map { |job| "times #{job}" })
    assert_equal [1], times.values.uniq
    assert_operator jobs - times.size, :<=, killed.size
    results = c.get_multi((0...jobs).map { |job| "result #{job}" })
    assert_operator jobs - results.size, :<=, killed.size
    results.each { |name, (job, size)| assert_equal ["result #{job}", "input of #{job % 7} ".bytesize * 50], [name, size] }
  end

  def test_a_server_and_its_clients_share_the_items
    server = leveret_serve('--arena', 'test')
    c = cache
    c['text'] = 'value'
    c['number'] = 41
    socket = TCPSocket.new(*server.split(':'))
    socket.write("get text\r\nincr number 1\r\n")
    assert_equal ["VALUE text 0 5\r\n", "value\r\n", "END\r\n", "42\r\n"], Array.new(4) { socket.gets }
    assert_equal 42, c['number']
    socket.write("set wire 0 0 5\r\nbytes\r\n")
    assert_equal "STORED\r\n", socket.gets
    assert_equal 'bytes', c['wire']
  end
end
