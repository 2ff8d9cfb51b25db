<?php
apcu_store('k', 'v');
printf("versions: apcu %s memcached %s memcache %s, %s\n", phpversion('apcu'), phpversion('memcached'), phpversion('memcache'), apcu_fetch('k'));
