<?php
// "leveret" if leveret.so provides the module of that name, else "other", as in `php --ri leveret`.
function who(string $module): string
{
    ob_start();
    (new ReflectionExtension('leveret'))->info();
    $told = strip_tags(str_replace(['</td><td', ' => '], [' : <td', ' : '], ob_get_clean()));
    return preg_match("/Module $module\\s*:\\s*provided/", $told) ? 'leveret' : 'other';
}

function server(): ?Memcached
{
    $server = new Memcached;
    $server->addServer('/run/leveret/test', 0);
    return file_exists('/run/leveret/test') ? $server : null;
}
