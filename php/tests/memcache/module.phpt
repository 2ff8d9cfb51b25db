--TEST--
The module memcache: the checks that applications make before they use it
--FILE--
<?php
require __DIR__ . '/../start.inc';
$module = new ReflectionExtension('memcache');
var_dump(extension_loaded('memcache'), version_compare(phpversion('memcache'), '3.0.8', '>='));
echo count($module->getFunctions()), ' functions, ', count($module->getConstants()), ' constants, ', count($module->getINIEntries()), " directives\n";
echo implode(' ', $module->getClassNames()), ': ', get_parent_class('Memcache'), "\n";
var_dump((new Memcache)->connection);
--EXPECT--
bool(true)
bool(true)
24 functions, 6 constants, 21 directives
MemcachePool Memcache: MemcachePool
NULL
