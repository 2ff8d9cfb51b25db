--TEST--
Integers of every entrance are counted by every other, and stay integers
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_exists('made by this');   // with the size of the module apcu
$memcached = new Memcached;
$memcached->addServer('arena:apcu', 0);
$cache = new Leveret\Cache('apcu');

$memcached->set('theirs', 5);
echo json_encode([apcu_inc('theirs'), $cache->increment('theirs'), $memcached->increment('theirs'), $memcached->get('theirs'), apcu_dec('theirs', 3)]), "\n";
apcu_store('ours', 5);
echo json_encode([$memcached->increment('ours', 2), apcu_inc('ours'), $memcached->get('ours'), $memcached->decrement('ours', 100), apcu_fetch('ours')]), "\n";
apcu_store('negative', -5);
echo json_encode([$memcached->get('negative'), $memcached->increment('negative'), $memcached->getResultMessage(), apcu_inc('negative')]), "\n";

echo "-- and Memcache\n";
$memcache = new MemcachePool;
$memcache->addServer('arena:apcu', 0);
$memcache->set('third', 5);
echo json_encode([apcu_inc('third'), $memcached->increment('third'), $memcache->increment('third'), $memcache->get('third'), $memcached->get('third')]), "\n";
apcu_store('ours', 5);
echo json_encode([$memcache->increment('ours', 2), $memcache->decrement('ours', 10), apcu_fetch('ours'), $memcache->get('ours')]), "\n";
$memcached->set('theirs', 5);
echo json_encode([$memcache->increment('theirs'), $memcached->get('theirs'), $memcache->get('theirs'), apcu_fetch('theirs')]), "\n";

echo "-- what is an integer to a class, text to the arena: append makes that\n";
$memcached->setOption(Memcached::OPT_COMPRESSION, false);
$memcached->set('joined', 4);
$memcached->append('joined', '2');
echo json_encode([$memcached->get('joined'), apcu_fetch('joined'), apcu_inc('joined'), apcu_cas('joined', 43, 50), $memcached->get('joined')]), "\n";
$memcached->set('joined', 4);
$memcached->append('joined', '2');
echo json_encode([apcu_cas('joined', 41, 1), apcu_cas('joined', 42, 1), $cache->get('joined')]), "\n";
$memcached->set('joined', 4);
$memcached->append('joined', "\n");
echo json_encode([apcu_inc('joined'), $cache->increment('joined')]), "\n";
$memcached->set('text', 4);
$memcached->append('text', ' words');
echo json_encode([$memcached->get('text'), apcu_fetch('text'), apcu_inc('text')]), "\n";

echo "-- strings\n";
apcu_store('string', 'of PHP');
$memcached->append('string', ', longer');
$memcached->prepend('string', 'a string ');
echo json_encode([apcu_fetch('string'), $cache->get('string'), $memcached->get('string'), apcu_inc('string')]), "\n";
apcu_store('digits', '5');
echo json_encode([apcu_inc('digits'), $memcached->increment('digits'), apcu_fetch('digits')]), "\n";
apcu_store('number', 4);
$memcached->append('number', '2');
echo json_encode([apcu_fetch('number'), $memcached->get('number')]), "\n";
?>
--EXPECT--
[6,7,8,8,5]
[7,8,8,0,0]
[-5,false,"CLIENT ERROR",-4]
-- and Memcache
[6,7,8,8,8]
[7,0,0,0]
[6,6,6,6]
-- what is an integer to a class, text to the arena: append makes that
[42,42,43,true,50]
[false,true,1]
[5,6]
[4,4,false]
-- strings
["a string of PHP, longer","a string of PHP, longer","a string of PHP, longer",false]
[false,6,"6"]
["42","42"]
