# frozen_string_literal: true

require_relative 'helper'

# What Dalli's own suites ask for and no other test here does.
class TestDalliEdges < LeveretTest
  def both(code, *libraries)
    theirs = IO.popen([RbConfig.ruby, '-W0', '-r', 'dalli', *libraries.flat_map { |name| ['-r', name] }, '-e', code, { err: %i[child out] }], &:read)
    [as_before(theirs), ruby("$VERBOSE = nil; #{code}", 'leveret/dalli', *libraries)]
  end

  # A server that could not be asked keeps what it has. Nobody was told so.
  def test_a_flush_that_a_server_does_not_answer_raises
    good = memcached
    ["['127.0.0.1:#{free_port}']", "['#{good}', '127.0.0.1:#{free_port}']", "['127.0.0.1:#{free_port}', '#{good}']"].each do |servers|
      code = <<~RUBY
        Dalli.logger = Logger.new(File::NULL)
        p(begin; Dalli::Client.new(#{servers}).flush_all; rescue => e; [e.class, e.is_a?(Dalli::DalliError)]; end)
      RUBY
      theirs, ours = both(code, 'logger')
      assert_equal ["[Dalli::NetworkError, true]\n"] * 2, [theirs, ours], servers
    end
    said = ruby(<<~RUBY, 'leveret/dalli', 'logger')
      Dalli.logger = Logger.new(File::NULL)
      good = Dalli::Client.new('#{good}')
      good.set('key', 1)
      begin
        Dalli::Client.new(['127.0.0.1:1', '#{good}']).flush
      rescue Dalli::NetworkError => e
        puts e.message
      end
      p good.get('key')
    RUBY
    assert_equal "127.0.0.1:1 cannot be asked, so what is there was not deleted: try again\nnil\n", said
  end

  # A browser that was told to forget a cookie may send it without a value: a new session, not an error.
  def test_a_cookie_without_a_value_is_a_new_session
    [true, false].each do |private_ids|
      ['', '=', '; other=1', 'nonsense', '%20', '%00'].each do |value|
        said = ruby(<<~RUBY, 'leveret/dalli', 'rack', 'rack/session/dalli')
          $VERBOSE = nil
          app = ->(env) { n = env['rack.session']['n'].to_i + 1; env['rack.session']['n'] = n; [200, {}, [n.to_s]] }
          sessions = Rack::Session::Dalli.new(app, memcache_server: 'arena:sessions', dir: #{@folder.inspect}, private_ids: #{private_ids})
          answer = Rack::MockRequest.new(sessions).get('/', 'HTTP_COOKIE' => #{"rack.session=#{value}".inspect})
          cookie = (answer['Set-Cookie'] || answer['set-cookie']).to_s[/rack.session=\\h+/]
          puts answer.body, cookie ? :cookie : :none, Rack::MockRequest.new(sessions).get('/', 'HTTP_COOKIE' => cookie).body
        RUBY
        assert_equal "1\ncookie\n2\n", said, value
      end
    end
  end
end
