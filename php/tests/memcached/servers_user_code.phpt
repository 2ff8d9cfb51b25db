--TEST--
Memcached: a host's __toString may let go of the entry that it is in
--FILE--
<?php
require __DIR__ . '/../memcached.inc';
final class Host
{
    public function __toString(): string
    {
        global $entry, $others;
        $entry = null;
        // Its memory may be reused.
        for ($i = 0; $i < 8; $i++) {
            $others[] = array_fill(0, 3, 22222 + $i);
        }
        return 'localhost';
    }
}
$entry = [new Host(), 11111, 3];
$list = [&$entry];
$m = new Memcached();
tell($m, $m->addServers($list));
tell($m, $m->getServerList());
?>
--EXPECT--
true RES_SUCCESS
[{"host":"localhost","port":11111,"type":"TCP"}] RES_SUCCESS
