# frozen_string_literal: true

# Hostile calls of each native method: arguments of wrong classes, and objects whose conversions lie, raise, throw, change the other arguments,
# collect garbage, or call back into the same client, while another thread uses it too. Whatever they raise is an answer; the process must
# stay alive, and the client must still work at the end. A program, so that a crash ends it and no other test:
#   ruby ruby/test/hostile_calls.rb cache|arena|server|settings FOLDER CALLS SEED [SERVER] [stress]
require 'leveret'
require 'leveret/memcached'
require 'timeout'

class HostileCalls
  # What a hostile object does where it is asked for something.
  TRICKS = %i[lie lie plain plain raise throw change shrink callback collect pass].freeze
  CONVERSIONS = %i[to_s to_str to_i to_int to_f to_r to_a to_ary to_h to_hash to_sym to_path to_proc coerce hash eql? == === <=> inspect respond_to_missing?
                   call retrieve encode decode marshal_dump freeze].freeze

  # Everything that it is asked for is a trick.
  class Liar
    CONVERSIONS.each { |name| define_method(name) { |*| HostileCalls.trick(name) } }
    def initialize(number = 0) = @number = number
  end

  # With conversions that work now and then.
  class Half < Numeric
    %i[to_i to_int to_f to_s coerce hash eql? <=> +].each { |name| define_method(name) { |*| HostileCalls.trick(name) } }
  end

  class Text < String
    %i[to_s to_str hash eql? == length size bytesize empty? encoding inspect].each { |name| define_method(name) { |*| HostileCalls.trick(name) } }
  end

  class List < Array
    %i[to_a to_ary flatten length size each [] hash].each { |name| define_method(name) { |*| HostileCalls.trick(name) } }
  end

  # What Marshal calls as it reads a stored value.
  class Loaded
    def marshal_dump = [1]
    def marshal_load(_list) = HostileCalls.trick(:marshal_load)
    def freeze = HostileCalls.trick(:freeze)
  end

  # As a client's values: what #retrieve gives is a trick.
  class Values
    def retrieve(bytes, flags)
      HostileCalls.trick(:retrieve)
      flags.odd? ? Marshal.load(bytes) : bytes
    end
  end

  class << self
    attr_accessor :current

    def trick(name)
      # What the writer of a test reads must work: an object is hostile only within a call.
      current ? current.trick(name) : nil
    end
  end

  def initialize(kind, folder, calls, seed, server, stress)
    @folder, @calls, @stress, @server = folder, calls, stress, server
    @random = Random.new(seed)
    @depth = 0
    @answers = Hash.new(0)
    @methods = send("#{kind}_methods")
  end

  attr_reader :answers

  def run
    other = Thread.new { loop { use_beside } }
    other.report_on_exception = false
    @methods.each do |name, subject|
      @calls.times { |number| call(name, subject, number) }
    end
    other.kill.join
    raise 'the client does not work any more' unless works?
  end

  def trick(name)
    return plain if @depth > 3 || Thread.current != Thread.main

    @depth += 1
    begin
      perform(TRICKS.sample(random: @random), name)
    ensure
      @depth -= 1
    end
  end

  private

  # --- tricks ---

  def perform(trick, name)
    case trick
    when :lie then argument
    when :plain then plain_for(name)
    when :raise then raise [StandardError, ArgumentError, NoMethodError, Timeout::Error, NotImplementedError, SystemStackError, Leveret::Error].sample(random: @random), 'a trick'
    when :throw then throw(:trick, :thrown)
    when :change then change(1)
    when :shrink then change(0)
    when :callback then call_back
    when :collect then @random.rand(50).zero? && GC.respond_to?(:compact) ? GC.compact : GC.start(full_mark: false)
    when :pass then Thread.pass
    end
  end

  def plain = @random.rand(3)

  def plain_for(name)
    case name
    when :to_s, :to_str, :inspect, :to_path then @shared.sample(random: @random) || +'text'
    when :to_a, :to_ary, :coerce then ['k1', 2]
    when :to_h, :to_hash then { 'k1' => 1 }
    when :to_f then 1.5
    else @random.rand(5)
    end
  end

  # The other arguments of the call under way.
  def change(length)
    @shared.each do |one|
      one.replace('z' * (length * @random.rand(5000))) unless one.frozen?
    end
    @lists.each { |list| length.zero? ? list.clear : list.push('more', nil) unless list.frozen? }
    'changed'
  end

  def call_back
    name, subject = @methods.keys.sample(random: @random), nil
    subject = @methods[name]
    subject = subject.call if subject.is_a?(Proc)
    arguments = Array.new(@random.rand(4)) { [+'k1', 1, 0, nil].sample(random: @random) }
    subject.send(name, *arguments) { |*| 1 } unless SLOW.include?(name)
  rescue StandardError
    'called back'
  end

  # --- calls ---

  # Not from within another call: a walk in a walk in a walk takes its time.
  SLOW = %i[each keys clear fetch].freeze

  def call(name, subject, number)
    @shared = Array.new(3) { |i| +"k#{(number + i) % 20}" }
    @lists = [@shared.dup, [@shared[0], @shared[1], 0]]
    subject = subject.call if subject.is_a?(Proc)
    arguments = arguments_of(subject, name)
    block = @random.rand(3).zero? ? nil : proc { |*| trick(:call) }
    HostileCalls.current = self
    GC.stress = 1 if @stress
    catch(:trick) { subject.send(name, *arguments, &block) }
    GC.stress = false
    @answers[:returned] += 1
  rescue StandardError, NotImplementedError, SystemStackError, NoMemoryError => e
    GC.stress = false
    @answers[e.class.name] += 1
  ensure
    HostileCalls.current = nil
  end

  # Most calls have as many as the method takes: else nothing but the count is looked at.
  def arguments_of(subject, name)
    arity = subject.method(name).arity
    count = arity.negative? ? -arity - 1 + @random.rand(3) : arity
    count = @random.rand(7) if @random.rand(50).zero?
    good = good_arguments(name)
    Array.new(count) { |place| good[place] && @random.rand(3).positive? ? good[place].call : argument }
  end

  # What gets a call as far as possible.
  def good_arguments(name)
    key, bytes, number, keys = -> { @shared[0] }, -> { @shared[1] }, -> { @random.rand(4) }, -> { @lists[0] }
    case name
    when :store, :store_quietly then [-> { @random.rand(8) }, key, bytes, -> { [0, 1, 3, 1 << 32].sample(random: @random) }, number, number]
    when :set_multi then @pool ? [-> { [@lists[1], [@shared[2], @shared[0], Half.new]] }, number] : [-> { { @shared[0] => Loaded.new } }, number]
    when :get_multi, :fetch_multi, :delete_multi then [keys, -> { [true, false].sample }]
    when :count then [-> { [8, 9].sample }, key, number, number, number]
    when :ask_server then [-> { @random.rand(-1..2) }, -> { [12, 13, 14].sample }, -> { +'' }, number]
    when :set_option then [-> { @random.rand(-1..40) }, -> { [-1, 0, 1, 2, 3, 100, 1 << 31, 1 << 62].sample }]
    when :add_server then [-> { ['127.0.0.1', 'arena:x', '/socket', +'tls://h'].sample }, -> { 11_211 }, -> { [0, 1, 8, 1000].sample }, -> { nil }]
    when :set_credentials then [-> { @random.rand(-1..2) }, key, bytes]
    when :attach then [-> { 'attached' }, -> { @folder }, -> { 16 << 20 }, -> { 1000 }, -> { nil }, -> { nil }]
    when :set, :add, :replace, :[]= then [key, -> { [Loaded.new, @shared[1], [@shared[2]], argument].sample(random: @random) }, number]
    when :rest, :reach? then [-> { @random.rand(3) }, -> { 0 }]
    when :load then [-> { [Marshal.dump(Loaded.new), deep, @shared[0]].sample(random: @random) }, -> { { 'HostileCalls::Loaded' => true } }]
    else [key, number, number]
    end
  end

  def deep = "\x04\x08#{'[' * 30_000}".b

  def argument
    case @random.rand(26)
    when 0 then nil
    when 1 then [true, false].sample(random: @random)
    when 2 then [0, -1, 1, 250, 2**31, 2**32, 2**62, 2**63, 2**64, -2**63, -2**70].sample(random: @random)
    when 3 then [1.5, -0.0, Float::NAN, Float::INFINITY, 3r, 1i].sample(random: @random)
    when 4 then :symbol
    when 5 then +''
    when 6 then [+"k\0y", +"\xff".b, +'ü', 'k'.encode('UTF-16LE'), +"a b\r\n", 'frozen'].sample(random: @random)
    when 7 then 'k' * [250, 251, 70_000].sample(random: @random)
    when 8 then @lists.sample(random: @random)
    when 9 then [@shared[0], nil, [Liar.new, [@shared[1]]]]
    when 10 then { @shared[0] => Liar.new, Liar => 1 }
    when 11 then Hash.new { |*| HostileCalls.trick(:call) }
    when 12 then BasicObject.new
    when 13 then Object
    when 14 then proc { |*| HostileCalls.trick(:call) }
    when 15 then Text.new('k3')
    when 16 then List.new(['k1', Liar.new])
    when 17, 18 then Half.new
    when 19 then Loaded.new
    when 20, 21, 22 then @shared.sample(random: @random)
    else Liar.new
    end
  end

  # --- what is called ---

  def native(owner, except = [])
    owner.instance_methods(false).select { |name| owner.instance_method(name).source_location.nil? } - except
  end

  def cache_methods
    @cache = Leveret::Cache.new('calls', dir: @folder, memory: 16 << 20)
    frozen = Leveret::Cache.new('calls', dir: @folder, frozen: true)
    listed = Leveret::Cache.new('calls', dir: @folder, classes: [Loaded])
    caches = [@cache, frozen, listed]
    methods = native(Leveret::Cache).to_h { |name| [name, -> { caches.sample(random: @random) }] }
    methods.merge(attach: -> { @random.rand(2).zero? ? Leveret::Cache.allocate : frozen }, initialize_copy: @cache, load: Leveret,
                  release: -> { @cache.lease("l#{@random.rand(9)}", 0) || @cache })
  end

  def pools(*addresses, **options)
    [nil, Values.new].map do |values|
      pool = Leveret::Pool.new(values, { 'HostileCalls::Loaded' => true })
      options.each { |name, value| pool.set_option(Leveret::Pool.const_get(name), value) }
      addresses.each { |host, port| pool.add_server(host, port, 1, @folder) }
      pool
    end
  end

  # Told what they are to do, they may ask anybody.
  SETTINGS = %i[set_option add_server set_credentials set_tls set_prefix].freeze

  def arena_methods
    @pool, other = pools(['arena:calls', 0])
    empty = Leveret::Pool.new(nil)
    native(Leveret::Pool, SETTINGS).to_h { |name| [name, -> { @random.rand(20).zero? ? empty : [@pool, other].sample(random: @random) }] }
  end

  def server_methods
    host, port = @server.split(':')
    @pool, other = pools([host, port.to_i], SHORT_CUT: 0, PROTOCOL: Leveret::Pool::META)
    native(Leveret::Pool, SETTINGS).to_h { |name| [name, -> { [@pool, other].sample(random: @random) }] }
  end

  def settings_methods
    @pool = nil
    fresh = lambda do
      @pool = nil if @random.rand(20).zero?
      @pool ||= Leveret::Pool.new(Values.new)
    end
    (SETTINGS + %i[locate names memory? initialize set_prefix quit]).to_h { |name| [name, fresh] }
  end

  def use_beside
    if @cache
      @cache.get('k1')
      @cache.get_multi('k1', 'k2')
    elsif @pool
      @pool.names
      @pool.locate('k1')
      @pool.fetch_multi(%w[k1 k2], false) unless @methods.key?(:set_option)
    end
    sleep 0.001
  rescue StandardError
    nil
  end

  def works?
    return @cache.set('good', 'value') && @cache.get('good') == 'value' if @cache
    return Leveret::Pool.new(nil).names == [] if @methods.key?(:set_option)

    # A flush that is still to come may take the item away.
    @pool.store(Leveret::Pool::SET, 'good', 'value', 0, 0, 0) && [nil, 'value'].include?(@pool.fetch('good', false)&.first)
  end
end

if $PROGRAM_NAME == __FILE__
  $VERBOSE = nil
  kind, folder, calls, seed, server, stress = ARGV
  Dir.chdir(folder)
  hostile = HostileCalls.new(kind, folder, Integer(calls), Integer(seed), server, stress == 'stress')
  hostile.run
  puts "#{kind}: #{hostile.answers.sort_by { |_, count| -count }.first(12).map { |answer, count| "#{count} #{answer}" }.join(', ')}"
end
