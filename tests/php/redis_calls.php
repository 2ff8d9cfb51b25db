<?php
// php-redis' calls, a line each. Words: HOST PORT (a path and 0 for a Unix socket).

[, $host, $port] = $argv;

function show(string $what, mixed $value): void
{
    echo $what, ': ', str_replace("\n", ' ', var_export($value, true)), "\n";
}

/** The result of a call, or the exception's first word and getLastError(). */
function refused(Redis $redis, callable $call): mixed
{
    $redis->clearLastError();
    try {
        return [$call(), $redis->getLastError()];
    } catch (RedisException $e) {
        return ['exception', $e->getMessage()];
    }
}

function connect(string $host, int $port, int $database = 0): Redis
{
    $redis = new Redis();
    $redis->connect($host, $port, 5);
    if ($database) {
        $redis->select($database);
    }
    return $redis;
}

$r = connect($host, (int) $port);
show('ping', [$r->ping(), $r->ping('hello'), $r->echo('hello')]);
show('flush', $r->flushAll());
show('set', [$r->set('k', 'value'), $r->get('k'), $r->get('none')]);
show('values', [$r->set('i', 42), $r->get('i'), $r->set('f', 0.5), $r->get('f'), $r->set('yes', true), $r->get('yes'), $r->set('no', false), $r->get('no')]);
show('bytes', [$r->set('b', $bytes = random_bytes(100_000)), $r->get('b') === $bytes, $r->strlen('b')]);
show('set options', [$r->set('o', 1, ['nx', 'ex' => 100]), $r->set('o', 2, ['nx']), $r->set('none', 1, ['xx']), $r->set('o', 3, ['xx', 'px' => 50_500]), $r->pttl('o') > 50_000]);
show('set with a time', [$r->set('t', 1, 100), $r->ttl('t') > 98, $r->setex('t', 50, 2), $r->ttl('t') <= 50, $r->psetex('t', 1500, 3), $r->pttl('t') <= 1500]);
show('setnx', [$r->setnx('x', 1), $r->setnx('x', 2), $r->getSet('x', 3), $r->get('x')]);
show('ttl', [$r->ttl('none'), $r->ttl('k'), $r->expire('k', 100), $r->persist('k'), $r->persist('k'), $r->ttl('k')]);
show('expire at', [$r->expireAt('k', time() + 100), $r->ttl('k') > 97, $r->pexpire('k', 5000), $r->pttl('k') > 4000, $r->expire('none', 10)]);
show('soon gone', [$r->psetex('soon', 100, 1), $r->get('soon'), usleep(130_000), $r->get('soon'), $r->exists('soon')]);
show('mset and mget', [$r->mset(['m1' => 1, 'm2' => 'two']), $r->mget(['m1', 'none', 'm2']), $r->msetnx(['m2' => 3, 'm3' => 3]), $r->exists('m3')]);
show('counts', [$r->incr('c'), $r->incrBy('c', 10), $r->decr('c'), $r->decrBy('c', 3), $r->incrByFloat('c', 0.5), $r->get('c')]);
show('count of text', refused($r, fn() => $r->incr('x:text') . $r->set('x:text', 'abc') . var_export($r->incr('x:text'), true)));
show('append', [$r->append('a', 'Hello '), $r->append('a', 'World'), $r->getRange('a', 0, 4), $r->setRange('a', 6, 'Redis'), $r->get('a')]);
show('bits', [$r->setBit('bits', 7, 1), $r->getBit('bits', 7), $r->bitCount('bits'), $r->get('bits')]);
show('delete', [$r->del('m1', 'none'), $r->del(['m2']), $r->unlink('f'), $r->exists('k', 'k', 'none')]);
show('rename', [$r->rename('a', 'renamed'), $r->get('renamed'), $r->renameNx('renamed', 'k'), refused($r, fn() => $r->rename('none', 'x'))]);
show('type', [$r->type('k'), $r->type('none')]);
show('object', [$r->object('encoding', 'i'), $r->object('encoding', 'k'), $r->object('encoding', 'b')]);
show('wrong arguments', refused($r, fn() => $r->rawCommand('SET', 'k')));
show('wrong time', refused($r, fn() => $r->setex('k', 0, 'v')));

foreach (range(1, 300) as $number) {
    $pages["page:$number"] = $number;
}
$r->mset($pages);
$met = [];
for ($cursor = null; ($keys = $r->scan($cursor, 'page:*', 50)) !== false || $cursor > 0;) {
    $met = [...$met, ...($keys ?: [])];
}
show('scan', [count(array_unique($met)), count($r->keys('page:*')), count($r->keys('page:?'))]);

$pipe = $r->pipeline();
foreach (range(1, 100) as $number) {
    $pipe->setex("pipe:$number", 100, $number)->get("pipe:$number");
}
$answers = $pipe->exec();
show('pipeline', [count($answers), $answers[198], $answers[199]]);
show('multi', $r->multi()->set('tx', 1)->incr('tx')->get('tx')->expire('tx', 10)->exec());
show('an error inside', $r->multi()->set('tx', 'text')->incr('tx')->get('tx')->exec());
show('discard', [$r->multi()->set('tx', 'discarded')->discard(), $r->get('tx')]);
$second = connect($host, (int) $port);
$r->watch('tx');
$second->set('tx', 'of the second');
show('watch', [$r->multi()->set('tx', 'of the first')->exec(), $r->get('tx')]);
$r->watch('tx');
show('watched in peace', [$r->multi()->set('tx', 'of the first')->exec(), $r->get('tx')]);

$release = 'if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end';
$r->set('lock', 'mine', ['nx', 'px' => 5000]);
show('release', [$r->eval($release, ['lock', 'yours'], 1), $r->eval($release, ['lock', 'mine'], 1), $r->exists('lock'), $r->eval($release, ['lock', 'mine'], 1)]);
$r->set('lock', 'mine');
show('release by its hash', [$r->script('exists', sha1($release)), $r->evalSha(sha1($release), ['lock', 'mine'], 1), $r->evalSha(sha1('return 1 '), [], 0), $r->getLastError()]);
$r->clearLastError();

$r->setOption(Redis::OPT_PREFIX, 'shop:');
show('prefix', [$r->set('p', 1), $r->keys('p*'), $r->get('p'), $second->get('shop:p')]);
$r->setOption(Redis::OPT_PREFIX, '');
$r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
show('serializer', [$r->set('array', ['a' => [1, 2.5, null]]), $r->get('array'), $second->get('array')]);
$r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);

$one = connect($host, (int) $port, 1);
show('databases', [$one->set('k', 'of 1'), $r->get('k'), $one->get('k'), $one->dbSize(), $one->getDBNum()]);
show('move', [$r->move('k', 1), $r->set('moved', 1), $r->move('moved', 1), $r->exists('moved'), $one->get('moved')]);
show('flush of one', [$r->flushDB(), $r->dbSize(), $one->dbSize(), $one->get('k')]);
show('no such database', [$r->select(99), $r->getLastError(), $r->ping()]);
show('random', [$r->randomKey(), $r->set('only', 1), $r->randomKey()]);
show('time', abs($r->time()[0] - time()) <= 1);
show('config', [$r->config('GET', 'databases'), array_keys($r->config('GET', 'maxmemory*')) !== []]);
$info = $r->info();
show('info', [version_compare($info['redis_version'], '7.0', '>='), $info['role'], $info['loading'] ?? null, is_int($info['used_memory'])]);
show('name', [$r->client('setname', 'of-a-test'), $r->client('getname')]);
