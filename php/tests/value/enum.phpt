--TEST--
An enum case is that case again
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
enum Suit: string { case Hearts = 'h'; case Spades = 's'; }
apcu_store('a', [Suit::Spades, 'x' => Suit::Hearts]);
var_dump(apcu_fetch('a')[0] === Suit::Spades, apcu_fetch('a')['x'] === Suit::Hearts);
--EXPECT--
bool(true)
bool(true)
