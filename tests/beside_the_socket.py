"""Generated calls on two objects of class Redis, one of which keeps to its socket: both answer the same."""

import time

# Longer than what was seen of a server is relied on.
LATER = 0.05


class Beside:
    """Two objects, each with its own prefix, that are called alike. One of them keeps to its socket."""
    TIMES = {"ttl": 2, "pttl": 2000, "expiretime": 2, "pexpiretime": 2000}

    def __init__(self, test, numbers, server):
        self.test, self.numbers, self.server = test, numbers, server
        self.connection, self.process = test.connect(server), test.calls(server)
        self.password, self.calls, self.direct = server.password, 0, 0
        # Methods since the last EXEC whose replies come with the next one.
        self.said, self.queued = [], []
        for name in "ab":
            self.begin(name)

    def begin(self, name):
        self.process.open(name, self.server, password=self.password)
        self.settle(name)

    def settle(self, name):
        if name == "b":
            self.process.gives("b", "rawCommand", "CLIENT", "NO-TOUCH", "OFF")
        self.process.gives(name, "setOption", 2, f"{name}:")

    def both(self, method, *arguments):
        """What both answered."""
        self.said.append([method, *arguments])
        sent = self.process.gives("a", "getTransferredBytes")
        ours, socket = self.process("a", method, *arguments), self.process("b", method, *arguments)
        self.direct += ours.get("gave") is not None and sent == self.process.gives("a", "getTransferredBytes")
        self.calls += 1
        if method in self.TIMES and "gave" in ours and isinstance(ours["gave"], int) and ours["gave"] > 0:
            self.test.assertAlmostEqual(socket.pop("gave"), ours.pop("gave"), delta=self.TIMES[method])
        if ours.get("gave") == {"object": "Redis"}:
            self.queued.append(method)
        elif method in ("exec", "discard"):
            if isinstance(ours.get("gave"), list) and isinstance(socket.get("gave"), list):
                socket["gave"] = self.as_near(nested(self.queued[1:]), ours["gave"], socket["gave"])
            self.queued = []
        self.test.assertEqual(socket, ours, f"behind {self.said[-12:]}")
        return ours

    def as_near(self, methods, ours, socket):
        """The replies by socket of EXEC, with our times where those were read a moment earlier or later."""
        if not len(methods) == len(ours) == len(socket):
            return socket
        near = []
        for method, one, other in zip(methods, ours, socket):
            are_lists = isinstance(method, list) and isinstance(one, list) and isinstance(other, list)
            is_time = method in self.TIMES if isinstance(method, str) else False
            if are_lists:
                other = self.as_near(method, one, other)
            elif is_time and type(one) is type(other) is int and min(one, other) > 0 and abs(one - other) <= self.TIMES[method]:
                other = one
            near.append(other)
        return near

    def step(self):
        self.numbers.choices([self.command, self.command_of_state, self.event], [30, 3, 1])[0]()

    def key(self):
        return f"key{self.numbers.randrange(6)}"

    def value(self):
        kind = self.numbers.randrange(9)
        return [self.numbers.randrange(-100, 100), str(self.numbers.randrange(10**6)), "", "text", "\x0100ff0d0a", 1.5, [1, "a", [2.5]],
                "long " * self.numbers.randrange(1, 5000), True][kind]

    def time(self):
        return self.numbers.choice([100, 1000, 100000, 0, -1, 2**40])

    def command(self):
        pick, key = self.numbers.choice, self.key()
        options = pick([[], [None], [100], [0], ["NX"], ["XX"]])
        options = pick([options, [{"EX": 100}], [{"PX": 100000}], [{"EXAT": 2000000000}], [["NX"]], [["XX"]], [["GET"]], [["KEEPTTL"]],
                        [{"0": "NX", "EX": 50}], [{"0": "XX", "1": "GET", "PX": 50000}], [["NX", "GET"]], [{"EX": 0}]])
        mode = pick([[], [], ["NX"], ["XX"], ["GT"], ["LT"]])
        keys = [self.key() for _ in range(self.numbers.randrange(1, 5))]
        self.both(*pick([
            ["get", key], ["get", key], ["get", key], ["mget", keys], ["exists", *keys], ["exists", keys], ["strlen", key], ["type", key],
            ["ttl", key], ["pttl", key], ["expiretime", key], ["pexpiretime", key], ["set", key, self.value(), *options],
            ["set", key, self.value()], ["set", key, self.value()], ["setex", key, self.time(), self.value()],
            ["psetex", key, self.time(), self.value()], ["setnx", key, self.value()], ["getset", key, self.value()], ["getDel", key],
            ["getEx", key, *pick([[], [{"EX": 100}], [{"PX": 1000}], [{"PERSIST": True}], [{"EXAT": 2000000000}]])], ["append", key, self.value()],
            ["incr", key], ["incr", key, 7], ["incrBy", key, 2**62], ["decr", key], ["decrBy", key, -(2**62)], ["incrByFloat", key, 0.5],
            ["del", *keys], ["unlink", keys], ["touch", *keys], ["expire", key, self.time(), *mode], ["pexpire", key, self.time(), *mode],
            ["expireAt", key, pick([2000000000, 1, 0]), *mode], ["pexpireAt", key, pick([2000000000000, 1]), *mode], ["persist", key],
            ["getRange", key, 1, 3], ["setRange", key, 2, "xy"], ["rename", key, self.key()], ["ping"], ["getDBNum"], ["getMode"], ["isConnected"],
            ["clearLastError"], ["get", ""], ["mget", []], ["del", []], ["lPush", key, "v"], ["getWithMeta", key], ["echo", "text"],
        ]))

    def command_of_state(self):
        steps = self.numbers.choice([
            ["pipeline"], ["multi"], ["exec"], ["discard"], ["watch", self.key()], ["unwatch"], ["select", self.numbers.randrange(3)],
            ["select", 99], ["setOption", 1, self.numbers.randrange(2)], ["setOption", 7, self.numbers.choice([0, 0, 1])],
            ["setOption", 8, self.numbers.randrange(2)],
        ])
        mode = self.process.gives("a", "getMode")
        # A pipeline in a transaction ends the script.
        if steps[0] in ("pipeline", "setOption", "watch", "select") and mode != 0:
            steps = ["exec"]
        self.both(*steps)

    def event(self):
        what = self.numbers.randrange(8)
        if self.process.gives("a", "getMode") != 0:
            self.both("exec")
        if what == 0:
            self.both("rawCommand", "SELECT", self.numbers.randrange(3))
            self.both("get", self.key())
        elif what == 1:
            self.both("auth", "wrong")
        elif what == 2:
            self.connection("SELECT", self.numbers.randrange(3))
            self.connection(self.numbers.choice(["FLUSHDB", "FLUSHALL"]))
        elif what == 3:
            # A connection to the server has its state there only.
            for name in "ab":
                self.process.gives(name, "close")
            self.said.append(["anew"])
            for name in "ab":
                self.begin(name)
        elif what == 4 and self.password:
            self.password = f"another{self.numbers.randrange(1000)}"
            self.connection("CONFIG", "SET", "requirepass", self.password)
            time.sleep(LATER)
            self.both("auth", self.password)
        elif what == 5:
            key = self.key()
            for name in "ab":
                self.connection("SET", f"{name}:{key}", "by another")
        elif what == 6:
            self.connection("CONFIG", "SET", "maxmemory-policy", self.numbers.choice(["allkeys-lfu", "volatile-lfu", "noeviction"]))
        self.compare()

    def compare(self):
        """Each object reads the other's keys as that reads them."""
        if self.process.gives("a", "getMode") != 0:
            return
        keys = [f"key{number}" for number in range(6)]
        self.both("mget", keys)
        for name, other in ("ab", "ba"):
            own = self.process(name, "mget", keys)
            self.process.gives(other, "setOption", 2, f"{name}:")
            self.test.assertEqual(own, self.process(other, "mget", keys), f"behind {self.said[-12:]}")
            for key in keys:
                self.test.assertEqual(self.process(name, "get", key), self.process(other, "get", key))
            self.process.gives(other, "setOption", 2, f"{other}:")


def nested(methods):
    """Methods of a pipeline, with those of each MULTI in it as one list, as their replies are."""
    found, outer = [], None
    for method in methods:
        if method == "multi":
            outer, found = found, []
        elif method == "exec" and outer is not None:
            found, outer = [*outer, found], None
        else:
            found.append(method)
    return found
