--TEST--
Memcached: without SASL and encryption there are no methods for them, and constants say so
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

var_dump(Memcached::HAVE_SASL, Memcached::HAVE_ENCODING, Memcached::HAVE_JSON, Memcached::HAVE_SESSION);
var_dump(method_exists('Memcached', 'setSaslAuthData'), method_exists('Memcached', 'setEncodingKey'));
?>
--EXPECT--
bool(false)
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
