# frozen_string_literal: true

# One Ruby process of the torture. Arguments: folder, slot, seed. It works through Leveret::Cache, a frozen one, and Dalli's calls, all
# on the one arena. The rules are those of the Rust worker (own.rs, shared.rs) and so are the bytes of the ledger (oracle.rs): own keys
# are judged by what was acknowledged, shared values describe themselves.
# Exit codes: 0 told to stop, 3 something was read that cannot be.
require 'leveret'
require 'leveret/dalli'

KEYS = 100
GONE = 0
THERE = 1
NEVER = 0xFFFFFFFF
APPENDED_MAX = 6000
FOLDER, SLOT, SEED = ARGV[0], Integer(ARGV[1]), Integer(ARGV[2])
RANDOM = Random.new(SEED)
# Behind the killer, who would else starve among so many.
Process.setpriority(Process::PRIO_PROCESS, 0, 5)

def lie(what)
  warn "Ruby: #{what}"
  exit!(3)
end

# A value that cannot be read counts as missing, with a warning: here that is a lie too.
module Warning
  def self.warn(text, **)
    $stderr.write("Ruby: warning: #{text}")
    exit!(3)
  end
end

def below(count) = RANDOM.rand(count)

# The arena's clock: seconds since boot, by the coarse clock that the engine reads. Machines that were never suspended show the same there.
def now = Process.clock_gettime(Process::CLOCK_MONOTONIC_COARSE, :second)
def nanoseconds = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

# --- values that describe themselves: values.rs ---

PATTERN = ([*'a'..'w'].join * 100_000).b.freeze

def crc_of(bytes) = format('%08x', Zlib.crc32(bytes))

def frame(key, writer, counter, len)
  body = "LEV #{writer} #{counter} #{len} #{key}\n".b << PATTERN.byteslice(((counter * 7) + writer) % 23, len)
  body << crc_of(body)
end

# Writers and counters of a value's frames.
def frames(key, value)
  lie "#{key} holds #{value.class}" unless value.is_a?(String) && !value.empty?
  value = value.b
  found = []
  at = 0
  while at < value.bytesize
    head = /\GLEV (\d+) (\d+) (\d+) ([^\n]*)\n/n.match(value, at) or lie "torn value under #{key} at byte #{at}: #{value[0, 200].inspect}"
    last = head.end(0) + head[3].to_i
    lie "torn value under #{key} at byte #{at}: the checksum is wrong" unless value.byteslice(last, 8) == crc_of(value.byteslice(at, last - at))
    lie "foreign value under #{key}: it was stored under #{head[4]}" unless head[4] == key
    found << [head[1].to_i, head[2].to_i]
    at = last + 8
  end
  found
end

# --- the ledger: oracle.rs ---

LEDGER = File.open(File.join(FOLDER, 'ledger'), 'r+b')
BASE = 4096 + (SLOT * 16_384)

def words(offset, count) = LEDGER.pread(8 * count, offset).unpack("Q<#{count}")
def put(offset, *words) = LEDGER.pwrite(words.pack('Q<*'), offset)

Version = Struct.new(:counter, :kind, :deadline) do
  def self.of(counter, word) = new(counter, word & 0xFFFFFFFF, word >> 32)
  def words = [counter, kind | deadline << 32]
  def there?(counter) = kind == THERE && self.counter == counter
end

