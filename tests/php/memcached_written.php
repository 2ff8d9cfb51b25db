<?php
/*
 * Values on their way between two providers of the class Memcached: php memcached_written.php SERVER write|read|sizes. What is written is
 * told with its flags and, where no two compressors agree, without its length; what is read, as it is.
 */
[, $server, $verb] = $argv;

/** An item as the server has it: flags and bytes. */
function raw(string $key): array
{
    static $socket = null;
    $socket ??= stream_socket_client("unix://{$GLOBALS['server']}");
    fwrite($socket, "get $key\r\n");
    $words = explode(' ', trim(fgets($socket)));
    if ($words[0] !== 'VALUE') {
        return [0, ''];
    }
    $bytes = stream_get_contents($socket, (int) $words[3]);
    fgets($socket);
    fgets($socket);
    return [(int) $words[2], rtrim($bytes)];   // memcached pads a number that became shorter, or not
}

function values(): array
{
    mt_srand(5);
    $words = explode(' ', 'the quick brown fox jumps over a lazy dog and runs away into deep forests where nobody finds it');
    $text = implode(' ', array_map(fn() => $words[mt_rand(0, 17)], range(1, 60000)));
    $noise = implode(array_map(fn() => chr(mt_rand(97, 122)), range(1, 20000)));
    $itself = ['x' => 1];
    $itself['me'] = &$itself;
    $tree = ['name' => 'root', 'kids' => []];
    foreach (['a', 'b'] as $name) {
        unset($kid);
        $kid = ['name' => $name, 'parent' => &$tree];
        $tree['kids'][] = &$kid;
    }
    $values = ['itself' => $itself, 'tree' => $tree, 'range 1000' => range(1, 1000), 'range 20000' => range(1, 20000), 'range 200000' => range(1, 200000)];
    foreach ([1999, 2000, 2001, 20000, 65535, 65536, 65537, 70000, 250000] as $len) {
        $values["constant $len"] = str_repeat('a', $len);
        $values["text $len"] = substr($text, 0, $len);
        $values["pattern $len"] = substr(str_repeat('abcdefghijklmnop' . str_repeat('-', 9000), 30), 0, $len);
        $values["far $len"] = substr(str_repeat($noise, 13), 0, $len);
    }
    return $values;
}

$m = new Memcached;
$m->addServer($server, 0);
foreach (['fastlz' => Memcached::COMPRESSION_FASTLZ, 'zlib' => Memcached::COMPRESSION_ZLIB] as $codec => $type) {
    $m->setOption(Memcached::OPT_COMPRESSION_TYPE, $type);
    foreach (['php' => Memcached::SERIALIZER_PHP, 'igbinary' => Memcached::SERIALIZER_IGBINARY] as $serializer => $number) {
        $m->setOption(Memcached::OPT_SERIALIZER, $number);
        foreach (values() as $name => $value) {
            if ($serializer === 'igbinary' && is_string($value)) {
                continue;
            }
            $key = strtr("$codec-$serializer-$name", ' ', '-');
            if ($verb === 'write') {
                $done = $m->set($key, $value);
                [$flags] = raw($key);
                echo "$key: ", json_encode($done), ' ', $m->getResultMessage(), " flags $flags\n";
            } elseif ($verb === 'sizes') {
                echo "$key ", strlen(raw($key)[1]), "\n";
            } else {
                $read = $m->get($key);
                ob_start();
                is_array($read) && count($read) < 1000 ? var_dump($read) : print(json_encode($read));
                echo "$key: ", md5(ob_get_clean()), ' ', $m->getResultMessage(), "\n";
            }
        }
    }
}
if ($verb !== 'write') {
    exit;
}

function tell(string $label, Memcached $m, callable $call): void
{
    $result = $call($m);
    echo "$label: ", is_float($result) ? var_export($result, true) : json_encode($result), ' ', $m->getResultMessage(), "\n";
}

echo "-- floats\n";
$floats = [.1, .5, 1.5, -.25, 5.0, 100.0, 1e5, 1e6, 1.5e7, 1e10, 1e15, 1e20, 1e25, 1e100, -1e100, .0001, .00001, 1.5e-10, 123456789.12345679, .1 + .2,
    1 / 3, -0.0, 12345678901234567890.0, 123456789012345680.0, PHP_FLOAT_MAX, PHP_FLOAT_MIN, 5e-324, NAN, INF, -INF];
foreach ($floats as $float) {
    $m->set('f', $float);
    echo var_export($float, true), ' is ', implode(' ', raw('f')), ' and ', var_export($m->get('f'), true), "\n";
}

echo "-- counting\n";
foreach ([5, 5.0, .1, true, false, '7', '7x', PHP_INT_MAX, '9223372036854775808', 1e15] as $value) {
    $m->set('n', $value);
    foreach (['increment' => [1, 3], 'decrement' => [1, 100]] as $method => $steps) {
        foreach ($steps as $step) {
            tell(var_export($value, true) . " $method $step", $m, fn($m) => $m->$method('n', $step));
            echo '  ', implode(' ', raw('n')), ' ', json_encode($m->get('n')), "\n";
        }
    }
}
$m->set('n', PHP_INT_MAX);
foreach ([1, 1, PHP_INT_MAX, 5] as $step) {
    tell("from PHP_INT_MAX on by $step", $m, fn($m) => $m->increment('n', $step));
    echo '  ', implode(' ', raw('n')), ' ', json_encode($m->get('n')), "\n";
}

echo "-- sizes\n";
$m->setOption(Memcached::OPT_COMPRESSION, false);
foreach ([1048500, 1048511, 1048512, 1048513, 1048515, 1048516, 1048517, 1048518, 1048576, 1048577] as $len) {
    tell("$len bytes", $m, fn($m) => $m->set('s', str_repeat('x', $len)));
    echo '  ', strlen(raw('s')[1]), "\n";
}
