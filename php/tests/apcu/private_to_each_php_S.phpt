--TEST--
php -S has a cache of its own, which its workers share; it needs no apc.enable_cli
--FILE--
<?php
require __DIR__ . '/../start.inc';
require __DIR__ . '/../web_server.inc';
$folder = getenv('LEVERET_DIR');
file_put_contents("$folder/count.php", '<?php apcu_inc("n"); echo json_encode([extension_loaded("leveret"), apcu_fetch("n"), getmypid()]);');
$options = '-n -d extension=' . escapeshellarg(PEER ? 'apcu.so' : leveret_so());
putenv('PHP_CLI_SERVER_WORKERS=2');
foreach (['one', 'other'] as $name) {
    [$server, $address] = web_server($options, '-t ' . escapeshellarg($folder), "$folder/$name.log");
    $pids = [];
    for ($n = 1; $n <= 8; $n++) {
        [$is_ours, $count, $pid] = json_decode(file_get_contents("http://$address/count.php"));
        if ($is_ours === PEER || $count !== $n) {
            echo "request $n is counted as $count\n";
        }
        $pids[$pid] = true;
    }
    // Its workers outlive PHP's server, except those of PHP 8.4, which may have ended by then.
    $pid = proc_get_status($server)['pid'];
    exec("kill -9 $pid " . file_get_contents("/proc/$pid/task/$pid/children") . " 2>/dev/null");
    proc_close($server);
}
var_dump(glob("$folder/*.arena"));
--EXPECT--
array(0) {
}
