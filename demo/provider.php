<?php
// Included by a script that knows the $name of its backend. Nothing is shown if another extension answered.
if (extension_loaded('leveret') !== str_starts_with($name, 'leveret')) {
    fwrite(STDERR, "the wrong extension is loaded\n");
    exit(97);
}
