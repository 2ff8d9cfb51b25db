--TEST--
leveret.ini lists every directive with its default
--FILE--
<?php
require __DIR__ . '/../start.inc';
preg_match_all('/^;((?:leveret|apc|memcached|memcache)\.\w+)=(.*)$/m', str_replace('apcu-X.Y', 'apcu-' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, file_get_contents(__DIR__ . '/../../leveret.ini')), $lines, PREG_SET_ORDER);
$listed = array_column($lines, 2, 1);
$real = array_map(fn ($entry) => (string) $entry['global_value'], array_merge(...array_map(ini_get_all(...), ['leveret', 'apcu', 'memcached', 'memcache'])));
ksort($listed);
ksort($real);
var_dump(count($real) > 70, array_diff_assoc($listed, $real), array_diff_assoc($real, $listed));
--EXPECT--
bool(true)
array(0) {
}
array(0) {
}
