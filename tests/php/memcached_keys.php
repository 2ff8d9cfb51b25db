<?php
// What the methods that refuse something else too say of keys that nobody may use: is the key looked at first? Words: SOCKET BINARY.

[, $socket, $binary] = $argv;

$keys = ['', str_repeat('k', 251), 'a b', "a\nb", "a\rb", "a\tb", "a\0b", "\x7f", 'good'];
$calls = [
    'append' => fn($pool, $key) => $pool->append($key, 'x'),
    'prepend' => fn($pool, $key) => $pool->prepend($key, 'x'),
    'appendByKey' => fn($pool, $key) => $pool->appendByKey('group', $key, 'x'),
    'prependByKey' => fn($pool, $key) => $pool->prependByKey('group', $key, 'x'),
];
foreach (['increment', 'decrement'] as $count) {
    $calls += [
        $count => fn($pool, $key) => $pool->$count($key),
        "{$count}_negative" => fn($pool, $key) => $pool->$count($key, -1),
        "{$count}_initial" => fn($pool, $key) => $pool->$count($key, 1, 5),
        "{$count}ByKey" => fn($pool, $key) => $pool->{"{$count}ByKey"}('group', $key),
        "{$count}ByKey_initial" => fn($pool, $key) => $pool->{"{$count}ByKey"}('group', $key, 1, 5),
    ];
}
foreach ([false, true] as $compression) {
    foreach (['', 'prefix:'] as $prefix) {
        foreach ([false, true] as $encrypts) {
            foreach ($calls as $name => $call) {
                foreach ($keys as $key) {
                    $pool = new Memcached();
                    $pool->setOption(Memcached::OPT_COMPRESSION, $compression);
                    $pool->setOption(Memcached::OPT_BINARY_PROTOCOL, (bool) $binary);
                    $pool->setOption(Memcached::OPT_PREFIX_KEY, $prefix);
                    $pool->addServer($socket, 0);
                    if ($encrypts) {
                        $pool->setEncodingKey('secret');
                    }
                    $pool->delete($key);
                    $pool->get('absent');
                    error_clear_last();
                    $answer = @$call($pool, $key);
                    $said = [$answer, $pool->getResultCode(), $pool->getLastErrorCode(), error_get_last()['message'] ?? null];
                    echo "$name \"", bin2hex($key), '": ', json_encode([$compression, $prefix, $encrypts, ...$said]), "\n";
                }
            }
        }
    }
}
