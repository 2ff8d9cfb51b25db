<?php
// Prepended to each script that is to run on the original pecl/memcache, the peer.
if (extension_loaded('leveret') || !extension_loaded('memcache')) {
    fwrite(fopen('php://stderr', 'w'), "the provider is not the original pecl/memcache\n");
    exit(97);
}
