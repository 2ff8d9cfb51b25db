--TEST--
Without a name the arena is that of leveret.arena
--FILE--
<?php
require __DIR__ . '/../cache.inc';

putenv('LEVERET_DIR=' . arena_dir());
echo in_new_process('echo (new Leveret\Cache)->stats()["path"] === getenv("LEVERET_DIR") . "/default.arena" ? "default" : "other", "\n";');
echo in_new_process('echo basename((new Leveret\Cache("arena:shop"))->stats()["path"]), "\n";');
echo in_new_process('echo basename((new Leveret\Cache("shop"))->stats()["path"]), "\n";');
?>
--EXPECT--
default
shop.arena
shop.arena
