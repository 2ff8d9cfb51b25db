--TEST--
Redis: connecting, options, getters and signing in: results, warnings and texts, as php-redis 6.2.0 does
--SKIPIF--
<?php if (!shell_exec('command -v redis-server')) die('skip there is no redis-server'); ?>
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../redis.inc';

$socket = redis_socket();
$locked = redis_socket('--requirepass', 'secret');

/** Ends the connection of that number, and waits until its client can see it. */
function end_connection(Redis $by, int $id): void
{
    $by->rawCommand('CLIENT', 'KILL', 'ID', $id);
    usleep(20000);
}

$r = new Redis();
/* A PHP with its own checks ends where a result is not of its signature's type, as false is for most of these. */
$getters = ['isConnected', 'getHost', 'getPort', 'getDBNum', 'getTimeout', 'getReadTimeout', 'getPersistentID', 'getAuth'];
$checked = PHP_DEBUG ? ['getHost', 'getPort', 'getDBNum', 'getReadTimeout', 'getPersistentID'] : [];
tell('before connect', fn () => array_map(fn ($get) => in_array($get, $checked, true) ? false : $r->$get(), $getters));
tell('a constructor connects later', function () use ($socket) { $r = new Redis(['host' => $socket, 'port' => 0]); return [$r->isConnected(), $r->getHost(), $r->ping(), $r->isConnected()]; });
tell('unknown options of a constructor', fn () => get_class(new Redis(['nosuch' => 1])));
tell('wrong options of a constructor', fn () => new Redis(['port' => 'text']));
tell('connect', fn () => [$r->connect($socket, -1, 2.5, null, 0, 1.5), $r->getHost(), $r->getPort(), $r->getTimeout(), $r->getReadTimeout(), $r->getPersistentID(), $r->getAuth(), $r->getDBNum()]);
tell('a negative retry interval', fn () => (new Redis())->connect($socket, -1, 0, null, -1));
tell('a negative time-out', fn () => (new Redis())->connect($socket, -1, -1));
tell('nobody there', fn () => (new Redis())->connect("$socket.none"));
tell('nobody listens', fn () => (new Redis())->connect('127.0.0.1', 1));
tell('no server', fn () => (new Redis())->get('k'));
tell('getLastError', fn () => [$r->getLastError(), $r->clearLastError()]);

tell('defaults of options', fn () => array_map($r->getOption(...), [Redis::OPT_SERIALIZER, Redis::OPT_PREFIX, Redis::OPT_READ_TIMEOUT, Redis::OPT_SCAN, Redis::OPT_TCP_KEEPALIVE, Redis::OPT_COMPRESSION,
    Redis::OPT_COMPRESSION_LEVEL, Redis::OPT_REPLY_LITERAL, Redis::OPT_NULL_MULTIBULK_AS_NULL, Redis::OPT_MAX_RETRIES, Redis::OPT_BACKOFF_ALGORITHM, Redis::OPT_BACKOFF_BASE, Redis::OPT_BACKOFF_CAP, Redis::OPT_PACK_IGNORE_NUMBERS]));
tell('an unknown option', fn () => [$r->getOption(99), $r->setOption(99, 1)]);
tell('options that are refused', fn () => [$r->setOption(Redis::OPT_SERIALIZER, 99), $r->setOption(Redis::OPT_COMPRESSION, 99), $r->setOption(Redis::OPT_MAX_RETRIES, -1), $r->setOption(Redis::OPT_BACKOFF_ALGORITHM, 99), $r->setOption(Redis::OPT_BACKOFF_BASE, -1), $r->setOption(Redis::OPT_BACKOFF_CAP, -1)]);
tell('options that are taken', fn () => [$r->setOption(Redis::OPT_READ_TIMEOUT, '1.5'), $r->getOption(Redis::OPT_READ_TIMEOUT), $r->setOption(Redis::OPT_MAX_RETRIES, 3), $r->getOption(Redis::OPT_MAX_RETRIES), $r->setOption(Redis::OPT_BACKOFF_ALGORITHM, Redis::BACKOFF_ALGORITHM_CONSTANT),
    $r->setOption(Redis::OPT_BACKOFF_BASE, 5), $r->setOption(Redis::OPT_BACKOFF_CAP, 10), $r->getOption(Redis::OPT_BACKOFF_CAP), $r->setOption(Redis::OPT_TCP_KEEPALIVE, 1), $r->getOption(Redis::OPT_TCP_KEEPALIVE), $r->setOption(Redis::OPT_PREFIX, 'p'), $r->setOption(Redis::OPT_PREFIX, null)]);

