--TEST--
Arrays with keys that other arrays had before are read as they were stored, in the pool and in the heap
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/keys.inc';
// Under valgrind each takes a hundred times as long.
$times = str_contains(file_get_contents('/proc/self/maps'), 'vgpreload') ? 150 : 5000;
$seed = (int) getenv('LEVERET_SEED') ?: 1;
read_keys_again($times, $seed);
$code = 'require ' . var_export(__DIR__ . '/keys.inc', true) . "; read_keys_again($times, $seed);";
foreach (['0', '256K', '8M'] as $cache) {
    echo other_php($code, ['leveret.decoded_cache' => $cache, 'leveret.apcu_cli' => 'private']);
}
--EXPECT--
done
done
done
done
