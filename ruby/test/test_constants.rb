# frozen_string_literal: true

require_relative 'helper'

# Applications change the defaults of these gems in place, which in the originals are not frozen. What they change counts for clients made later.
class TestConstants < LeveretTest
  def test_defaults_may_be_changed_as_the_originals
    said = ruby(<<~RUBY, 'leveret/dalli', 'leveret/memcached', 'leveret/memcache', 'rack/session/dalli')
      p [Rack::Session::Dalli::DEFAULT_DALLI_OPTIONS, MemCache::DEFAULT_OPTIONS, Memcached::DEFAULTS, Memcached::DEFAULTS[:exceptions_to_retry],
         Memcached::Rails::DEFAULTS, Memcached::EXCEPTIONS].map(&:frozen?).uniq
      Rack::Session::Dalli::DEFAULT_DALLI_OPTIONS[:memcache_server] = 'arena:sessions'
      Rack::Session::Dalli::DEFAULT_DALLI_OPTIONS[:dir] = #{@folder.inspect}
      sessions = Rack::Session::Dalli.new(->(_env) { [200, {}, []] })
      p sessions.pool, sessions.data.equal?(sessions.pool)
      MemCache::DEFAULT_OPTIONS[:namespace] = 'app'
      p MemCache.new('127.0.0.1:1').namespace
      Memcached::DEFAULTS[:default_ttl] = 60
      Memcached::DEFAULTS[:exceptions_to_retry] << KeyError
      m = Memcached.new('127.0.0.1:1')
      p m.options[:default_ttl], m.should_retry(KeyError.new)
    RUBY
    assert_equal "[false]\n#<Dalli::Client arena:sessions>\ntrue\n\"app\"\n60\ntrue\n", said
  end

  # Frozen here, as what the original says of its own.
  def test_options_of_a_client_are_frozen
    assert_equal "true\n", ruby("p Memcached.new('127.0.0.1:1').options.frozen?", 'leveret/memcached')
  end

  # Each constant that Debian's Dalli has under the same name is frozen there and here, or neither.
  def test_constants_are_frozen_where_dallis_are
    list = <<~RUBY
      def walk(mod) = mod.constants(false).sort.flat_map { |name| (value = mod.const_get(name)).is_a?(Module) ? (value.name.start_with?(mod.name) ? walk(value) : []) : ["\#{mod}::\#{name} \#{value.frozen?}"] }
      puts walk(Dalli), walk(Rack::Session::Dalli)
    RUBY
    ours = ruby(list, 'leveret/dalli', 'rack/session/dalli').lines.to_h(&:split)
    theirs = IO.popen([RbConfig.ruby, '-W0', '-r', 'dalli', '-r', 'rack/session/dalli', '-e', list], &:readlines).to_h(&:split)
    common = ours.keys & theirs.keys
    assert_operator common.size, :>, 3
    assert_equal theirs.slice(*common), ours.slice(*common)
  end
end
