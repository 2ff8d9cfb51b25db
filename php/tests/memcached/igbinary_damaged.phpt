--TEST--
Memcached: data that would crash igbinary is refused, and all data that it writes is read
--EXTENSIONS--
igbinary
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

class Plain { public $a = 1; protected $b = [1, 2]; private $c; public ?Plain $next = null; }
class Unset_ { public $gone = 1; public $kept = 2; }
class Own { public $x; function __serialize(): array { return ['x' => $this->x]; } function __unserialize(array $data): void { $this->x = $data['x'] ?? null; } }
enum Suit: string { case Hearts = 'h'; case Spades = 's'; }

$server = stream_socket_client('unix://' . memcached_socket());
$m = on_server();
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_IGBINARY);

function stored(string $data): mixed
{
    global $server, $m;
    fwrite($server, 'set k 5 0 ' . strlen($data) . "\r\n$data\r\n");
    fgets($server);
    return @$m->get('k');
}

// Valid data.
$plain = new Plain;
$plain->next = new Plain;
$number = 5;
$cycle = new Own;
$cycle->x = [$cycle];
$partly = new Unset_;
unset($partly->gone);
$itself = [1];
$itself['itself'] = &$itself;
/* Each kid knows its parent: igbinary writes the array of the kids again while it is writing it. */
$tree = ['name' => 'root', 'kids' => []];
foreach (['a', 'b'] as $name) {
    unset($kid);
    $kid = ['name' => $name, 'parent' => &$tree];
    $tree['kids'][] = &$kid;
}
$deep = null;
for ($i = 0; $i < 4000; $i++) {
    $deep = [$deep];
}
$good = [
    null, true, [], ['' => 1, 'two' => 2.5, -3 => PHP_INT_MIN, 300 => -300, 70000 => -70000, PHP_INT_MAX => PHP_INT_MAX, '1x' => [[], []]], range(1, 300),
    array_fill_keys(array_map(fn($i) => "key $i", range(1, 300)), 'the same'), [str_repeat('long', 100), str_repeat('longer', 20000)],
    $plain, [$plain, $plain], [&$number, &$number], $cycle, $partly, $itself, $tree, [$tree, $tree], $deep, [Suit::Hearts, Suit::Spades, Suit::Hearts],
    new ArrayObject([1, $plain]), new DateTime('2020-01-01'), (object) ['1' => 1], array_map(fn($i) => new Plain, range(1, 100)),
];
foreach ([1, 0] as $compact) {
    ini_set('igbinary.compact_strings', $compact);
    foreach ($good as $number_of => $value) {
        $data = igbinary_serialize($value);
        if (igbinary_serialize(stored($data)) !== igbinary_serialize(igbinary_unserialize($data)) || $m->getResultCode() !== 0) {
            echo "good value $number_of is not read\n";
        }
    }
}

// Never written, and harmless: an array in itself, by reference too, and twice at each of many levels.
foreach (['0600' . '0100', '0600' . '250100'] as $elements) {
    $read = stored(hex2bin('000000021401' . $elements));
    echo isset($read[0][0][0]) && count($read) === 1 && igbinary_serialize($read) ? '' : "an array in itself is not read\n";
}
$read = stored(hex2bin('00000002' . str_repeat('14030600010006010100' . '0602', 60) . '05'));
echo is_array($read) && is_array($read[0][1][0][1]) ? '' : "arrays in themselves are not read\n";

// Harmless too: keys that PHP would make integers of, numbers with leading zeros, and other changed bytes.
$odd = ['1401' . '110135' . '05', '1401' . '11022d35' . '05', '1402' . '110135' . '05' . '0605' . '00', '1401' . '0a00000005' . '0b00000005', '1401' . '07ff' . '2100000000000000ff',
    '1401' . '208000000000000000' . '05', '1402' . '0601' . '05' . '0601' . '00', '1401' . '0d' . '0d', '1101' . '61', '1100', '1401' . '1100' . '05', '0700', '1401' . '00', '26000000000000000161'];
