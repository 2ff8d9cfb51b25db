--TEST--
Redis: results, errors and warnings of calls on strings and keys, as with php-redis 6.2.0
--SKIPIF--
<?php if (!shell_exec('command -v redis-server')) die('skip there is no redis-server'); ?>
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../redis.inc';

$r = redis();

tell('get of a missing key', fn () => $r->get('none'));
tell('ttl, pttl, type of a missing key', fn () => [$r->ttl('none'), $r->pttl('none'), $r->type('none')]);
tell('set', fn () => $r->set('k', 'v'));
tell('set of a key that is there, nx', fn () => $r->set('k', 'w', ['nx']));
tell('set of a key that is not there, xx', fn () => $r->set('none', 'w', ['xx']));
tell('set nx with a ttl', fn () => [$r->set('n', 'v', ['nx', 'ex' => 100]), $r->ttl('n')]);
foreach ([0, -1, true, 'abc', [], null, '10', 1.5, 10, ['EX' => 0], ['EX' => 'abc'], ['PX' => -5]] as $expiry) {
    tell('set with the expiry ' . shown($expiry), fn () => [$r->set('e', 'v', $expiry), $r->ttl('e')]);
}
tell('set with get', fn () => [$r->set('g', 'new', ['get']), $r->set('g', 'newer', ['get']), $r->get('g')]);
tell('set with get and nx of a key that is there', fn () => $r->set('g', 'newest', ['nx', 'get']));
tell('set with an unknown option', fn () => $r->set('u', 'v', ['nosuch', 'other' => 5]));
tell('set with keepttl', fn () => [$r->set('n', 'w', ['KEEPTTL']), $r->ttl('n')]);
tell('set with exat', fn () => [$r->set('at', 'v', ['EXAT' => 4000000000]), $r->expiretime('at')]);
tell('set with pxat', fn () => [$r->set('at', 'v', ['pxat' => 4000000000000]), $r->pexpiretime('at')]);
tell('setex of 0 seconds', fn () => [$r->setex('e', 0, 'v'), $r->getLastError()]);
tell('setex, psetex', fn () => [$r->setex('e', 10, 'v'), $r->psetex('e', 20000, 'w'), $r->ttl('e')]);

tell('del of nothing', fn () => $r->del([]));
tell('exists of nothing', fn () => $r->exists([]));
tell('mget of nothing', fn () => $r->mget([]));
tell('mset of nothing', fn () => $r->mset([]));
tell('unlink of nothing', fn () => $r->unlink([]));
tell('msetnx of nothing', fn () => $r->msetnx([]));
tell('no key was touched', fn () => $r->getLastError());
tell('del without an argument', fn () => $r->del());
tell('exists without an argument', fn () => $r->exists());
tell('mget of missing keys', fn () => $r->mget(['k', 'none', 'n']));
tell('exists of a key twice', fn () => $r->exists('k', 'k', 'none'));
tell('del of keys in an array and in a row', fn () => [$r->mset(['a' => 1, 'b' => 2, 'c' => 3]), $r->del(['a', 'none']), $r->del('b', 'c')]);
tell('mset with number keys', fn () => [$r->mset([7 => 'seven', 8 => 'eight']), $r->get('7'), $r->mget([7, 8])]);

tell('incr', fn () => [$r->incr('i'), $r->incr('i', 5), $r->incrBy('i', -10), $r->decr('i'), $r->decr('i', 3), $r->decrBy('i', 2)]);
tell('incr of a text', fn () => [$r->incr('k'), $r->getLastError()]);
tell('incrByFloat', fn () => [$r->incrByFloat('f', 1.5), $r->incrByFloat('f', -0.25), $r->get('f')]);
tell('incrByFloat of a text', fn () => $r->incrByFloat('k', 1));
tell('floats are sent as PHP prints them', fn () => [$r->set('x', 1.1), $r->get('x'), $r->set('x', 1e30), $r->get('x'), $r->set('x', 0.1 + 0.2), $r->get('x')]);
tell('booleans and null', fn () => array_map(fn ($value) => [$r->set('x', $value), $r->get('x')], [true, false, null]));
tell('an array without a serializer', fn () => [$r->set('x', [1, 2]), $r->get('x')]);
tell('an object without a serializer', fn () => [$r->set('x', new stdClass()), $r->get('x')]);
tell('get of an array', fn () => $r->get([]));
tell('get of null', fn () => $r->get(null));
tell('get of a number', fn () => $r->get(7));