# One own key: what was begun, what was acknowledged. By its number: 0 to 9 counted, 10 to 19 appended to, 20 to 23 large, 70 to 79
# counted from zero, 80 and above structures, by Marshal or as JSON; the others small. Who calls is drawn for each operation.
class Own
  Refused = Class.new(StandardError)
  REFUSALS = [Leveret::BusyError, Leveret::NoRoomError, Dalli::DalliError, Refused].freeze
  attr_reader :number

  def initialize(number)
    @number = number
    # What Rust's walks cannot read has a name that they leave alone.
    @name = number >= 70 ? "ruby:#{SLOT}:#{number}" : "own:#{SLOT}:#{number}"
    @at = BASE + 4096 + (64 * number)
    a, b, c, d, @flushes = words(@at, 5)
    @intent, @acked = Version.of(a, b), Version.of(c, d)
    @following = [a, c].max + 1
  end

  # Reads the key and judges what is seen, as oracle.rs does.
  def check
    flushed, at = words(8, 1).first, now
    value = read
    open = @intent.counter > @acked.counter
    if value.equal?(MISS)
      close(Version.new(@intent.counter, GONE, 0)) if open
      return
    end
    counter = counter_of(value)
    if open && @intent.there?(counter)
      close(@intent)
    elsif !@acked.there?(counter)
      lie "#{@name}: version #{counter} was read; #{inspect}"
    elsif flushed > @flushes
      lie "#{@name}: version #{counter} survived flush #{flushed}; #{inspect}"
    elsif @acked.deadline <= at
      lie "#{@name}: version #{counter} is past its deadline, at #{at}; #{inspect}"
    elsif open
      close(@acked)
    end
  end

  def work
    check
    case below(10)
    when 0..3 then nil
    when 4 then delete
    when 5 then counts? || appended? ? change : touch
    else change
    end
  rescue *REFUSALS
    # A refused operation has changed nothing but, perhaps, to forget.
    close(@acked)
    raise
  end

  private

  def counts? = @number < 10 || counts_from_zero?
  def counts_from_zero? = @number.between?(70, 79)
  def appended? = @number.between?(10, 19)
  def structure? = @number >= 80

  def read
    return FROZEN.get(@name, MISS) if below(3).zero?
    return CACHE.get(@name, MISS) if structure? || counts? || below(2).zero?

    value = DALLI.get(@name)
    value.nil? ? MISS : value
  end

  def counter_of(value)
    if counts?
      return value if value.is_a?(Integer)

      # Counted by Rust or by Dalli's calls, it is text.
      return value.to_i if value.is_a?(String) && value.match?(/\A\d+ *\z/)

      lie "counter #{@name} holds #{value.class}"
    end
    if structure?
      lie "torn structure under #{@name}: #{value.inspect[0, 300]}" unless value.is_a?(Hash) && value == structure(value['counter'] || value[:counter])
      return value['counter'] || value[:counter]
    end
    found = frames(@name, value)
    found.each_cons(2) { |(_, one), (_, other)| lie "#{@name} has pieces #{one} and #{other} side by side" unless other == one + 1 }
    found.last.last
  end

  # Odd ones are JSON, even ones Marshal.
  def structure(counter)
    lie "structure under #{@name} without a counter" unless counter.is_a?(Integer)
    rows = Array.new(counter % 20) { |row| { 'id' => counter + row, 'name' => "row #{row} of #{counter}", 'share' => row / 4.0 } }
    counter.odd? ? { 'counter' => counter, 'rows' => rows } : { counter: counter, rows: rows }
  end

  def change
    if counts? then count
    elsif appended? then append
    else set
    end
  end

  def set
    len = if @number.between?(20, 23) then 20_000 + below(LARGE_MAX - 20_000)
          elsif below(10).zero? then below(20_000)
          else below(700)
          end
    ttl = below(5).zero? ? 1 + below(3) : nil
    # The end counts from a moment inside the call, which may come late: until the answer no end is known.
    version = Version.new(@following, THERE, NEVER)
    start(version)
    if structure? then CACHE.set(@name, structure(version.counter), ttl)
    elsif below(2).zero? then CACHE.set(@name, frame(@name, SLOT, version.counter, len), ttl)
    else DALLI.set(@name, frame(@name, SLOT, version.counter, len), ttl, raw: true) or raise Refused
    end
    close(ttl ? Version.new(version.counter, THERE, now + ttl) : version)
  end

  def append
    value = CACHE.get(@name, MISS)
    return set if value.equal?(MISS) || value.bytesize > APPENDED_MAX

    # Pieces must follow each other, so the number after the one that is there.
    version = Version.new(@acked.counter + 1, THERE, NEVER)
    was_gone = @acked.kind == GONE
    start(version)
    if DALLI.append(@name, frame(@name, SLOT, version.counter, below(300)))
      lie "append found #{@name}, which is gone since operation #{@acked.counter}" if was_gone
      # The deadline stays.
      close(Version.new(version.counter, THERE, @acked.deadline))
    else
      close(Version.new(version.counter, GONE, 0))
    end
  end

  def touch
    return if @acked.kind == GONE || @acked.deadline == NEVER

    # Noted before: killed in between, the later deadline is what may be seen.
    close(Version.new(@acked.counter, THERE, NEVER))
    ttl = 3 + below(3)
    touched = below(2).zero? ? CACHE.touch(@name, ttl) : DALLI.touch(@name, ttl)
    close(Version.new(@acked.counter, THERE, now + ttl)) if touched
  end

  def delete
    was_gone = @acked.kind == GONE
    version = Version.new(@following, GONE, 0)
    start(version)
    found = below(2).zero? ? CACHE.delete(@name) : DALLI.delete(@name)
    lie "delete found #{@name}, which is gone since operation #{@acked.counter}" if found && was_gone
    close(version)
  end

  def count
    target = @acked.kind == THERE ? @acked.counter + 1 : @following
    start(Version.new(target, THERE, NEVER))
    got = if @number < 10
            # Where it was forgotten it begins with the number that counting would have given.
            DALLI.incr(@name, 1, nil, target) or raise Refused
          elsif @acked.kind == THERE && below(4) > 0
            recount(target)
          else
            CACHE.set(@name, target) && target
          end
    # nil: it was forgotten, which the next look finds.
    return if got.nil?

    lie "counting #{@name} gave #{got}, wanted #{target}" unless got == target
    close(Version.new(target, THERE, NEVER))
  end

  def recount(target)
    before = nil
    stored = CACHE.cas(@name) { |value| (before = value) + 1 }
    # Between the look and the store it may have been forgotten, by a flush or to make room, but by nobody changed.
    if stored == false
      lie "#{@name} was changed by somebody else" unless CACHE.get(@name, MISS).equal?(MISS)
      return
    end
    stored && before + 1 == target ? target : stored && before
  end

  def start(version)
    @intent = version
    @following = [@following, version.counter + 1].max
    put(@at, *version.words)
  end

  def close(version)
    unless @acked == version
      # Read after the answer: only a flush that begins later must remove this version.
      @acked, @flushes = version, words(0, 1).first
      put(@at + 16, *version.words, @flushes)
    end
    return if @intent == version

    @intent = version
    put(@at, *version.words)
  end
