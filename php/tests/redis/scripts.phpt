--TEST--
Redis: results, errors and arguments of scripts, as with php-redis 6.2.0
--SKIPIF--
<?php if (!shell_exec('command -v redis-server')) die('skip there is no redis-server'); ?>
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../redis.inc';

$r = redis();

foreach (['return 1', "return 'text'", 'return nil', 'return false', 'return true', "return redis.status_reply('FINE')", 'return {1, 2, {3, false, "x"}}', 'return {}', 'return 3.9'] as $script) {
    tell($script, fn () => $r->eval($script));
}
tell('keys and arguments', fn () => $r->eval('return {KEYS[1], KEYS[2], ARGV[1], ARGV[2]}', ['a', 'b', 'c', 'd'], 2));
tell('numbers, floats, booleans and null as arguments', fn () => $r->eval('return ARGV', [1, 1.5, true, false, null]));
tell('an error of ERR', fn () => [$r->eval("return redis.error_reply('ERR mine')"), $r->getLastError()]);
tell('an error of its own', fn () => $r->eval("return redis.error_reply('MINE is it')"));
tell('a text that is no script', fn () => $r->eval('this is no Lua'));
tell('an error while it runs', fn () => $r->eval("return redis.call('incr', KEYS[1])", [$r->set('t', 'x') ? 't' : ''], 1));
tell('evalSha of an unknown one', fn () => [$r->evalSha(str_repeat('0', 40)), $r->getLastError()]);
tell('clearLastError', fn () => [$r->clearLastError(), $r->getLastError()]);
$sha = sha1('return 5');
tell('script load and evalSha', fn () => [$r->script('load', 'return 5') === $sha, $r->evalSha($sha), $r->eval_ro('return 6'), $r->evalSha_ro($sha)]);
tell('script exists', fn () => $r->script('exists', $sha, str_repeat('0', 40)));
tell('script flush', fn () => [$r->script('flush'), $r->script('exists', $sha)]);
tell('script with an unknown word', fn () => $r->script('nosuch'));
tell('script kill where none runs', fn () => $r->script('kill'));
tell('in multi', fn () => $r->multi()->eval('return {1, "x"}')->eval('return redis.status_reply("FINE")')->exec());
tell('in a pipeline', fn () => $r->pipeline()->eval('return 1')->evalSha(str_repeat('0', 40))->get('t')->exec());
tell('a status by rawCommand', fn () => $r->rawCommand('EVAL', "return redis.status_reply('FINE')", 0));
tell('with literal replies', fn () => [$r->setOption(Redis::OPT_REPLY_LITERAL, true), $r->eval("return redis.status_reply('FINE')"), $r->rawCommand('SET', 'k', 'v'), $r->set('k', 'v'), $r->ping(), $r->eval("return {redis.status_reply('A'), 1}"), $r->setOption(Redis::OPT_REPLY_LITERAL, false)]);
tell('a nil array', fn () => [$r->rawCommand('BLPOP', 'none', '0.01'), $r->setOption(Redis::OPT_NULL_MULTIBULK_AS_NULL, true), $r->rawCommand('BLPOP', 'none', '0.01'), $r->blPop('none', 0.01), $r->setOption(Redis::OPT_NULL_MULTIBULK_AS_NULL, false), $r->blPop('none', 0.01)]);
?>
--EXPECT--
return 1: 1
return 'text': 'text'
return nil: false
return false: false
return true: 1
return redis.status_reply('FINE'): true
return {1, 2, {3, false, "x"}}: [1, 2, [3, false, 'x']]
return {}: []
return 3.9: 3
keys and arguments: ['a', 'b', 'c', 'd']
numbers, floats, booleans and null as arguments: ['1', '1.5', '1', '', '']
an error of ERR: [false, 'ERR mine']
an error of its own: RedisException: MINE is it
a text that is no script: false
an error while it runs: false
evalSha of an unknown one: [false, 'NOSCRIPT No matching script. Please use EVAL.']
clearLastError: [true, NULL]
script load and evalSha: [true, 5, 6, 5]
script exists: [1, 0]
script flush: [true, [0]]
script with an unknown word: false
script kill where none runs: RedisException: NOTBUSY No scripts in execution right now.
in multi: [[1, 'x'], true]
in a pipeline: [1, false, 'x']
a status by rawCommand: true
with literal replies: [true, 'FINE', 'OK', true, true, ['A', 1], true]
a nil array: [[], true, NULL, NULL, true, []]