mt_srand(7);
foreach ([['id' => 1, 'n' => 2.5, 'text' => 'abc'], ['id' => -300, 'n' => 1e300, 'text' => 'abc'], ['n' => 70000, 'id' => true, 'text' => '', 'l' => [1, 2]]] as $row) {
    $rows[] = $row;
}
$rows = igbinary_serialize($rows);
// Not under valgrind: igbinary leaks arrays that damage has made contain themselves.
for ($i = getenv('USE_ZEND_ALLOC') === '0' ? 3000 : 0; $i < 3000; $i++) {
    $damaged = $rows;
    for ($j = mt_rand(1, 3); $j > 0; $j--) {
        $damaged[mt_rand(4, strlen($rows) - 1)] = chr(mt_rand(0, mt_rand(0, 1) ? 255 : 0x27));
    }
    $odd[] = bin2hex(substr($damaged, 4));
}
$read_as_igbinary = 0;
foreach ($odd as $data) {
    $data = hex2bin("00000002$data");
    $read = stored($data);
    if ($m->getResultCode() === 0) {
        $read_as_igbinary++;
        if (serialize($read) !== serialize(@igbinary_unserialize($data))) {
            echo bin2hex($data), " is not read as igbinary reads it\n";
        }
    }
}
echo $read_as_igbinary > count($odd) / 6 ? '' : "only $read_as_igbinary of the damaged values were read\n";

// Refused: cut, nested too deep, a key twice beside references, ...
$own = '17' . '03' . bin2hex('Own');
$bad = [
    'nothing' => '', 'no value' => '00000002', 'version' => '0000000305', 'more behind' => '000000020505', 'type' => '0000000228',
    'elements that are not there' => "00000002{$own}160402060014000601", 'elements cut off' => "00000002{$own}14",
    'a count' => '0000000216ffffffff', 'a length' => '0000000213ffffffff61', 'a string\'s number' => '000000020e00', 'a reference\'s number' => '0000000214010600' . '0101',
    'a key twice' => '00000002' . '1404' . '110164' . '250605' . '0e00' . '251402060225110172' . '0e01250605' . '110874696d657a6f6e65' . '2202' . '0e02' . '0103',
    'the same text twice' => '00000002' . '1403' . '110164' . '1400' . '110164' . '05' . '0600' . '0101',
    'the same number twice' => '00000002' . '1403' . '0605' . '1400' . '080005' . '05' . '0600' . '0101',
    'a number that is too large for a key' => '00000002' . '1403' . '0600' . '250607' . '208000000000000001' . '251401060000' . '0601' . '0102',
    'a number that is just too large' => '00000002' . '1403' . '0600' . '250607' . '208000000000000000' . '251401060000' . '0601' . '0102',
    'a number that is too small for a key' => '00000002' . '1403' . '0600' . '250607' . '218000000000000001' . '251401060000' . '0601' . '0102',
    'references of references' => '00000002' . str_repeat('25', 100000) . '05', 'too deep' => '00000002' . str_repeat('14010600', 100000) . '05',
];
foreach ($bad as $what => $data) {
    if (stored(hex2bin($data)) !== false || $m->getResultCode() !== Memcached::RES_PAYLOAD_FAILURE) {
        echo "$what is not refused\n";
    }
}
$whole = igbinary_serialize([$plain, $cycle, new ArrayObject([$plain])]);
for ($len = 0; $len < strlen($whole); $len++) {
    if (stored(substr($whole, 0, $len)) !== false) {
        echo "$len bytes are not refused\n";
    }
}
// At its end PHP drops its heap with all cycles of objects, which valgrind reports as lost.
unset($good, $value, $cycle, $itself, $tree, $kid, $read);
gc_collect_cycles();
echo "done\n";
?>
--EXPECT--
done
