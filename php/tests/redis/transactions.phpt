--TEST--
Redis: MULTI, pipelines and WATCH: queue, results and state afterwards, as with php-redis 6.2.0
--SKIPIF--
<?php if (!shell_exec('command -v redis-server')) die('skip there is no redis-server'); ?>
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../redis.inc';

$r = redis();
$other = redis();

tell('multi', fn () => [$r->multi(), $r->getMode(), $r->set('k', 1), $r->incr('k'), $r->exec(), $r->getMode()]);
tell('pipeline', fn () => [$r->pipeline(), $r->getMode(), $r->get('k'), $r->get('none'), $r->exec(), $r->getMode()]);
tell('multi of Redis::PIPELINE', fn () => [$r->multi(Redis::PIPELINE), $r->getMode(), $r->get('k'), $r->exec()]);
tell('empty ones', fn () => [$r->multi()->exec(), $r->pipeline()->exec()]);
tell('exec outside', fn () => $r->exec());
tell('discard outside', fn () => $r->discard());
tell('discard of multi', fn () => [$r->multi()->set('k', 9)->discard(), $r->get('k'), $r->getMode()]);
tell('discard of a pipeline', fn () => [$r->pipeline()->set('k', 9)->discard(), $r->get('k'), $r->getMode()]);
tell('multi in a pipeline', fn () => $r->pipeline()->get('k')->multi()->incr('k')->get('k')->exec()->get('k')->exec());
tell('multi of no mode', fn () => $r->multi(99));
tell('multi in multi', fn () => [$r->multi()->multi()->get('k')->exec(), $r->getMode()]);
tell('pipeline in a pipeline', fn () => $r->pipeline()->pipeline()->get('k')->exec());
tell('an error among the replies of exec', fn () => [$r->multi()->set('t', 'text')->incr('t')->get('t')->exec(), $r->getLastError()]);
tell('an error among the replies of a pipeline', fn () => $r->pipeline()->set('t', 'text')->incr('t')->get('t')->exec());
tell('an error when it is queued', fn () => [$r->multi(), $r->rawCommand('NOSUCHCOMMAND'), $r->getLastError(), $r->getMode()]);
tell('its exec', fn () => $r->exec());
tell('the mode then', fn () => [$r->getMode(), $r->get('k')]);

tell('watch that holds', fn () => [$r->watch('k'), $r->multi()->incr('k')->exec()]);
tell('watch that fails', fn () => [$r->watch('k'), $other->set('k', 100), $r->multi()->incr('k')->exec(), $r->get('k')]);
tell('unwatch', fn () => [$r->watch('k'), $other->set('k', 200), $r->unwatch(), $r->multi()->incr('k')->exec()]);
tell('watch of several', fn () => [$r->watch(['a', 'b']), $other->set('b', 1), $r->multi()->set('c', 1)->exec(), $r->exists('c')]);

tell('shapes of many replies', fn () => $r->pipeline()->del('h', 'l', 'z', 's')->hMSet('h', ['a' => 1, 'b' => 2])->hGetAll('h')->hMGet('h', ['a', 'x'])->rPush('l', 1, 2)->lRange('l', 0, -1)
    ->zAdd('z', 1.5, 'm')->zRange('z', 0, -1, true)->zScore('z', 'm')->sAdd('s', 'x')->sMembers('s')->type('h')->ttl('h')->exists('h', 'l')->mget(['k', 'none'])->ping()->echo('e')->exec());
tell('shapes of many replies of multi', fn () => $r->multi()->hGetAll('h')->hMGet('h', ['a', 'x'])->lRange('l', 0, -1)->zRange('z', 0, -1, true)->zScore('z', 'none')->type('l')->set('q', 1, ['nx'])->set('q', 1, ['nx'])->exec());
$r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
tell('values are unserialized', fn () => $r->pipeline()->set('v', [1, 'a' => null])->get('v')->hSet('o', 'f', [2])->hGetAll('o')->exec());
$r->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
tell('select in multi and in a pipeline', fn () => [$r->multi()->select(4)->set('in4', 1)->exec(), $r->getDBNum(), $r->get('in4'), $r->pipeline()->select(0)->get('k')->exec(), $r->getDBNum()]);
tell('what is unset in the middle of a pipeline is not sent', function () use ($other) {
    $gone = redis();
    $gone->pipeline()->set('gone', 1);
    unset($gone);
    return $other->exists('gone');
});
tell('nor what is unset in multi', function () use ($other) {
    $gone = redis();
    $gone->multi()->set('gone', 1);
    unset($gone);
    return $other->exists('gone');
});
tell('getters in a pipeline', fn () => [$r->pipeline(), $r->getOption(Redis::OPT_SERIALIZER), $r->isConnected(), $r->getDBNum(), $r->discard()]);
tell('empty arguments in multi', fn () => [$r->multi(), $r->mget([]), $r->del([]), $r->exec()]);
?>
--EXPECT--
multi: [Redis, 1, Redis, Redis, [true, 2], 0]
pipeline: [Redis, 2, Redis, Redis, ['2', false], 0]
multi of Redis::PIPELINE: [Redis, 2, Redis, ['2']]
empty ones: [[], []]
exec outside: false
discard outside: false
discard of multi: [true, '2', 0]
discard of a pipeline: [true, '2', 0]
multi in a pipeline: ['2', [3, '3'], '3']
  Warning: Redis::multi(): Unknown mode sent to Redis::multi
multi of no mode: false
multi in multi: [['3'], 0]
pipeline in a pipeline: ['3']
an error among the replies of exec: [[true, false, 'text'], 'ERR value is not an integer or out of range']
an error among the replies of a pipeline: [true, false, 'text']
an error when it is queued: [Redis, false, 'ERR unknown command \'NOSUCHCOMMAND\', with args beginning with: ', 1]
its exec: false
the mode then: [0, '3']
watch that holds: [true, [4]]
watch that fails: [true, true, false, '100']
unwatch: [true, true, true, [201]]
watch of several: [true, true, false, 0]
shapes of many replies: [0, true, ['a' => '1', 'b' => '2'], ['a' => '1', 'x' => false], 2, ['1', '2'], 1, ['m' => 1.5], 1.5, 1, ['x'], 5, -1, 2, ['201', false], true, 'e']
shapes of many replies of multi: [['a' => '1', 'b' => '2'], ['a' => '1', 'x' => false], ['1', '2'], ['m' => 1.5], false, 3, true, false]
values are unserialized: [true, [0 => 1, 'a' => NULL], 1, ['f' => [2]]]
select in multi and in a pipeline: [[true, true], 4, '1', [true, '201'], 0]
what is unset in the middle of a pipeline is not sent: 0
nor what is unset in multi: 0
getters in a pipeline: [Redis, 0, true, 0, true]
empty arguments in multi: [Redis, false, false, []]