tell('expire', fn () => [$r->expire('k', 100), $r->expire('none', 100), $r->ttl('k')]);
foreach (['nx' => 5000, 'XX' => 5000, 'gt' => 6000, 'LT' => 7000] as $mode => $ttl) {
    tell("expire $mode", fn () => [$r->expire('k', 500, $mode), $r->pexpire('k', 90000, $mode), $r->expire('k', $ttl, $mode)]);
}
tell('expire with an unknown mode', fn () => $r->expire('k', 100, 'sometimes'));
tell('expireAt, pexpireAt', fn () => [$r->expireAt('k', 4000000000), $r->expiretime('k'), $r->pexpireAt('k', 4000000000500), $r->pexpiretime('k')]);
tell('persist with and without a deadline', fn () => [$r->persist('k'), $r->persist('k'), $r->persist('none'), $r->ttl('k')]);
tell('expire with a ttl that has passed', fn () => [$r->set('p', 1), $r->expire('p', -1), $r->exists('p')]);

tell('setnx, msetnx', fn () => [$r->setnx('s', 1), $r->setnx('s', 2), $r->msetnx(['s' => 1, 't' => 2]), $r->msetnx(['t' => 1, 'u' => 2]), $r->msetnx(['t1' => 1, 'u1' => 2])]);
tell('getset, getdel, getex', fn () => [$r->getset('s', 'v'), $r->getdel('s'), $r->getdel('s'), $r->getex('t1', ['ex' => 100]), $r->ttl('t1'), $r->getex('t1', ['persist']), $r->ttl('t1'), $r->getex('none')]);
tell('rename', fn () => [$r->rename('t1', 't2'), $r->renamenx('t2', 'u1'), $r->renamenx('t2', 't3')]);
tell('rename of a missing key', fn () => [$r->rename('none', 'x'), $r->getLastError()]);
tell('copy', fn () => [$r->copy('u1', 'u2'), $r->copy('u1', 'u2'), $r->copy('u1', 'u2', ['replace' => true]), $r->copy('none', 'u3')]);
tell('move', fn () => [$r->move('u2', 3), $r->move('u2', 3), $r->select(3), $r->get('u2'), $r->flushDB(), $r->select(0)]);
tell('append, strlen, getrange, setrange', fn () => [$r->append('ap', 'ab'), $r->append('ap', 'cd'), $r->strlen('ap'), $r->strlen('none'), $r->getrange('ap', 1, -2), $r->setrange('ap', 1, 'XY'), $r->get('ap')]);
tell('strlen of a list', fn () => [$r->rPush('l', 'a'), $r->strlen('l'), $r->getLastError()]);
tell('bits', fn () => [$r->setbit('bits', 7, true), $r->getbit('bits', 7), $r->bitcount('bits'), $r->bitpos('bits', 1), $r->bitop('NOT', 'bits2', 'bits'), $r->get('bits2')]);
tell('randomKey of an empty database', fn () => [$r->select(9), $r->randomKey(), $r->select(0)]);
tell('select of no database', fn () => [$r->select(99), $r->getDBNum()]);
tell('select of another one', fn () => [$r->select(2), $r->getDBNum(), $r->select(0), $r->getDBNum()]);
tell('type', fn () => [$r->type('k'), $r->type('l'), $r->hSet('h', 'f', 1), $r->type('h'), $r->sAdd('set', 1), $r->type('set'), $r->zAdd('z', 1, 'm'), $r->type('z'), $r->xAdd('st', '*', ['a' => 1]) !== false, $r->type('st')]);
tell('touch, dbSize, object', fn () => [$r->touch('k', 'none'), $r->touch(['k', 'l']), $r->dbSize() > 10, $r->object('encoding', 'i'), $r->object('refcount', 'k')]);
tell('object of a missing key', fn () => $r->object('encoding', 'none'));
tell('object with an unknown word', fn () => $r->object('nosuch', 'k'));
tell('lcs', fn () => [$r->mset(['lcs1' => 'ohmytext', 'lcs2' => 'mynewtext']), $r->lcs('lcs1', 'lcs2'), $r->lcs('lcs1', 'lcs2', ['len'])]);
?>
--EXPECT--
get of a missing key: false
ttl, pttl, type of a missing key: [-2, -2, 0]
set: true
set of a key that is there, nx: false
set of a key that is not there, xx: false
set nx with a ttl: [true, 100]
  Warning: Redis::set(): int passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)
