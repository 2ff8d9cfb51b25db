<?php
// Calls of the class Redis on a server that answers one of them wrongly: SOCKET READ_TIMEOUT. A line of JSON for each: the call, its result, and the results of the next calls.

[, $socket, $timeout] = $argv;
set_error_handler(fn () => true);
$calls = [
    'get' => fn (Redis $r) => $r->get('lie'),
    'set' => fn (Redis $r) => $r->set('lie', 'v'),
    'mget' => fn (Redis $r) => $r->mget(['lie', 'b', 'c']),
    'hGetAll' => fn (Redis $r) => $r->hGetAll('lie'),
    'incr' => fn (Redis $r) => $r->incr('lie'),
    'zRange' => fn (Redis $r) => $r->zRange('lie', 0, -1, true),
    'scan' => function (Redis $r) { $it = null; return $r->hScan('lie', $it); },
    'pipeline' => fn (Redis $r) => $r->pipeline()->get('a')->get('lie')->get('c')->exec(),
    'multi' => fn (Redis $r) => $r->multi()->get('a')->get('lie')->exec(),
    'info' => fn (Redis $r) => $r->info('lie'),
    'raw' => fn (Redis $r) => $r->rawCommand('LIE', 'lie'),
];
foreach ($calls as $name => $call) {
    foreach ([false, true] as $is_persistent) {
        $redis = new Redis();
        $redis->{$is_persistent ? 'pconnect' : 'connect'}($socket, -1, 0, $name, 0, (float) $timeout);
        $redis->setOption(Redis::OPT_MAX_RETRIES, 2);
        try {
            $answer = $call($redis);
        } catch (RedisException $e) {
            $answer = 'RedisException: ' . trim($e->getMessage());
        }
        $mode = $redis->getMode();
        if ($mode !== Redis::ATOMIC) {
            try {
                $redis->discard();
            } catch (RedisException) {
            }
        }
        // The wrong answer must not affect later calls, which may take longer.
        $redis->setOption(Redis::OPT_READ_TIMEOUT, 60);
        $then = [];
        foreach ([fn () => $redis->get('x9'), fn () => $redis->mget(['y9', 'z9']), fn () => $redis->pipeline()->get('p9')->get('q9')->exec()] as $next) {
            try {
                $then[] = $next();
            } catch (RedisException $e) {
                $then[] = 'RedisException: ' . trim($e->getMessage());
            }
        }
        $other = new Redis();
        $other->pconnect($socket, -1, 0, $name, 0, 60);
        $then[] = $other->get('o9');
        echo json_encode(['call' => $name, 'answer' => $answer, 'then' => $then, 'persistent' => $is_persistent], JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
    }
}
echo json_encode(['peak_kib' => memory_get_peak_usage(true) >> 10]), "\n";
