# frozen_string_literal: true

require_relative 'helper'

# Dalli's quiet blocks belong to one client in one thread. A flag of the thread kept writes of other clients back until their next request.
class TestQuiet < LeveretTest
  CODE = <<~RUBY
    options = { dir: ARGV[1], protocol: ARGV[2].to_sym }
    a, b, c = Array.new(3) { Dalli::Client.new(ARGV[0], options) }
    # What a set says, and whether another client sees it.
    state = lambda do |client, key|
      said = client.set(key, 1)
      [said.is_a?(Integer) ? :told : said.inspect, c.get(key) ? :there : :waits]
    end
    p(a.multi { [state[b, 'one'], a.set('quiet', 1)] }, a.get('quiet'))
    p(a.multi { b.multi { [a.set('x', 1), b.set('y', 1), state[c, 'two']] + [state[b, 'three'].first] } + [state[b, 'four'], a.set('z', 1)] })
    begin
      a.multi { b.multi { raise 'a failure' } }
    rescue RuntimeError
      p state[a, 'five'], state[b, 'six']
    end
    p(a.multi { a.multi { a.set('inner', 1) }; [a.set('outer', 1), a.get('inner')] })
    p(a.multi { Thread.new { state[a, 'seven'] }.value + Fiber.new { state[a, 'eight'] }.resume })
    p(a.multi { [b.delete('one'), b.append('two', 'x'), b.incr('none', 1, 0, 5), c.get('one')] })
    p a.multi { a.flush }
    p Thread.current[Dalli::QUIET], a.multi { Thread.current[Dalli::QUIET] ? true : false }
    Thread.current[Dalli::QUIET] = true
    p state[a, 'nine'], a.multi { a.set('ten', 1) }, Thread.current[Dalli::QUIET]
  RUBY

  WANTED = <<~TEXT
    [[:told, :there], nil]
    1
    [nil, nil, [:told, :there], "nil", [:told, :there], nil]
    [:told, :there]
    [:told, :there]
    [nil, 1]
    [:told, :there, :told, :there]
    [true, true, 5, nil]
    [nil]
    nil
    true
    [:told, :there]
    nil
    true
  TEXT

  def said_by(server, protocol = :binary)
    ruby("ARGV.replace([#{server.inspect}, #{@folder.inspect}, '#{protocol}']); #{CODE}", 'leveret/dalli')
  end

  def test_a_quiet_block_is_of_one_client_on_servers
    server = memcached
    %i[binary meta].each do |protocol|
      assert_equal WANTED, said_by(server, protocol), protocol
      TCPSocket.open(*server.split(':')) { |socket| socket.write("flush_all\r\n") && socket.gets }
    end
  end

  def test_a_quiet_block_is_of_one_client_on_an_arena_and_through_a_server_of_this_host
    assert_equal WANTED, said_by('arena:quiet')
    assert_equal WANTED, said_by(leveret_serve)
  end
end
