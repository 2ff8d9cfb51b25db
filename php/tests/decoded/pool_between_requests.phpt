--TEST--
Requests that end in any way leave the pool to the next ones as it was: empty
--FILE--
<?php
require __DIR__ . '/../start.inc';
require __DIR__ . '/../web_server.inc';
$folder = getenv('LEVERET_DIR');
file_put_contents("$folder/index.php", <<<'CODE'
<?php
$name = fn (int $n) => array_map(fn ($i) => ['id' => "$n/$i", 'name' => "name of $i", 'more' => [$n, [$i]]], range(1, 20 * $n));
if ($_GET['do'] === 'store') {
    for ($n = 1; $n < 40; $n++) {
        apcu_store("array $n", $name($n));
    }
    apcu_store('long', array_fill(0, 400000, 'a string'));
    exit('stored');
}
for ($n = 1; $n < 40; $n++) {
    $all[$n] = apcu_fetch("array $n");
}
register_shutdown_function(function () use (&$all, $name) {
    foreach ($all as $n => $array) {
        if ($array !== $name($n)) {
            exit("array $n has changed");
        }
    }
    echo 'all are right';
});
switch ($_GET['do']) {
    case 'exit':
        exit;
    case 'limit':
        ini_set('memory_limit', '10M');
        $long = apcu_fetch('long');
        exit('there is room');
    case 'throw':
        throw new Exception();
    case 'globals':
        $GLOBALS['held'] = array_column($all[7], 'name');
        class Holds { public static $held; }
        Holds::$held = $all;
        set_error_handler(fn () => $all);
}
CODE);
[$server, $address] = web_server('-n -d memory_limit=64M -d display_errors=0 -d log_errors=0 -d extension=' . leveret_so(), "-t $folder", "$folder/log");
echo file_get_contents("http://$address/?do=store"), "\n";
$context = stream_context_create(['http' => ['ignore_errors' => true]]);
foreach (['nothing', 'exit', 'limit', 'nothing', 'throw', 'limit', 'globals', 'exit', 'globals', 'nothing'] as $do) {
    $said = file_get_contents("http://$address/?do=$do", false, $context);
    // After memory_limit there may be no room to compare in; under valgrind PHP's heap is another one, which needs less.
    echo $do === 'limit' && in_array($said, ['', 'there is roomall are right'], true) ? 'all are right' : $said, "\n";
}
var_dump(proc_get_status($server)['running']);
proc_terminate($server);
proc_close($server);
--EXPECT--
stored
all are right
all are right
all are right
all are right
all are right
all are right
all are right
all are right
all are right
all are right
bool(true)
