# frozen_string_literal: true

# Dalli's calls, a line each: ruby -r dalli dalli_calls.rb SERVERS. Whoever's class answers, the lines are the same, but for those
# that test_dalli.rb names.
require 'logger'
require 'timeout'
Dalli.logger = Logger.new(File::NULL)
SERVERS = ARGV[0]
CLIENT = Dalli::Client.new(SERVERS, protocol: ARGV[1])   # the original of Debian speaks binary only
CLIENT.flush_all

Pair = Struct.new(:left, :right)

def show(label)
  value = begin
    yield
  rescue StandardError => e
    "#{e.class}: #{e.message.lines.first}"
  end
  puts "#{label}: #{value.inspect}#{" #{value.encoding}" if value.is_a?(String)}"
end

# A version is a number that differs each time.
def told(value)
  value.is_a?(Integer) ? :version : value
end

show('set') { told CLIENT.set('k', 'value') }
show('get') { CLIENT.get('k') }
show('miss') { CLIENT.get('none') }
show('miss with cache_nils') { CLIENT.get('none', cache_nils: true).class }
show('get of a symbol') { CLIENT.get(:k) }
show('values') do
  [nil, true, 1, 1.5, 2**70, 'ü', "\xff".b, [1, { a: nil }], Pair.new(1, [2]), 1..2].map { |value| CLIENT.set('v', value) && CLIENT.get('v') == value }
end
show('raw') { CLIENT.set('r', 'text', 0, raw: true) && CLIENT.get('r') }
show('raw text beyond ASCII') { CLIENT.set('r', 'ü', 0, raw: true) && CLIENT.get('r') }
show('raw number') { CLIENT.set('r', 5, 0, raw: true) && CLIENT.get('r') }
show('raw nil') { CLIENT.set('r', nil, 0, raw: true) && CLIENT.get('r') }
show('marshalled text') { CLIENT.set('m', 'ü') && CLIENT.get('m') }
show('large') { CLIENT.set('l', 'x' * 100_000) && CLIENT.get('l').length }
show('large and random') { CLIENT.set('l', Random.new(1).bytes(100_000)) && CLIENT.get('l').length }
show('too large') { CLIENT.set('l', Random.new(1).bytes(2_000_000)) }
show('cannot be marshalled') { CLIENT.set('p', -> {}) }
show('add there') { told CLIENT.add('k', 1) }
show('add new') { told CLIENT.add('n', 1) }
show('replace missing') { told CLIENT.replace('none', 1) }
show('replace') { told CLIENT.replace('n', 2) }
show('replaced') { CLIENT.get('n') }
show('delete') { CLIENT.delete('n') }
show('delete missing') { CLIENT.delete('n') }
show('incr missing') { CLIENT.incr('c') }
show('incr creates') { CLIENT.incr('c', 1, 0, 10) }
show('incr') { CLIENT.incr('c', 5) }
show('counter') { CLIENT.get('c', raw: true) }
show('decr') { CLIENT.decr('c', 100) }
show('decr creates') { CLIENT.decr('d', 1, 0, 7) }
show('counts beyond') { CLIENT.incr('big', 1, 0, 2**64 - 1) && CLIENT.incr('big', 2) }
show('negative') { CLIENT.incr('c', -1) }
show('incr of a value') { CLIENT.incr('k') }
show('append') { CLIENT.set('r', 'b', 0, raw: true) && CLIENT.append('r', 'c') && CLIENT.prepend('r', 'a') && CLIENT.get('r') }
show('append missing') { CLIENT.append('none', 'c') }
show('prepend missing') { CLIENT.prepend('none', 'c') }
show('touch') { CLIENT.touch('k', 100) }
show('touch missing') { CLIENT.touch('none', 100) }
show('gat') { CLIENT.gat('k', 100) }
show('gat missing') { CLIENT.gat('none', 100) }
show('get_multi') { CLIENT.get_multi('k', 'c', 'none').sort }
show('get_multi of an array') { CLIENT.get_multi(%w[k c], nil).sort }
show('get_multi of nothing') { CLIENT.get_multi }
show('get_multi with a block') { [].tap { |all| CLIENT.get_multi(%w[k c]) { |key, value| all << [key, value] } }.sort }
show('get_multi of a nil') { CLIENT.set('nil', nil) && CLIENT.get_multi('nil', 'none') }
show('get_multi of many') { 300.times { |i| CLIENT.set("many#{i}", i) } && CLIENT.get_multi(*(0...400).map { |i| "many#{i}" }).sort == (0...300).map { |i| ["many#{i}", i] }.sort }
show('quiet') { CLIENT.multi { 250.times { |i| CLIENT.set("q#{i}", i) }; CLIENT.add('q1', 0); CLIENT.delete('q2'); CLIENT.replace('q3', 'new'); 5 } }
show('after quiet') { CLIENT.get_multi(*(0...250).map { |i| "q#{i}" }).values_at('q0', 'q1', 'q2', 'q3', 'q249') }
show('a get in a quiet block') { CLIENT.multi { CLIENT.set('q0', 'x'); CLIENT.get('q0') } }
show('what a quiet set says') { CLIENT.multi { [CLIENT.set('q', 1), CLIENT.add('q', 1), CLIENT.delete('q')] } }
show('what quiet joins and counts say') do
  CLIENT.set('j', '5', 0, raw: true)
  CLIENT.multi { [CLIENT.append('j', '1'), CLIENT.prepend('j', '2'), CLIENT.append('none', 'x'), CLIENT.incr('j', 3), CLIENT.decr('j'), CLIENT.incr('none')] }
