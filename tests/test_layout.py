"""The layout of the sources: which files use which, how long they are, and their names. ARCHITECTURE.md says why.

What is otherwise today stands in layout_exceptions.txt, which only shrinks: a line that is no longer so fails the test as a new one does.
LEVERET_WRITE_LAYOUT=1 python3 tests/run.py test_layout.sources writes it again, for a change that moves listed files."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from layout import C, Order, Rust

ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS = Path(__file__).with_name("layout_exceptions.txt")

LINES_MAX = 600
GENERATED = re.compile(r"_arginfo\.h$|/include/leveret\.h$")
# Lines are counted of these, and of scripts that say what runs them.
COUNTED = (".rs", ".c", ".h", ".py", ".sh", ".rb")
INTERPRETERS = re.compile(r"#!.*\b(?:bash|sh|python3?|ruby)\b")

CRATES = Order("""
leveret-testkit leveret-bench
leveret-cli leveret-ffi
leveret-load
leveret-server leveret-client
leveret-strings
leveret-place leveret-simulator leveret-rounds leveret-tls leveret-compact
leveret-protocol leveret-engine
""")

ROOMS = {
    "crates/leveret-server/src": Order("""
lib
server
metrics
net
systemd signals warm_restart
session
verbose receive
dialects
conversation
commands
context
next worker
stats
shared
redis
watch auth
tls live inbox overdue announcing
counters
settings
redis/settings
transport entrance memcached serve_error log small_file printable release
"""),
    "crates/leveret-client/src": Order("""
lib
pool redis
pool/server
wire memory
link
pool/options
pool/batch
ring codec code try_lock
"""),
    "crates/leveret-engine/src": Order("""
lib
expired
evicted flush huge_pages lease parent prefetch receive sampler scan send service stats tend verify
amend append count
delete
write
hand_out
read
update large
make_room
shard/enter
shard/put shard/recover
evict
shard/relocate shard/sweep
shard/edit
shard/tell_evicted
evict/ghosts
shard
growth journal
limits lookup terms
fate
arena
open
core
process_local
found
index item
segment
presence
counters epoch hash
map
patience error fork meta pid policy program crc
lineage
time
sync
"""),
    "php": Order("""
