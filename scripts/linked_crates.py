"""Which crates are linked into the command and the extension, as `cargo metadata` describes them."""

import json
import subprocess

OURS = ("leveret-cli", "leveret-ffi")


def linked_crates():
    metadata = json.loads(
        subprocess.check_output(["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"])
    )
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    # Not what builds or tests them.
    linked, left = set(), [id for id, package in packages.items() if package["name"] in OURS]
    while left:
        id = left.pop()
        if id not in linked:
            linked.add(id)
            left += [edge["pkg"] for edge in nodes[id]["deps"] if any(kind["kind"] is None for kind in edge["dep_kinds"])]
    return sorted((packages[id] for id in linked), key=lambda package: (package["name"], package["version"]))


def licence(package):
    """As SPDX writes it: a slash is Cargo's older way to write "or"."""
    return " ".join((package["license"] or "").replace("/", " OR ").split())
