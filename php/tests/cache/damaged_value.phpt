--TEST--
A value that does not unserialize counts as missing, with one warning
--INI--
leveret.serializer=php
--FILE--
<?php
require __DIR__ . '/../cache.inc';
$cache = new_cache();
// An enum case of a class that this process does not know cannot be made.
echo in_new_process('enum Far { case A; } (new Leveret\Cache(' . var_export($cache->stats()['path'], true) . '))->set("far", Far::A);');
$cache->set('good', 1);
var_dump($cache->has('far'));

set_error_handler(function (int $level, string $message) { echo "warning: $message\n"; });
var_dump($cache->get('far', 'default'), $cache->getItem('far'));
echo json_encode($cache->getMultiple(['far', 'good'])), "\n";
foreach ($cache as $key => $value) {
    $walked[] = $key;
}
echo json_encode($walked), "\n";
var_dump($cache->remember('far', 60, fn () => 'computed'), $cache->get('far'));
?>
--EXPECTREGEX--
bool\(true\)
warning: .*does not unserialize.*
warning: .*does not unserialize.*
string\(7\) "default"
NULL
warning: .*does not unserialize.*
\{"far":null,"good":1\}
warning: .*does not unserialize.*
\["good"\]
(warning: .*does not unserialize.*
)+string\(8\) "computed"
string\(8\) "computed"
