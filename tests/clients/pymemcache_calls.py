"""pymemcache's calls, a line each: python3 pymemcache_calls.py PORT"""
import sys

from pymemcache.client.base import Client

client = Client(("127.0.0.1", int(sys.argv[1])), default_noreply=False, connect_timeout=30, timeout=30)


def show(label, value):
    print(f"{label}: {value!r}")


show("flush", client.flush_all())
show("set", client.set("k", "value", flags=7))
show("get", client.get("k"))
show("miss", client.get("none"))
show("add there", client.add("k", "x"))
show("add", client.add("n", "x"))
show("replace missing", client.replace("none", "x"))
show("append", client.append("k", "!"))
show("prepend", client.prepend("k", ">"))
show("get", client.get("k"))
value, token = client.gets("k")
show("cas stale", client.cas("k", "y", b"1" if token != b"1" else b"2"))
show("cas", client.cas("k", "y", token))
show("cas missing", client.cas("none", "y", token))
show("many", client.set_many({f"m{i}": str(i) for i in range(200)}))
show("get many", sorted(client.get_many([f"m{i}" for i in range(0, 400, 2)]).items())[:5])
show("delete", client.delete("n"))
show("delete missing", client.delete("n"))
show("incr", (client.set("c", "10"), client.incr("c", 5), client.decr("c", 100), client.incr("none", 1)))
show("touch", (client.touch("k", 100), client.touch("none", 100)))
show("noreply", (client.set("q", "1", noreply=True), client.get("q")))
show("large", (client.set("l", "x" * 900000), len(client.get("l"))))
try:
    client.set("l", "x" * 2000000)
except Exception as error:
    show("too large", (type(error).__name__, str(error)))
show("gone", client.get("l"))
show("stats", client.stats()[b"curr_items"] > 0)
