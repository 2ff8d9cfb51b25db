<?php
// Prepended to each script that is to run on the original pecl/memcached, the peer.
if (extension_loaded('leveret') || !extension_loaded('memcached')) {
    fwrite(fopen('php://stderr', 'w'), "the provider is not the original pecl/memcached\n");
    exit(97);
}