module
provide
apcu cache memcache memcached redis
client
codec
decoded
base php_leveret
"""),
}


def sources():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [path for path in listed.split("\0") if path and (ROOT / path).is_file() and not GENERATED.search(path)]
    found = {path: (ROOT / path).read_text() for path in paths if path.endswith(COUNTED)}
    for path in paths:
        if "." not in path.rsplit("/", 1)[-1] or path.startswith("debian/"):
            with open(ROOT / path, errors="replace") as file:
                if INTERPRETERS.match(file.readline()):
                    found[path] = (ROOT / path).read_text()
    return found


def below(sources, folder, *endings):
    return {path: text for path, text in sources.items() if path.startswith(folder + "/") and path.endswith(endings)}


class Layout:
    """The violations, one a line."""

    def __init__(self, sources):
        self.sources = sources
        self.rust = Rust(below(sources, "crates", ".rs"))
        # Each of them is its own library: equal names mean different things.
        self.c = [C(below(sources, folder, ".c", ".h")) for folder in ("php", "ruby/ext")]

    def lines(self):
        return sorted([*self.upward(), *self.circles(), *self.long(), *self.names()])

    def upward(self):
        for one in [self.rust, *self.c]:
            for path, used in one.uses().items():
                yield from (f"upward: {path} uses {other}" for other in used if self.is_upward(path, other) and not one.is_inside(other, path))

    def is_upward(self, path, other):
        crate, used = (re.match(r"crates/([\w-]+)/", one) for one in (path, other))
        if crate and crate[1] != used[1]:
            return CRATES.forbids(crate[1], used[1])
        folder = next((folder for folder in ROOMS if path.startswith(folder + "/") and other.startswith(folder + "/")), None)
        return folder and ROOMS[folder].forbids(path[len(folder) + 1:], other[len(folder) + 1:])

    def circles(self):
        for circle in [*self.rust.circles(), *(circle for one in self.c for circle in one.circles())]:
            yield "circle: " + " ".join(sorted(circle))

    def long(self):
        for path, text in self.sources.items():
            if (lines := text.count("\n")) > LINES_MAX:
                yield f"long: {path} {lines}"

    def names(self):
        for one in [self.rust, *self.c]:
            yield from (f"name: {name} {len(files)}" for name, files in one.shared().items() if len(files) > 1)

    def homeless(self):
        """Files that are in no room of their crate."""
        files = [*self.rust.code, *(unit for one in self.c for unit in one.units)]
        places = [(folder, path[len(folder) + 1:]) for folder in ROOMS for path in files if path.startswith(folder + "/")]
        found = {f"{folder}/{path}" for folder, path in places if not ROOMS[folder].room(path)}
        return sorted(found | {name for name, *_ in self.rust.modules if not CRATES.room(name)})

    def empty(self):
        """Rooms without a file."""
        files = {path for path in self.sources} | {unit + "." for one in self.c for unit in one.units}
        has_files = lambda place: any(path.startswith((place + "/", place + ".")) for path in files)
        places = [f"{folder}/{room}" for folder, order in ROOMS.items() for room in order.levels] + [f"crates/{crate}" for crate in CRATES.levels]
        return sorted(place for place in places if not has_files(place))


def compared(found, known):
    """New entries, and obsolete ones. A long file may get shorter."""
    length = lambda line: (line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1]))
    most = dict(length(line) for line in known if line.startswith("long:"))
    shorter = {line for line in found if line.startswith("long:") and length(line)[1] <= most.get(length(line)[0], 0)}
    still = {f"{name} {most[name]}" for name, _ in map(length, shorter)}
    return sorted(set(found) - set(known) - shorter), sorted(set(known) - set(found) - still)


class Sources(unittest.TestCase):
    def test_layout(self):
        """Files use only files below them, without cycles, have at most 600 lines, and unique names"""
        layout = Layout(sources())
        self.assertEqual([], layout.homeless(), "in no line of ROOMS or CRATES")
        self.assertEqual([], layout.empty(), "in ROOMS or CRATES, and no file lies there")
        found = layout.lines()
        if os.environ.get("LEVERET_WRITE_LAYOUT"):
            EXCEPTIONS.write_text("".join(f"{line}\n" for line in found))
        new, gone = compared(found, EXCEPTIONS.read_text().splitlines())
        if new or gone:
            self.fail("\n".join(["tests/layout_exceptions.txt:", *(f"new: {line}" for line in new), *(f"no longer: {line}" for line in gone)]))


class Faults(unittest.TestCase):
    """The reader finds what it is there for."""

    def rust(self, crate, **files):
        return Layout({f"crates/{crate}/src/{name.replace('__', '/')}.rs": text for name, text in files.items()}).lines()

    def test_upward_crate(self):
        """the layout test finds a crate that uses one above it"""
        server = {"crates/leveret-server/src/lib.rs": "pub struct Bound;"}
        for text in ("use leveret_server::Bound;", "fn f() { leveret_server::Bound }", "use {std::io, leveret_server as s};"):
            found = Layout({**server, "crates/leveret-engine/src/lib.rs": text}).lines()
            self.assertEqual(["upward: crates/leveret-engine/src/lib.rs uses crates/leveret-server/src/lib.rs"], found, text)
        found = Layout({**server, "crates/leveret-cli/src/main.rs": "use leveret_server::Bound;"}).lines()
        self.assertEqual([], found)
        found = Layout({**server, "crates/leveret-client/src/lib.rs": "use leveret_server::Bound;"}).lines()
        self.assertEqual(1, len(found), "two of one level know each other")

    def test_upward_room(self):
        """the layout test finds a room that uses one above it, also through re-exports"""
        files = {"lib": "mod map; mod read; pub use read::Found;", "read": "pub struct Found;"}
        upward = ["upward: crates/leveret-engine/src/map/file.rs uses crates/leveret-engine/src/read.rs"]
        for text in ("use crate::read::Found;", "use crate::{Found as F};", "fn f(_: crate::read::Found) {}",
                     "use crate::read; fn f(_: read::Found) {}", "use super::super::read::Found;"):
            self.assertEqual(upward, self.rust("leveret-engine", **files, map__file=text), text)
        for text in ("// crate::read::Found", "/* use crate::read; */", 'const A: &str = "crate::read::Found";',
                     "#[cfg(test)]\nmod tests { use crate::read::Found; }", "#[cfg(all(test, not(model)))]\nuse crate::read;"):
            self.assertEqual([], self.rust("leveret-engine", **files, map__file=text), text)

    def test_rust_circle(self):
        """the layout test finds files that need each other, and lets a module and its children be"""
        circle = lambda *names: ["circle: " + " ".join(f"crates/leveret-load/src/{name}.rs" for name in names)]
        self.assertEqual(circle("a", "b"), self.rust("leveret-load", lib="", a="use crate::b::B;", b="use crate::a; pub struct B;"))
        self.assertEqual(circle("a", "b", "c"), self.rust(
            "leveret-load", a="fn f() { super::b::g() }", b="use crate::{c::C, a};", c="use super::a::{self, A}; pub struct C;"))
        self.assertEqual([], self.rust("leveret-load", lib="mod a; use a::A; pub struct L;", a="use crate::L; pub struct A;"))
        self.assertEqual([], self.rust("leveret-load", a__mod="mod b; use b::B; pub struct A;", a__b="use super::A; pub struct B;"))
        # Through a module to its child, and from the child through its module.
        self.assertEqual(circle("a/b", "a/mod", "c"), self.rust(
            "leveret-load", a__mod="mod b; pub fn f() { b::g() }", a__b="use crate::c; pub fn g() {}", c="use crate::a; fn h() { a::f() }"))
        self.assertEqual(circle("a/b", "a/mod", "c"), self.rust(
            "leveret-load", a__mod="mod b; use crate::c; pub struct A;", a__b="use super::A; pub struct B;", c="use crate::a::b::B;"))

    def test_c(self):
        """the layout test finds a call upward and a circle in C, and reads neither prototypes nor comments"""
        files = {"php/base/a.c": "/* php_cache() */\nvoid php_base(void)\n{\n}\n", "php/base/a.h": "void php_base(void);\nvoid php_cache(int a);\n",
                 "php/cache/c.c": "void php_cache(int a)\n{\n\tphp_base();\n}\nstatic void own(void)\n{\n}\n"}
        self.assertEqual([], Layout(files).lines())
        upward, circle = "upward: php/base/b uses php/cache/c", "circle: php/base/b php/cache/c"
        found = Layout({**files, "php/base/b.c": "void php_b(void)\n{\n\tphp_cache(1);\n}\n"}).lines()
        self.assertEqual([upward], found)
        files["php/cache/c.c"] += "static inline void other(void)\n{\n\tphp_b();\n}\n"
        found = Layout({**files, "php/base/b.h": "static inline void php_b(void)\n{\n\tregister_one(php_cache);\n}\n"}).lines()
        self.assertEqual([circle, upward], found)

    def test_long(self):
        """the layout test finds a file above 600 lines, which may get shorter and not longer once it is listed"""
        lines = Layout({"scripts/a": "true\n" * 601, "scripts/b": "true\n" * 600}).lines()
        self.assertEqual(["long: scripts/a 601"], lines)
        self.assertEqual(([], []), compared(["long: a 650"], ["long: a 682"]))
        self.assertEqual((["long: a 683"], ["long: a 682"]), compared(["long: a 683"], ["long: a 682"]))
        self.assertEqual(([], ["long: a 682"]), compared([], ["long: a 682"]))

    def test_names(self):
        """the layout test finds a name that two modules share, and not one that a file keeps for itself"""
        found = self.rust("leveret-load", a="pub struct Turn;", b="pub(crate) enum Turn {}", c="struct Turn;")
        self.assertEqual(["name: Turn 2"], found)
        found = self.rust("leveret-load", a="impl A {\n    pub const ALL: u8 = 1;\n}\nstruct Turn;", b="pub const ALL: u8 = 1;\npub struct Turn;")
        self.assertEqual([], found)
        found = Layout({"php/base/a.h": "#define A 1\ntypedef struct {\n\tint a;\n} b;\n", "php/base/c.h": "#define A 2\ntypedef int b;\n"}).lines()
        self.assertEqual(["name: A 2", "name: b 2"], found)

    def test_rooms(self):
        """the layout test finds a file without a place in the order, and a place without a file"""
        layout = Layout({"crates/leveret-engine/src/elsewhere.rs": "", "crates/leveret-engine/src/map/file.rs": ""})
        self.assertEqual(["crates/leveret-engine/src/elsewhere.rs"], layout.homeless())
        self.assertIn("crates/leveret-engine/src/sync", layout.empty())
        self.assertNotIn("crates/leveret-engine/src/map", layout.empty())

    def test_only_shrinks(self):
        """an exception of the layout that is new fails, and so does one that is no longer needed"""
        self.assertEqual((["upward: a uses c"], ["upward: a uses b"]), compared(["upward: a uses c"], ["upward: a uses b"]))


if __name__ == "__main__":
    unittest.main()
