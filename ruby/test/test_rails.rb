# frozen_string_literal: true

require_relative 'helper'
require 'json'

# A Rails application under Puma, whose two workers were forked from a process that had the arena open.
class TestRails < LeveretTest
  APPLICATION = File.join(__dir__, 'rails')
  SECONDS = 6

  def puma
    skip 'no Rails or no Puma here' unless %w[rails puma].all? { |name| Gem::Specification.find_all_by_name(name == 'rails' ? 'railties' : name).any? }
    port = free_port
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.join(':')
    @master = spawn({ 'RUBYLIB' => paths, 'SHOP_DIR' => @folder, 'RAILS_ENV' => 'production' }, RbConfig.ruby, '-W0', Gem.bin_path('puma', 'puma'),
                    '-q', '-e', 'production', '-w', '2', '-t', '2:2', '--preload', '-b', "tcp://127.0.0.1:#{port}", 'config.ru',
                    chdir: APPLICATION, in: :close, %i[out err] => File.join(@folder, 'puma.log'), pgroup: true)
    @started << @master
    @port = port
    eventually('an answer of the application') { ask('/count') rescue nil }
    eventually('its two workers') { workers.size == 2 }
    shop.set('count', 0)
  end

  # Puma ends its workers itself when it is asked kindly.
  def teardown
    if @master
      Process.kill(:TERM, @master)
      ended = Array.new(100).any? { Process.wait(@master, Process::WNOHANG) || (sleep(0.05) && false) }
      ended ? @started.delete(@master) : workers.each { |pid| Process.kill(:KILL, pid) }
    end
    super
  end

  def shop
    @shop ||= Leveret::Cache.new('shop', dir: @folder, memory: 16 << 20)
  end

  def workers
    File.read("/proc/#{@master}/task/#{@master}/children").split.map(&:to_i)
  end

  # [body, cookie]; nil where the connection broke: its worker was killed.
  def ask(path, cookie = nil, port: @port)
    socket = TCPSocket.new('127.0.0.1', port)
    socket.write("GET #{path} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n#{"Cookie: #{cookie}\r\n" if cookie}\r\n")
    socket.wait_readable(PATIENCE) or flunk("#{path} hangs")
    answer = socket.read.b
    head, body = answer.split("\r\n\r\n", 2)
    return unless body && (body = whole(head, body))

    assert_match(%r{\AHTTP/1.1 200}, head, "#{path}: #{answer[0, 500]}") && [body.b, head[/^Set-Cookie: ([^;]+)/i, 1] || cookie]
  rescue Errno::ECONNRESET, Errno::ECONNREFUSED, Errno::EPIPE
    nil
  ensure
    socket&.close
  end

  # nil: the end of it is missing.
  def whole(head, body)
    return (body if [nil, body.bytesize.to_s].include?(head[/^Content-Length: (\d+)/i, 1])) unless head.match?(/^Transfer-Encoding: chunked/i)

    pieces = +''
    while (size = body.slice!(/\A\h+\r\n/))
      return pieces if size.to_i(16).zero?

      pieces << body.slice!(0, size.to_i(16))
      body.delete_prefix!("\r\n")
    end
  end

  def clients(count)
    over = false
    threads = Array.new(count) do |i|
      Thread.new do
        Thread.current.report_on_exception = false
        answered = lost = 0
        (yield i) ? answered += 1 : lost += 1 until over
        [answered, lost]
      end
    end
    sleep SECONDS
    over = true
    threads.map(&:value)
  end

  # Between what was answered and what was asked: who lost the connection does not know.
  def assert_counted(value, answered, lost)
    assert_includes answered..answered + lost, value
  end

  def visit(state)
    state[:cookie] ||= (state[:began] = ask('/visit'))&.last
    return if state[:cookie].nil?

    body, = ask('/visit', state[:cookie])
    state[:unknown] = state[:unknown].to_i + 1 unless body
    return unless body

    number = body.to_i
    state[:seen] ||= 1
    assert_includes state[:seen] + 1..state[:seen] + 1 + state[:unknown].to_i, number, 'a visit was lost, or counted twice'
    state[:seen] = number
    state[:unknown] = 0
    true
  end

  def show(id)
    body, = ask("/page/#{id}")
    return unless body

    version = body[/<h1>#{id} version (\d+)/, 1]
    assert_equal "#{id}:#{version} " * 500, body[%r{<p>(.*)</p>}, 1], "page #{id}, version #{version}"
    true
  end

  def test_workers_are_killed_under_load_and_no_answer_is_wrong
    puma
    killed = 0
    killer = Thread.new do
      loop do
        sleep 0.6
        Process.kill(:KILL, workers.sample)
        killed += 1
      rescue Errno::ESRCH, TypeError
        next
      end
    end
    states = Array.new(2) { {} }
    counted = 0
    results = clients(6) do |i|
      case i
      when 0, 1 then visit(states[i])
      when 2 then show(rand(5))
      when 3 then ask("/change/#{rand(5)}")
      when 4 then ask('/count')
      else
        name = "#{counted += 1}"
        Array.new(2) { Thread.new { ask("/report/#{name}") } }.map(&:value).compact.each { |body, _| assert_equal "report #{name} " * 200, body }.any?
      end
    end
    killer.kill.join
    assert_operator killed, :>, 3
    assert results.all? { |answered, _| answered > 10 }, results.inspect
    # The first request, which told that the application is there, was not one of the clients'.
    assert_counted shop.get('count').to_i, *results[4]
    assert_counted (0...5).sum { |id| shop.get("version #{id}").to_i }, *results[3]
    # A report is computed again only where its computer was killed.
    computed = (1..counted).sum { |name| shop.get("computed #{name}").to_i }
    assert_operator computed, :<=, counted + killed * 2
    eventually('new workers') { workers.size == 2 }
    assert_equal 'report last ' * 200, ask('/report/last')&.first
    assert_empty File.read(File.join(@folder, 'puma.log')).scan(/Error.*/).grep_v(/ConnectionError|worker/i).first(3)
  end

  def test_a_page_of_php_and_a_page_of_ruby_show_the_same_counter_and_the_same_list
    needs_php
    puma
    port = free_port
    start(PHP_COMMAND, '-n', '-d', "extension=#{PHP_EXTENSION}", '-d', "leveret.dir=#{@folder}", '-d', 'leveret.arena=shop', '-S', "127.0.0.1:#{port}", File.join(APPLICATION, 'shared.php'))
    answers(port)
    pages = [-> { ask('/shared') }, -> { ask('/', port: port) }]
    2.times do |round|
      first = pages.first.call.first
      list = JSON.parse(first)['list']
      assert_equal(round.zero? ? [{ 'name' => 'by Ruby', 'price' => 1.5 }] : [{ 'name' => 'by PHP', 'price' => 2.5 }], list)
      seen = [JSON.parse(first)['count']]
      threads = Array.new(4) { |i| Thread.new { Array.new(25) { JSON.parse(pages[i % 2].call.first) } } }
      answers = threads.flat_map(&:value)
      assert_equal [list], answers.map { |answer| answer['list'] }.uniq
      seen += answers.map { |answer| answer['count'] }
      assert_equal (seen.min..seen.min + 100).to_a, seen.sort
      # Now the other language makes the list.
      shop.delete('list')
      pages.reverse!
    end
  end
end
