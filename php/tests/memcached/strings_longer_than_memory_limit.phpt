--TEST--
Memcached, Memcache: a string that does not fit into memory_limit is missing, with PAYLOAD_FAILURE; others are returned, and the script continues
--INI--
leveret.provide=apcu,memcached,memcache
leveret.memory=256M
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

// A server takes values of up to 1 MB, so that many of them make one batch too long; an arena an eighth of its size.
$long = [
    'server' => array_fill_keys(array_map(fn ($i) => "long $i", range(1, 24)), str_repeat('x', 1000000)),
    'arena' => ['one' => str_repeat('y', 30 << 20)] + array_fill_keys(array_map(fn ($i) => "long $i", range(1, 5)), str_repeat('x', 4 << 20)),
];
$short = ['first' => 'a', 'list' => [1, 2], 'number' => 5];
$told = [];
foreach (['server' => memcached_socket(), 'arena' => "$arenas/long.arena"] as $where => $place) {
    foreach ([false, true] as $binary) {
        $m = new Memcached();
        $m->setOptions([Memcached::OPT_COMPRESSION => false, Memcached::OPT_BINARY_PROTOCOL => $binary]);
        $m->addServer($place, 0);
        $mc = new Memcache();
        $mc->addServer($place, 0);
        $names = [];
        foreach ($long[$where] + $short as $name => $value) {
            $names[] = $name = str_replace(' ', '-', $name);
            $m->set($name, $value) || die("$where: $name is not stored\n");
            // The other class reads a server's values by its own flags.
            is_string($value) || $mc->set("mc-$name", $value);
            $mc_names[$where][$name] = is_string($value) ? $name : "mc-$name";
        }
        unset($value);
        $calls = [
            'get' => function () use ($m, $names, &$code) {
                $all = [];
                foreach ($names as $name) {
                    $value = $m->get($name);
                    $code = $code ?: ($value === false ? $m->getResultCode() : 0);
                    $value === false || $all[$name] = $value;
                }
                return $all;
            },
            'get extended' => function () use ($m, $names, &$code) {
                $all = [];
                foreach ($names as $name) {
                    $value = $m->get($name, null, Memcached::GET_EXTENDED);
                    $code = $code ?: ($value === false ? $m->getResultCode() : 0);
                    $value === false || $all[$name] = $value['value'];
                }
                return $all;
            },
            'getMulti' => function () use ($m, $names, &$code) {
                $all = $m->getMulti($names);
                $code = $m->getResultCode();
                return $all;
            },
            'getMulti in order, extended' => function () use ($m, $names, &$code) {
                $all = $m->getMulti($names, Memcached::GET_PRESERVE_ORDER | Memcached::GET_EXTENDED);
                $code = $m->getResultCode();
                return array_column(array_map(fn ($key, $item) => [$key, $item['value'] ?? null], array_keys($all), $all), 1, 0);
            },
            'fetchAll' => function () use ($m, $names, &$code) {
                $m->getDelayed($names);
                $all = $m->fetchAll();
                $code = $m->getResultCode();
                return array_column($all, 'value', 'key');
            },
            'fetch' => function () use ($m, $names, &$code) {
                $all = [];
                for ($m->getDelayed($names); $item = $m->fetch(); $all[$item['key']] = $item['value']);
                $code = $m->getResultCode();
                return $all;
            },
            'callback' => function () use ($m, $names, &$code) {
                $all = [];
                $m->getDelayed($names, false, function ($m, $item) use (&$all) { $all[$item['key']] = $item['value']; });
                $code = $m->getResultCode();
                return $all;
            },
            'Memcache::get' => function () use ($mc, $mc_names, $where, &$code) {
                $all = [];
                foreach ($mc_names[$where] as $name => $key) {
                    $value = @$mc->get($key);
                    $code = $value === false ? Memcached::RES_PAYLOAD_FAILURE : $code;
                    $value === false || $all[$name] = $value;
                }
                return $all;
            },
            'Memcache::get of many' => function () use ($mc, $mc_names, $where, &$code) {
                $all = array_combine(array_keys($mc_names[$where]), array_map(fn ($key) => [$key], $mc_names[$where]));
                $got = @$mc->get(array_values($mc_names[$where]));
                $code = count($got) < count($all) ? Memcached::RES_PAYLOAD_FAILURE : 0;
                return array_filter(array_map(fn ($key) => $got[$key[0]] ?? null, $all), fn ($value) => $value !== null);
            },
        ];
        foreach ($calls as $what => $call) {
            foreach ([6, 9.3, 13, 17.7] as $room) {
                gc_collect_cycles();
                gc_mem_caches();
                $code = 0;
                ini_set('memory_limit', memory_get_usage(true) + (int) ($room * 1024 * 1024));
                $all = @$call();
                ini_set('memory_limit', -1);
                $given = array_filter($all, fn ($value) => $value !== null);
                foreach ($given as $name => $value) {
                    $value === ($long[$where][str_replace('long-', 'long ', $name)] ?? $short[$name]) || print("$where, $what: a wrong value of $name\n");
                }
                $missing = count($names) - count($given);
                $told["$what, $where"][] = $missing > 0 && $code === Memcached::RES_PAYLOAD_FAILURE && !array_diff_key($short, $given);
                unset($all, $given, $value);
            }
        }
    }
}
foreach ($told as $what => $good) {
    echo $what, ': ', in_array(false, $good, true) ? json_encode($good) : 'good', "\n";
}
?>
--EXPECT--
get, server: good
get extended, server: good
getMulti, server: good
getMulti in order, extended, server: good
fetchAll, server: good
fetch, server: good
callback, server: good
Memcache::get, server: good
Memcache::get of many, server: good
get, arena: good
get extended, arena: good
getMulti, arena: good
getMulti in order, extended, arena: good
fetchAll, arena: good
fetch, arena: good
callback, arena: good
Memcache::get, arena: good
Memcache::get of many, arena: good
