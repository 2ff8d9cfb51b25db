"""Caches with wrong or missing answers that `leveret bench` must detect: TOML for --peers."""

# Each runs among correct caches. Their items are files of the turn's folder.
PLANTED = r"""
[[peer]]
name = "planted-wrong"
title = "wrong values"
set = "file_put_contents(\"$address/$key\", $value) !== false"
get = "($key === 'key_7' ? 'x' : '') . file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-nothing"
title = "no values"
set = "true"
get = "false"

[[peer]]
name = "planted-forgetful"
title = "fast for what it has just seen"
set = "file_put_contents(\"$address/$key\", $GLOBALS['seen'][$key] = $value) !== false"
get = "$GLOBALS['seen'][$key] ??= file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-dying"
title = "dies in the middle"
set = "$key !== 'key_9' || exec('kill -9 ' . getmypid())"
get = "false"

[[peer]]
name = "planted-hanging"
title = "hangs"
set = "$key !== 'key_9' || sleep(3600)"
get = "false"

[[peer]]
name = "planted-killed"
title = "its server is killed in the middle"
extensions = ["igbinary", "msgpack", "memcached"]
server = "memcached"
by = "tcp"
open = "$cache = new Memcached(); [$host, $port] = explode(':', $address); $cache->addServer($host, (int) $port);"
set = "($key !== 'key_9' || exec('kill -9 ' . current($cache->getStats())['pid']) === '') && $cache->set($key, $value)"
get = "$cache->get($key)"

[[peer]]
name = "planted-missing"
title = "not installed"
extensions = ["nobody_has_this"]
set = "true"
get = "false"
"""

TYPELESS = r"""
[[peer]]
name = "planted-honest"
title = "keeps types"
set = "file_put_contents(\"$address/$key\", serialize($value)) !== false"
get = "unserialize(file_get_contents(\"$address/$key\"))"

[[peer]]
name = "planted-strings"
title = "keeps text only"
set = "file_put_contents(\"$address/$key\", is_scalar($value) ? (string) $value : 'a') !== false"
get = "file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-dying"
title = "dies in the middle"
set = "$i !== 9 || exec('kill -9 ' . getmypid())"
get = "false"
"""

ARRAYS = r"""
[[peer]]
name = "planted-honest"
title = "keeps arrays"
set = "file_put_contents(\"$address/$key\", serialize($value)) !== false"
get = "unserialize(file_get_contents(\"$address/$key\"))"

[[peer]]
name = "planted-json"
title = "keeps floats as integers"
set = "file_put_contents(\"$address/$key\", json_encode($value)) !== false"
get = "json_decode(file_get_contents(\"$address/$key\"), true)"

[[peer]]
name = "planted-short"
title = "loses the last row now and then"
set = "file_put_contents(\"$address/$key\", serialize($value)) !== false"
get = "array_slice(unserialize(file_get_contents(\"$address/$key\")), 0, ($GLOBALS['n'] = ($GLOBALS['n'] ?? 0) + 1) === 30 ? -1 : null)"

[[peer]]
name = "planted-forgetful"
title = "fast for what it has just seen"
set = "file_put_contents(\"$address/$key\", serialize($value)) !== false"
get = "$GLOBALS['seen'][$key] ??= unserialize(file_get_contents(\"$address/$key\"))"
"""

READERS = r"""
[[peer]]
name = "planted-honest"
title = "files that are replaced at once"
set = "file_put_contents(\"$address/$key.new\", $value) && rename(\"$address/$key.new\", \"$address/$key\")"
get = "file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-other"
title = "a value of another key"
set = "file_put_contents(\"$address/$key.new\", $value) && rename(\"$address/$key.new\", \"$address/$key\")"
get = "file_get_contents(\"$address/\" . ($key === 'key_7' ? 'key_8' : $key))"

[[peer]]
name = "planted-forgetful"
title = "fast for what it has just seen"
set = "file_put_contents(\"$address/$key.new\", $value) && rename(\"$address/$key.new\", \"$address/$key\")"
get = "$GLOBALS['seen'][$key] ??= file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-two-passes"
title = "takes no third value of a key"
set = "($GLOBALS['stores'][$key] = ($GLOBALS['stores'][$key] ?? 0) + 1) < 3 && file_put_contents(\"$address/$key\", $value)"
get = "file_get_contents(\"$address/$key\")"
"""


MEMORIES = r"""
[[peer]]
name = "planted-files"
title = "a file for each"
set = "file_put_contents(\"$address/$key\", $value) !== false"
get = "file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-private"
title = "keeps what it has written to itself"
set = "$GLOBALS['kept'][$key] = $value"
get = "$GLOBALS['kept'][$key] ?? false"

[[peer]]
name = "planted-nothing"
title = "no values"
set = "true"
get = "false"
"""

