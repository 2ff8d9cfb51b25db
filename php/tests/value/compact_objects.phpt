--TEST--
Objects of plain classes, of stdClass and of enumerations come back from the compact form as from unserialize()
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/objects.inc';
foreach (objects() as $name => [$value, $is_plain]) {
    $want = shape(unserialize(serialize($value)));
    apcu_store($name, $value);
    foreach (['first', 'second', 'third'] as $time) {
        $have = apcu_fetch($name);
        if (shape($have) !== $want) {
            echo "$name, $time: ", shape($have), "instead of $want\n";
        }
    }
    // A change of one does not change the other.
    if ($have instanceof Child) {
        $have->free = 'changed';
        $have->list[] = 'changed';
        try {
            $have->suit = 'no suit';
            echo "a type is not kept\n";
        } catch (TypeError) {
        }
        if (shape(apcu_fetch($name)) !== $want) {
            echo "$name: a copy has changed\n";
        }
    }
    $file = file_get_contents(glob("$arenas/*.arena")[0]);
    if ((preg_match("/\\b$name\xCA\x02/", $file) === 1) !== $is_plain) {
        echo "$name is ", $is_plain ? 'not ' : '', "in the compact form\n";
    }
}
unset($value, $have);
gc_collect_cycles();   // one of them contains itself
try {
    apcu_fetch('fixed')->id = 2;
} catch (Error $e) {
    echo $e->getMessage(), "\n";
}
var_dump(apcu_fetch('case') === Suit::Hearts, apcu_fetch('cases')[3] === Suit::Spades);
// In bytes that no writer produces.
mt_srand(1);
for ($i = 0; $i < 300; $i++) {
    $rows = array_map(fn (int $id) => match (mt_rand(0, 4)) {
        0 => (new Child())->set(str_repeat('x', mt_rand(0, 100)), mt_rand(0, 1) ? mt_rand() : null),
        1 => (object) array_fill_keys(array_map(fn () => 'k' . mt_rand(0, 9), range(0, mt_rand(0, 6))), $id),
        2 => new Fixed($id, Plain::One, mt_rand(0, 1) ? [Suit::cases()[mt_rand(0, 1)]] : ['deep' => (object) ['id' => $id, 'none' => new None()]]),
        3 => new None(),
        4 => ['row' => $id, 'object' => mt_rand(0, 1) ? (object) ['id' => $id] : null],
    }, range(0, mt_rand(0, 40)));
    apcu_store('rows', $rows);
    if (serialize(apcu_fetch('rows')) !== serialize($rows)) {
        exit('differs: ' . serialize($rows) . "\n");
    }
}
echo "done\n";
--EXPECT--
Cannot modify readonly property Fixed::$id
bool(true)
bool(true)
done
