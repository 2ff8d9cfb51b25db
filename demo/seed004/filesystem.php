<?php
$f = file_get_contents( '/tmp/foo.txt' );
