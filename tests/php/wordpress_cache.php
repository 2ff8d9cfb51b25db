<?php
// Debian's unmodified WordPress (its SHORTINIT, which is all that comes before plugins and themes) with the drop-in object-cache.php beside
// this script: one line for each call. Words: FOLDER of WordPress, HOST PORT.

[, $folder, $host, $port] = $argv;

function show(string $what, mixed $value): void
{
    $text = json_encode($value);
    echo $what, ': ', strlen($text) < 200 ? $text : md5($text), "\n";
}

define('ABSPATH', "$folder/");
define('SHORTINIT', true);
define('WP_DEBUG', true);
$table_prefix = 'wp_';
$memcached_servers = [str_starts_with($host, 'unix://') ? $host : "$host:$port"];
require ABSPATH . 'wp-settings.php';

show('the drop-in is used', wp_using_ext_object_cache());
show('flush', wp_cache_flush());
foreach (['text' => 'hello', 'number' => 42, 'float' => 0.5, 'yes' => true, 'no' => false, 'null' => null, 'list' => ['a' => [1, 2]], 'object' => (object) ['a' => 1], 'long' => str_repeat('abc', 20000)] as $key => $value) {
    show("set $key", wp_cache_set($key, $value, 'things', 300));
}
show('add', [wp_cache_add('added', 1), wp_cache_add('added', 2), wp_cache_add_multiple(['added' => 3, 'one' => 1])]);
show('count', [wp_cache_set('count', 5), wp_cache_incr('count', 3), wp_cache_incr('nothing')]);
show('transient', [set_transient('shown', ['k' => 'v'], 60), get_transient('shown'), get_transient('other')]);
show('options', [get_option('blogname'), get_option('sticky_posts'), get_option('absent', 'a default')]);
show('asked of the database', count($wpdb->asked));

// The next visitor's request.
wp_cache_init();
$wpdb->asked = [];
foreach (['text', 'number', 'float', 'yes', 'no', 'null', 'list', 'object', 'long', 'absent'] as $key) {
    show("get $key", [wp_cache_get($key, 'things', false, $found), $found]);
}
show('get many', wp_cache_get_multiple(['added', 'one', 'count', 'nothing']));
show('transient', get_transient('shown'));
show('options', [get_option('blogname'), get_option('sticky_posts'), get_option('absent', 'a default')]);
show('asked of the database', $wpdb->asked);
show('delete', [wp_cache_delete('text', 'things'), wp_cache_delete('text', 'things'), delete_transient('shown'), get_transient('shown')]);
show('flush', [wp_cache_flush(), wp_cache_get('number', 'things')]);
show('failures', $wp_object_cache->failures);