set with the expiry 0: [false, -2]
  Warning: Redis::set(): int passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)
set with the expiry -1: [false, -2]
  Warning: Redis::set(): bool passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)
set with the expiry true: [false, -2]
  Warning: Redis::set(): string passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)
set with the expiry 'abc': [false, -2]
set with the expiry []: [true, -1]
set with the expiry NULL: [true, -1]
set with the expiry '10': [true, 10]
set with the expiry 1.5: [true, 1]
set with the expiry 10: [true, 10]
  Warning: Redis::set(): int passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)
set with the expiry ['EX' => 0]: [false, 10]
  Warning: Redis::set(): string passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)
set with the expiry ['EX' => 'abc']: [false, 10]
  Warning: Redis::set(): int passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)
set with the expiry ['PX' => -5]: [false, 10]
set with get: [false, 'new', 'newer']
set with get and nx of a key that is there: 'newer'
set with an unknown option: true
set with keepttl: [true, 100]
set with exat: [true, 4000000000]
set with pxat: [true, 4000000000000]
setex of 0 seconds: [false, 'ERR invalid expire time in \'setex\' command']
setex, psetex: [true, true, 20]
del of nothing: false
exists of nothing: false
mget of nothing: false
mset of nothing: false
unlink of nothing: false
msetnx of nothing: false
no key was touched: 'ERR invalid expire time in \'setex\' command'
del without an argument: ArgumentCountError: Redis::del() expects at least 1 argument, 0 given
exists without an argument: ArgumentCountError: Redis::exists() expects at least 1 argument, 0 given
mget of missing keys: ['v', false, 'w']
exists of a key twice: 2
del of keys in an array and in a row: [true, 1, 2]
mset with number keys: [true, 'seven', ['seven', 'eight']]
incr: [1, 6, -4, -5, -8, -10]
incr of a text: [false, 'ERR value is not an integer or out of range']
incrByFloat: [1.5, 1.25, '1.25']
incrByFloat of a text: false
floats are sent as PHP prints them: [true, '1.1', true, '1.0E+30', true, '0.3']
booleans and null: [[true, '1'], [true, ''], [true, '']]
an array without a serializer: [true, 'Array']
an object without a serializer: [true, 'Object']
get of an array: TypeError: Redis::get(): Argument #1 ($key) must be of type string, array given
  Deprecated: Redis::get(): Passing null to parameter #1 ($key) of type string is deprecated
get of null: false
get of a number: 'seven'
expire: [true, false, 100]
expire nx: [false, false, false]
expire XX: [true, true, true]
expire gt: [false, false, true]
expire LT: [true, true, false]
  Warning: Redis::expire(): Unknown expiration modifier 'sometimes'
expire with an unknown mode: false
expireAt, pexpireAt: [true, 4000000000, true, 4000000000500]
persist with and without a deadline: [true, false, false, -1]
expire with a ttl that has passed: [true, true, 0]
setnx, msetnx: [true, false, false, false, true]
getset, getdel, getex: ['1', 'v', false, '1', 100, '1', -1, false]
rename: [true, false, true]
rename of a missing key: [false, 'ERR no such key']
copy: [true, false, true, false]
move: [true, false, true, '2', true, true]
append, strlen, getrange, setrange: [2, 4, 4, 0, 'bc', 4, 'aXYd']
strlen of a list: [1, false, 'WRONGTYPE Operation against a key holding the wrong kind of value']
bits: [0, 1, 1, 7, 1, 0xfe]
randomKey of an empty database: [true, false, true]
select of no database: [false, 0]
select of another one: [true, 2, true, 0]
type: [1, 3, 1, 5, 1, 2, 1, 4, true, 6]
touch, dbSize, object: [1, 2, true, 'int', 1]
object of a missing key: false
  Warning: Redis::object(): Invalid subcommand sent to OBJECT
object with an unknown word: false
lcs: [true, 'mytext', 6]