end
show('after quiet joins and counts') { [CLIENT.get('j', raw: true).to_s, CLIENT.get('none')] }
show('cas') { told CLIENT.cas('k') { |value| "#{value}!" } }
show('after cas') { CLIENT.get('k') }
show('cas missing') { CLIENT.cas('none') { 1 } }
show('cas! missing') { told(CLIENT.cas!('c!') { |value| value.inspect }) }
show('after cas!') { CLIENT.get('c!') }
show('cas lost') { CLIENT.cas('k') { CLIENT.set('k', 'other') && 'mine' } }
show('get_cas') { value, cas = CLIENT.get_cas('k'); [value, told(cas)] }
show('get_cas missing') { CLIENT.get_cas('none') }
show('get_cas with a block') { CLIENT.get_cas('k') { |value, cas| [value, told(cas)] } }
show('set_cas') { told CLIENT.set_cas('k', 'new', CLIENT.get_cas('k').last) }
show('set_cas lost') { CLIENT.set_cas('k', 'lost', 1) }
show('replace_cas') { told CLIENT.replace_cas('k', 'newer', CLIENT.get_cas('k').last) }
show('delete_cas lost') { CLIENT.delete_cas('k', 1) }
show('delete_cas missing') { !!CLIENT.delete_cas('none', 1) }
show('delete_cas') { CLIENT.set('dc', 1) && CLIENT.delete_cas('dc', CLIENT.get_cas('dc').last) && CLIENT.get('dc') }
show('delete_cas of any') { CLIENT.set('dc', 1) && CLIENT.delete_cas('dc') }
show('get_multi_cas') { CLIENT.get_multi_cas('k', 'none').transform_values { |value, cas| [value, told(cas)] } }
show('fetch') { CLIENT.fetch('f', 100) { 'made' } }
show('fetch again') { CLIENT.fetch('f', 100) { 'made again' } }
show('fetch of a nil') { CLIENT.fetch('fn') { nil } || CLIENT.fetch('fn') { 'second' } }
show('fetch without a block') { CLIENT.fetch('none') }
show('ttl -1') { CLIENT.set('t', 1, -1) && CLIENT.get('t') }
show('ttl of forty days') { CLIENT.set('t', 1, 40 * 86_400) && CLIENT.get('t') }
show('ttl that is no number') { CLIENT.set('t', 1, Object.new) }
show('no key') { CLIENT.get(nil) }
show('empty key') { CLIENT.get('') }
show('key with spaces') { CLIENT.set("a b\n", 1) && CLIENT.get("a b\n") }
show('long key') { CLIENT.set('k' * 300, 'long') && CLIENT.get('k' * 300) }
show('shortened key') { CLIENT.get("#{'k' * 212}:md5:#{Digest::MD5.hexdigest('k' * 300)}") }
show('long key in get_multi') { CLIENT.get_multi('k' * 300).values }
show('stats') { CLIENT.stats.transform_values { |stats| stats.key?('curr_items') } == { CLIENT.stats.keys.first => true } }
show('stats of nonsense') { CLIENT.stats(:nonsense).values.first.key?('curr_items') }
show('alive!') { CLIENT.alive! && true }
show('with') { CLIENT.with { |client| client.get('f') } }
show('close') { CLIENT.close; CLIENT.get('f') }
show('reset') { CLIENT.reset; CLIENT.get('f') }

