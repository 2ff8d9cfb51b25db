--TEST--
leveret.provide empty: no module apcu, no function, no directive
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/start.inc';
echo other_php('var_dump(extension_loaded("leveret"), extension_loaded("apcu"), function_exists("apcu_fetch"), class_exists("APCUIterator"), ini_get("apc.shm_size"));', ['leveret.provide' => '']);
--EXPECT--
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
