"""Instructions as callgrind counts them: of a part of what a process does; of all of it, and of the cache's extensions and what they call."""
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

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


class Callgrind:
    """Counts a part of what a process does; the rest runs under valgrind and is not counted."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix='leveret-bench-')
        self._counts = Path(self._folder.name) / 'counts'
        self._dumps = 0
        self.command = ['valgrind', '--tool=callgrind', '--instr-atstart=no', f'--callgrind-out-file={self._counts}', '--log-file=/dev/null']
        return self

    @contextmanager
    def counting(self, pid):
        """What is done within is written to the file that it gives."""
        self._dumps += 1
        self._control('--instr=on', pid)
        yield Path(f'{self._counts}.{self._dumps}')
        self._control('--dump', pid)
        self._control('--instr=off', pid)

    def _control(self, what, pid):
        subprocess.run(['callgrind_control', what, str(pid)], check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def __exit__(self, *_):
        self._folder.cleanup()
