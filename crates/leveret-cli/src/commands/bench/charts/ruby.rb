# frozen_string_literal: true

# One turn of one client: ruby turn.rb set|get|multiget|missing|mixed plain|ruby KEYS ADDRESS FOLDER
#
# Prints seconds, client_cpu, server_cpu, asked, done, right, said, as passes.php, and works as it: one process writes and another reads,
# each key has another value in the second pass, and who writes is read back whole when the clock has stopped.
require 'json'
require '/*GEM*/'

WHAT, FORM, COUNT, ADDRESS, FOLDER = ARGV
RAW = FORM == 'plain'
BATCH = 50
VALUES = Array.new(997) { |i| RAW ? "value #{i}".ljust(16) : { 'number' => i, 'list' => [i, i + 1], 'name' => "value #{i}" } }
KEYS = Array.new(Integer(COUNT)) { |i| "key_#{i}" }
# Our gem looks for arenas here.
ENV['LEVERET_DIR'] = FOLDER

def value(number, pass) = VALUES[(number * 7 + pass) % VALUES.length]

def connect(address)
  cache = nil
  /*OPEN*/
  cache
end

# How many calls said yes.
def write_all(cache, pass)
  done = 0
  work = proc do
    KEYS.each_with_index do |key, number|
      value = value(number, pass)
      done += 1 if (/*SET*/)
    end
  end
  /*AROUND*/
  /*END*/
  done
end

# How many values were right.
def read_all(cache, pass, order)
  order.count do |number|
    key = KEYS[number]
    (/*GET*/) == value(number, pass)
  end
end

def read_many(cache, pass, order)
  order.each_slice(BATCH).sum do |numbers|
    keys = KEYS.values_at(*numbers)
    found = (/*MANY*/)
    numbers.count { |number| found[KEYS[number]] == value(number, pass) }
  end
end

# How many keys had nothing.
def miss_all(cache, order)
  order.count do |number|
    key = "nothing_#{number}"
    (/*GET*/).nil?
  end
end

# Writes and reads in turn. How many were right.
def mix_all(cache, pass)
  right = 0
  KEYS.each_with_index do |key, number|
    value = value(number, pass)
    right += 1 if (/*SET*/) && (/*GET*/) == value
  end
  /*END*/
  right
end

def cpu
  threads = File.readlines('server/pids', chomp: true).flat_map { |pid| Dir["/proc/#{pid}/task/*/schedstat"] }
  [Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID), threads.empty? ? nil : threads.sum { |file| File.read(file).to_i } / 1e9]
end

# [[seconds, client's CPU, servers' CPU], what the work returns]
def timed
  GC.start
  client, server = cpu
  began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  count = yield
  seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began
  client_then, server_then = cpu
  [[seconds, client_then - client, server && (server_then - server)], count]
end

ours, theirs = IO.pipe
asks, answers = IO.pipe
reader = fork do
  [theirs, asks].each(&:close)
  shuffled = (0...KEYS.length).to_a.shuffle(random: Random.new(7))
  cache = nil
  while (line = ours.gets)
    what, pass = JSON.parse(line)
    cache ||= connect(ADDRESS)
    # The first pass in the other order: it warms up, and teaches nothing of the next.
    order = pass.zero? ? (0...KEYS.length).to_a : shuffled
    found = timed do
      case what
      when 'multiget' then read_many(cache, pass, order)
      when 'missing' then miss_all(cache, order)
      else read_all(cache, pass, order)
      end
    end
    answers.puts(JSON.generate(found))
    answers.flush
  end
  exit!(0)
end
[ours, answers].each(&:close)
read = lambda do |what, pass|
  theirs.puts(JSON.generate([what, pass]))
  theirs.flush
  JSON.parse(asks.gets || abort('the process that reads has died'))
end

cache = connect(ADDRESS)
write_all(cache, 0)
case WHAT
when 'set'
  figures, done = timed { write_all(cache, 1) }
  right = read.call('get', 1).last
when 'mixed'
  figures, done = timed { mix_all(cache, 1) }
  right = [done, read.call('get', 1).last].min
else
  read.call(WHAT, 0)
  done = write_all(cache, 1)
  figures, right = read.call(WHAT, 1)
  right = [right, read.call('get', 1).last].min if WHAT == 'missing'
end
theirs.close
Process.wait(reader)
seconds, client, server = figures
puts JSON.generate(seconds: seconds, client_cpu: client, server_cpu: server, asked: KEYS.length, done: done, right: right, said: nil)
