# frozen_string_literal: true

require_relative 'helper'

# frozen: true
class TestFrozen < LeveretTest
  def test_values_are_frozen_through_and_through_and_the_same_object_while_they_stay
    c = cache(frozen: true)
    c['key'] = { 'list' => ['x', { 'y' => 'z' }] }
    value = c['key']
    assert Ractor.shareable?(value)
    assert_raises(FrozenError) { value['list'].first << 'y' }
    assert_same value, c['key']
    assert_same value, c.get_multi('key')['key']
  end

  def test_a_value_that_was_stored_anew_is_read_anew
    frozen, other = cache(frozen: true), cache
    other['key'] = [1]
    assert_equal [1], frozen['key']
    in_fork { cache['key'] = [2] }
    assert_equal [2], frozen['key']
    other.delete('key')
    assert_nil frozen['key']
    other['key'] = [3]
    assert_equal [3], frozen['key']
    other.clear
    assert_nil frozen['key']
  end

  def test_a_key_is_its_bytes
    frozen = cache(frozen: true)
    ["\u00fc", 'k', 'of8bytes', 'of nine b', 'x' * 200].each { |key| frozen[key] = [key] }
    ["\u00fc", "\u00fc".b, 'k', 'of8bytes', 'of nine b', 'x' * 200, :k].each do |key|
      value = frozen[key]
      assert_equal [key.to_s.dup.force_encoding('UTF-8')], value
      assert_same value, frozen[key.to_s.b]
    end
    assert_nil frozen['of9 bytes']
  end

  # A memcached client's number is text that is counted in place: kept, its first value was read for ever. The torture found it.
  def test_a_number_that_others_count_is_read_anew
    socket = TCPSocket.new(*leveret_serve('--arena', 'test').split(':'))
    socket.write("set key 0 0 1\r\n7\r\nincr key 1\r\n")
    assert_equal ["STORED\r\n", "8\r\n"], Array.new(2) { socket.gets }
    frozen = cache(frozen: true)
    assert_equal '8', frozen['key'].to_s
    assert_predicate frozen['key'], :frozen?
    socket.write("incr key 1\r\n")
    assert_equal "9\r\n", socket.gets
    assert_equal '9', frozen['key'].to_s
  end

  def test_a_value_that_is_over_is_not_kept
    frozen = cache(frozen: true)
    frozen.set('key', [1], 1)
    assert_equal [1], frozen['key']
    eventually('the end of the item') { frozen['key'].nil? }
  end

  def test_what_is_kept_is_bounded
    frozen = cache(frozen: true, frozen_bytes: 50_000)
    500.times { |i| frozen["key#{i}"] = ['x' * 100, i] }
    500.times { |i| assert_equal i, frozen["key#{i}"].last }
    kept = (0...500).count { |i| frozen["key#{i}"].equal?(frozen["key#{i}"]) }
    assert_operator kept, :>, 0
    assert_same frozen['key499'], frozen['key499']
    require 'objspace'
    assert_operator ObjectSpace.memsize_of(frozen), :<, 60_000
    frozen['large'] = ['x' * 100_000]
    assert_predicate frozen['large'], :frozen?
    refute_same frozen['large'], frozen['large']
  end
end
