"""What a number means nothing without."""
import os
import platform
import shlex
import subprocess
import sys


def describe(setting):
    return {
        'machine': f'{_cpu()}, {os.cpu_count()} CPUs, {_memory_gb():.0f} GB',
        'system': f'{_distribution()}, Linux {platform.release()}',
        'php': _php(setting, ['-v']).splitlines()[0],
        'peer': 'APCu ' + _version(setting, 'apcu'),
        'ours': ('Leveret ' if setting.our_side == 'leveret' else 'APCu ') + _version(setting, setting.our_side),
        'rounds': setting.rounds,
        'load': os.getloadavg()[0],
        'command': command_line(),
    }


def command_line():
    return shlex.join([os.path.relpath(sys.argv[0])] + sys.argv[1:])


def _version(setting, side):
    name = 'leveret' if side == 'leveret' else 'apcu'
    command = setting.php_command(side, setting.new_folder())
    return subprocess.run(command + ['-r', f"echo phpversion('{name}');"], check=True, capture_output=True, text=True).stdout


def _php(setting, arguments):
    return subprocess.run([setting.php, '-n'] + arguments, check=True, capture_output=True, text=True).stdout


def _cpu():
    with open('/proc/cpuinfo') as lines:
        for line in lines:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.machine()


def _memory_gb():
    return os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30


def _distribution():
    return platform.freedesktop_os_release().get('PRETTY_NAME', 'unknown distribution')
