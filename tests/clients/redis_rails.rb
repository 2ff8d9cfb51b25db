# Rails' RedisCacheStore, a line each call: ruby redis_rails.rb URL
require 'active_support'
require 'active_support/cache/redis_cache_store'
require 'active_support/notifications'

errors = []
store = ActiveSupport::Cache::RedisCacheStore.new(url: ARGV[0], namespace: 'shop', error_handler: ->(exception:, **) { errors << exception.message })
other = ActiveSupport::Cache::RedisCacheStore.new(url: ARGV[0], db: 1)
redis = Redis.new(url: ARGV[0])
show = ->(label, value) { puts "#{label}: #{value.inspect}" }
redis.flushall
show['write', store.write('user', { 'name' => 'Ada', visits: [1, 2.5, nil] }, expires_in: 300)]
show['read', store.read('user')]
show['miss', store.read('none')]
show['nil is a value', [store.write('nothing', nil), store.exist?('nothing'), store.exist?('none'), store.fetch('nothing') { 'made' }]]
show['fetch', [store.fetch('made') { 'once' }, store.fetch('made') { 'twice' }]]
show['ttl', [redis.ttl('shop:user').between?(290, 600), redis.ttl('shop:made')]]
show['unless exist', [store.write('lock', 1, unless_exist: true, expires_in: 60), store.write('lock', 2, unless_exist: true), store.read('lock')]]
show['soon gone', [store.write('soon', 1, expires_in: 0.2), store.read('soon'), sleep(0.3) && store.read('soon')]]
show['write multi', store.write_multi({ 'a' => 1, 'b' => [2], 'c' => 'three' }) && nil]
show['write multi with an expiry', [store.write_multi({ 'd' => 4, 'e' => 5 }, expires_in: 60).keys, redis.ttl('shop:d').between?(50, 360)]]
show['read multi', store.read_multi('a', 'none', 'c', 'd')]
show['fetch multi', store.fetch_multi('a', 'f') { |key| "made #{key}" }]
show['counts', [store.increment('count'), store.increment('count', 10), store.decrement('count', 3), store.read('count', raw: true)]]
show['counts with an expiry', [store.increment('visits', 1, expires_in: 60), redis.ttl('shop:visits'), store.increment('visits', 1, expires_in: 600), redis.ttl('shop:visits')]]
show['large', [store.write('large', 'x' * 300_000), store.read('large').size]]
show['delete', [store.delete('user'), store.delete('user'), store.read('user')]]
show['delete multi', store.delete_multi(%w[a b none])]
200.times { |number| store.write("page/#{number}", number) }
show['delete matched', [store.delete_matched('page/1*') && nil, store.read('page/1'), store.read('page/100'), store.read('page/2')]]
show['databases', [other.write('k', 'of 1'), store.read('k'), other.read('k')]]
show['clear the namespace', [store.clear && nil, store.read('c'), redis.keys('*'), other.read('k')]]
show['pipelined', redis.pipelined { |pipe| 3.times { |number| pipe.set("p#{number}", number) } }]
show['multi', redis.multi { |transaction| transaction.set('t', 1); transaction.incr('t'); transaction.get('t') }]
show['watch', redis.watch('t') { other.redis.then { |raw| Redis.new(url: ARGV[0]).set('t', 9) }; redis.multi { |transaction| transaction.set('t', 3) } }]
show['after watch', redis.get('t')]
show['flush', [redis.flushdb, redis.dbsize, other.read('k')]]
show['errors', errors]
