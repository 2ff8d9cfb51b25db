--TEST--
Memcached: a child of fork has connections of its own, and takes no answer of its parent
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$m = on_server();
$m->setMulti(['parent' => 'p', 'child' => 'c']);
$m->getDelayed(['parent']);
$pid = fork(function () use ($m) {
    if ($m->fetchAll() !== false) {
        echo "the child has an answer of its parent\n";
    }
    for ($i = 0; $i < 500; $i++) {
        if ($m->get('child') !== 'c') {
            echo "the child got something else\n";
        }
    }
});
tell($m, $m->fetchAll());
for ($i = 0; $i < 500; $i++) {
    if ($m->get('parent') !== 'p') {
        echo "the parent got something else\n";
    }
}
pcntl_waitpid($pid, $status);
tell($m, $m->get('parent'));
?>
--EXPECT--
[{"key":"parent","value":"p"}] RES_SUCCESS
"p" RES_SUCCESS
