# frozen_string_literal: true

# One provider in a process of its own, since ours and the original are both called Dalli: worker.rb PROVIDER. It reads one JSON command a
# line and answers each with one JSON line: prepare stores what there is to be read, measure says how many seconds a call of the workload
# took, how many of them this process worked, and how many answers were right: each value that is read is compared.
require 'json'

provider = ARGV[0]
case provider
when 'dalli' then require 'dalli'
when 'ours' then require 'leveret/dalli'
when 'mem_cache_store', 'memory_store' then nil
when 'socket' then require 'socket'
else require 'leveret'
end

KEYS = Array.new(50) { |i| "row:key#{i}" }
PLAIN_KEYS = Array.new(50) { |i| "row:plain#{i}" }
PLAIN = 'v' * 10
LONG = 'v' * 1000
VALUE = (0...30).to_h { |i| ["field#{i}".to_sym, i.even? ? i : "value #{i}"] }

# Dalli's calls as both of its makers answer them.
class DalliRows
  def initialize(address)
    @cache = Dalli::Client.new(address)
    prepare
  end

  def prepare
    @cache.set('plain', PLAIN, 0, raw: true)
    @cache.set('long', LONG, 0, raw: true)
    @cache.set('object', VALUE)
    KEYS.each { |key| @cache.set(key, VALUE) }
    PLAIN_KEYS.each { |key| @cache.set(key, PLAIN, 0, raw: true) }
  end

  def set_plain = @cache.set('plain', PLAIN, 0, raw: true)
  def set_long = @cache.set('long', LONG, 0, raw: true)
  def set_object = @cache.set('object', VALUE)
  def get_plain = @cache.get('plain') == PLAIN
  def get_long = @cache.get('long') == LONG
  def get_object = @cache.get('object') == VALUE
  def missing = @cache.get('missing').nil?
  def multiget = @cache.get_multi(PLAIN_KEYS).values.count(PLAIN) == 50
  def multiget_objects = @cache.get_multi(KEYS).values.count(VALUE) == 50
  def increment = @cache.incr('count', 1, 0, 0)
  def quiet_sets = @cache.multi { KEYS.each { |key| @cache.set(key, VALUE) } } && true
end

class CacheRows
  def initialize(address)
    @cache = Leveret::Cache.new(address)
    @cache.set_multi('plain' => PLAIN, 'long' => LONG, 'object' => VALUE)
    @cache.set_multi(KEYS.to_h { |key| [key, VALUE] })
    @cache.set_multi(PLAIN_KEYS.to_h { |key| [key, PLAIN] })
  end

  def set_plain = @cache.set('plain', PLAIN)
  def set_long = @cache.set('long', LONG)
  def set_object = @cache.set('object', VALUE)
  def get_plain = @cache.get('plain') == PLAIN
  def get_long = @cache.get('long') == LONG
  def get_object = @cache.get('object') == VALUE
  def missing = @cache.get('missing').nil?
  def multiget = @cache.get_multi(PLAIN_KEYS).values.count(PLAIN) == 50
  def multiget_objects = @cache.get_multi(KEYS).values.count(VALUE) == 50
  def increment = @cache.increment('count')
  def quiet_sets = @cache.set_multi(KEYS.to_h { |key| [key, VALUE] })
end

# What Ruby itself takes: a Hash with a copy of each String, and Marshal alone.
class HashRows
  def initialize(_)
    @hash = { 'plain' => PLAIN, 'long' => LONG, 'object' => Marshal.dump(VALUE), 'count' => 0 }
    KEYS.each { |key| @hash[key] = @hash['object'] }
    PLAIN_KEYS.each { |key| @hash[key] = PLAIN }
  end

  def set_plain = (@hash['plain'] = PLAIN.dup)
  def set_long = (@hash['long'] = LONG.dup)
  def set_object = (@hash['object'] = Marshal.dump(VALUE))
  def get_plain = @hash['plain'].dup == PLAIN
  def get_long = @hash['long'].dup == LONG
  def get_object = Marshal.load(@hash['object']) == VALUE
  def missing = @hash['missing'].nil?
  def multiget = PLAIN_KEYS.to_h { |key| [key, @hash[key].dup] }.values.count(PLAIN) == 50
  def multiget_objects = KEYS.to_h { |key| [key, Marshal.load(@hash[key])] }.values.count(VALUE) == 50
  def increment = (@hash['count'] += 1)
  def quiet_sets = KEYS.each { |key| @hash[key] = Marshal.dump(VALUE) }
end

