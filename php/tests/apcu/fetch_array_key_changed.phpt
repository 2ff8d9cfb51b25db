--TEST--
apcu_fetch keeps to the keys that it was asked for when code of a value assigns something else to one
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Meddles { function __wakeup() { $GLOBALS['key'] = $GLOBALS['new']; } }
foreach ([42, str_repeat('n', 40), null] as $new) {
    $key = str_repeat('k', 40);
    apcu_store($key, new Meddles);
    $keys = [&$key];
    echo json_encode(apcu_fetch($keys)), ' ', json_encode($keys), "\n";
}
--EXPECT--
{"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":{}} [42]
{"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":{}} ["nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"]
{"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":{}} [null]
