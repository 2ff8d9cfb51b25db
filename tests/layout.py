"""Reads which file uses which, of Rust by its paths and of C by its calls. Sources are a dictionary of text by path, so that a test
can pass a few lines of its own. What only tests compile is left out."""

import re
from collections import defaultdict

RUST_LITERALS = re.compile(
    r"//[^\n]*|/\*.*?\*/|\bb?r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'", re.S)
C_LITERALS = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#[ \t]*include[^\n]*", re.S | re.M)
FOR_TESTS = re.compile(r"#\[cfg\((?:(?:test|model|doctest)|all\(test\b[^\]]*)\)\]")
ITEM = re.compile(r"\b(?:struct|enum|union|trait|type|fn|const|static|macro_rules!)\s+(?:mut\s+)?([A-Za-z_]\w*)")
SHARED = re.compile(r"^pub(?:\([^)]*\))? (?:unsafe )?(?:struct|enum|union|trait|type) (\w+)", re.M)
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:.])(?:\$?crate|[a-z_]\w*)(?:::[A-Za-z_]\w*)+")


def rust_code(text):
    """Without comments and literals, and without items that only tests compile. Also the modules among the latter."""
    text = RUST_LITERALS.sub(lambda found: "" if found[0].startswith("/") else '""', text)
    modules = []
    while found := FOR_TESTS.search(text):
        end = end_of_item(text, found.end())
        item = text[found.end():end]
        modules += re.findall(r"^\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", item)
        text = text[:found.start()] + text[end:]
    # A module within the file is a part of it: `super` of that module is the file.
    for found in reversed(list(re.finditer(r"\bmod\s+\w+\s*\{", text))):
        end = end_of_item(text, found.start())
        text = text[:found.end()] + re.sub(r"(?<![\w:])super::", "self::", text[found.end():end]) + text[end:]
    return text, modules


def end_of_item(text, begin):
    """The position after the item that begins there: after its semicolon or block."""
    depth = 0
    for found in re.compile(r"[{};]").finditer(text, begin):
        depth += {"{": 1, "}": -1, ";": 0}[found[0]]
        if depth <= 0:
            return found.end()
    return len(text)


def expanded(tree):
    """The paths of a `use`, each with the name that it gives: `a::{b, c as d}` is (a::b, b) and (a::c, d)."""
    tree = tree.strip()
    begin = tree.find("{")
    if begin < 0:
        path, _, name = (part.strip() for part in tree.partition(" as "))
        path = path.removesuffix("::self")
        return [(path, name or path.rsplit("::", 1)[-1])]
    parts, depth = [""], 0
    for letter in tree[begin + 1:tree.rindex("}")]:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [found for part in parts if part.strip() for found in expanded(tree[:begin].strip() + part.strip())]


class Rust:
    """The files below `crates/NAME/src`."""

    def __init__(self, sources):
        self.modules, self.code, self.places, self.out = {}, {}, {}, []
        for path, text in sources.items():
            found = re.fullmatch(r"crates/([\w-]+)/src/(.+)\.rs", path)
            if found:
                *folders, name = found[2].split("/")
                inner = () if name in ("lib", "main") and not folders else (*folders, name) if name != "mod" else tuple(folders)
                self.modules[(found[1], *inner)] = path
                self.code[path] = text
        for place, path in sorted(self.modules.items()):
            self.places[path] = place
            self.code[path], for_tests = rust_code(self.code[path])
            self.out += [(*place, name) for name in for_tests]
        tests = [path for path, place in self.places.items() if any(place[:len(out)] == out for out in self.out)]
        for path in tests:
            del self.modules[self.places.pop(path)], self.code[path]
        self.names = {path: self.names_of(path) for path in self.places}
        self.globs = {path: [target for target, name in expanded_uses(code) if name == "*"] for path, code in self.code.items()}
        self.defined = {path: set(ITEM.findall(code)) for path, code in self.code.items()}

    def names_of(self, path):
        """The full path of each name that a `use` imports."""
        found = {name: self.absolute(path, target) for target, name in expanded_uses(self.code[path]) if name not in ("*", "_")}
        return {name: target for name, target in found.items() if target != (*self.places[path], name)}

    def absolute(self, path, target):
        """From the crate's name on; None: it is of no crate here, or the file gives no module's name."""
        place, words = self.places[path], target.lstrip("$").split("::")
        if words[0] == "crate":
            return (place[0], *words[1:])
        if words[0] in ("self", "super"):
            while words and words[0] in ("self", "super"):
                place = place[:-1] if words.pop(0) == "super" and len(place) > 1 else place
            return (*place, *words)
        if words[0].startswith("leveret_"):
            return (words[0].replace("_", "-"), *words[1:])
        return (*place, *words) if (*place, words[0]) in self.modules else None

    def file_of(self, absolute, depth=0):
        """The file that defines the path's item, through re-exports."""
        length = 1
        if any(absolute[:len(place)] == place for place in self.out):
            return None
        while length < len(absolute) and absolute[:length + 1] in self.modules:
            length += 1
        path = self.modules.get(absolute[:length])
        if path is None or length == len(absolute) or depth > 8:
            return path
        name, rest = absolute[length], absolute[length + 1:]
        if name in self.defined[path]:
            return path
        if self.names[path].get(name):
            return self.file_of((*self.names[path][name], *rest), depth + 1)
        for target in self.globs[path]:
            module = self.absolute(path, target.removesuffix("::*"))
            found = module and self.file_of((*module, name, *rest), depth + 1)
            if found and name in self.defined[found]:
                return found
        return path

    def uses(self):
        """Of each file those that it names, in its crate and in others."""
        graph = {}
        for path, code in self.code.items():
            found = [self.absolute(path, target.removesuffix("::*")) for target, _ in expanded_uses(code)]
            for target in PATH.findall(USE.sub("", code)):
                first, *rest = target.split("::")
                known = self.names[path].get(first)
                found.append((*known, *rest) if known else self.absolute(path, target))
            graph[path] = {self.file_of(place) for place in found if place} - {None, path}
        return graph

    def is_inside(self, path, outer):
        """`path` is in the module of the file `outer`."""
        inner, place = self.places[path], self.places[outer]
        return len(inner) > len(place) and inner[:len(place)] == place

    def circles(self):
        """Files that need each other. A module and its own children may, so only one direction of such a pair counts."""
        graph = self.uses()
        downward = {path: {other for other in used if not self.is_inside(path, other)} for path, used in graph.items()}
        upward = {path: {other for other in used if not self.is_inside(other, path)} for path, used in graph.items()}
        return merged(components(downward) + components(upward))

    def shared(self):
        """Files by the names of types and traits that they share with other modules."""
        found = defaultdict(list)
        for path, code in self.code.items():
            for name in SHARED.findall(code):
                found[name].append(path)
        return found


