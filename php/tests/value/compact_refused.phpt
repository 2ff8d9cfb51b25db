--TEST--
Values outside the compact form are stored by the serializer: references, objects, deep nesting
--INI--
apc.enable_cli=1
leveret.decoded_cache=0
--FILE--
<?php
require __DIR__ . '/../start.inc';
$one = 1;
apcu_store('references', ['a' => &$one, 'b' => &$one]);
$read = apcu_fetch('references');
$read['a'] = 2;
var_dump($read['b']);
apcu_store('object', [1, ['deep' => new ArrayObject([5])]]);
var_dump(apcu_fetch('object')[1]['deep'][0]);
foreach ([126, 127, 128, 129, 400] as $depth) {
    $deep = 1;
    for ($i = 0; $i < $depth; $i++) {
        $deep = $i % 2 ? [$deep] : ['k' => $deep];
    }
    apcu_store('deep', $deep);
    var_dump(apcu_fetch('deep') === $deep);
}
$self = [1];
$self['me'] = &$self;
apcu_store('self', $self);
$read = apcu_fetch('self');
var_dump($read['me']['me'][0]);
unset($self, $read);
gc_collect_cycles();
--EXPECT--
int(2)
int(5)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(1)
