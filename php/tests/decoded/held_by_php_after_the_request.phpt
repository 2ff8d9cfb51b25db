--TEST--
PHP gives back names of stream wrappers after a request's end: strings of a kept array are still there then
--FILE--
<?php
require __DIR__ . '/../start.inc';
require __DIR__ . '/../web_server.inc';
$folder = getenv('LEVERET_DIR');
file_put_contents("$folder/index.php", <<<'CODE'
<?php
class Wrapper {}
$long = str_repeat('x', 1 << 20);
apcu_store('a', ['name' => 'kept' . $_GET['n'], 'long' => $long]);
for ($i = 0; $i < 3; $i++) {
    $a = apcu_fetch('a');
}
stream_wrapper_register($a['name'], 'Wrapper');
stream_wrapper_register('other' . $_GET['n'], 'Wrapper');   // counted, unlike the other: so PHP looks at each
/* Another takes its place: so it is freed as soon as nobody holds it. */
apcu_store('a', [1]);
apcu_fetch('a');
echo $a['name'];
CODE);
/* So that a large block goes back to the system when it is freed, and who reads it is ended. */
putenv('MALLOC_MMAP_THRESHOLD_=65536');
[$server, $address] = web_server('-n -d extension=' . leveret_so(), "-t $folder", "$folder/log");
for ($n = 0; $n < 5; $n++) {
    echo @file_get_contents("http://$address/?n=$n"), "\n";
}
var_dump(proc_get_status($server)['running']);
proc_terminate($server);
proc_close($server);
--EXPECT--
kept0
kept1
kept2
kept3
kept4
bool(true)
