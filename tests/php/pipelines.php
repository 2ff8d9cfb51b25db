<?php
// Writes and reads many keys on four servers in pipelines, without end, while the test kills and restarts one of them.
// Words: MODE FOLDER VICTIM SOCKET... Ends when the file `stop` is there. Exit code 3: an answer that must not be; standard output says which.

[, $mode, $folder, $victim] = $argv;
$pool = new Memcached();
$pool->setOptions([Memcached::OPT_COMPRESSION => false, Memcached::OPT_RETRY_TIMEOUT => 1] + match ($mode) {
    'plain' => [],
    'binary' => [Memcached::OPT_BINARY_PROTOCOL => true, Memcached::OPT_NO_BLOCK => true],
    'eject' => [Memcached::OPT_LIBKETAMA_COMPATIBLE => true, Memcached::OPT_REMOVE_FAILED_SERVERS => true, Memcached::OPT_SERVER_FAILURE_LIMIT => 1],
});
$pool->addServers(array_map(fn($socket) => [$socket, 0], array_slice($argv, 4)));

$value = fn(string $key, int $version) => "$key:$version:" . str_repeat(md5("$key:$version"), 100 + crc32($key) % 400);
$keys = array_map(fn($number) => "$mode-$number", range(1, 60));
$of_victim = array_fill_keys(array_filter($keys, fn($key) => $pool->getServerByKey($key)['host'] === $victim), true);

function complain(string $text): never
{
    global $version, $pool;
    echo "round $version: $text (", $pool->getResultCode(), ' ', $pool->getResultMessage(), ")\n";
    exit(3);
}

for ($version = 1; !file_exists("$folder/stop"); $version++) {
    $pool->setMulti(array_combine($keys, array_map(fn($key) => $value($key, $version), $keys)));
    $found = $pool->getMulti($keys);
    if ($found === false) {
        complain('no answer, although three servers live');
    }
    foreach ($keys as $key) {
        if (isset($of_victim[$key])) {
            $text = $found[$key] ?? null;
            // Missing, or of an earlier round that a kill interrupted; never another value.
            $of = (int) (explode(':', (string) $text, 3)[1] ?? 0);
            if ($text !== null && ($of < 1 || $of > $version || $text !== $value($key, $of))) {
                complain("$key of the dead server has a wrong value: " . substr($text, 0, 60));
            }
        } elseif (($found[$key] ?? null) !== $value($key, $version)) {
            complain("$key of a living server: " . substr(var_export($found[$key] ?? null, true), 0, 60));
        }
    }
    $current = count(array_filter(array_keys($of_victim), fn($key) => ($found[$key] ?? null) === $value($key, $version)));
    file_put_contents("$folder/$mode.new", json_encode(['rounds' => $version, 'missing' => count($of_victim) - $current]));
    rename("$folder/$mode.new", "$folder/$mode");
}
echo json_encode(['rounds' => $version - 1, 'keys of the victim' => count($of_victim)]);
