# frozen_string_literal: true

require_relative 'helper'
require 'timeout'

# The methods of Leveret::Cache in one process.
class TestCache < LeveretTest
  def test_a_miss_is_told_from_a_stored_nil
    c = cache
    c.set('nil', nil)
    assert_nil c.get('nil', :default)
    assert_equal :default, c.get('missing', :default)
    assert_nil c.get('missing')
    assert c.exist?('nil')
    refute c.exist?('missing')
    assert_equal({ 'nil' => nil }, c.get_multi('nil', 'missing'))
    assert_nil(c.fetch('nil') { flunk 'nil is a value' })
  end

  def test_what_one_object_stores_another_one_reads
    cache['key'] = 'value'
    assert_equal 'value', cache['key']
    assert_nil cache('other')['key']
  end

  def test_add_and_replace_tell_whether_they_stored
    c = cache
    assert_equal false, c.replace('key', 1)
    assert_equal true, c.add('key', 2)
    assert_equal false, c.add('key', 3)
    assert_equal true, c.replace('key', 4)
    assert_equal 4, c['key']
  end

  def test_cas_stores_only_over_the_version_that_the_block_saw
    c = cache
    assert_nil(c.cas('key') { flunk 'there is nothing' })
    c['key'] = [1]
    assert_equal true, c.cas('key') { |list| list + [2] }
    assert_equal [1, 2], c['key']
    assert_equal false, (c.cas('key') { |list| c['key'] = 'another'; list })
    assert_equal 'another', c['key']
  end

  class Late < Timeout::Error; end
  class Slow
    def marshal_dump = 1
    def marshal_load(_) = raise(Late)
  end

  def test_what_ends_by_timeout_is_no_damaged_data
    c = cache
    c['key'] = Slow.new
    assert_raises(Late) { c['key'] }
  end

  def test_cas_may_keep_the_end
    c = cache
    c.set('key', 1, 1)
    assert_equal true, c.cas('key', :keep) { |n| n + 1 }
    assert_equal 2, c['key']
    sleep 0.1 while c.exist?('key')
    assert_raises(TypeError) { c['key'] = 1; c.cas('key', :for_ever) { 2 } }
  end

  def test_delete_and_touch_tell_whether_there_was_something
    c = cache
    c['key'] = 1
    assert_equal true, c.touch('key', 100)
    assert_equal true, c.delete('key')
    assert_equal false, c.delete('key')
    assert_equal false, c.touch('key', 100)
  end

  def test_a_ttl_of_nothing_leaves_nothing_and_one_of_nil_is_for_ever
    c = cache
    c.set('none', 1, 0)
    c.set('past', 1, -1)
    c.set('part', 1, 0.5)
    c.set('ever', 1, nil)
    c.set('ages', 1, 10**12)
    assert_equal({ 'part' => 1, 'ever' => 1, 'ages' => 1 }, c.get_multi('none', 'past', 'part', 'ever', 'ages'))
    c.touch('ever', 0)
    assert_nil c['ever']
  end

  def test_an_item_ends_with_its_ttl
    c = cache
    c.set('key', 1, 1)
    assert_equal 1, c['key']
    eventually('the end of the item') { c['key'].nil? }
  end

  def test_a_ttl_may_be_a_duration_but_no_text
    duration = Class.new { def to_i = 100 }.new
    assert cache.set('key', 1, duration)
    assert_raises(TypeError) { cache.set('key', 2, '100') }
    assert_raises(ArgumentError) { cache.set('key', 2, Float::NAN) }
    assert_equal 1, cache['key']
  end

  def test_counting
    c = cache
    assert_equal 1, c.increment('n')
    assert_equal 6, c.increment('n', 5)
    assert_equal(-4, c.decrement('n', 10))
    c['m'] = 41
    assert_equal 42, c.increment('m')
    assert_equal 42, c['m']
    c['text'] = '5'
    error = assert_raises(Leveret::NotAnIntegerError) { c.increment('text') }
    assert_equal 'The value of "text" is no integer, so it cannot be counted: set an integer first', error.message
    assert_equal '5', c['text']
  end

  def test_many_keys_at_once
    c = cache
    pairs = (0...100).to_h { |i| ["key#{i}", { 'number' => i }] }
    assert_equal true, c.set_multi(pairs, 100)
    assert_equal pairs, c.get_multi(pairs.keys, 'missing')
    assert_equal 2, c.delete_multi('key1', ['key2'], 'missing')
    assert_equal 98, c.get_multi(*pairs.keys).size
    assert_equal({}, c.get_multi)
  end

  def test_symbols_are_keys_and_other_things_are_not
    c = cache
    c[:key] = 1
    assert_equal 1, c['key']
    assert_equal({ key: 1 }, c.get_multi(:key))
    [nil, 1, Object.new].each { |key| assert_raises(TypeError) { c[key] } }
  end

  def test_keys_are_any_bytes_up_to_a_length
    c = cache
    keys = ['', ' ', "\0\n", "\xff".b, 'ü', 'k' * c.stats[:key_max]]
    keys.each { |key| c[key] = key.bytesize }
    keys.each { |key| assert_equal key.bytesize, c[key] }
    too_long = 'k' * (c.stats[:key_max] + 1)
    [-> { c[too_long] }, -> { c[too_long] = 1 }, -> { c.delete(too_long) }, -> { c.increment(too_long) }].each do |call|
      assert_includes assert_raises(Leveret::KeyTooLongError, &call).message, 'use a shorter one'
    end
  end

  def test_a_value_that_is_too_large_is_refused_and_takes_the_old_one_with_it
    c = cache
    c['key'] = 1
    error = assert_raises(Leveret::ValueTooLargeError) { c['key'] = 'x' * (c.stats[:value_max] + 1) }
    assert_kind_of Leveret::Error, error
    assert_nil c['key']
  end

  def test_walks
    c = cache
    pairs = (0...3000).to_h { |i| ["key#{i}", i] }
    c.set_multi(pairs)
    assert_equal pairs.keys.sort, c.keys.sort
    assert_equal pairs, c.each.to_h
    assert_equal 3000, c.count
    assert_equal(['key7'], c.select { |_, value| value == 7 }.map(&:first))
    c.each { |key, _| c.delete(key) }
    assert_empty c.keys
  end

  def test_a_walk_may_be_left_and_its_block_may_raise
    c = cache
    c.set_multi((0...10).to_h { |i| ["key#{i}", i] })
    100.times { c.each { break } }
    assert_raises(ZeroDivisionError) { c.each { 1 / 0 } }
    assert_equal 10, c.count
  end

  def test_clear_forgets_everything
    c = cache
    c['key'] = 1
    assert_equal true, c.clear
    assert_nil c['key']
    assert_equal 1, c.stats[:flushes]
  end

  def test_stats_count
    c = cache
    c['key'] = 1
    c['key']
    c['missing']
    stats = c.stats
    assert_equal File.join(@folder, 'test.arena'), stats[:path]
    assert_equal [1, 1], stats.values_at(:items, :sets)
    assert_equal 16 << 20, stats[:memory_limit]
  end

  def test_an_arena_that_cannot_be_opened_says_why
    error = assert_raises(Leveret::ArenaError) { Leveret::Cache.new('no such name', dir: @folder) }
    assert_includes error.message, 'no such name'
    assert_raises(ArgumentError) { Leveret::Cache.allocate.get('key') }
    assert_raises(TypeError) { cache.dup }
  end

  def test_an_arena_whose_file_was_removed_is_made_anew
    c = cache
    c['key'] = 1
    File.delete(c.path)
    eventually('a new arena') { c['key'].nil? }
    c['key'] = 2
    assert_equal 2, cache['key']
  end

  def test_a_get_of_a_short_string_allocates_the_string_and_nothing_else
    c = cache
    c['key'] = 'value'
    key = 'key'
    allocated = lambda do |times|
      before = GC.stat(:total_allocated_objects)
      times.times { c.get(key) }
      GC.stat(:total_allocated_objects) - before
    end
    allocated.call(1)
    assert_equal 1000, allocated.call(1001) - allocated.call(1)
  end
end
