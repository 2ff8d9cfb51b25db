--TEST--
Arrays of the pool in a preloaded function
--SKIPIF--
<?php
if (getenv('UNDER_VALGRIND')) die('skip root preloads in a fork, which ends without freeing anything');
exec(PHP_BINARY . ' -n -d zend_extension=opcache -r "exit((int) !extension_loaded(\'Zend OPcache\'));" 2>/dev/null', $output, $code);
if ($code !== 0) die('skip there is no OPcache');
?>
--INI--
apc.enable_cli=1
leveret.decoded_cache=256K
--FILE--
<?php
require __DIR__ . '/../start.inc';
$settings = ['opcache.enable_cli' => 1, 'opcache.jit_buffer_size' => '16M', 'leveret.decoded_cache' => '256K', 'leveret.apcu_cli' => 'private'];
if (PHP_VERSION_ID < 80500) {
    $settings[] = 'zend_extension=opcache';
}
$preload = "$arenas/preload.php";
file_put_contents($preload, '<?php apcu_store("a", range(1, 50)); function preloaded() { static $kept; return [$kept ??= apcu_fetch("a"), apcu_fetch("a")]; } preloaded();');
echo other_php('apcu_store("a", range(1, 50)); var_dump(preloaded() === [range(1, 50), range(1, 50)]);',
    $settings + ['opcache.preload' => $preload, 'opcache.preload_user' => get_current_user()]);
--EXPECT--
bool(true)
