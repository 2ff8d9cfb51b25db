#!/usr/bin/env python3
"""Which crates are linked into the command and the extension, as `cargo metadata` describes them.

crates.py notices FILE: the copyright notices and licences of all that others have written of the command, the library and the extension.
crates.py sbom VERSION FILE: which crates are in the command and in the extension, in CycloneDX's JSON.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

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


# --- notices ---

NAMED = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
HEAD = """Third-party software in Leveret

The command, the library and the extension contain Rust's standard library (Copyright (c) The Rust Project Developers, MIT OR Apache-2.0, whose
texts are below) and the crates listed here, each under the licence behind its name. Below are the notices that they came with; a text
that several crates have in common stands there once.
"""


def write_notices(path):
    crates, texts, without = [], {}, []
    for package in linked_crates():
        # Ours have their licences beside this file.
        if package["source"] is None:
            continue
        crates.append(package)
        found = texts_of(Path(package["manifest_path"]).parent)
        for text in found:
            # They differ in how their lines are broken.
            texts.setdefault(" ".join(text.lower().split()), (text, []))[1].append(package)
        if not found:
            without.append(package)
    unlicensed = [title(package) for package in crates if not licence(package)]
    if unlicensed or not crates:
        sys.exit(f"Crates without a licence: {', '.join(unlicensed) or 'no crate was found at all'}")
    with open(path, "w") as file:
        file.write(HEAD + "\n")
        for package in crates:
            file.write(f"{title(package)}: {licence(package)}\n")
        for package in without:
            file.write(f"\n{title(package)} comes without a text. Authors: {', '.join(package['authors']) or 'not named'}; {package['repository'] or ''}\n")
        for text, having in texts.values():
            file.write(f"\n{'=' * 80}\n{', '.join(title(package) for package in having)}\n{'-' * 80}\n{text}\n")
    print(f"    {len(crates)} crates, {len(texts)} texts, {len(without)} crates without a text")


def texts_of(folder):
    """The texts at the top of a crate, and of what it has of others: ring's are in folders of their own."""
    files = [file for file in folder.rglob("*") if file.is_file() and NAMED.match(file.name) and file.suffix in ("", ".txt", ".md")]
    return [file.read_text(errors="replace").strip() for file in sorted(files)]


def title(package):
    return f"{package['name']} {package['version']}"


# --- sbom ---


def write_sbom(version, path):
    components = [component(package) for package in linked_crates()]
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "leveret", "version": version}},
        "components": components,
    }
    with open(path, "w") as file:
        json.dump(bom, file, indent=1)
        file.write("\n")
    print(f"    {len(components)} crates")


def component(package):
    found = {"type": "library", "name": package["name"], "version": package["version"]}
    found["purl"] = f"pkg:cargo/{package['name']}@{package['version']}"
    if package["license"]:
        found["licenses"] = [{"expression": licence(package)}]
    return found


if __name__ == "__main__":
    {"notices": write_notices, "sbom": write_sbom}[sys.argv[1]](*sys.argv[2:])
