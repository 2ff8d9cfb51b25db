--TEST--
Memcached: passwords need the binary protocol; the constants of features
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

var_dump(Memcached::HAVE_SASL, Memcached::HAVE_ENCODING, Memcached::HAVE_JSON, Memcached::HAVE_SESSION);
$m = new Memcached;
var_dump($m->setSaslAuthData('user', 'word'));
$m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
var_dump($m->setSaslAuthData('user', 'word'), $m->setSaslAuthData("us\0er", 'word'), $m->getResultCode() === Memcached::RES_INVALID_ARGUMENTS);
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(true)

Warning: Memcached::setSaslAuthData(): SASL is only supported with binary protocol in %s on line %d
bool(false)
bool(true)
bool(false)
bool(true)
