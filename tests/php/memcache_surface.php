<?php
/* As memcached_surface.php, of the classes Memcache and MemcachePool: php memcache_surface.php SERVER */
error_reporting(E_ALL & ~E_DEPRECATED);   // Debian's declares no property $connection
set_error_handler(function (int $level, string $text): bool {
    echo $level === E_DEPRECATED ? '' : "  [$level] $text\n";
    return true;
});
[, $server] = $argv;

function raw(string $key): string
{
    $socket = stream_socket_client("unix://{$GLOBALS['server']}");
    fwrite($socket, "get $key\r\n");
    $words = explode(' ', trim(fgets($socket)));
    return $words[0] === 'VALUE' ? "flags $words[2]" : 'nothing';
}

foreach ([[1, 1.5], [1, 1.0], [1, 0.0], [1, -0.1], [1, 2], [0, 0.2], [-1], [1], [20000, 0.2], [1, 0.9], [50, 0.5]] as $arguments) {
    $m = new Memcache;
    $m->addServer("unix://$server", 0);
    echo 'setCompressThreshold ', json_encode($arguments), ' ', json_encode($m->setCompressThreshold(...$arguments)), "\n";
    foreach ([10, 100, 300] as $len) {
        foreach ([str_repeat('a', $len), substr(str_repeat('hello world, ', 30), 0, $len)] as $value) {
            foreach ([0, MEMCACHE_COMPRESSED] as $flags) {
                $m->set('c', $value, $flags);
                echo "  $len bytes: ", raw('c'), ' ', json_encode($m->get('c') === $value), "\n";
            }
        }
    }
}
$itself = ['x' => 1];
$itself['me'] = &$itself;
$tree = ['name' => 'root', 'kids' => []];
$kid = ['name' => 'kid', 'parent' => &$tree];
$tree['kids'][] = &$kid;
foreach (['itself' => $itself, 'tree' => $tree, 'by reference' => [&$itself, &$itself, [&$tree]]] as $name => &$value) {
    $key = strtr($name, ' ', '-');
    echo "$name: ", json_encode([$m->set($key, $value), $m->add($key, $value), $m->set(['p' => $value, 'q' => $value])]), ' ', raw($key), ' ', raw('q'), "\n";
    var_dump($m->get($key));
}
