--TEST--
apc.preload_path: a new cache begins with the files NAME.data of that folder, and no other does
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';

$folder = sys_get_temp_dir() . '/leveret-preload-' . bin2hex(random_bytes(6));
mkdir($folder);
$files = [
    'text.data' => serialize('value of text'), 'array.data' => serialize(['a' => 1, 'b' => [true, null, 1.5]]), 'false.data' => serialize(false),
    'with.dot.data' => serialize(5), 'with space.data' => serialize('space'), '.hidden.data' => serialize('hidden'), 'data.data' => serialize('data'),
    'line.data' => serialize('ends with a line feed') . "\n",
    // Passed over.
    'no suffix' => serialize(1), 'other.txt' => serialize(1), 'old.data~' => serialize(1), 'large.DATA' => serialize(1), 'broken.data' => 's:3:"12', 'empty.data' => '', 'nonsense.data' => 'nonsense',
];
foreach ($files as $name => $text) {
    file_put_contents("$folder/$name", $text);
}
mkdir("$folder/folder.data");
$tell = '$all = []; foreach (new APCUIterator() as $key => $item) { $all[$key] = $item["value"]; } ksort($all); echo json_encode($all), "\n";';
// The first function that is called may be any one.
echo other_php('apcu_exists("text") or die("nothing is there\n"); ' . $tell . ' apcu_store("text", "changed");', ['apc.preload_path' => $folder]);
if (!PEER) {
    echo other_php('echo json_encode(apcu_fetch(["text", "false"])), "\n"; apcu_clear_cache(); echo json_encode(apcu_fetch(["text", "false"])), "\n";', ['apc.preload_path' => $folder]);
    array_map('unlink', glob("$arenas/*"));
    echo other_php('var_dump(apcu_exists("text"));', ['apc.preload_path' => "$folder/not there"]);
}
rmdir("$folder/folder.data");
foreach ($files as $name => $text) {
    unlink("$folder/$name");
}
rmdir($folder);
?>
--EXPECTF--
{".hidden":"hidden","array":{"a":1,"b":[true,null,1.5]},"data":"data","false":false,"line":"ends with a line feed","text":"value of text","with space":"space","with.dot":5}
{"text":"changed","false":false}
[]
leveret: apc.preload_path: the folder %s/not there cannot be read: No such file or directory
bool(false)
