# frozen_string_literal: true

require_relative 'helper'

# Rack's sessions in Dalli: its middleware on ours, and ours beside its own.
class TestDalliSessions < LeveretTest
  ORIGINAL = Gem::Specification.find_by_name('dalli').version

  SESSIONS = <<~'RUBY'
    require 'rack'
    require 'rack/session/dalli'
    app = ->(env) { env['rack.session']['visits'] = env['rack.session']['visits'].to_i + 1; [200, {}, [env['rack.session']['visits'].to_s]] }
    sessions = Rack::Session::Dalli.new(app, memcache_server: ARGV[0], expire_after: 100, pool_size: 2)
    request = Rack::MockRequest.new(sessions)
    first = request.get('/')
    cookie = first['Set-Cookie'][/rack.session=[^;]+/]
    p first.body, Array.new(3) { request.get('/', 'HTTP_COOKIE' => cookie).body }, request.get('/').body
  RUBY

  # Debian's middleware on ours: its file is loaded by its path, for a require finds ours.
  THEIR_SESSIONS = SESSIONS.sub("require 'rack/session/dalli'", "load File.join(Gem::Specification.find_by_name('dalli').full_gem_path, 'lib/rack/session/dalli.rb')")

  def test_the_sessions_of_rack_run_on_it
    server = memcached
    [[server, SESSIONS], [server, THEIR_SESSIONS], [File.join(@folder, 'sessions.arena'), SESSIONS]].each do |place, code|
      assert_equal "\"1\"\n[\"2\", \"3\", \"4\"]\n\"1\"\n", dalli_script('leveret/dalli', code, [place])
    end
  end

  # One visitor, whose requests reach hosts with the original and hosts with ours in turn.
  VISIT = <<~'RUBY'
    require 'rack'
    require 'rack/session/dalli'
    server, cookie = ARGV[0].split(' ')
    app = ->(env) { (env['rack.session']['seen'] ||= []) << env['rack.session']['seen'].size; [200, {}, [env['rack.session']['seen'].inspect]] }
    sessions = Rack::Session::Dalli.new(app, memcache_server: server, expire_after: 100, **PUBLIC)
    answer = Rack::MockRequest.new(sessions).get('/', cookie ? { 'HTTP_COOKIE' => cookie } : {})
    puts answer.body, answer['Set-Cookie'].to_s[/rack.session=[^;]+/] || cookie
  RUBY

  # Dalli 3.0 keeps sessions under the cookies' ids.
  PUBLIC_IDS = "PUBLIC = {#{' private_ids: false ' if ORIGINAL < Gem::Version.new('3.1')}}\n"

  def test_hosts_with_the_original_middleware_and_with_ours_share_the_sessions
    server, cookie = memcached, nil
    %w[dalli leveret/dalli dalli leveret/dalli].each_with_index do |library, i|
      said, cookie = dalli_script(library, PUBLIC_IDS + VISIT, [server, *cookie]).lines(chomp: true)
      assert_equal (0..i).to_a.inspect, said
    end
  end

  def test_a_switch_to_our_middleware_logs_nobody_out
    server = memcached
    _, cookie = dalli_script('dalli', "PUBLIC = {}\n" + VISIT, [server]).lines(chomp: true)
    2.times { |i| assert_equal (0..i + 1).to_a.inspect, dalli_script('leveret/dalli', "PUBLIC = {}\n" + VISIT, [server, cookie]).lines(chomp: true).first }
  end

  # A request that reads the session, during which another one logs out.
  LATE = <<~'RUBY'
    require 'rack'
    require 'rack/session/dalli'
    request = nil
    app = lambda do |env|
      session = env['rack.session']
      session['n'] = session['n'].to_i + 1
      request.get("/#{env['QUERY_STRING']}", 'HTTP_COOKIE' => env['HTTP_COOKIE']) if env['PATH_INFO'] == '/slow'
      session.options[:drop] = true if env['PATH_INFO'] == '/drop'
      session.destroy if env['PATH_INFO'] == '/destroy'
      [200, {}, [session['n'].to_s]]
    end
    request = Rack::MockRequest.new(Rack::Session::Dalli.new(app, memcache_server: ARGV[0]))
    cookie = ->(answer) { answer['Set-Cookie'].to_s[/rack.session=[^;]+/] }
    %w[drop destroy other].each do |meanwhile|
      known = cookie.call(request.get('/'))
      slow = request.get("/slow?#{meanwhile}", 'HTTP_COOKIE' => known)
      puts "#{meanwhile}: #{slow.body} #{request.get('/', 'HTTP_COOKIE' => known).body}"
    end
    # What is put into a session that was destroyed is of a new one.
    app = ->(env) { env['rack.session'].destroy if env['PATH_INFO'] == '/out'; env['rack.session']['note'] = 'bye' if env['PATH_INFO'] == '/out'; [200, {}, [env['rack.session']['note'].to_s]] }
    request = Rack::MockRequest.new(Rack::Session::Dalli.new(app, memcache_server: ARGV[0]))
    puts request.get('/', 'HTTP_COOKIE' => cookie.call(request.get('/out', 'HTTP_COOKIE' => cookie.call(request.get('/out'))))).body
  RUBY

  def test_a_request_that_ends_after_a_logout_does_not_bring_the_session_back
    [memcached, File.join(@folder, 'sessions.arena')].each do |place|
      assert_equal ['drop: 2 1', 'destroy: 2 1', 'other: 2 3', 'bye'], dalli_script('leveret/dalli', LATE, [place]).lines(chomp: true), place
    end
  end

  DROPPED = <<~'RUBY'
    require 'rack'
    require 'rack/session/dalli'
    app = lambda do |env|
      session = env['rack.session']
      session['n'] = session['n'].to_i + 1
      session.options[:drop] = true if env['PATH_INFO'] == '/drop'
      session.options[:renew] = true if env['PATH_INFO'] == '/renew'
      [200, {}, [session['n'].to_s]]
    end
    request = Rack::MockRequest.new(Rack::Session::Dalli.new(app, memcache_server: ARGV[0], socket_timeout: 0.3))
    cookie = ->(answer) { answer['Set-Cookie'].to_s[/rack.session=[^;]+/] }
    first = request.get('/')
    known = cookie.call(first)
    renewed = request.get('/renew', 'HTTP_COOKIE' => known)
    p first.body, renewed.body, known == cookie.call(renewed), request.get('/', 'HTTP_COOKIE' => known).body
    p request.get('/', 'HTTP_COOKIE' => cookie.call(renewed)).body, cookie.call(request.get('/drop', 'HTTP_COOKIE' => cookie.call(renewed)))
    p request.get('/', 'HTTP_COOKIE' => cookie.call(renewed)).body, request.get('/', 'HTTP_COOKIE' => 'rack.session=forged').body
    class Gone; end
    writer = Rack::MockRequest.new(Rack::Session::Dalli.new(->(env) { env['rack.session']['gone'] = Gone.new; [200, {}, []] }, memcache_server: ARGV[0]))
    gone = cookie.call(writer.get('/'))
    Object.send(:remove_const, :Gone)
    p((request.get('/', 'HTTP_COOKIE' => gone).body rescue $!.class))
    nowhere = Rack::MockRequest.new(Rack::Session::Dalli.new(app, memcache_server: '127.0.0.1:1', socket_timeout: 0.2))
    p nowhere.get('/').body
  RUBY

  def test_sessions_are_renewed_dropped_and_fail_as_with_the_original
    server = memcached
    theirs = dalli_script('dalli', DROPPED, [server])
    # What 5 says of a class that is gone does not name it, so its own middleware takes it for a failure of the server.
    theirs = theirs.lines.tap { |lines| lines[8] = "Dalli::UnmarshalError\n" }.join if ORIGINAL >= Gem::Version.new('5')
    assert_equal 10, theirs.lines.size, theirs
    assert_equal theirs, dalli_script('leveret/dalli', DROPPED, [server])
  end
end
