<?php
// A page that uses the class Memcached, or Memcache, over a persistent connection, and prints the result of each call. Words: class, port, key.

error_reporting(E_ALL & ~E_DEPRECATED); // pecl/memcache 8.0 makes a property that it has not declared
$key = $_GET['key'];
if ($_GET['class'] === 'Memcached') {
    $cache = new Memcached('page');
    if (!$cache->getServerList()) {
        $cache->addServer('127.0.0.1', (int) $_GET['port']);
    }
    $store = fn($value) => $cache->set($key, $value, 600);
    $many = fn() => $cache->getMulti([$key, "$key-count", "$key-absent"]);
} else {
    $cache = new Memcache();
    $cache->pconnect('127.0.0.1', (int) $_GET['port']);
    $store = fn($value) => $cache->set($key, $value, 0, 600);
    $many = fn() => $cache->get([$key, "$key-count", "$key-absent"]);
}
$answers = [];
foreach ([null, true, false, -7, 1.5, 'text', str_repeat('long ', 5000), ['a' => [1, 2], 'o' => new ArrayObject([1])]] as $value) {
    $answers[] = [$store($value), serialize($cache->get($key))];
}
$answers[] = [$cache->add($key, 1), $cache->replace($key, 2), $cache->add("$key-count", 5), $cache->increment("$key-count", 3), $cache->decrement("$key-count"), $cache->increment("$key-absent")];
$all = $many();
ksort($all);
$answers[] = [$all, $cache->delete($key), $cache->delete($key), $cache->get($key), $cache->delete("$key-count")];
$text = json_encode(['answers' => $answers, 'visits' => $cache->increment('visits')]);
header('Content-Length: ' . strlen($text));
echo $text;
