<?php
// A status page that makes the calls of the well-known apc.php.
// Words: `show`, `delete KEY`, `clear`. Prints JSON: the values it would show and, as `shape`, the names and types of all fields.

/** Names and types, all the way down; of things that are only numbered, the first stands for all. */
function shape(mixed $value): mixed
{
    if (!is_array($value)) {
        return get_debug_type($value);
    }
    $named = array_filter($value, is_string(...), ARRAY_FILTER_USE_KEY);
    return array_map(shape(...), $named ?: array_slice(array_values($value), 0, 1));
}

[$word, $key] = [$argv[1], $argv[2] ?? ''];
foreach (['number' => 42, 'text' => 'hello', 'list' => [1, 2, 3], 'user:1' => ['name' => 'Ada'], 'user:2' => ['name' => 'Bob']] as $name => $value) {
    apcu_store($name, $value, $name === 'text' ? 3600 : 0);
}
apcu_fetch('number');
apcu_fetch('absent');

if ($word === 'delete') {
    $deleted = apcu_delete($key);
}
if ($word === 'clear') {
    $cleared = apcu_clear_cache();
}

$cache = apcu_cache_info();
$brief = apcu_cache_info(true);
$memory = apcu_sma_info();
$users = [];
foreach (new APCUIterator('/^user:/', APC_ITER_ALL) as $name => $item) {
    $users[$name] = $item;
}
ksort($users);
$names = array_column($cache['cache_list'], 'info');
sort($names);
$used = $memory['num_seg'] * $memory['seg_size'] - $memory['avail_mem'];

echo json_encode([
    'deleted' => $deleted ?? null,
    'cleared' => $cleared ?? null,
    'names' => $names,
    'entries' => $cache['num_entries'],
    'users' => array_column($users, 'value', 'key'),
    'ttl of text' => apcu_key_info('text')['ttl'] ?? null,
    'absent key' => apcu_key_info('absent'),
    'hits and misses counted' => $cache['num_hits'] > 0 && $cache['num_misses'] > 0,
    'started in the past' => $cache['start_time'] > 1_000_000_000 && $cache['start_time'] <= time(),
    'memory used and free' => $memory['avail_mem'] > 0 && $used > 0,
    'free blocks are free memory' => array_sum(array_column(array_merge(...$memory['block_lists']), 'size')) <= $memory['avail_mem'] + $used,
    'version' => version_compare(phpversion('apcu'), '5.1.20', '>='),
    'settings' => count(ini_get_all('apcu')) > 10,
    'shape' => [
        'cache' => shape($cache),
        'brief' => shape($brief),
        'memory' => shape($memory),
        'brief memory' => shape(apcu_sma_info(true)),
        'key' => shape(apcu_key_info('number')),
        'item' => shape($users['user:1'] ?? null),
    ],
]);
