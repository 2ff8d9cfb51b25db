--TEST--
Memcached: any number for any option is accepted or refused, and the client continues
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$options = array_filter((new ReflectionClass('Memcached'))->getConstants(), fn($name) => str_starts_with($name, 'OPT_'), ARRAY_FILTER_USE_KEY);
unset($options['OPT_PREFIX_KEY'], $options['OPT_USE_UDP'], $options['OPT_NOREPLY'], $options['OPT_BUFFER_WRITES'], $options['OPT_ITEM_SIZE_LIMIT']);
foreach ($options as $name => $option) {
    foreach ([PHP_INT_MAX, PHP_INT_MIN, 1 << 32, (1 << 32) - 1, 1 << 31, -2, 1e30, NAN, [], new stdClass, "\0"] as $value) {
        $m = on_server();
        @$m->setOption($option, $value);
        $patience = $m->getOption($option);
        if (in_array($name, ['OPT_POLL_TIMEOUT', 'OPT_CONNECT_TIMEOUT', 'OPT_SEND_TIMEOUT', 'OPT_RECV_TIMEOUT']) && $patience >= 0 && $patience < 1000) {
            $m->get('k');   // may or may not be answered in no time
            continue;
        }
        if (!$m->set('k', "of $name") || $m->get('k') !== "of $name") {
            echo "$name: ", var_export($value, true), ' ', $m->getResultMessage(), "\n";
        }
    }
}
var_dump(@$m->setOption(99999, 1), $m->getOption(99999), @$m->setOption(PHP_INT_MIN, 1), $m->getOption(-1));
echo "done\n";
?>
--EXPECT--
bool(false)
int(0)
bool(false)
int(0)
done
