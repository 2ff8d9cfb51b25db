--TEST--
Memcached: serialized data that is seldom is read as unserialize() reads it: escaped strings, its depth, forms of a class's own
--INI--
apc.enable_cli=1
leveret.provide=apcu,memcached
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

/** In a form of its own, which can look like an array's. */
class Text implements Serializable
{
    public $text;
    function serialize() { return $this->text; }
    function unserialize($text) { $this->text = $text; }
}

$server = stream_socket_client('unix://' . memcached_socket());
$m = on_server();
$texts = ['S:1:"\61";', 'S:3:"a\00b";', 'a:2:{i:0;S:2:"\6\61";i:1;i:7;}', 'a:1:{S:1:"\6B";S:0:"";}', 'S:1:"\6";', 'S:2:"\61";', 'S:1:"\61', 'S:9:"\61";',
    'C:4:"Text":5:{a:10;}', 'C:4:"Text":4:{a:1;}'];
$deep = 'a:1:{i:0;a:1:{i:0;a:1:{i:0;N;}}}';
foreach ([4096, 3, 2, 0] as $depth) {
    ini_set('unserialize_max_depth', $depth);
    foreach ([...$texts, $deep] as $data) {
        fwrite($server, "set k 4 0 " . strlen($data) . "\r\n$data\r\n");
        fgets($server);
        $read = @$m->get('k');
        if (serialize($read) !== serialize(@unserialize($data))) {
            echo "depth $depth: $data is not read as unserialize() reads it\n";
        }
    }
}
$text = new Text;
$text->text = 'data:100:{';
var_dump(apcu_store('text', $text), apcu_fetch('text') == $text);
?>
--EXPECT--
bool(true)
bool(true)
