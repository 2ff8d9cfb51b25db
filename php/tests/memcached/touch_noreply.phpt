--TEST--
Memcached: touch() returns whether the item exists, also with OPT_NOREPLY and OPT_BUFFER_WRITES
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    foreach ([false, true] as $binary) {
        foreach ([[], [Memcached::OPT_BUFFER_WRITES], [Memcached::OPT_NOREPLY], [Memcached::OPT_NOREPLY, Memcached::OPT_BUFFER_WRITES]] as $options) {
            $m->setOptions([Memcached::OPT_BINARY_PROTOCOL => $binary, Memcached::OPT_NOREPLY => false, Memcached::OPT_BUFFER_WRITES => false]);
            $m->flush();
            $m->setOptions(array_fill_keys($options, true));
            $m->set('there', 'value');
            $told = [];
            foreach ([fn () => $m->touch('there', 60), fn () => $m->touch('absent', 60), fn () => $m->touchByKey('group', 'there', 60), fn () => $m->touchByKey('group', 'absent', 60),
                // Answers do not get out of step.
                fn () => $m->get('there')] as $call) {
                $told[] = json_encode($call()) . ' ' . $m->getResultCode();
            }
            $all[] = implode(', ', $told);
        }
    }
}
print_r(array_count_values($all));
?>
--EXPECT--
Array
(
    [true 0, false 16, true 0, false 16, "value" 0] => 16
)
