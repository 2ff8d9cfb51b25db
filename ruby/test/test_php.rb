# frozen_string_literal: true

require_relative 'helper'

# One item, two languages.
class TestPhp < LeveretTest
  # What a value is in Ruby, and in PHP's words.
  SHARED = {
    'text' => ["'text'"], 'ü' => ["'ü'"], '' => ["''"], 5 => ['5'], -(2**63) => ['PHP_INT_MIN'], 2**63 - 1 => ['PHP_INT_MAX'],
    1.5 => ['1.5'], -0.0 => ['-0.0'], 1e300 => ['1e300'], Float::INFINITY => ['INF'], true => ['true'], false => ['false'], nil => ['null'],
    [1, 'x', nil] => ["[1, 'x', null]"], { 'a' => { 'b' => [1.5, true] } } => ["['a' => ['b' => [1.5, true]]]"],
    [[], [{ 'k' => "quote \" \\ \n" }]] => ["[[], [['k' => \"quote \\\" \\\\ \\n\"]]]"]
  }.freeze

  def test_php_reads_what_ruby_stored
    c = cache
    SHARED.each_with_index { |(value, _), i| c["k#{i}"] = value }
    checks = SHARED.values.each_with_index.map { |(code), i| "var_dump($cache->get('k#{i}', 'missing') === #{code});" }
    assert_equal ['bool(true)'], php(checks.join).split("\n").uniq
  end

  def test_ruby_reads_what_php_stored
    c = cache
    php(SHARED.values.each_with_index.map { |(code), i| "$cache->set('k#{i}', #{code});" }.join)
    SHARED.keys.each_with_index do |value, i|
      value.nil? ? assert_nil(c.get("k#{i}", :missing)) : assert_equal(value, c["k#{i}"])
    end
    php('$cache->set("k", ["a" => 1, 5 => 2]); $cache->set("image", "\xff\xd8");')
    assert_equal({ 'a' => 1, 5 => 2 }, c['k'])
    assert_equal "\xff\xd8".b, c['image']
  end

  # Rows of a table, more strings and keys than have short numbers, numbers of every width, keys of every kind.
  def test_ruby_reads_arrays_in_the_compact_form
    c = cache
    php(<<~'PHP')
      $numbers = [];
      foreach ([0, 63, 64, 127, 128, 32767, 32768, 2147483647, 2147483648, PHP_INT_MAX] as $number) {
          array_push($numbers, $number, -$number - 1);
      }
      $rows = array_map(fn ($id) => ['id' => $id, 'name' => "row $id", 'more' => [5 => null, -1 => true, '' => 'x', '07' => 1.5]], range(0, 9999));
      $maps = array_map(fn ($id) => ["only $id" => 'row 7'], range(0, 99));
      $cache->set('all', [$numbers, $rows, $maps, $maps, str_repeat('ü', 500), "\xff" . str_repeat('x', 70), [[], [[]]]]);
    PHP
    widths = [0, 63, 64, 127, 128, 32_767, 32_768, 2_147_483_647, 2_147_483_648, 2**63 - 1].flat_map { |number| [number, -number - 1] }
    rows = (0..9999).map { |id| { 'id' => id, 'name' => "row #{id}", 'more' => { 5 => nil, -1 => true, '' => 'x', '07' => 1.5 } } }
    maps = (0..99).map { |id| { "only #{id}" => 'row 7' } }
    want = [widths, rows, maps, maps, 'ü' * 500, "\xff".b + 'x' * 70, [[], [[]]]]
    got = c['all']
    assert_equal want, got
    # Each string is one of its own.
    got[2][0]['only 0'] << 'changed'
    assert_equal 'row 7', got[3][0]['only 0']
    assert_equal 'row 7', got[1][7]['name']
  end

  def test_both_count_the_same_counter
    c = cache
    assert_equal 5, c.increment('n', 5)
    assert_equal 'int(6)', php('var_dump($cache->increment("n"));').strip
    assert_equal 7, c.increment('n')
    php('$m = new Memcached(); $m->addServer("arena:test", 0); $m->set("m", 40);')
    assert_equal 41, c.increment('m')
    assert_equal 'int(42)', php('$m = new Memcached(); $m->addServer("arena:test", 0); var_dump($m->increment("m"));').strip
    # Text that PHP reads as an integer is one to both, white space and all.
    php('$m = new Memcached(); $m->addServer("arena:test", 0); $m->setOption(Memcached::OPT_COMPRESSION, false); $m->set("joined", 5); $m->append("joined", "\n");')
    assert_equal 6, c.increment('joined')
    assert_equal 'int(7)', php('var_dump($cache->increment("joined"));').strip
  end

  def test_a_ttl_ends_at_the_same_moment_in_both
    c = cache
    ttls = [nil, 0, -1, -2**62, 100, 2**31, 2**32, 2**40, 2**62]
    ttls.each_with_index { |ttl, i| c.set("ruby#{i}", i, ttl) }
    ends = php(<<~PHP)
      foreach ([#{ttls.map { |ttl| ttl || 'null' }.join(', ')}] as $i => $ttl) {
          $cache->set("php$i", $i, $ttl);
          [$ruby, $php] = [$cache->getItem("ruby$i"), $cache->getItem("php$i")];
          echo json_encode([$ttl, $ruby !== null, $php !== null, $ruby?->expires === $php?->expires || abs($ruby->expires - $php->expires) <= 5]), "\\n";
      }
    PHP
    want = ttls.map { |ttl| "[#{ttl || 'null'},#{ttl.nil? || ttl.positive?},#{ttl.nil? || ttl.positive?},true]" }
    assert_equal want, ends.lines(chomp: true)
  end

  def test_what_only_one_language_can_read_is_a_miss_to_the_other
    c = cache
    c['ruby'] = { symbol: 1 }
    said = php('var_dump($cache->get("ruby", "missing"));')
    assert_includes said, 'string(7) "missing"'
    assert_includes said, 'Warning'
    assert_includes said, "Ruby's Marshal"
    php('$cache->set("php", new ArrayObject([1])); $cache->set("inner", [[new ArrayObject([1])]]); $r = [1]; $r[1] = &$r[0]; $cache->set("reference", $r);')
    _, warned = capture_io { assert_equal [:miss] * 3, %w[php inner reference].map { |key| c.get(key, :miss) } }
    assert_includes warned, 'an object of PHP'
  end

  # PHP's own serializers, by our classes and by Debian's php-memcached: to Ruby each is a miss or an error, and never bytes.
  def test_what_igbinary_and_msgpack_made_is_a_miss_and_an_error
    server = memcached
    served = leveret_serve('--arena', 'test')
    store = <<~'PHP'
      foreach (['IGBINARY', 'MSGPACK'] as $name) {
          $m = new Memcached();
          $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
          $m->addServer($host, $port);
          foreach (['', ' compressed'] as $kind) {
              $m->setOption(Memcached::OPT_COMPRESSION, $kind !== '');
              $m->setOption(Memcached::OPT_SERIALIZER, constant("Memcached::SERIALIZER_$name"));
              if (!$m->set(str_replace(' ', '_', $name . $kind), ['a' => array_fill(0, 2000, 'text'), 5 => 1.5])) {
                  exit($m->getResultMessage());
              }
          }
      }
    PHP
    keys = %w[IGBINARY IGBINARY_compressed MSGPACK MSGPACK_compressed]
    place = ->(address) { address.split(':').then { |host, port| "$host = '#{host}'; $port = #{port};" } }
    ours = %w[igbinary msgpack]
    assert_equal '', php("$host = 'arena:test'; $port = 0; #{store}", *ours)
    _, warned = capture_io { assert_equal [:miss] * 4, keys.map { |key| cache.get(key, :miss) } }
    assert_includes warned, 'igbinary'
    assert_includes warned, 'msgpack'
    capture_io { assert_equal({}, cache.get_multi(keys)) }
    assert_unreadable(keys, 'arena:test', served)
    [[served, 'arena:test'], [server, nil]].each do |address, arena|
      assert_equal '', original_php("#{place.call(address)} #{store}")
      capture_io { assert_equal [:miss] * 4, keys.map { |key| cache.get(key, :miss) } } if arena
      assert_unreadable(keys, *arena, address)
    end
  end

  # Each client of the gem, in a process of its own.
  def assert_unreadable(keys, *places)
    code = <<~RUBY
      ENV['LEVERET_DIR'] = #{@folder.inspect}
      answers = #{places.inspect}.flat_map do |place|
        dalli, memcached, memcache = Dalli::Client.new(place), Memcached.new(place), MemCache.new(place)
        #{keys.inspect}.map { |key| [dalli, memcached, memcache].map { |client| client.get(key) rescue $!.class.ancestors.include?(StandardError) } }
      end
      p answers.flatten.uniq - [nil, true]
    RUBY
    assert_equal "[]\n", ruby(code, 'leveret/dalli', 'leveret/memcached', 'leveret/memcache').lines.last
  end

  def test_the_classes_of_php_read_what_ruby_stored_and_ruby_what_they_stored
    c = cache
    c.set_multi('text' => 'x', 'n' => 5, 'f' => 1.5, 'list' => [1, { 'a' => nil }])
    members = ['$m = new Memcached(); $m->addServer("arena:test", 0);', '$m = new MemcachePool(); $m->addServer("arena:test", 0);']
    members.each do |member|
      code = 'echo json_encode([$m->get("text"), $m->get("n"), $m->get("f"), $m->get("list") === [1, ["a" => null]]]);'
      assert_equal '["x",5,1.5,true]', php(member + code)
      php("#{member} $m->set('s', str_repeat('long text ', 1000)); $m->set('a', ['k' => str_repeat('x', 5000)]); $m->set('i', 7); $m->set('b', true);")
      assert_equal ['long text ' * 1000, { 'k' => 'x' * 5000 }, 7, true], %w[s a i b].map { |key| c[key] }
    end
  end
end
