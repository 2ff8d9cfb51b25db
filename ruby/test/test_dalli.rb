# frozen_string_literal: true

require_relative 'helper'

# Dalli::Client of leveret/dalli beside Debian's gem: each in a process of its own, since both are called Dalli.
class TestDalli < LeveretTest
  CALLS = File.join(__dir__, 'dalli_calls.rb')

  # Where ours is as Dalli 3.2 and later, which tell "there was nothing" from "it was not done", or says how a server refused.
  OF_ALL = {
    'incr of a value' => ['"Dalli::DalliError: Response error 6: Incr/decr on a non-numeric value" UTF-8',
                          '"Dalli::DalliError: Response error 9: Non-numeric server-side value for incr or decr" UTF-8']
  }.freeze
  ORIGINAL = Gem::Specification.find_by_name('dalli').version
  # Beside 3.2 and 5 text of ASCII is UTF-8 with us, as with 3.0, and a quiet block refuses nothing.
  OF_LATER = { 'raw' => 'text', 'counter' => '15', 'append' => 'abc', 'serializer' => '5' }.transform_values { |text| [%("#{text}" ASCII-8BIT), %("#{text}" UTF-8)] }.merge(
    'a get in a quiet block' => ['"Dalli::NotPermittedMultiOpError: The operation get is not allowed in a quiet block." UTF-8', '"x" UTF-8']
  ).freeze
  DIFFERENT = OF_ALL.merge(
    if ORIGINAL < Gem::Version.new('3.1')
      { 'replace missing' => %w[:version false], 'delete missing' => %w[nil false], 'what quiet joins and counts say' => ['[true, true, false, 254, 253, nil]', '[nil, nil, nil, nil, nil, nil]'] }
    elsif ORIGINAL < Gem::Version.new('5')
      OF_LATER.merge('raw number' => ['"5" ASCII-8BIT', '"5" UTF-8'], 'raw nil' => ['"" ASCII-8BIT', '"" UTF-8'], 'replace missing' => %w[nil false])
    else
      # 5 takes Strings only for raw values, and says less of what failed. It has no binary protocol, in which an exptime has no sign.
      OF_LATER.merge(
        'raw number' => ['"Dalli::MarshalError: Dalli raw mode requires string values, got: Integer" UTF-8', '"5" UTF-8'],
        'raw nil' => ['"Dalli::MarshalError: Dalli raw mode requires string values, got: NilClass" UTF-8', '"" UTF-8'],
        'incr of a value' => ['"Dalli::DalliError: Response error: CLIENT_ERROR" UTF-8', OF_ALL['incr of a value'].last],
        'serializer read by Marshal' => ['"Dalli::UnmarshalError: Unable to unmarshal value" UTF-8',
                                         '"Dalli::UnmarshalError: Unable to unmarshal value: incompatible marshal file format (can\'t be read)\n" UTF-8'],
        'ttl -1' => %w[nil 1]
      )
    end
  ).freeze

  # In the binary protocol an exptime has no sign.
  DIFFERENT_BY_META = DIFFERENT.merge(
    'ttl -1' => ORIGINAL < Gem::Version.new('5') ? %w[1 nil] : nil,
    'incr of a value' => [DIFFERENT['incr of a value'].first, '"Dalli::DalliError: Response error 9: cannot increment or decrement non-numeric value" UTF-8']
  ).freeze

  def original(*servers)
    lines(IO.popen([RbConfig.ruby, '-W0', '-r', 'dalli', CALLS, *servers, { err: %i[child out] }], &:read))
  end

  def ours(*servers)
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    lines(IO.popen([{ 'LEVERET_DIR' => @folder }, RbConfig.ruby, '-W', *paths, '-r', 'leveret/dalli', CALLS, *servers, { err: %i[child out] }], &:read))
  end

  def lines(text)
    text.gsub(/0x\h{16}/, '0x').lines(chomp: true).to_h { |line| line.split(': ', 2) }
  end

  def assert_alike(original, ours, except = DIFFERENT)
    assert_operator original.size, :>, 90, original.inspect
    different = (original.keys | ours.keys).to_h { |label| [label, [original[label], ours[label]]] }
    assert_equal({}, different.reject { |label, (theirs, own)| theirs == own || except[label] == [theirs, own] })
  end

  def test_the_same_calls_have_the_same_outcome_on_memcached
    server = memcached
    assert_alike original(server), ours(server)
  end

  def test_and_on_leveret_serve_by_the_socket_and_by_its_arena
    server = leveret_serve
    assert_alike original(server), ours(server)
  end

  def test_and_by_meta_commands
    server = memcached
    assert_alike original(server), ours(server, 'meta'), DIFFERENT_BY_META
  end

  def test_and_on_an_arena
    assert_alike original(memcached), ours(File.join(@folder, 'dalli.arena'))
  end

  def test_and_on_several_servers
    servers = Array.new(3) { memcached }.join(',')
    originals = original(servers)
    assert_alike originals.merge('stats' => 'false'), ours(servers).merge('stats' => 'false')
  end

  WRITE = <<~'RUBY'
    c = Dalli::Client.new(ARGV[0].split(' '), namespace: 'app')
    300.times { |i| c.set("key#{i}", { 'i' => i, text: 'ü' * (i * 20) }) }
    300.times { |i| c.set("raw#{i}", "raw #{i}", 100, raw: true) }
    c.multi { 100.times { |i| c.set("quiet#{i}", [i]) } }
  RUBY
  READ = <<~'RUBY'
    c = Dalli::Client.new(ARGV[0].split(' '), namespace: 'app')
    p (0...300).all? { |i| c.get("key#{i}") == { 'i' => i, text: 'ü' * (i * 20) } }
    p c.get_multi((0...300).map { |i| "raw#{i}" }).sort == (0...300).map { |i| ["raw#{i}", "raw #{i}"] }.sort
    p c.get_multi((0...100).map { |i| "quiet#{i}" }).size
  RUBY

  # Since Dalli 3.2.
  def test_a_namespace_may_change
    code = 'n = "a"; c = Dalli::Client.new(ARGV[0], namespace: -> { n }); c.set("k", 1); n = "b"; p c.get("k"); c.set("k", 2); p c.get_multi("k"); n = "a"; p c.get("k")'
    assert_equal "nil\n{\"k\"=>2}\n1\n", dalli_script('leveret/dalli', code, [memcached]).gsub(' => ', '=>')
  end

  # The same keys on the same servers, as the same bytes with the same flags.
  def test_what_one_wrote_the_other_reads_with_weights_and_all
    servers = [1, 2, 1, 3].map { |weight| "#{memcached}:#{weight}" }
    assert_equal '', dalli_script('leveret/dalli', WRITE, servers)
    assert_equal "true\ntrue\n100\n", dalli_script('dalli', READ, servers)
    by_ours = contents(servers)
    assert_equal '', dalli_script('dalli', WRITE, servers)
    assert_equal by_ours, contents(servers)
    assert_equal "true\ntrue\n100\n", dalli_script('leveret/dalli', READ, servers)
  end

  # Each server's items with their flags and bytes.
  def contents(servers)
    servers.map do |server|
      host, port, = server.split(':')
      socket = TCPSocket.new(host, port)
      names = (0...300).flat_map { |i| ["app:key#{i}", "app:raw#{i}", "app:quiet#{i}"] }
      socket.write("get #{names.join(' ')}\r\n")
      items = {}
      while (line = socket.gets) != "END\r\n"
        _, key, flags, length = line.split
        items[key] = [flags, socket.read(length.to_i + 2)]
      end
      items
    end
  end

  def test_when_a_server_dies_its_keys_move_as_with_the_original
    servers = Array.new(3) { memcached }
    stop(@started.last)
    options = 'socket_timeout: 0.5, socket_failure_delay: 0, socket_max_failures: 1'
    write = WRITE.sub("namespace: 'app'", "namespace: 'app', #{options}")
    read = READ.sub("namespace: 'app'", "namespace: 'app', #{options}")
    assert_equal '', dalli_script('dalli', write, servers)
    assert_equal "true\ntrue\n100\n", dalli_script('leveret/dalli', read, servers)
    refute_includes dalli_script('leveret/dalli', WRITE.sub("namespace: 'app'", 'failover: false') + '; p 1', servers), "1\n"
  end

  def test_a_later_require_of_dalli_gets_ours
    said = dalli_script('leveret/dalli', 'p require("dalli"), Dalli::Client.instance_method(:get).source_location.first.end_with?("leveret/dalli/client.rb")', [])
    assert_equal "true\ntrue\n", said
    assert_includes IO.popen([RbConfig.ruby, '-I', File.join(ROOT, 'ruby/lib'), '-I', File.join(BUILD, 'lib'), '-r', 'dalli', '-r', 'leveret/dalli',
                              '-e', '1', { err: %i[child out] }], &:read), 'before it'
  end

  def test_threads_share_a_client
    server = memcached
    code = <<~'RUBY'
      c = Dalli::Client.new(ARGV[0])
      threads = Array.new(8) { |t| Thread.new { (0...200).all? { |i| c.set("t#{t}-#{i}", [t, i]); c.get("t#{t}-#{i}") == [t, i] && c.get_multi("t#{t}-#{i}").values == [[t, i]] } } }
      p threads.map(&:value).uniq
      fork { p c.set('child', 1) && c.get('child') }
      Process.wait
      p c.get('child')
    RUBY
    assert_equal "[true]\n1\n1\n", dalli_script('leveret/dalli', code, [server])
    assert_equal "[true]\n1\n1\n", dalli_script('leveret/dalli', code, [File.join(@folder, 'threads.arena')])
  end

  def test_leveret_cache_and_dalli_read_each_other_in_an_arena
    path = File.join(@folder, 'test.arena')
    c = cache
    c.set_multi('text' => 'x', 'n' => 5, 'json' => { 'a' => [1] }, 'object' => { symbol: 1 }, 'binary' => "\xff".b)
    code = 'c = Dalli::Client.new(ARGV[0]); p c.get_multi("text", "n", "json", "object", "binary"); c.set("d", { s: [nil] }); c.set("big", ["x" * 9000]); c.set("r", "raw", 0, raw: true); c.incr("count", 1, 0, 5)'
    assert_equal %({"text"=>"x", "n"=>5, "json"=>{"a"=>[1]}, "object"=>{:symbol=>1}, "binary"=>"\\xFF"}\n), dalli_script('leveret/dalli', code, [path])
    assert_equal [{ s: [nil] }, ['x' * 9000], 'raw', '5'], %w[d big r count].map { |key| c[key] }
  end

  def test_the_original_reads_through_a_server_what_leveret_cache_stored
    server = leveret_serve('--arena', 'test')
    c = cache
    c.set_multi('text' => 'x', 'object' => { symbol: [1.5] })
    assert_equal "{\"text\"=>\"x\", \"object\"=>{:symbol=>[1.5]}}\n", dalli_script('dalli', 'p Dalli::Client.new(ARGV[0]).get_multi("text", "object")', [server])
    dalli_script('dalli', 'c = Dalli::Client.new(ARGV[0]); c.set("o", { s: 1 }); c.set("big", ["x" * 9000]); c.set("raw", "r", 0, raw: true)', [server])
    assert_equal [{ s: 1 }, ['x' * 9000], 'r'], %w[o big raw].map { |key| c[key] }
  end

  RAILS = <<~'RUBY'
    require 'active_support'
    require 'active_support/cache'
    require 'active_support/notifications'
    require 'active_support/core_ext/integer/time'
    [{}, { pool_size: 2 }].each do |options|
      s = ActiveSupport::Cache.lookup_store(:mem_cache_store, ARGV[0], { namespace: 'rails' }.merge(options))
      s.clear
      p s.write('key', { a: [1, nil] }), s.read('key'), s.read('none'), s.fetch('key') { 5 }, s.fetch('made', expires_in: 1.hour) { 'made' }, s.read('made')
      p s.write_multi('a' => 1, 'b' => nil).size, s.read_multi('a', 'b', 'c'), s.fetch_multi('a', 'd') { |name| name * 2 }
      p s.write('n', 5, raw: true), s.increment('n'), s.decrement('n', 3), s.read('n', raw: true), s.increment('none')
      p s.write('once', 1, unless_exist: true) && true, s.write('once', 1, unless_exist: true), s.delete('once'), s.exist?('once')
      p s.write('large', 'x' * 500_000) && s.read('large').size, s.write('k' * 400, 1) && s.read('k' * 400), s.read('key', version: 2), s.stats.size
      p s.write('a b ü', 1) && s.read('a b ü'), s.clear, s.read('key')
    end
  RUBY

  def test_the_store_of_rails_runs_on_it
    needs_mem_cache_store
    # What a write gives is a version, a number that differs each time.
    simple = ->(text) { text.gsub(/^\d+$/, 'number') }
    [memcached, leveret_serve].each do |server|
      said = simple.call(dalli_script('leveret/dalli', RAILS, [server]))
      assert_equal simple.call(dalli_script('dalli', RAILS, [server])), said
      assert_operator said.lines.size, :>, 40, said
    end
  end

  # What IdentityCache adds to this store and calls: a value is replaced only if it is still the one that was read.
  IDENTITY_CACHE = <<~'RUBY'
    require 'active_support'
    require 'active_support/cache'
    require 'active_support/notifications'
    require 'dalli/cas/client' unless Dalli::VERSION > '3'
    module Swap
      BY_RAILS = ActiveSupport::VERSION::MAJOR < 7 ? {} : { raw: false }

      def cas(name)
        rescue_error_with(false) { @data.with { |c| c.cas(normalize_key(name, {}), 60, { raw: false }) { |bytes| packed(yield(plain(bytes))) } } }
      end

      def cas_multi(*names)
        rescue_error_with(false) do
          keys = names.to_h { |name| [normalize_key(name, {}), name] }
          found = @data.with { |c| c.get_multi_cas(keys.keys) }
          made = yield(found.to_h { |key, (bytes, _)| [keys[key], plain(bytes)] })
          made.map { |name, value| normalize_key(name, {}).then { |key| @data.with { |c| c.replace_cas(key, packed(value), found[key].last, 60, {}) } } }
        end
      end

      private

      def plain(bytes) = deserialize_entry(bytes, **BY_RAILS).value
      def packed(value) = serialize_entry(ActiveSupport::Cache::Entry.new(value), **BY_RAILS)
    end
    store = -> { ActiveSupport::Cache.lookup_store(:mem_cache_store, ARGV[0], { namespace: 'blobs' }).extend(Swap) }
    s = store.call
    returns = ->(name) { s.cas(name) { |value| return value } }
    p s.cas('none') { raise 'nothing is there' }, s.write('row', { id: 1 }, unless_exist: true) && true, s.write('row', { id: 2 }, unless_exist: true)
    p s.cas('row') { |row| row.merge(seen: true) } && true, s.read('row'), s.cas('row') { break :found }, returns['row'], s.read('row')
    p s.cas('row') { s.write('row', 'invalid') && 'late' }, s.read('row')
    p s.write_multi('a' => :deleted, 'b' => [2]).size, s.read_multi('a', 'b', 'c'), s.fetch_multi('b', 'd') { |name| name * 2 }
    p s.cas_multi('a', 'b', 'c') { |found| p(found); { 'a' => 'new', 'b' => found['b'] + [3] } }.map { |version| version && true }, s.read_multi('a', 'b', 'c')
    p s.cas_multi('a', 'b') { s.write('b', 'other'); { 'a' => 1, 'b' => 2 } }.map { |version| version && true }, s.read_multi('a', 'b')
    p s.cas_multi('none') { |found| break found }, s.delete('row'), s.exist?('row')
    s.write('n', 0)
    4.times.map { fork { own = store.call; 50.times { nil until own.cas('n') { |n| n + 1 } } } }.each { |pid| Process.wait(pid) }
    p s.read('n')
  RUBY

  def test_identity_cache_swaps_values_on_it
    needs_mem_cache_store
    original = dalli_script('dalli', IDENTITY_CACHE, [memcached])
    assert_equal ['false', '200'], original.lines(chomp: true).values_at(2, -1), original
    [memcached, leveret_serve, File.join(@folder, 'identity.arena')].each { |place| assert_equal original, dalli_script('leveret/dalli', IDENTITY_CACHE, [place]), place }
  end

  LOCKS = <<~'RUBY'
    c = Dalli::Client.new(ARGV[0], namespace: 'app', socket_timeout: 2)
    c.set('key', { 'a' => [1] }, 100)
    found = c.get_with_metadata('key')
    p found[:value], found[:cas] == c.get_cas('key').last, found.values_at(:won_recache, :stale, :lost_recache), found.size
    p c.get_with_metadata('none')[:value], c.get_with_metadata('none', cache_nils: true)[:value] == Dalli::NOT_FOUND
    p c.get_with_metadata('a b ü')[:value], c.set('a b ü', 5, 100, raw: true) && c.get_with_metadata('a b ü')[:value]
    p c.fetch_with_lock('key') { 'computed' }, c.fetch_with_lock('new', ttl: 100) { 'computed' }, c.get('new')
    p((c.fetch_with_lock('raises') { raise 'no' } rescue $!.message), c.fetch_with_lock('raises', ttl: 100) { 'second' })
    p((c.fetch_with_lock('key') rescue $!.class))
    children = Array.new(6) do |i|
      reader, writer = IO.pipe
      pid = fork { writer.write(c.fetch_with_lock('slow', ttl: 100) { c.incr('computed', 1, 0, 1); sleep 0.5; 'value' }.inspect); writer.close; exit!(0) }
      writer.close
      [pid, reader]
    end
    p children.map { |pid, reader| Process.wait(pid) && reader.read }.uniq.sort, c.get('slow'), c.get('computed').to_i
  RUBY
  LOCKS_ON_SERVERS = <<~'RUBY'
    c.set('soon', 'old', 5)
    p c.get_with_metadata('soon', recache_ttl: 100).values_at(:value, :won_recache, :lost_recache)
    p c.get_with_metadata('soon', recache_ttl: 100).values_at(:value, :won_recache, :lost_recache)
    p c.get_with_metadata('mine', vivify_ttl: 9).values_at(:value, :won_recache), c.get_with_metadata('mine', vivify_ttl: 9).values_at(:value, :won_recache, :lost_recache)
    p c.fetch_with_lock('mine') { 'not mine' }
    c.set('seen', 1)
    p c.get_with_metadata('seen', return_hit_status: true, skip_lru_bump: true)[:hit_before], c.get_with_metadata('seen', return_hit_status: true)[:hit_before]
    p c.get_with_metadata('seen', return_hit_status: true, return_last_access: true).values_at(:hit_before, :last_access).map(&:class)
    p c.get_with_metadata('seen', return_ttl_remaining: true)[:ttl_remaining], c.get_with_metadata('key', return_ttl_remaining: true)[:ttl_remaining].between?(1, 100)
    p c.fetch_with_lock('soon2', ttl: 5) { 1 }, c.fetch_with_lock('soon2', ttl: 100, recache_threshold: 50) { 2 }, c.get('soon2')
    p((Dalli::Client.new('127.0.0.1:1', socket_timeout: 0.2).fetch_with_lock('key') { 1 } rescue $!.class))
    c.close
    p c.get_with_metadata('seen')[:value]
  RUBY
  SAID_OF_LOCKS = ['{"a"=>[1]}', 'true', '[false, false, false]', '5', 'nil', 'true', 'nil', '"5"', '{"a"=>[1]}', '"computed"', '"computed"', '"no"', '"second"',
                   'ArgumentError'].freeze
  SAID_OF_LOCKS_ON_SERVERS = ['["old", true, false]', '["old", false, true]', '[nil, true]', '[nil, false, true]', 'nil', 'false', 'false', '[TrueClass, Integer]', '-1', 'true',
                              '1', '2', '2', 'Dalli::RingError', '1'].freeze

  def test_one_client_computes_what_is_locked
    [memcached, leveret_serve].each do |server|
      said = dalli_script('leveret/dalli', LOCKS + LOCKS_ON_SERVERS, [server]).lines(chomp: true)
      assert_equal SAID_OF_LOCKS, said.shift(SAID_OF_LOCKS.size)
      # The others go away with nothing, as Dalli has it, unless they come when it is there.
      assert_includes [['["\"value\"", "nil"]', '"value"'], ['["\"value\""]', '"value"']], said.shift(2)
      assert_equal ['1', *SAID_OF_LOCKS_ON_SERVERS], said
    end
    said = dalli_script('leveret/dalli', LOCKS, [File.join(@folder, 'locks.arena')]).lines(chomp: true)
    assert_equal [*SAID_OF_LOCKS, '["\"value\""]', '"value"', '1'], said
    refused = dalli_script('leveret/dalli', 'p((Dalli::Client.new(ARGV[0]).get_with_metadata("k", vivify_ttl: 3) rescue [$!.class, $!.message]))', [File.join(@folder, 'locks.arena')])
    assert_includes refused, '[Dalli::DalliError, "An arena without a server has no vivify_ttl'
  end

  # Of two servers the second one dies, at the line that asks for it, and comes back.
  LOCKS_OF_A_DEAD_SERVER = <<~'RUBY'
    addresses = ARGV[0].split
    die = -> { $stdout.puts 'die'; $stdout.flush; $stdin.gets }
    keys = (0...40).map { |i| "key#{i}" }
    c = Dalli::Client.new(addresses, namespace: 'app', socket_timeout: 5)
    firm = Dalli::Client.new(addresses, namespace: 'app', socket_timeout: 5, failover: false)
    again = Dalli::Client.new(addresses, namespace: 'app', socket_timeout: 5, down_retry_delay: 0)
    keys.each { |key| c.set(key, 'old') && firm.get_with_metadata(key) && again.get_with_metadata(key) }
    p keys.map { |key| c.get_with_metadata(key)[:value] }.uniq
    die.call
    gone = keys.select { |key| (firm.get_with_metadata(key) && false) rescue $!.class == Dalli::RingError }
    p gone.size.between?(1, 39), (firm.fetch_with_lock(gone.first) { 1 } rescue $!.class)
    p c.get_with_metadata(gone.first).values_at(:value, :cas), (keys - gone).map { |key| c.get_with_metadata(key)[:value] }.uniq
    p gone.map { |key| c.fetch_with_lock(key, ttl: 100) { "new #{key}" } } == gone.map { |key| "new #{key}" }
    p gone.map { |key| c.fetch_with_lock(key) { 'again' } } == gone.map { |key| c.get(key) }, c.get(gone.first) == "new #{gone.first}"
    p gone.map { |key| again.fetch_with_lock(key) { 'again' } } == gone.map { |key| "new #{key}" }
    # Where the original would look, from its beginning.
    p gone.map { |key| Dalli::Client.new(addresses, namespace: 'app').get(key) } == gone.map { |key| "new #{key}" }
    p((Dalli::Client.new(addresses, socket_timeout: 5).fetch_with_lock('raises') { raise 'no' } rescue $!.message))
    die.call
    sleep 0.01 while again.get_with_metadata(gone.first)[:value]
    p again.set(gone.first, 'back').is_a?(Integer), again.get_with_metadata(gone.first)[:value]
    die.call
    p [c, firm, again].map { |client| [(client.get_with_metadata('k') rescue $!.class), (client.fetch_with_lock('k') { 1 } rescue $!.class)] }.flatten.uniq
  RUBY

  def test_metadata_and_locks_go_on_to_the_next_server
    servers = Array.new(2) { memcached }
    first, second = *@started
    paths = $LOAD_PATH.select { |path| path.start_with?(ROOT) }.flat_map { |path| ['-I', path] }
    said = []
    IO.popen([RbConfig.ruby, '-W', *paths, '-r', 'leveret/dalli', '-r', 'logger', '-e', "Dalli.logger = Logger.new(File::NULL)\n#{LOCKS_OF_A_DEAD_SERVER}", servers.join(' '), { err: %i[child out] }], 'r+') do |client|
      steps = [-> { stop(second) }, -> { second = restart(servers[1]) }, -> { [first, second].each { |pid| stop(pid) } }]
      client.each_line(chomp: true) { |line| line == 'die' ? (steps.shift.call; client.puts) : said << line }
    end
    assert_equal ['["old"]', 'true', 'Dalli::RingError', '[nil, 0]', '["old"]', 'true', 'true', 'true', 'true', 'true', '"no"', 'true', '"back"', '[Dalli::RingError]'], said
  end

  # A memcached in the place of one that was stopped.
  def restart(address)
    pid = start('memcached', '-l', '127.0.0.1', '-p', address[/\d+\z/], '-U', '0', *(['-u', 'nobody'] if Process.uid.zero?))
    answers(address[/\d+\z/])
    pid
  end

  def test_a_server_that_lies_or_is_silent_is_told_by_an_error
    answers = ["VA 5 W\r\nab", "nonsense\r\n", "VA 99999999999\r\n", "ERROR\r\n", 'x' * 5000, '']
    answers.each do |answer|
      liar = TCPServer.new('127.0.0.1', 0)
      thread = Thread.new { loop { socket = liar.accept; socket.gets; socket.write(answer); socket.close if answer.start_with?('VA 5') } }
      said = dalli_script('leveret/dalli', 'p((Dalli::Client.new(ARGV[0], socket_timeout: 0.3).get_with_metadata("k") rescue $!.class))', ["127.0.0.1:#{liar.addr[1]}"])
      assert_match(/\A(Dalli::RingError|Dalli::DalliError)\n\z/, said, answer[0, 20].inspect)
    ensure
      thread.kill
      liar.close
    end
  end

  # What both say of three calls on a server that asks for a password, by each way to give one.
  PASSWORD_CALLS = <<~'RUBY'
    require 'uri'
    require 'logger'
    port, plain = ARGV[0].split
    Dalli.logger = Logger.new(IO::NULL)
    try = ->(client) { [client.set('k', 'v') ? :done : :not, client.get('k'), client.get_multi('k', 'none')] rescue $!.class }
    tell = ->(*given) { client = Dalli::Client.new(*given); p [try[client], client.close, try[client]] }
    tell.call("127.0.0.1:#{port}", { username: 'tester', password: 'secret' })
    tell.call("127.0.0.1:#{port}", { username: 'tester', password: 'wrong' })
    tell.call("memcached://tester:secret@127.0.0.1:#{port}")
    tell.call("127.0.0.1:#{plain}", { username: 'tester', password: 'secret' })
    ENV['MEMCACHE_USERNAME'] = 'tester'
    ENV['MEMCACHE_PASSWORD'] = 'secret'
    tell.call("127.0.0.1:#{port}")
  RUBY

  def test_a_password_opens_the_same_servers
    ports = [guarded_memcached, memcached].map { |address| address[/\d+\z/] }
    original = dalli_script('dalli', PASSWORD_CALLS, ports)
    assert_equal 5, original.lines.size, original
    assert_equal original, dalli_script('leveret/dalli', PASSWORD_CALLS, ports)
  end

  def test_a_refused_password_names_the_server_and_not_itself_and_no_other_server_hides_it
    address = guarded_memcached
    code = <<~'RUBY'
      client = Dalli::Client.new(ARGV[0].split, username: 'tester', password: 'hidden')
      said = (0..20).map { |n| client.set("k#{n}", 1) && :done rescue "#{$!.class} #{$!.message}" }
      puts said.uniq.size, said.include?(:done), said.find { |text| text.is_a?(String) }, client.inspect, client.instance_variable_get(:@servers).inspect
    RUBY
    said = dalli_script('leveret/dalli', code, [address, memcached])
    assert_match(/\A2\ntrue\nDalli::DalliError #{address}: it refuses this user name and password/, said)
    refute_includes said, 'hidden'
  end

  # Metadata take meta commands, which a server does not have that asks for a password: nobody signs in to them, as with Dalli 3.2.
  def test_metadata_and_passwords_do_not_go_together
    code = <<~'RUBY'
      given, without = { username: 'tester', password: 'secret', socket_timeout: 2 }, { socket_timeout: 2 }
      [given, without].each do |options|
        client = Dalli::Client.new(ARGV[0], options)
        puts [-> { client.get_with_metadata('k') }, -> { client.fetch_with_lock('k') { 'computed' } }].map { |call| call.call rescue "#{$!.class}: #{$!.message}" }
      end
      p Dalli::Client.new(ARGV[0], given).then { |client| client.set('k', 1) && client.get('k') }
    RUBY
    address = guarded_memcached
    refused = "Dalli::DalliError: #{address}: who gives a password (SASL) speaks the binary protocol, which has no metadata"
    said = dalli_script('leveret/dalli', code, [address]).lines(chomp: true)
    assert_equal [refused] * 2 + ['1'], said.values_at(0, 1, -1), said.inspect
    assert_equal ['Dalli::RingError: No server available'] * 2, said[2, 2], said.inspect
  end

  def test_the_gem_memcached_signs_in_by_its_credentials
    code = <<~'RUBY'
      require 'leveret/memcached'
      server, password = ARGV[0].split
      client = Memcached.new(server, credentials: ['tester', password])
      client.set('k', 1)
      p client.get('k'), client.options[:credentials]
    RUBY
    address = guarded_memcached
    assert_equal "1\nnil\n", dalli_script('leveret/dalli', code, [address, 'secret'])
    refused = dalli_script('leveret/dalli', code, [address, 'hidden'])
    assert_includes refused, 'it refuses this user name and password'
    refute_includes refused, 'hidden'
  end

  # Debian's memcached with a user "tester", whose password is "secret".
  def guarded_memcached
    setter = %w[/usr/sbin /usr/bin].map { |folder| "#{folder}/saslpasswd2" }.find { |path| File.executable?(path) }
    skip 'sasl2-bin is not installed: it makes the file of passwords' unless setter

    database = File.join(@folder, 'sasldb')
    IO.popen([setter, '-p', '-f', database, '-c', '-a', 'memcached', 'tester'], 'w') { |input| input.puts 'secret' }
    File.write(File.join(@folder, 'memcached.conf'), "mech_list: plain\npwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: #{database}\n")
    port = free_port
    start({ 'SASL_CONF_PATH' => @folder }, 'memcached', '-S', '-l', '127.0.0.1', '-p', port.to_s, '-U', '0', *(%w[-u root] if Process.uid.zero?))
    answers(port)
  end

  # Five requests a minute, counted by two processes, and a ban after two bad ones.
  ATTACK = <<~'RUBY'
    require 'rack'
    require 'active_support'
    require 'active_support/cache'
    require 'active_support/core_ext/integer/time'
    require 'rack/attack'
    kind, place = ARGV[0].split(' ')
    Rack::Attack.cache.store = kind == 'dalli' ? Dalli::Client.new(place) : ActiveSupport::Cache.lookup_store(kind.to_sym, place)
    Rack::Attack.throttle('all', limit: 5, period: 100_000) { |request| request.ip }
    Rack::Attack.blocklist('bad') { |request| Rack::Attack::Fail2Ban.filter("bad #{request.ip}", maxretry: 2, findtime: 100_000, bantime: 1000) { request.path == '/bad' } }
    app = Rack::MockRequest.new(Rack::Attack.new(->(_) { [200, {}, ['fine']] }))
    ask = ->(path, ip) { app.get(path, 'REMOTE_ADDR' => ip).status }
    fork { 3.times { ask.call('/', '1.1.1.1') } }
    Process.wait
    p Array.new(4) { ask.call('/', '1.1.1.1') }, ask.call('/', '2.2.2.2')
    p Array.new(3) { ask.call('/bad', '3.3.3.3') }, ask.call('/', '3.3.3.3')
  RUBY

  def test_rack_attack_counts_on_it
    skip 'no rack-attack here' if Gem::Specification.find_all_by_name('rack-attack').empty?
    wanted = "[200, 200, 429, 429]\n200\n[403, 403, 403]\n403\n"
    server = memcached
    # Dalli 5 refuses the numbers that rack-attack stores raw.
    assert_equal wanted, dalli_script('dalli', ATTACK, ['dalli', server]) if ORIGINAL < Gem::Version.new('5')
    ["dalli #{memcached}", "dalli #{leveret_serve}", "dalli #{@folder}/attack.arena", "mem_cache_store #{memcached}", "leveret_store #{memcached}",
     "leveret_store #{@folder}/store.arena"].each do |words|
      next if words.start_with?('mem_cache_store') && !mem_cache_store?

      assert_equal wanted, dalli_script('leveret/dalli', ATTACK, words.split), words
    end
  end

  def test_who_waits_for_a_server_can_be_interrupted_and_lets_others_run
    silent = TCPServer.new('127.0.0.1', 0)
    code = <<~'RUBY'
      require 'timeout'
      c = Dalli::Client.new("127.0.0.1:#{ARGV[0]}", socket_timeout: 50)
      counted = 0
      counting = Thread.new { loop { counted += 1; sleep 0.001 } }
      p((Timeout.timeout(0.2) { c.get('key') } rescue $!.class))
      p counted > 10
      waiting = Thread.new { c.get('key') }
      sleep 0.1
      p waiting.kill.join(10) == waiting
      trapped = false
      trap(:USR1) { trapped = true }
      waiting = Thread.new { c.get('key') }
      main = Thread.current
      Thread.new { sleep 0.1; Process.kill(:USR1, $$); sleep 0.1; main.raise(Interrupt) }
      p((c.get('other') rescue $!.class) || 0, trapped)
    RUBY
    code = code.sub('p((c.get', 'p((begin; c.get').sub("('other') rescue $!.class) || 0", "('other'); rescue Interrupt; :interrupted; end)")
    assert_equal "Timeout::Error\ntrue\ntrue\n:interrupted\ntrue\n", dalli_script('leveret/dalli', code, [silent.addr[1].to_s])
  ensure
    silent&.close
  end
end
