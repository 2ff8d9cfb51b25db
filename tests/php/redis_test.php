<?php
// php-redis' own tests of the class Redis, or with the word Sentinel of RedisSentinel, a line of JSON for each: [name, "ok", "skip" or the failure]. Words: the FOLDER of its tests,
// PORT, a pattern of names.
// Their own program stops at the first Error (no Exception). Items that a failed test leaves are removed here, so that the next one does not see
// them; one key stays, since some tests need one.

[, $folder, $port, $pattern] = $argv;
$is_sentinel = isset($argv[4]);
define('PHPREDIS_TESTRUN', true);
require $is_sentinel ? "$folder/RedisSentinelTest.php" : "$folder/RedisTest.php";
error_reporting(E_ALL);
if ($is_sentinel) {
    // Theirs is at the usual port.
    class Redis_Test extends Redis_Sentinel_Test
    {
        protected function newInstance()
        {
            return new RedisSentinel(['host' => $this->getHost(), 'port' => $this->getPort()]);
        }
    }
}

foreach ((new ReflectionClass('Redis_Test'))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
    $name = $method->getName();
    if (!str_starts_with($name, 'test') || !preg_match("/$pattern/i", $name)) {
        continue;
    }
    TestSuite::$errors = [];
    try {
        $test = new Redis_Test('127.0.0.1', (int) $port, null);
        $test->setUp();
        $test->$name();
        // The expectation, and the line of the test.
        $verdict = TestSuite::$errors ? preg_replace('/\n.*?:(\d+) .*/s', ' at line $1', TestSuite::$errors[0]) : 'ok';
    } catch (TestSkippedException) {
        $verdict = 'skip';
    } catch (Throwable $e) {
        $verdict = get_class($e) . ': ' . $e->getMessage() . ' at line ' . ($e->getTrace()[0]['line'] ?? $e->getLine());
    }
    if ($verdict !== 'ok' && $verdict !== 'skip' && !$is_sentinel) {
        $redis = new Redis();
        $redis->connect('127.0.0.1', (int) $port);
        $redis->flushAll();
        $redis->set('of the test before', 1);
    }
    echo json_encode([$name, $verdict], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
