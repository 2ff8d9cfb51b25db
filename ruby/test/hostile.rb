# frozen_string_literal: true

# Hostile items: any bytes under any make, form, compression and flags, read by all that Ruby reads with. Each may answer a value, a miss or
# an error of its own, alike each time; none may end the process, or show bytes that nobody has written (valgrind sees these as they
# are written out). As a program, for so many seconds: ruby ruby/test/hostile.rb SECONDS (run by ./x fuzz).
require 'leveret'
require 'leveret/dalli'
require 'leveret/memcached'
require 'leveret/memcache'
require 'date'
require 'open3'
require 'set'
require 'zlib'

class Hostile
  Row = Struct.new(:a, :b)

  # What user code in Marshal data does.
  class Loaded
    attr_reader :kept

    def initialize(kept) = @kept = kept
    def marshal_dump = [@kept]
    def marshal_load(list) = @kept = list.fetch(0).to_s
  end

  class Dumped
    def initialize(kept) = @kept = kept
    def _dump(_level) = @kept.to_s
    def self._load(bytes) = new(bytes)
  end

  # What the tests are for.
  Wrong = Class.new(StandardError)
  SILENT = %i[cache many frozen classes walk].freeze

  VALUES = [
    nil, true, 'text', 'ü' * 20, 'x' * 3000, 1, -2**62, 2**70, 1.5, -0.0, :symbol, [1, [2, ['x']]], { 'a' => [nil, 2.5], 'ü' => { 'b' => 'c' * 30 } }, { a: 1, 2 => :b },
    Row.new(1, Row.new('x', nil)), Loaded.new('kept'), Dumped.new('kept'), 1..3, Time.at(1, 5, :nsec), Set[1, 2], Rational(1, 3), /x(y)/i, String, Comparable, "\xff\x00".b,
    [].tap { |list| list << list }, Hash.new(5).merge('k' => 'v'), 'ä'.encode('ISO-8859-1')
  ].freeze
  PHP = ['a:2:{i:0;s:1:"x";s:1:"k";d:1.5;}', 'a:1:{i:1;a:1:{s:2:"ü";b:1;}}', 'i:-5;', 'd:INF;', 'b:0;', 'N;', 's:4:"text";', 'O:8:"stdClass":1:{s:1:"a";i:1;}', 'a:2:{i:0;a:0:{}i:1;R:2;}'].freeze
  JSON = ['{"a":[1,"x\\u00fc\\ud83d\\ude00",2.5e3,null,true],"b":{"c":"\\n\\"\\\\"}}', '[[[[[]]]]]', ' "text" ', '-12345678901234567890', '1e-400', '[1,2,', "#{'[' * 150}#{']' * 150}"].freeze
  # The compact form: rows of a table, maps in each other, a long string, numbers of every width.
  COMPACT = [
    "\xCA\x01\x0C\x03\x0E\x03\x81id\x83name\x46\x41\xC0\x01\x0B\xE0\x03\xC8\x0C\x02\x00\x02\x08\x0F\x00\x07\0\0\0\0\0\0\xF0\x3F\x09\x03abc\x80z",
    "\xCA\x01\x0E\x01\x45\xE0\x0E\x01\x81ab\x0D", "\xCA\x01\x0C\x04\x04\0\x80\x05\0\0\0\x80\x06\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x0A\x00", "\xCA\x01#{"\x0C\x01" * 127}\x0B",
    "\xCA\x02\x0C\x03\x10\x81ab\x01\x80x\x00\x11\x00\x41\x12\x81ab\x80c"
  ].map(&:b).freeze
  NUMBERS = ['0', '-1', '18446744073709551615', '007', ' 5', '5 ', '1.5', '-INF', 'NAN', 'infinity', '1e999', '0x10', '1_000', ''].freeze
  # Bits that some make looks at, and others.
  FLAGS = [0, 1, 2, 3, 4, 5, 6, 8, 16, 32, 48, 1 << 16, 1 << 24, (1 << 24) | 1, (1 << 31) | 3].freeze
  CLASSES = [Row, Time, Set, 'Object'].freeze
  # In a String of any bytes, what lengths and counts are made of.
  LURES = ["\x04\x08", "\x04\xff\xff\xff\x7f", "\x04\x00\x00\x00\x80", "\xfc\x01\x00\x00\x80", '@', 'I', 'e:', 'U:', 'o:', 'S:', 'c', '{', '[', '\\u', '\\', '"', ':2147483648:', ';', "\0", "\xCA\x01", "\x0C\xFF\xFF\xFF\xFF\x0F", "\x0E\x02", "\xE0", "\xC0\x00"].map(&:b).freeze

  attr_reader :rounds, :answers

  # `stress`: a collection of what is young at each allocation of a reader.
  def initialize(folder, writer, seed, served: nil, stress: false)
    @stress = stress
    @random = Random.new(seed)
    @name = 'hostile'
    @input, @output, = Open3.popen2(writer, @name, folder)
    @input.binmode
    @sink = File.open(File::NULL, 'wb')
    @rounds = 0
    @answers = Hash.new(0)
    @samples = VALUES.map { |value| Marshal.dump(value) } + PHP + JSON + COMPACT + NUMBERS
    @readers = readers_of(folder, served)
  end

  def round
    @rounds += 1
    key = "k#{@random.rand(20)}"
    store(key)
    @readers.each do |name, reader|
      shown = 2.times.map { read(name, reader, key) }
      raise Wrong, "#{name} says #{shown.first.inspect[0, 200]} and then #{shown.last.inspect[0, 200]}" unless shown.uniq.size == 1
    end
  end

  def close
    @input.close
    @sink.close
  end

  private

  def readers_of(folder, served)
    plain = Leveret::Cache.new(@name, dir: folder)
    frozen = Leveret::Cache.new(@name, dir: folder, frozen: true)
    chosen = Leveret::Cache.new(@name, dir: folder, classes: CLASSES)
    dalli = Dalli::Client.new("arena:#{@name}", dir: folder)
    few = Dalli::Client.new("arena:#{@name}", dir: folder, serializer: JSON_OF_OURS)
    memcached = Memcached.new(File.join(folder, "#{@name}.arena"))
    memcache = MemCache.new("arena:#{@name}", dir: folder)
    readers = {
      cache: ->(key) { plain.get(key) }, many: ->(key) { plain.get_multi(key, 'none')[key] }, frozen: ->(key) { frozen.get(key) }, classes: ->(key) { chosen.get(key) },
      walk: ->(key) { plain.each.find { |name, _| name == key }&.last }, dalli: ->(key) { dalli.get(key) }, dalli_many: ->(key) { dalli.get_multi(key)[key] },
      dalli_cas: ->(key) { dalli.get_cas(key).first }, serializer: ->(key) { few.get(key) }, memcached: ->(key) { memcached.get(key) }, memcache: ->(key) { memcache.get(key) }
    }
    return readers unless served

    socket = Dalli::Client.new(served, short_cut: false)
    remote = Memcached.new(served)
    readers.merge(socket: ->(key) { socket.get(key) }, socket_many: ->(key) { socket.get_multi(key)[key] }, remote: ->(key) { remote.get(key, false) })
  end

  # A serializer of an application's own, which fails as it likes.
  module JSON_OF_OURS
    def self.dump(value) = value.to_s
    def self.load(bytes) = bytes.bytesize.odd? ? bytes.upcase : raise(ArgumentError, 'marshal data too short')
  end

  # A value for a comparison, written out whole. What the value's own classes do when they are dumped is no business of ours.
  def read(name, reader, key)
    GC.stress = 1 if @stress
    value = reader.call(key)
    GC.stress = false
    raise Wrong, "#{name} gives a value that is not frozen" if name == :frozen && !value.frozen? && !value.is_a?(Module)

    shown = begin
      Marshal.dump(value)
    rescue StandardError
      value.class.name
    end
    @sink.syswrite(shown)
    @answers[value.nil? ? :none : :value] += 1
    shown
  rescue StandardError, NoMemoryError, NotImplementedError, SystemStackError => e
    GC.stress = false
    # Of Marshal's errors the gems let some through, and so do ours. Leveret::Cache knows only misses.
    raise e if e.is_a?(Wrong)
    raise Wrong, "#{name} raises #{e.class}: #{e.message}" if SILENT.include?(name)

    @answers[:error] += 1
    e.class.name
  end

  def store(key)
    value = hostile_bytes
    codec = [0, 0, 0, 0, 1, 2, 3, 3, 4, 9].sample(random: @random)
    value = compressed(value, codec) if codec.positive? && @random.rand(4).positive?
    value = damaged(value) if @random.rand(3).zero?
    flags = @random.rand(4).zero? ? @random.rand(1 << 32) : FLAGS.sample(random: @random)
    origin = @random.rand(20).zero? ? @random.rand(256) : @random.rand(5)
    encoding = @random.rand(20).zero? ? @random.rand(256) : @random.rand(10)
    @last = [flags, origin, encoding, codec, value]
    @input.write([flags, origin, encoding, codec, key.bytesize, value.bytesize].pack('L6'), key, value)
    @input.flush
    raise Wrong, 'the writer is gone' unless @output.read(1)
  end

  def hostile_bytes
    bytes = @samples.sample(random: @random).b
    case @random.rand(6)
    when 0 then @random.bytes(@random.rand(200))
    when 1 then bytes
    when 2 then bytes + @samples.sample(random: @random).b
    else damaged(bytes)
    end
  end

  def damaged(bytes)
    bytes = +bytes.b
    @random.rand(1..4).times do
      at = @random.rand(bytes.bytesize + 1)
      case @random.rand(4)
      when 0 then bytes = bytes.byteslice(0, at)
      when 1 then bytes.insert(at, LURES.sample(random: @random))
      when 2 then bytes[at, @random.rand(1..4)] = LURES.sample(random: @random)
      else bytes.setbyte(at, @random.rand(256)) if at < bytes.bytesize
      end
    end
    bytes
  end

  # Behind the length that it says, which is right in most.
  def compressed(bytes, codec)
    len = @random.rand(6).zero? ? [0, 1, bytes.bytesize + 1, 1 << 29, 0xFFFFFFFF].sample(random: @random) : bytes.bytesize
    case codec
    when 2 then [len].pack('L') + Zlib.deflate(bytes)
    when 3 then Zlib.deflate(bytes)
    # Literal runs of at most 32 bytes are FastLZ too.
    when 1 then [len].pack('L') + bytes.bytes.each_slice(32).map { |run| [run.size - 1, *run].pack('C*') }.join
    else bytes
    end
  end

  class << self
    # Compiles the writer into a folder.
    def writer(folder, core, root)
      file = File.join(folder, 'store_any')
      said, status = Open3.capture2e('cc', '-O1', '-o', file, File.join(__dir__, 'store_any.c'), "-I#{root}/crates/leveret-ffi/include", core, '-lpthread', '-ldl', '-lm')
      raise said unless status.success?

      file
    end
  end
end

if $PROGRAM_NAME == __FILE__
  require 'tmpdir'
  # One warning of each kind is told to nobody.
  $VERBOSE = nil
  seconds = Integer(ARGV.fetch(0))
  seed = Integer(ENV.fetch('LEVERET_SEED') { Random.rand(1 << 32) })
  root = File.expand_path('../..', __dir__)
  puts "ruby: seed #{seed}"
  Dir.mktmpdir('leveret-hostile-', File.writable?('/dev/shm') ? '/dev/shm' : nil) do |folder|
    hostile = Hostile.new(folder, Hostile.writer(folder, ENV.fetch('LEVERET_CORE'), root), seed)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    hostile.round until Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
    hostile.close
    puts "ruby: #{hostile.rounds} hostile items; answers: #{hostile.answers.map { |kind, count| "#{count} #{kind}" }.join(', ')}"
  end
end
