--TEST--
Memcached: passwords need the binary protocol; without encryption there is no method for it, and constants say so
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

var_dump(Memcached::HAVE_SASL, Memcached::HAVE_ENCODING, Memcached::HAVE_JSON, Memcached::HAVE_SESSION);
var_dump(method_exists('Memcached', 'setEncodingKey'));
$m = new Memcached;
var_dump($m->setSaslAuthData('user', 'word'));
$m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
var_dump($m->setSaslAuthData('user', 'word'), $m->setSaslAuthData("us\0er", 'word'), $m->getResultCode() === Memcached::RES_INVALID_ARGUMENTS);
?>
--EXPECTF--
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)

Warning: Memcached::setSaslAuthData(): SASL is only supported with binary protocol in %s on line %d
bool(false)
bool(true)
bool(false)
bool(true)
