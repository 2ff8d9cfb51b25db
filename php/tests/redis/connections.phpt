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

$r = new Redis();
tell('before connect', fn () => [$r->isConnected(), $r->getHost(), $r->getPort(), $r->getDBNum(), $r->getTimeout(), $r->getReadTimeout(), $r->getPersistentID(), $r->getAuth()]);
tell('a constructor connects later', function () use ($socket) { $r = new Redis(['host' => $socket]); return [$r->isConnected(), $r->getHost(), $r->ping(), $r->isConnected()]; });
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
tell('an idle connection that was killed', function () use ($r) { $id = $r->client('id'); redis()->client('kill', 'id', $id); usleep(20000); return $r->get('none'); });
tell('one that watches', function () use ($r) { $r->watch('k'); redis()->client('kill', 'id', $r->client('id')); usleep(20000); return $r->get('none'); });
tell('one in multi', function () use ($r) { $id = $r->client('id'); $r->multi(); redis()->client('kill', 'id', $id); usleep(20000); return $r->get('none'); });
tell('and then', fn () => [$r->getMode(), $r->get('none')]);
tell('the database of a connection that is made again', function () use ($r) { $r->select(3); $r->set('in3', 1); redis()->client('kill', 'id', $r->client('id')); usleep(20000); return [$r->getDBNum(), $r->get('in3'), $r->select(0)]; });

tell('auth where no password is asked for', fn () => $r->auth('secret'));
tell('auth of nothing', fn () => [$r->auth([]), $r->auth(null), $r->auth(false)]);
tell('auth of too much', fn () => $r->auth(['a', 'b', 'c']));
tell('without the password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return $r->get('k'); });
tell('a wrong password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return $r->auth('wrong'); });
tell('the password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return [$r->auth('secret'), $r->set('k', 1), $r->getAuth()]; });
tell('user and password', function () use ($locked) { $r = new Redis(); $r->connect($locked); return [$r->auth(['default', 'secret']), $r->get('k'), $r->getAuth(), $r->auth(['user' => 'default', 'pass' => 'secret']), $r->getAuth()]; });
tell('a password in connect', function () use ($locked) { $r = new Redis(); return [$r->connect($locked, -1, 0, null, 0, 0, ['auth' => 'secret']), $r->get('k')]; });
tell('a wrong one in connect', fn () => (new Redis())->connect($locked, -1, 0, null, 0, 0, ['auth' => 'wrong']));
tell('a password in the constructor', fn () => (new Redis(['host' => $locked, 'auth' => ['default', 'secret']]))->get('k'));
tell('signed in again by itself', function () use ($locked) { $r = new Redis(); $r->connect($locked); $r->auth('secret'); $id = $r->client('id'); $o = new Redis(['host' => $locked, 'auth' => 'secret']); $o->client('kill', 'id', $id); usleep(20000); return $r->get('k'); });

tell('pconnect', function () use ($socket) { $r = new Redis(); return [$r->pconnect($socket, -1, 0, 'site'), $r->getPersistentID(), $r->set('p', 1), $r->close()]; });
tell('serialize', fn () => serialize($r) === 'O:5:"Redis":0:{}');
tell('reset', fn () => [$r->select(2), $r->reset(), $r->getDBNum(), $r->getMode()]);
?>
--EXPECT--
