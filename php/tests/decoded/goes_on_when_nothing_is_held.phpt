--TEST--
On the command line replaced arrays that no variable holds make room for new ones, for ever
--INI--
apc.enable_cli=1
leveret.decoded_cache=1M
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($n = 0; $n < 500; $n++) {
    apcu_store('a', ['n' => $n, 'rows' => array_fill(0, 1000, ['text' => "row of $n"])]);
    for ($i = 0; $i < 3; $i++) {
        $a = apcu_fetch('a');
    }
    if ($a['n'] !== $n || $a['rows'][999]['text'] !== "row of $n") {
        echo "wrong\n";
    }
    $kept = ($kept ?? 0) + decoded_arrays();
}
var_dump($kept);
--EXPECT--
int(500)
