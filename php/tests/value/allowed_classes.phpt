--TEST--
leveret.allowed_classes: objects of other classes come back incomplete
--INI--
apc.enable_cli=1
leveret.allowed_classes="\App\Allowed, stdClass"
--FILE--
<?php
namespace App;
require __DIR__ . '/../start.inc';
class Allowed { public $x = 1; }
class Other { public $x = 2; }
apcu_store('a', [new Allowed, new Other, new \stdClass]);
foreach (apcu_fetch('a') as $object) {
    var_dump(get_class($object));
}
--EXPECT--
string(11) "App\Allowed"
string(22) "__PHP_Incomplete_Class"
string(8) "stdClass"