tell('close and call', fn () => [$r->close(), $r->isConnected(), $r->get('none'), $r->isConnected()]);
tell('close twice', fn () => [$r->close(), $r->close()]);
tell('an idle connection that was killed', function () { $r = redis(); end_connection(redis(), $r->client('id')); return [$r->get('none'), $r->getMode()]; });
tell('one that watches', function () { $r = redis(); $r->watch('k'); end_connection(redis(), $r->client('id')); return $r->get('none'); });
tell('one in multi', function () { $r = redis(); $id = $r->client('id'); $r->multi(); end_connection(redis(), $id); return $r->get('none'); });
tell('one in a pipeline', function () { $r = redis(); $id = $r->client('id'); $r->pipeline()->set('piped', 1)->get('piped'); end_connection(redis(), $id); return [$r->exec(), $r->getMode()]; });
tell('the database of a connection that is made again', function () { $r = redis(); $r->select(3); $r->set('in3', 1); end_connection(redis(), $r->client('id')); return [$r->getDBNum(), $r->get('in3')]; });

tell('auth where no password is asked for', fn () => $r->auth('secret'));
tell('auth of nothing', fn () => [$r->auth([]), $r->auth(null), $r->auth(false)]);
tell('auth of too much', fn () => $r->auth(['a', 'b', 'c']));
tell('without the password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return $r->get('k'); });
tell('a wrong password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return $r->auth('wrong'); });
tell('the password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return [$r->auth('secret'), $r->set('k', 1), $r->getAuth()]; });
tell('user and password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return [$r->auth(['default', 'secret']), $r->get('k'), $r->getAuth(), $r->auth(['user' => 'default', 'pass' => 'secret']), $r->getAuth()]; });
tell('a password in connect', function () use ($locked) { $r = new Redis(); return [$r->connect($locked, -1, 0, null, 0, 0, ['auth' => 'secret']), $r->get('k')]; });
tell('a password in the constructor', fn () => (new Redis(['host' => $locked, 'port' => 0, 'auth' => ['default', 'secret']]))->get('k'));
tell('signed in again by itself', function () use ($locked) { $r = new Redis(); $r->connect($locked); $r->auth('secret'); $id = $r->client('id'); $o = new Redis(['host' => $locked, 'port' => 0, 'auth' => 'secret']); end_connection($o, $id); return $r->get('k'); });

tell('pconnect', function () use ($socket) { $r = new Redis(); return [$r->pconnect($socket, -1, 0, 'site'), $r->getPersistentID(), $r->set('p', 1), $r->close()]; });
tell('serialize', fn () => serialize($r) === 'O:5:"Redis":0:{}');
tell('reset', function () { $r = redis(); return [$r->select(2), $r->reset(), $r->getDBNum(), $r->getMode()]; });
?>
--EXPECT--
before connect: [false, false, false, false, false, false, false, false]
a constructor connects later: [false, 'FOLDER/redis0.socket', true, true]
  Warning: Redis::__construct(): Skip unknown option 'nosuch'
unknown options of a constructor: 'Redis'
wrong options of a constructor: ValueError: Invalid port
connect: [true, 'FOLDER/redis0.socket', -1, 2.5, 1.5, NULL, NULL, 0]
a negative retry interval: ValueError: Invalid retry interval
a negative time-out: true
nobody there: RedisException: No such file or directory
nobody listens: RedisException: Connection refused
no server: RedisException: Redis server 127.0.0.1:6379 went away
getLastError: [NULL, true]
defaults of options: [0, NULL, 1.5, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, false]
  Warning: Redis::setOption(): Unknown option '99'
an unknown option: [false, false]
options that are refused: [false, false, false, false, false, false]
options that are taken: [true, 1.5, true, 3, true, true, true, 10, false, 0, true, true]
close and call: [true, false, false, true]
close twice: [true, true]
an idle connection that was killed: [false, 0]
one that watches: RedisException: Connection lost and socket is in MULTI/watching mode
one in multi: RedisException: Connection lost and socket is in MULTI/watching mode
one in a pipeline: [[true, '1'], 0]
the database of a connection that is made again: [3, '1']
auth where no password is asked for: RedisException: ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
  Warning: Redis::auth(): When passing an array as auth it must have one or two elements!
auth of nothing: [false, false, false]
  Warning: Redis::auth(): When passing an array as auth it must have one or two elements!
auth of too much: false
without the password: RedisException: NOAUTH Authentication required.
a wrong password: RedisException: WRONGPASS invalid username-password pair or user is disabled.
the password: [true, true, 'secret']
user and password: [true, '1', ['default', 'secret'], true, ['default', 'secret']]
a password in connect: [true, '1']
a password in the constructor: '1'
signed in again by itself: '1'
pconnect: [true, 'site', true, true]
serialize: true
reset: [true, true, 0, 0]
