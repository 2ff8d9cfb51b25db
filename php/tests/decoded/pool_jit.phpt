--TEST--
Arrays of the pool in code that OPcache has optimized and compiled
--SKIPIF--
<?php
exec(PHP_BINARY . ' -n -d zend_extension=opcache -r "exit((int) !extension_loaded(\'Zend OPcache\'));" 2>/dev/null', $output, $code);
if ($code !== 0) die('skip there is no OPcache');
?>
--INI--
apc.enable_cli=1
leveret.decoded_cache=256K
--FILE--
<?php
require __DIR__ . '/../start.inc';
$code = 'require ' . var_export(__DIR__ . '/pool.inc', true) . '; hold_parts(3000, 2);';
$settings = ['opcache.enable_cli' => 1, 'opcache.jit_buffer_size' => '16M', 'leveret.decoded_cache' => '256K', 'leveret.apcu_cli' => 'private'];
if (PHP_VERSION_ID < 80500) {
    $settings[] = 'zend_extension=opcache';
}
foreach (['disable', 'function', 'tracing'] as $jit) {
    echo $jit, ': ', other_php($code, $settings + ['opcache.jit' => $jit]);
}
--EXPECT--
disable: done
function: done
tracing: done