def expanded_uses(code):
    return [(path, name) for tree in USE.findall(code) for path, name in expanded(re.sub(r"\s+", " ", tree))]


C_FUNCTION = re.compile(r"^(?P<head>[A-Za-z_][\w \t*]*?)\b(?P<name>[a-z_]\w*)\((?P<arguments>[^;{}]*)\)\s*\{", re.M)
C_MACRO_FUNCTION = re.compile(r"^(?:static\s+)?(?:ZEND_INI_MH|PHP_INI_MH)\((?P<name>\w+)\)\s*\{", re.M)
C_PROTOTYPE = re.compile(r"^[A-Za-z_][\w \t*]*\b\w+\([^;{}]*\)[^;{}\n]*;", re.M)
C_TYPE = re.compile(r"^typedef\b[^;{]*?(?:\{.*?^\})?\s*(\w+);", re.M | re.S)
C_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)


class C:
    """A file and the header of its name are one."""

    def __init__(self, sources):
        self.units, self.shared_by = defaultdict(str), defaultdict(set)
        self.owner = {}
        for path, text in sources.items():
            unit, text = path.rsplit(".", 1)[0], C_LITERALS.sub("", text)
            functions = [(found["name"], "static" in found["head"].split()) for found in C_FUNCTION.finditer(text)]
            functions += [(found["name"], found[0].startswith("static")) for found in C_MACRO_FUNCTION.finditer(text)]
            is_header = path.endswith(".h")
            for name, is_static in functions:
                if is_header or not is_static:
                    self.owner[name] = unit
                    self.shared_by[name].add(path)
            if is_header:
                for name in C_TYPE.findall(text) + C_MACRO.findall(text):
                    self.shared_by[name].add(path)
            self.units[unit] += C_PROTOTYPE.sub("", text) + "\n"

    def uses(self):
        graph = {}
        for unit, text in self.units.items():
            words = set(re.findall(r"[A-Za-z_]\w*", text))
            graph[unit] = {self.owner[word] for word in words & self.owner.keys()} - {unit}
        return graph

    def is_inside(self, unit, outer):
        return False

    def circles(self):
        return merged(components(self.uses()))

    def shared(self):
        return self.shared_by


def components(graph):
    """Sets of more than one node of which each leads to each other (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            place = stack.index(node)
            found.append(frozenset(stack[place:]))
            del stack[place:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return [one for one in found if len(one) > 1]


def merged(sets):
    """Those that share an element are one."""
    whole = []
    for one in sets:
        apart = [other for other in whole if not other & one]
        whole = [*apart, frozenset(one.union(*(other for other in whole if other & one)))]
    return whole


class Order:
    """Rooms from the top down, those of one level in a line. A file uses its own room and what lies below; rooms of one level do not
    know each other. A room is a folder or a file; of a file in a folder the longest name counts that is there."""

    def __init__(self, lines):
        self.levels = {room: number for number, line in enumerate(lines.strip().splitlines()) for room in line.split()}

    def room(self, path):
        words = re.sub(r"(/mod)?\.\w+$", "", path).split("/")
        return next((room for end in range(len(words), 0, -1) if (room := "/".join(words[:end])) in self.levels), None)

    def forbids(self, path, used):
        room, below = self.room(path), self.room(used)
        return room != below and self.levels.get(room, -1) >= self.levels.get(below, len(self.levels))
