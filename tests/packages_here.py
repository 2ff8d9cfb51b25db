"""Debian's packages, built by this machine as `./x package` builds them in a root: once for all tests of a run."""

import atexit
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

from support import ROOT, scratch_place

BUILD = """
ROOT=$PWD
for part in install debian build package; do . scripts/$part.sh; done
package_sources 12 "$1"
# Neither what debuggers want nor a small file is the matter here.
DPKG_DEB_COMPRESSOR_TYPE=none DEB_BUILD_OPTIONS=noautodbgsym scripts/part package "$1" 2>&1
"""


@functools.cache
def packages_here():
    """The five packages."""
    folder = Path(tempfile.mkdtemp(prefix="leveret-packages-", dir=scratch_place()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = folder / "source"
    done = subprocess.run(["bash", "-euc", BUILD, "-", source], cwd=ROOT, capture_output=True, text=True, timeout=900)
    packages = sorted(folder.glob("*.deb"))
    if done.returncode != 0 or len(packages) != 5:
        raise AssertionError("\n".join((done.stdout + done.stderr).splitlines()[-40:]))
    shutil.rmtree(source)
    return packages