end

# --- shared keys: shared.rs ---

ME = (below(1 << 31) << 22 | Process.pid).freeze

def shared_value
  key = "shared:value:#{below(300)}"
  value = frame(key, ME, below(1000), below(400))
  ttl = below(4).zero? ? 1 + below(3) : nil
  case below(14)
  when 0 then CACHE.set(key, value, ttl)
  when 1 then DALLI.set(key, value, ttl, raw: true)
  when 2 then CACHE.add(key, value, ttl)
  when 3 then DALLI.replace(key, value, ttl, raw: true)
  when 4 then below(2).zero? ? CACHE.delete(key) : DALLI.delete(key)
  when 5 then below(2).zero? ? CACHE.touch(key, ttl) : DALLI.touch(key, ttl)
  when 6 then CACHE.get_multi(key, 'shared:value:1', 'shared:value:2').each { |name, got| frames(name, got) }
  when 7 then DALLI.get_multi(key, 'shared:value:3', 'shared:value:4').each { |name, got| frames(name, got) }
  when 8 then CACHE.set_multi({ key => value }, ttl)
  when 9 then DALLI.quiet { DALLI.set(key, value, ttl, raw: true) }
  when 10 then (got = DALLI.get(key)).nil? || frames(key, got)
  when 11 then (got = FROZEN.get(key)).nil? || frames(key, got)
  else (got = CACHE.get(key)).nil? || frames(key, got)
  end
