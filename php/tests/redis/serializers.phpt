--TEST--
Redis: values stored and read with each serializer, prefix and rule for numbers, as with php-redis 6.2.0
--SKIPIF--
<?php if (!shell_exec('command -v redis-server')) die('skip there is no redis-server'); ?>
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../redis.inc';

$values = ['text', '', '12', 12, -5, 1.5, true, false, null, [], [1, 2], ['a' => ['b' => null]]];
$r = redis();
foreach (['NONE', 'PHP', 'JSON', 'IGBINARY', 'MSGPACK'] as $name) {
    if (!defined("Redis::SERIALIZER_$name")) {
        continue;
    }
    $r->setOption(Redis::OPT_SERIALIZER, constant("Redis::SERIALIZER_$name"));
    if (in_array($name, ['NONE', 'PHP', 'JSON'], true)) {
        foreach ($values as $value) {
            tell("$name of " . shown($value), fn () => [$r->set('v', $value), $r->rawCommand('GET', 'v'), $r->get('v')]);
        }
    }
    $r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
}
$r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
tell('incr of a serialized number', fn () => [$r->set('n', 5), $r->incr('n'), $r->get('n')]);
tell('a text that does not unserialize', fn () => [$r->rawCommand('SET', 'bad', 'no serialized text'), $r->get('bad'), $r->mget(['bad', 'n'])]);
tell('hash fields are keys, their values are serialized', fn () => [$r->hSet('h', 'f', [1]), $r->hGet('h', 'f'), $r->hGetAll('h'), $r->hKeys('h'), $r->hMGet('h', ['f', 'none']), $r->rawCommand('HGET', 'h', 'f')]);
tell('list, set and sorted set', fn () => [$r->rPush('l', [1], 2), $r->lRange('l', 0, -1), $r->sAdd('s', [1]), $r->sMembers('s'), $r->sIsMember('s', [1]), $r->zAdd('z', 1, [1]), $r->zRange('z', 0, -1), $r->zScore('z', [1]), $r->rawCommand('LINDEX', 'l', 1)]);
tell('zRange with scores', fn () => [$r->zAdd('w', 1.5, 'a', 2, 'b'), $r->zRange('w', 0, -1, true), $r->zRangeByScore('w', 0, 9, ['withscores' => true])]);
tell('scripts are given texts', fn () => $r->eval('return {KEYS[1], ARGV[1], ARGV[2]}', ['k', 'a', 5], 1));
tell('_serialize, _unserialize, _pack, _unpack', fn () => [$r->_serialize([1]), $r->_unserialize('a:1:{i:0;i:1;}'), $r->_pack(5), $r->_unpack('i:5;'), $r->_unpack('none')]);
tell('_unserialize of what is none', fn () => $r->_unserialize('none'));

$r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_JSON);
tell('JSON gives arrays', fn () => [$r->set('j', (object) ['a' => (object) []]), $r->get('j')]);
tell('what has no JSON', fn () => [$r->set('j', "\xff"), $r->rawCommand('GET', 'j'), $r->get('j')]);

$r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
tell('numbers that are not packed', fn () => [$r->setOption(Redis::OPT_PACK_IGNORE_NUMBERS, true), $r->set('n', 5), $r->rawCommand('GET', 'n'), $r->incr('n'), $r->get('n'), $r->set('n', 1.5), $r->get('n'), $r->set('n', '12'), $r->rawCommand('GET', 'n'), $r->get('n')]);
tell('the option itself', fn () => [$r->getOption(Redis::OPT_PACK_IGNORE_NUMBERS), $r->setOption(Redis::OPT_PACK_IGNORE_NUMBERS, 0), $r->getOption(Redis::OPT_PACK_IGNORE_NUMBERS)]);

