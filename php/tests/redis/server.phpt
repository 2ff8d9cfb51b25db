--TEST--
Redis: INFO, CLIENT, CONFIG, OBJECT, TIME, raw commands and flushes, as with php-redis 6.2.0
--SKIPIF--
<?php if (!shell_exec('command -v redis-server')) die('skip there is no redis-server'); ?>
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../redis.inc';

$r = redis();
$types = fn (array $names) => array_map(fn ($name) => get_debug_type($r->info()[$name] ?? 'nothing'), $names);

tell('info', fn () => [is_array($r->info()), $types(['redis_version', 'redis_git_sha1', 'process_id', 'used_memory', 'mem_fragmentation_ratio', 'uptime_in_seconds', 'role'])]);
tell('db0 is a text', fn () => [$r->set('k', 1), preg_replace('/avg_ttl=\d+/', 'avg_ttl', $r->info('keyspace')['db0'])]);
tell('info of a section', fn () => [isset($r->info('server')['redis_version']), isset($r->info('server')['used_memory']), isset($r->info('server', 'memory')['used_memory'])]);
tell('info of no section', fn () => $r->info('nosuch'));
tell('client getname', fn () => [$r->client('getname'), $r->client('setname', 'page'), $r->client('getname')]);
tell('client list', fn () => [count($r->client('list')), $r->client('list')[0]['name'], is_array($r->client('info')) , is_int($r->client('id'))]);
tell('client kill of nobody', fn () => [$r->client('kill', '1.2.3.4:5'), $r->getLastError()]);
tell('config get', fn () => [$r->config('GET', 'maxmemory'), $r->config('GET', 'nosuch')]);
tell('config set', fn () => [$r->config('SET', 'maxmemory-samples', '6'), $r->config('GET', 'maxmemory-samples'), $r->config('SET', ['maxmemory-samples' => 5]), $r->config('SET', 'nosuch', '1'), $r->getLastError()]);
tell('config of other words', fn () => [$r->config('RESETSTAT'), $r->config('NOSUCH')]);
tell('object', fn () => [$r->object('encoding', 'k'), $r->object('encoding', 'none'), $r->object('nosuch', 'k')]);
tell('raw commands', fn () => [$r->rawCommand('SET', 'x', 5), $r->rawCommand('GET', 'x'), $r->rawCommand('GET', 'none'), $r->rawCommand('INCR', 'x'), $r->rawCommand('MGET', 'x', 'none'), $r->rawCommand('LRANGE', 'none', 0, -1)]);
tell('a raw command that is refused', fn () => [$r->rawCommand('NOSUCHCOMMAND', 'x'), $r->getLastError()]);
tell('a raw command without a word', fn () => $r->rawCommand());
tell('time', fn () => array_map(get_debug_type(...), $r->time()));
tell('ping and echo', fn () => [$r->ping(), $r->ping('x'), $r->echo('e')]);
tell('flushDB and flushAll', fn () => [$r->flushDB(), $r->dbSize(), $r->flushAll(true), $r->flushDB(false), $r->flushAll(), $r->flushDB(true)]);
tell('lastSave, role', fn () => [get_debug_type($r->lastSave()), $r->role()[0]]);
tell('bytes', function () use ($r) { $r->clearTransferredBytes(); $r->ping(); return $r->getTransferredBytes(); });
tell('serverName, serverVersion', fn () => [$r->serverName(), version_compare($r->serverVersion(), '6', '>')]);
tell('command', fn () => [is_array($r->command()), $r->command('count') > 100, $r->command('getkeys', 'MGET', 'a', 'b'), is_array($r->command('info', 'get'))]);
tell('slowlog, acl', fn () => [$r->slowlog('reset'), $r->slowlog('len'), $r->slowlog('get'), $r->acl('whoami'), $r->acl('users'), is_array($r->acl('cat'))]);
tell('pubsub', fn () => [$r->pubsub('channels'), $r->pubsub('numsub', ['a']), $r->pubsub('numpat'), $r->publish('a', 'm')]);
tell('swapdb', fn () => [$r->set('one', 1), $r->swapdb(0, 5), $r->exists('one'), $r->swapdb(0, 5), $r->exists('one')]);
tell('dump and restore', fn () => [$r->restore('two', 0, $r->dump('one')), $r->get('two'), $r->restore('two', 0, $r->dump('one')), $r->getLastError(), $r->dump('none')]);
tell('wait', fn () => $r->wait(0, 10));
?>
--EXPECT--
info: [true, ['string', 'int', 'int', 'int', 'float', 'int', 'string']]
db0 is a text: [true, 'keys=1,expires=0,avg_ttl']
info of a section: [true, false, true]
info of no section: false
client getname: [false, true, 'page']
client list: [1, 'page', true, true]
client kill of nobody: [false, 'ERR No such client']
config get: [['maxmemory' => '0'], []]
config set: [true, ['maxmemory-samples' => '6'], true, false, 'ERR Unknown option or number of arguments for CONFIG SET - \'nosuch\'']
  Warning: Redis::config(): Unknown operation 'NOSUCH'
config of other words: [true, false]
  Warning: Redis::object(): Invalid subcommand sent to OBJECT
object: ['int', false, false]
raw commands: [true, '5', false, 6, ['6', false], []]
a raw command that is refused: [false, 'ERR unknown command \'NOSUCHCOMMAND\', with args beginning with: \'x\' ']
a raw command without a word: ArgumentCountError: Redis::rawcommand() expects at least 1 argument, 0 given
time: ['string', 'string']
ping and echo: [true, 'x', 'e']
flushDB and flushAll: [true, 0, true, true, true, true]
lastSave, role: ['int', 'master']
bytes: [14, 7]
serverName, serverVersion: ['redis', true]
command: [true, true, ['a', 'b'], true]
slowlog, acl: [true, 0, [], 'default', ['default'], true]
pubsub: [[], ['a' => 0], 0, 0]
swapdb: [true, true, 0, true, 1]
dump and restore: RedisException: BUSYKEY Target key name already exists.
wait: 0
