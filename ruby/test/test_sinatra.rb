# frozen_string_literal: true

require_relative 'helper'
require 'net/http'

# Sinatra with Rack::Session::Dalli: two Pumas, as two hosts, and visitors whose requests reach both.
class TestSinatra < LeveretTest
  APPLICATION = File.join(__dir__, 'sinatra')

  def host(sessions, port = free_port)
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.join(':')
    log = File.join(@folder, 'puma.log')
    pid = spawn({ 'RUBYLIB' => paths, 'SESSIONS' => sessions, 'LEVERET_DIR' => @folder, 'RACK_ENV' => 'production' }, RbConfig.ruby, '-W0', Gem.bin_path('puma', 'puma'), '-q', '-e',
                'production', '-t', '2:2', '-b', "tcp://127.0.0.1:#{port}", 'config.ru', chdir: APPLICATION, in: :close, %i[out err] => [log, 'a'])
    @started << pid
    eventually("an answer of Puma; it said #{File.read(log)}") { Net::HTTP.get(URI("http://127.0.0.1:#{port}/notes")) && true rescue false }
    [pid, port]
  end

  def ask(request, port)
    request['Cookie'] = @cookie if @cookie
    answer = Net::HTTP.start('127.0.0.1', port) { |http| http.request(request) }
    @cookie = answer['Set-Cookie'][/rack.session=[^;]+/] || @cookie if answer['Set-Cookie']
    answer
  end

  def get(path, port)
    ask(Net::HTTP::Get.new(path), port).body
  end

  def test_a_session_lives_on_all_hosts_and_when_they_are_killed
    skip 'no Sinatra or no Puma here' unless %w[sinatra puma].all? { |name| Gem::Specification.find_all_by_name(name).any? }
    [memcached, leveret_serve, 'arena:sessions'].each do |sessions|
      @cookie = nil
      (first, *), (second, other) = hosts = Array.new(2) { host(sessions) }
      ports = hosts.map(&:last)
      assert_equal %w[1 2 3 4], Array.new(4) { |i| get('/visit', ports[i % 2]) }, sessions
      form = Net::HTTP::Post.new('/note').tap { |request| request.set_form_data('text' => 'ü & ö') }
      assert_equal %w[302 303].include?(ask(form, ports[0]).code), true
      assert_equal 'ü & ö', get('/notes', ports[1]).force_encoding('UTF-8')
      stop(first)
      assert_equal '5', get('/visit', ports[1])
      again, = host(sessions, ports[0])
      assert_equal %w[6 7], ports.map { |port| get('/visit', port) }
      known = @cookie
      assert_equal 'left', get('/leave', ports[0])
      @cookie = known
      assert_equal '1', get('/visit', other), 'a session that was left is still there'
      [again, second].each { |pid| stop(pid) }
    end
  end
end
