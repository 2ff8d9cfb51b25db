--TEST--
An arena that cannot be opened is an exception that says why
--FILE--
<?php
require __DIR__ . '/../cache.inc';

show_exception(fn () => new Leveret\Cache(arena_dir() . '/no/such/folder/x.arena'));
show_exception(fn () => new Leveret\Cache('arena:../x'));
file_put_contents(arena_dir() . '/foreign.arena', str_repeat('not an arena ', 10000));
show_exception(fn () => new Leveret\Cache(arena_dir() . '/foreign.arena'));
?>
--EXPECTF--
Leveret\ArenaException < Leveret\Exception: %s
Leveret\ArenaException < Leveret\Exception: %s
Leveret\ArenaException < Leveret\Exception: %s
