--TEST--
A fatal error in the callback of remember() frees the lease at the end of the request, though the process lives on
--FILE--
<?php
require __DIR__ . '/../cache.inc';
require __DIR__ . '/../web_server.inc';
$cache = new_cache();
$other = new OtherProcess($cache, 'key');
$script = arena_dir() . '/site.php';
file_put_contents($script, '<?php
    $cache = new Leveret\Cache(' . var_export($cache->stats()['path'], true) . ');
    isset($_GET["pid"]) and exit((string) getmypid());
    $cache->remember("key", 60, fn () => trigger_error("out of luck", E_USER_ERROR));
    echo "not reached";
');
[$server, $address] = web_server(getenv('TEST_PHP_EXTRA_ARGS'), $script, arena_dir() . '/site.log');
register_shutdown_function(fn () => proc_terminate($server));

$ask = fn (string $query) => file_get_contents("http://$address/$query", false, stream_context_create(['http' => ['ignore_errors' => true]]));
$before = $ask('?pid');
echo trim(strip_tags($ask(''))), "\n";
var_dump($before === $ask('?pid'));
echo $other->remember(), "\n";
?>
--EXPECTF--
%Aout of luck%A
bool(true)
computed elsewhere
