<?php
/*
 * A client of the class Redis that lives through all rounds: php class.php WORK PLACE CALLS. Each line that it reads is a turn of so
 * many calls, answered with one line: nanoseconds, microseconds of CPU, wrong answers.
 */
[, $work, $place, $calls] = $argv;
[$host, $port] = str_starts_with($place, '/') ? [$place, -1] : explode(':', $place);

function connected(string $host, int $port): Redis
{
    $redis = new Redis();
    $redis->connect($host, $port);
    return $redis;
}

$value = str_repeat('v', 100);
$redis = connected($host, (int) $port);
$redis->set('key', $value);
$fifty = array_fill(0, 50, $value);
$turns = [
    'get' => fn(): bool => $redis->get('key') === $value,
    'page' => function () use ($host, $port, $value): bool {
        $redis = connected($host, (int) $port);
        $is_right = $redis->get('key') === $value;
        $redis->close();
        return $is_right;
    },
    'pipeline' => function () use ($redis, $fifty): bool {
        $pipeline = $redis->pipeline();
        for ($number = 0; $number < 50; $number++) {
            $pipeline->get('key');
        }
        return $pipeline->exec() === $fifty;
    },
];
$cpu = function (): int {
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
};
$turn = $turns[$work];
$turn();
echo "ready\n";
while (fgets(STDIN) !== false) {
    $wrong = 0;
    $used = $cpu();
    $begun = hrtime(true);
    if ($work === 'get') {
        // A call of a closure would cost more than the get.
        for ($number = 0; $number < $calls; $number++) {
            if ($redis->get('key') !== $value) {
                $wrong++;
            }
        }
    } else {
        for ($number = 0; $number < $calls; $number++) {
            if (!$turn()) {
                $wrong++;
            }
        }
    }
    printf("%d %d %d\n", hrtime(true) - $begun, $cpu() - $used, $wrong);
}
