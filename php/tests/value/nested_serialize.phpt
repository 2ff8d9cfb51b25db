--TEST--
serialize() inside __serialize counts its own references
--INI--
apc.enable_cli=1
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Inner implements Serializable
{
    public $data;
    function serialize() { return serialize($this->data); }
    function unserialize($text) { $this->data = unserialize($text); }
}
$shared = new stdClass;
$inner = new Inner;
$inner->data = [$shared, $shared, 'x' => [$shared]];
apcu_store('a', [$shared, $inner, $shared]);
$copy = apcu_fetch('a');
var_dump($copy[0] === $copy[2], $copy[1]->data[0] === $copy[1]->data[1], $copy[1]->data[0] === $copy[1]->data['x'][0]);
--EXPECT--
bool(true)
bool(true)
bool(true)
