<?php
// Prepended to each script that is to run on the original APCu, the peer.
if (extension_loaded('leveret') || !extension_loaded('apcu')) {
    fwrite(fopen('php://stderr', 'w'), "the provider is not the original APCu\n");
    exit(97);
}