# The floor of what a client can take: the bytes of a request written to a socket at once, and those of the answer read.
class SocketRows
  def initialize(address)
    @socket = TCPSocket.new(*address.split(':'))
    @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    set('plain', PLAIN)
    set('long', LONG)
    set_object
    KEYS.each { |key| set(key, Marshal.dump(VALUE)) }
    PLAIN_KEYS.each { |key| set(key, PLAIN) }
    set('count', '0')
  end

  def set(key, value)
    @socket.write("set #{key} 0 0 #{value.bytesize}\r\n#{value}\r\n")
    @socket.gets == "STORED\r\n"
  end

  def value = (head = @socket.gets).start_with?('VALUE') && @socket.read(Integer(head.split.last) + 2).byteslice(0..-3)

  def get(key)
    @socket.write("get #{key}\r\n")
    found = value
    @socket.gets if found
    found
  end

  def get_many(keys)
    @socket.write("get #{keys.join(' ')}\r\n")
    found = keys.map { yield value }
    @socket.gets
    found
  end

  def set_plain = set('plain', PLAIN)
  def set_long = set('long', LONG)
  def set_object = set('object', Marshal.dump(VALUE))
  def get_plain = get('plain') == PLAIN
  def get_long = get('long') == LONG
  def get_object = Marshal.load(get('object')) == VALUE
  def missing = get('missing') == false
  def multiget = get_many(PLAIN_KEYS) { |bytes| bytes }.count(PLAIN) == 50
  def multiget_objects = get_many(KEYS) { |bytes| Marshal.load(bytes) }.count(VALUE) == 50
  def increment = @socket.write("incr count 1\r\n") && @socket.gets.to_i.positive?

  def quiet_sets
    stores = KEYS.map do |key|
      bytes = Marshal.dump(VALUE)
      "set #{key} 0 0 #{bytes.bytesize} noreply\r\n".b << bytes << "\r\n"
    end
    @socket.write(stores.join << "mn\r\n")
    @socket.gets == "MN\r\n"
  end
end

# Rails' stores, which all answer alike.
class StoreRows
  SMALL = { id: 7, name: 'Eve', tags: %w[a b] }.freeze

  def initialize(kind, address)
    require 'active_support'
    require 'active_support/cache'
    require 'active_support/cache/memory_store'
    @store = ActiveSupport::Cache.lookup_store(kind.to_sym, *(address unless address.empty?))
    @store.write('object', SMALL)
    @store.write('count', 0, raw: true)
    @store.write_multi(KEYS.to_h { |key| [key, SMALL] })
  end

  def rails_read = @store.read('object') == SMALL
  def rails_fetch = @store.fetch('object') { nil } == SMALL
  def rails_write = @store.write('object', SMALL)
  def rails_count = @store.increment('count')
  def rails_read_multi = @store.read_multi(*KEYS).size == 50
end

def connect(provider, address)
  return StoreRows.new(provider, address) if provider.end_with?('_store')

  { 'dalli' => DalliRows, 'ours' => DalliRows, 'cache' => CacheRows, 'hash' => HashRows, 'socket' => SocketRows }.fetch(provider).new(address)
end

def measure(call, calls)
  GC.start
  i = wrong = 0
  worked = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
  began = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
  while i < calls
    wrong += 1 unless call.call
    i += 1
  end
  spent = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - began
  worked = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond) - worked
  { figure: spent / 1e9 / calls, client_cpu: worked / 1e9 / calls, asked: calls, right: calls - wrong }
end

# How much longer a process reads beside another one that reads the same keys than alone.
class Pair
  def initialize(call)
    # The other one connects by itself: what it has is not shared.
    from_parent, @to_other = IO.pipe
    @from_other, to_parent = IO.pipe
    fork do
      @to_other.close
      other = call.call
      while (calls = from_parent.gets)
        to_parent.puts JSON.generate(measure(other, Integer(calls)))
        to_parent.flush
      end
      exit!
    end
    from_parent.close
    to_parent.close
    @call = call.call
  end

  def measure_both(calls)
    alone = measure(@call, calls)
    @to_other.puts calls
    @to_other.flush
    beside = [measure(@call, calls), JSON.parse(@from_other.gets, symbolize_names: true)]
    all = [alone, *beside]
    { figure: beside.sum { |answer| answer[:figure] } / 2 / alone[:figure], asked: all.sum { |answer| answer[:asked] },
      right: all.sum { |answer| answer[:right] } }
  end
end

def prepare(provider, given)
  host, port = given['servers'].first
  address = port.to_i.zero? ? host.to_s : "#{host}:#{port}"
  connected = -> { connect(provider, address).method(given['workload'].delete_prefix('two ')) }
  given['workload'].start_with?('two ') ? Pair.new(connected) : connected.call
end

measured = size = nil
$stdout.sync = true
while (line = $stdin.gets)
  given = JSON.parse(line)
  if given['do'] == 'prepare'
    size = given['size']
    measured = prepare(provider, given)
    puts '{}'
  else
    calls = size['calls'] * size.fetch('times', 1)
    puts JSON.generate(measured.is_a?(Pair) ? measured.measure_both(size['calls']) : measure(measured, calls))
  end
end