end

MARKS = Hash.new { |marks, key| marks[key] = [nil, {}] }

# What is seen of a value that only grows: a life, a height in it, and who wrote it.
def grows(key, counter, writer, by_us)
  life, height = counter >> 32, counter & 0xFFFFFFFF
  last, before = MARKS[key]
  lie "#{key} has its earlier life #{life} again" if before[life]
  if last && last[0] == life
    lost = height < last[1] || (height == last[1] && (by_us || writer != last[2]))
    lie "#{key} was at #{last} and is at #{[life, height, writer]}: an update was lost" if lost
  elsif last
    before[last[0]] = true
  end
  MARKS[key][0] = [life, height, writer]
end

# A value that grows by cas alone: of all who try, one succeeds.
def shared_chain
  key = "shared:chain:#{below(16)}"
  value, cas = DALLI.get_cas(key)
  if value.nil?
    CACHE.add(key, frame(key, ME, below(1 << 31) << 32, 20))
    return
  end
  writer, counter = frames(key, value).first
  grows(key, counter, writer, false)
  if below(2).zero?
    grows(key, counter + 1, ME, true) if DALLI.set_cas(key, frame(key, ME, counter + 1, below(300)), cas, nil, raw: true)
    return
  end
  stored = CACHE.cas(key) do |present|
    writer, counter = frames(key, present).first
    grows(key, counter, writer, false)
    frame(key, ME, counter + 1, below(300))
  end
  grows(key, counter + 1, ME, true) if stored
end

# Each count that is answered is one caller's alone.
def shared_count
  key = "shared:count:#{below(16)}"
  got = DALLI.incr(key, 1, nil, below(1 << 31) << 32)
  grows(key, got, 0, true) if got
end

# PHP's apcu_entry and Ruby's fetch: one process computes, the others wait.
def shared_entry
  key = "php:entry:#{below(8)}"
  got = case below(3)
        when 0 then CACHE.fetch(key, 1) { frame(key, ME, 1, below(100)) }
        when 1 then FROZEN.fetch(key, 1) { frame(key, ME, 1, below(100)) }
        else DALLI.fetch(key, 1, raw: true) { frame(key, ME, 1, below(100)) }
        end
  frames(key, got)
end

def walk
  FROZEN.each do |key, value|
    frames(key, value) if key.start_with?('shared:value:', 'shared:chain:', 'shared:large:', 'php:entry:')
  end
end

# --- the work ---

MISS = Object.new.freeze
CACHE = Leveret::Cache.new('apcu', dir: FOLDER)
FROZEN = Leveret::Cache.new('apcu', dir: FOLDER, frozen: true)
# Compressed, the values would be Ruby's alone.
DALLI = Dalli::Client.new('arena:apcu', dir: FOLDER, compress: false)
LARGE_MAX = [400_000, CACHE.stats[:memory_limit] / 32].min
own = Array.new(KEYS) { |number| Own.new(number) }
operations, refused = words(BASE, 2)
latencies = words(BASE + 64, 64)
loop do
  began = nanoseconds
  begin
    case below(2000)
    when 0..1199
      own[below(KEYS)].work
      latencies[(nanoseconds - began).bit_length] += 1
    when 1200 then walk
    when 1201..1440 then shared_chain
    when 1441..1500 then shared_entry
    when 1501..1600 then shared_count
    else shared_value
    end
  rescue *Own::REFUSALS
    refused += 1
  end
  next unless ((operations += 1) % 32).zero? || nanoseconds - began > 2_000_000

  put(BASE, operations, refused)
  put(BASE + 64, *latencies)
  next if words(16, 1).first.zero?

  own.each(&:check)
  exit!(0)
end