$r = redis([Redis::OPT_PREFIX => 'site:']);
$r->flushDB();
tell('keys have the prefix', fn () => [$r->set('a', 1), $r->mset(['b' => 2]), $r->get('a'), $r->rawCommand('GET', 'site:a'), $r->rawCommand('EXISTS', 'a')]);
tell('keys() tells them raw', function () use ($r) { $keys = $r->keys('*'); sort($keys); return $keys; });
tell('_prefix', fn () => [$r->_prefix('a'), $r->getOption(Redis::OPT_PREFIX)]);
tell('scripts: keys have it, arguments have not', fn () => $r->eval('return {KEYS[1], ARGV[1]}', ['k', 'a'], 1));
tell('rename, copy, move and stores', fn () => [$r->rename('a', 'c'), $r->copy('c', 'd'), $r->sAdd('s1', 1), $r->sUnionStore('s2', 's1'), $r->rawCommand('EXISTS', 'site:c', 'site:d', 'site:s2')]);
tell('randomKey tells it raw', fn () => str_starts_with($r->randomKey(), 'site:'));
tell('without it again', fn () => [$r->setOption(Redis::OPT_PREFIX, ''), $r->getOption(Redis::OPT_PREFIX), $r->get('site:b')]);
?>
--EXPECT--
NONE of 'text': [true, 'text', 'text']
NONE of '': [true, '', '']
NONE of '12': [true, '12', '12']
NONE of 12: [true, '12', '12']
NONE of -5: [true, '-5', '-5']
NONE of 1.5: [true, '1.5', '1.5']
NONE of true: [true, '1', '1']
NONE of false: [true, '', '']
NONE of NULL: [true, '', '']
NONE of []: [true, 'Array', 'Array']
NONE of [1, 2]: [true, 'Array', 'Array']
NONE of ['a' => ['b' => NULL]]: [true, 'Array', 'Array']
PHP of 'text': [true, 's:4:"text";', 'text']
PHP of '': [true, 's:0:"";', '']
PHP of '12': [true, 's:2:"12";', '12']
PHP of 12: [true, 'i:12;', 12]
PHP of -5: [true, 'i:-5;', -5]
PHP of 1.5: [true, 'd:1.5;', 1.5]
PHP of true: [true, 'b:1;', true]
PHP of false: [true, 'b:0;', false]
PHP of NULL: [true, 'N;', NULL]
PHP of []: [true, 'a:0:{}', []]
PHP of [1, 2]: [true, 'a:2:{i:0;i:1;i:1;i:2;}', [1, 2]]
PHP of ['a' => ['b' => NULL]]: [true, 'a:1:{s:1:"a";a:1:{s:1:"b";N;}}', ['a' => ['b' => NULL]]]
JSON of 'text': [true, '"text"', 'text']
JSON of '': [true, '""', '']
JSON of '12': [true, '"12"', '12']
JSON of 12: [true, '12', 12]
JSON of -5: [true, '-5', -5]
JSON of 1.5: [true, '1.5', 1.5]
JSON of true: [true, 'true', true]
JSON of false: [true, 'false', false]
JSON of NULL: [true, 'null', NULL]
JSON of []: [true, '[]', []]
JSON of [1, 2]: [true, '[1,2]', [1, 2]]
JSON of ['a' => ['b' => NULL]]: [true, '{"a":{"b":null}}', ['a' => ['b' => NULL]]]
incr of a serialized number: [true, false, 5]
a text that does not unserialize: [true, 'no serialized text', ['no serialized text', 5]]
hash fields are keys, their values are serialized: [1, [1], ['f' => [1]], ['f'], ['f' => [1], 'none' => false], 'a:1:{i:0;i:1;}']
list, set and sorted set: [2, [[1], 2], 1, [[1]], true, 1, [[1]], 1.0, 'i:2;']
zRange with scores: [2, ['a' => 1.5, 'b' => 2.0], ['a' => 1.5, 'b' => 2.0]]
scripts are given texts: ['k', 'a', '5']
_serialize, _unserialize, _pack, _unpack: ['a:1:{i:0;i:1;}', [1], 'i:5;', 5, 'none']
_unserialize of what is none: RedisException: Invalid serialized data, or unserialization error
JSON gives arrays: [true, ['a' => []]]
what has no JSON: [true, '', '']
numbers that are not packed: [true, true, '5', 6, 6, true, 1.5, true, 's:2:"12";', '12']
the option itself: [true, true, false]
keys have the prefix: [true, true, '1', '1', 0]
keys() tells them raw: ['site:a', 'site:b']
_prefix: ['site:a', 'site:']
scripts: keys have it, arguments have not: ['site:k', 'a']
rename, copy, move and stores: [true, true, 1, 1, 3]
randomKey tells it raw: true
without it again: [true, NULL, '2']
