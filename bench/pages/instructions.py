"""What callgrind has counted: all instructions of a process, and those spent in the cache's extensions and in what they call."""

# Our extension; the originals, with the libraries that only they use.
_CACHES = ('/leveret.so', '/apcu.so', '/memcached.so', '/libmemcached.so', '/libmemcachedutil.so', '/libhashkit.so', '/igbinary.so', '/msgpack.so')


def _is_cache(name):
    return any(cache in f'/{name}' for cache in _CACHES)


def count(path):
    """(all, the cache's part). A call into an extension costs all that happens until it returns: also PHP's own unserialize()."""
    names, total, part = {}, 0, 0
    within = callee = calls = False

    def is_cache(value):
        number, _, name = value.partition(' ')
        if name:
            names[number] = _is_cache(name)
        return names[number]

    with open(path) as lines:
        for line in lines:
            if calls:
                if callee and not within:
                    part += int(line.split()[1])
                callee, calls = within, False
            elif line.startswith('ob='):
                within = callee = is_cache(line[3:].strip())
            elif line.startswith('cob='):
                callee = is_cache(line[4:].strip())
            elif line.startswith('calls='):
                calls = True
            elif line.startswith('totals:'):
                total = int(line.split()[1])
    return total, part
