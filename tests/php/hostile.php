<?php
/*
 * Reads every item of an arena through one API: php hostile.php ENTRANCE ARENA COUNT (keys "0" to COUNT-1).
 * Ends with JSON: how many were found, of which types, and the most memory that PHP and the process had.
 */
class Tempting
{
    public array $a = [];
    public function __wakeup() { $GLOBALS['woken']++; }
    public function __destruct() { $GLOBALS['destroyed']++; }
}

error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(fn() => true);
[, $kind, $arena, $count] = $argv;
$woken = $destroyed = 0;
if (str_starts_with($kind, 'memcache')) {
    $client = str_starts_with($kind, 'memcached') ? new Memcached : new Memcache;
    $client->addServer("arena:$arena", 0);
    if ($kind === 'memcached-json_array') {
        $client->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON_ARRAY);
    }
} elseif ($kind === 'cache') {
    $client = new Leveret\Cache($arena);
}
$types = [];
for ($i = 0; $i < $count; $i++) {
    for ($again = 0; $again < 3; $again++) { // the third comes from the decoded-value cache, if any does
        try {
            $value = $kind === 'apcu' ? apcu_fetch("$i") : $client->get("$i");
            $type = get_debug_type($value);
        } catch (Throwable $thrown) {
            $type = get_class($thrown);
        }
        unset($value);
    }
    $types[$type] = ($types[$type] ?? 0) + 1;
}
preg_match('/VmHWM:\s+(\d+) kB/', file_get_contents('/proc/self/status'), $resident);
echo json_encode(['types' => $types, 'woken' => $woken, 'peak' => memory_get_peak_usage(true), 'resident' => 1024 * $resident[1]]);
