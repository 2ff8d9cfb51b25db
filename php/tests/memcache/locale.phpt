--TEST--
MemcachePool: numbers do not depend on the locale, and those that pecl/memcache wrote with one are read
--INI--
leveret.provide=memcache,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

// A locale made by the test, with a comma as decimal sign. Without the character maps of the package locales it is missing, and the
// first part shows less.
$source = "$arenas/comma";
file_put_contents($source, "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n");
exec('localedef --no-archive -c -i ' . escapeshellarg($source) . ' -f UTF-8 ' . escapeshellarg("$arenas/comma_XX.UTF-8") . ' 2>&1');
putenv("LOCPATH=$arenas");
setlocale(LC_NUMERIC, 'comma_XX.UTF-8');

$m = new MemcachePool;
$m->addServer('arena:locale', 0);
$m->addServer('unix://' . memcached_socket(), 0);
foreach ([1.5, -2.25, 1e100, 100000000000000000000.0] as $i => $number) {
    for ($key = 0; $key < 10; $key++) {
        $m->set("f$i$key", $number);
        if ($m->get("f$i$key") !== $number) {
            echo "$number is read as ", var_export($m->get("f$i$key")), "\n";
        }
    }
}
$server = stream_socket_client('unix://' . memcached_socket());
$m = new MemcachePool;
$m->addServer('unix://' . memcached_socket(), 0);
foreach (['1,5' => 1.5, '-2,25' => -2.25, '1.5' => 1.5, '7' => 7.0] as $text => $number) {
    fwrite($server, 'set f 1792 0 ' . strlen($text) . "\r\n$text\r\n");
    fgets($server);
    if ($m->get('f') !== $number) {
        echo "$text is read as ", var_export($m->get('f')), "\n";
    }
}
exec('rm -rf ' . escapeshellarg("$arenas/comma_XX.UTF-8"));
echo "done\n";
?>
--EXPECT--
done
