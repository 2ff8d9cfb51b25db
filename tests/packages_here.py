"""Debian's packages, built by this machine as `./x package` builds them in a root: once for all tests of a run."""

import atexit
import fcntl
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from support import ROOT, scratch_place

BUILD = """
ROOT=$PWD
for part in install debian build ruby package; do . scripts/$part.sh; done
package_sources 12 "$1"
# Neither what debuggers want nor a small file is the matter here.
DPKG_DEB_COMPRESSOR_TYPE=none DEB_BUILD_OPTIONS=noautodbgsym scripts/part package "$1" 2>&1
"""


@functools.cache
def packages_here():
    """The five packages."""
    folder = Path(os.environ.get("LEVERET_RUN") or of_this_process()) / "packages"
    folder.mkdir(exist_ok=True)
    ended = folder / "ended"
    # tests/run.py has a process for each class: the first one builds, and the others wait for it.
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ended.exists():
            ended.write_text(build(folder))
    if ended.read_text():
        raise AssertionError(ended.read_text())
    return sorted(folder.glob("*.deb"))


def of_this_process():
    folder = Path(tempfile.mkdtemp(prefix="leveret-packages-", dir=scratch_place()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def build(folder):
    """Builds them there. Why that failed; empty where it did not."""
    source = folder / "source"
    done = subprocess.run(["bash", "-euc", BUILD, "-", source], cwd=ROOT, capture_output=True, text=True, timeout=900)
    if done.returncode != 0 or len(list(folder.glob("*.deb"))) != 5:
        return "\n".join((done.stdout + done.stderr).splitlines()[-40:]) or f"exit code {done.returncode}"
    shutil.rmtree(source)
    return ""