PAGES = r"""
[[peer]]
name = "planted-wrong"
title = "wrong values"
set = "file_put_contents(\"$address/$key\", $value) !== false"
get = "($key === 'key_7' ? 'x' : '') . file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-old"
title = "keeps the first value"
set = "is_file(\"$address/$key\") || file_put_contents(\"$address/$key\", $value) !== false"
get = "file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-dying"
title = "its worker dies"
set = "true"
get = "exec('kill -9 ' . getmypid())"

[[peer]]
name = "planted-hanging"
title = "hangs"
set = "true"
get = "sleep(3600)"
"""

VIEWS = r"""
[[peer]]
name = "planted-honest"
title = "values in APCu"
extensions = ["apcu"]
charts = ["pages"]
open = "$wgMainCacheType = CACHE_ACCEL;"
set = "true"
get = "false"

[[peer]]
name = "planted-old"
title = "shows a page as it was"
extensions = ["apcu"]
charts = ["pages"]
open = '''$wgMainCacheType = CACHE_ACCEL;
if (isset($_GET['title'])) {
    $old = "$address/" . md5($_SERVER['REQUEST_URI']);
    is_file($old) && exit(file_get_contents($old));
    ob_start(fn (string $page): string => file_put_contents($old, $page) ? $page : '');
}'''
set = "true"
get = "false"

[[peer]]
name = "planted-other"
title = "shows another article"
extensions = ["apcu"]
charts = ["pages"]
open = "$wgMainCacheType = CACHE_ACCEL; ($_GET['title'] ?? '') !== 'Article_7' || $_GET['title'] = 'Article_6';"
set = "true"
get = "false"

[[peer]]
name = "planted-nothing"
title = "keeps nothing"
charts = ["pages"]
open = "$wgMainCacheType = 'nothing'; $wgObjectCaches['nothing'] = ['class' => 'EmptyBagOStuff'];"
set = "true"
get = "false"

[[peer]]
name = "planted-private"
title = "keeps to itself what it has seen"
charts = ["pages"]
open = "$wgMainCacheType = 'private'; $wgObjectCaches['private'] = ['class' => 'HashBagOStuff'];"
set = "true"
get = "false"

[[peer]]
name = "planted-forgetful"
title = "keeps small values"
extensions = ["apcu"]
charts = ["pages"]
open = "$wgMainCacheType = CACHE_ACCEL; $wgParserCacheType = CACHE_NONE;"
set = "true"
get = "false"

[[peer]]
name = "planted-dying"
title = "dies"
extensions = ["apcu"]
charts = ["pages"]
open = "$wgMainCacheType = CACHE_ACCEL; ($_GET['title'] ?? '') !== 'Article_7' || exec('kill -9 ' . getmypid());"
set = "true"
get = "false"

[[peer]]
name = "planted-general"
title = "of no use to MediaWiki"
charts = ["pages"]
open = "$cache = null;"
set = "true"
get = "false"
"""

MISSING = r"""
[[peer]]
name = "planted-files"
title = "a file for each"
set = "file_put_contents(\"$address/$key\", $value) !== false"
get = "@file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-private"
title = "keeps to itself what it has seen"
set = "file_put_contents(\"$address/$key\", $GLOBALS['kept'][$key] = $value) !== false"
get = "$GLOBALS['kept'][$key] ??= @file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-other"
title = "other values for a while"
set = "file_put_contents(\"$address/$key\", intdiv($i, 1000) === 16 ? 'x' : $value) !== false"
get = "@file_get_contents(\"$address/$key\")"

[[peer]]
name = "planted-nothing"
title = "no values"
set = "true"
get = "false"
"""

NAMED = r"""
[[peer]]
name = "planted-multi"
title = "one wrong value of all"
charts = ["multi-get"]
open = "$cache = null;"
set = "file_put_contents('kept', json_encode($items + (json_decode((string) @file_get_contents('kept'), true) ?? []))) ? count($items) : 0"
get = "['key_7' => 'wrong'] + json_decode(file_get_contents('kept'), true)"

[[peer]]
name = "planted-ruby"
title = "one wrong value of all"
charts = ["ruby-get"]
gem = "pstore"
open = "cache = PStore.new(File.join(Dir.pwd, 'kept'))"
set = "cache.transaction { cache[key] = value }"
get = "cache.transaction(true) { key.end_with?('7') && key.size == 5 ? 'wrong' : cache[key] }"
many = "{}"
"""