spaced = Dalli::Client.new(SERVERS, namespace: 'app', expires_in: 100)
show('namespace') { spaced.set('k', 'spaced') && [spaced.get('k'), CLIENT.get('app:k'), spaced.get_multi('k', 'none')] }
show('namespace by a block') { Dalli::Client.new(SERVERS, namespace: -> { 'app' }).get('k') }
show('long key in a namespace') { spaced.set('k' * 300, 'long') && CLIENT.get("app:#{'k' * 209}:md5:#{Digest::MD5.hexdigest("app:#{'k' * 300}")}") }
nils = Dalli::Client.new(SERVERS, cache_nils: true)
show('cache_nils') { [nils.fetch('cn') { nil }, nils.fetch('cn') { 'second' }, nils.get('cn')] }
plain = Dalli::Client.new(SERVERS, compress: false)
show('not compressed') { plain.set('u', 'x' * 10_000) && CLIENT.get('u').length }
show('gzip') { g = Dalli::Client.new(SERVERS, compressor: Dalli::GzipCompressor); g.set('g', 'x' * 10_000) && g.get('g').length }
show('gzip read by zlib') { CLIENT.get('g') }
serializer = Module.new do
  def self.dump(value) = "<#{value}>"
  def self.load(bytes) = bytes[1..-2]
end
show('serializer') { s = Dalli::Client.new(SERVERS, serializer: serializer); s.set('s', 5) && s.get('s') }
show('serializer read by Marshal') { CLIENT.get('s') }
show('value_max_bytes') { Dalli::Client.new(SERVERS, value_max_bytes: 100).set('k', 'x' * 200) }
show('bad servers') { Dalli::Client.new(5) }
show('bad server') { Dalli::Client.new('a:b:c').get('k') }
show('bad digest') { Dalli::Client.new(SERVERS, digest_class: 5) }
show('bad expires_in') { Dalli::Client.new(SERVERS, expires_in: Object.new) }
show('no server') { Dalli::Client.new('127.0.0.1:1', socket_timeout: 0.2, socket_failure_delay: 0).get('k') }
show('no server alive') { Dalli::Client.new('127.0.0.1:1', socket_timeout: 0.2, socket_failure_delay: 0).alive! }
show('no server get_multi') { Dalli::Client.new('127.0.0.1:1', socket_timeout: 0.2, socket_failure_delay: 0).get_multi('k', 'l') }
show('error classes') { [Dalli::NetworkError, Dalli::RingError, Dalli::MarshalError, Dalli::UnmarshalError, Dalli::ValueOverMaxSize].map(&:superclass).uniq }
show('a token of set_cas') do
  token = CLIENT.set_cas('tok', 'a', 0)
  CLIENT.set('tok', 'b')
  [CLIENT.set_cas('tok', 'c', token), CLIENT.delete_cas('tok', token), CLIENT.get('tok')]
end
show('flush') { CLIENT.flush }
show('after flush') { CLIENT.get('k') }
