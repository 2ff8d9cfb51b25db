--TEST--
An item lives for its ttl and is gone when it is older
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
do {
    $begin = hrtime(true);
    apcu_clear_cache();
    apcu_store('short', 1, 2);
    apcu_store('long', 1, 3600);
    apcu_add('added', 1, 2);
    apcu_inc('counted', 1, $success, 2);
    $living = apcu_fetch(['short', 'long', 'added', 'counted']);
    // A process that was stopped for so long that the items may have expired proves nothing.
} while (hrtime(true) - $begin >= 2e9);
var_dump($living);
wait_until(fn () => !apcu_exists('counted'));
var_dump(apcu_fetch(['short', 'long', 'added', 'counted']), apcu_exists('short'), apcu_add('short', 2), apcu_inc('counted'));
--EXPECT--
array(4) {
  ["short"]=>
  int(1)
  ["long"]=>
  int(1)
  ["added"]=>
  int(1)
  ["counted"]=>
  int(1)
}
array(1) {
  ["long"]=>
  int(1)
}
bool(false)
bool(true)
int(1)
