"""What a number means nothing without."""
import os
import platform
import subprocess


def describe():
    return {
        'machine': f'{_cpu()}, {os.cpu_count()} CPUs, {_memory_gb():.0f} GB',
        'system': f'{platform.freedesktop_os_release().get("PRETTY_NAME", "unknown distribution")}, Linux {platform.release()}',
        'load': round(os.getloadavg()[0], 1),
    }


def first_line(*command):
    """Of what a program says, such as its version."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split('\n')[0]


def extension_version(php, name):
    return first_line(*php, '-r', f"echo phpversion('{name}');")


def _cpu():
    with open('/proc/cpuinfo') as lines:
        for line in lines:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.machine()


def _memory_gb():
    return os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30
