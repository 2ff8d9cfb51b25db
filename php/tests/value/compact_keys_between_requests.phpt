--TEST--
Keys that a request has read are those of the next ones, too, and held until its end
--FILE--
<?php
require __DIR__ . '/../start.inc';
require __DIR__ . '/../web_server.inc';
$folder = getenv('LEVERET_DIR');
file_put_contents("$folder/index.php", <<<'CODE'
<?php
// No script names the keys, but in some requests another name has the same bytes.
$key = fn (int $i) => strrev("yek $i ") . 'of all';
$make = fn (int $n) => array_map(fn ($i) => [$key(1) => $n, $key(2) => "name $n/$i", $key($i) => [$key(1) => $key(2)]], range(3, 5));
if ($_GET['n'] === '0') {
    for ($n = 0; $n < 20; $n++) {
        apcu_store("array $n", $make($n));
    }
    exit('stored');
}
if ($_GET['n'] % 3 === 0) {
    eval('$literal = [" 1 key"];');
}
for ($n = 0; $n < 20; $n++) {
    $all[$n] = apcu_fetch("array $n");
}
register_shutdown_function(function () use (&$all, $make) {
    foreach ($all as $n => $array) {
        if ($array !== $make($n)) {
            exit("array $n has changed");
        }
    }
    echo 'all are right';
});
class Holds { public static $held; }
Holds::$held = array_keys($all[7][1]);
$GLOBALS['held'] = array_map(array_key_first(...), $all[3]);
CODE);
[$server, $address] = web_server('-n -d display_errors=0 -d log_errors=0 -d extension=' . leveret_so(), "-t $folder", "$folder/log");
echo file_get_contents("http://$address/?n=0"), "\n";
for ($n = 1; $n < 8; $n++) {
    $said[] = file_get_contents("http://$address/?n=$n");
}
var_dump(array_unique($said));
var_dump(proc_get_status($server)['running']);
proc_terminate($server);
proc_close($server);
--EXPECT--
stored
array(1) {
  [0]=>
  string(13) "all are right"
}
bool(true)
