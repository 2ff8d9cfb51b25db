"""redis-py's calls, a line each: python3 redis_py.py URL"""
import sys
import threading
import time

import redis

client = redis.Redis.from_url(sys.argv[1], decode_responses=True)
other = redis.Redis.from_url(sys.argv[1], db=1, decode_responses=True)


def show(label, value):
    print(f"{label}: {value!r}")


def refused(call):
    try:
        return call()
    except redis.RedisError as error:
        return f"{type(error).__name__}: {error}"


show("flush", client.flushall())
show("ping", (client.ping(), client.echo("hello")))
show("set and get", (client.set("k", "Grüße"), client.get("k"), client.get("none")))
show("bytes", (client.set("b", bytes(range(256)) * 3), redis.Redis.from_url(sys.argv[1]).get("b") == bytes(range(256)) * 3))
show("large", (client.set("l", "x" * 2_000_000), client.strlen("l"), len(client.get("l"))))
show("set nx", (client.set("n", 1, nx=True), client.set("n", 2, nx=True), client.set("nothing", 2, xx=True), client.get("n")))
show("set get", (client.set("n", 3, get=True), client.getset("n", 4), client.getdel("n"), client.get("n")))
show("set ex", (client.set("t", 1, ex=100), client.ttl("t") in (99, 100), client.set("t", 1, px=100_500), 100_000 < client.pttl("t") <= 100_500))
show("keepttl", (client.set("t", 2, keepttl=True), client.ttl("t") > 90, client.set("t", 3), client.ttl("t")))
show("ttl of none", (client.ttl("none"), client.pttl("none")))
show("expire", (client.expire("t", 50), client.expire("t", 60, nx=True), client.expire("t", 40, gt=True), client.ttl("t"), client.persist("t"), client.persist("t")))
show("expire at", (client.expireat("t", int(time.time()) + 30), client.ttl("t") in (29, 30), client.expireat("t", 1), client.exists("t")))
show("soon gone", (client.set("s", 1, px=120), client.get("s"), time.sleep(0.15), client.get("s")))
show("a second is a second", (client.set("s", 1, ex=1), time.sleep(0.6), client.get("s"), time.sleep(0.5), client.get("s")))
show("mset and mget", (client.mset({"m1": 1, "m2": "two"}), client.mget("m1", "none", "m2"), client.msetnx({"m2": 3, "m3": 3}), client.get("m3")))
show("counts", (client.incr("c"), client.incr("c", 10), client.decr("c", 3), client.incrbyfloat("c", 0.5), client.get("c")))
show("count of text", refused(lambda: client.incr("k")))
show("append", (client.append("a", "Hello "), client.append("a", "World"), client.getrange("a", 0, 4), client.setrange("a", 6, "Redis"), client.get("a")))
show("bits", (client.setbit("bits", 7, 1), client.getbit("bits", 7), client.bitcount("bits"), client.get("bits")))
show("exists and delete", (client.exists("m1", "m2", "m1", "none"), client.delete("m1", "none"), client.unlink("m2"), client.touch("a", "none")))
show("rename", (client.rename("a", "r"), client.get("r"), client.exists("a"), refused(lambda: client.rename("none", "x")), client.renamenx("r", "k")))
show("copy", (client.copy("r", "copied"), client.get("copied"), client.copy("r", "copied"), client.copy("r", "copied", replace=True)))
show("type", (client.type("r"), client.type("none")))

for number in range(500):
    client.set(f"page:{number}", number)
show("scan", (len(set(client.scan_iter("page:*"))), len(set(client.scan_iter("page:*", count=1000))), sorted(client.scan_iter("page:49?"))))
show("keys", (len(client.keys("page:*")), sorted(client.keys("page:1[0-2]"))))

pipe = client.pipeline(transaction=False)
for number in range(100):
    pipe.set(f"pipe:{number}", number, ex=100).get(f"pipe:{number}")
show("pipeline", pipe.execute() == [value for number in range(100) for value in (True, str(number))])
with client.pipeline() as transaction:
    show("transaction", transaction.set("tx", 1).incr("tx").get("tx").expire("tx", 100).execute())
with client.pipeline() as transaction:
    transaction.set("tx", "text").incr("tx").get("tx")
    show("an error inside", [str(answer) for answer in transaction.execute(raise_on_error=False)])

client.set("stock", 10)


def sell():
    for _ in range(25):
        client.transaction(lambda pipe: (lambda left: (pipe.multi(), pipe.set("stock", left + 1)))(int(pipe.get("stock"))), "stock")


sellers = [threading.Thread(target=sell) for _ in range(4)]
for seller in sellers:
    seller.start()
for seller in sellers:
    seller.join()
show("watched by four", client.get("stock"))
with client.pipeline() as pipe:
    pipe.watch("stock")
    client.set("stock", 5)
    pipe.multi()
    pipe.set("stock", 6)
    show("watch", (refused(pipe.execute), client.get("stock")))

lock = client.lock("printer", timeout=10, blocking_timeout=0.1)
late = client.lock("printer", timeout=10, blocking_timeout=0.1)
show("lock", (lock.acquire(), late.acquire(), lock.owned(), late.locked(), 8 < client.pttl("printer") / 1000 <= 10))
show("extend", (lock.extend(20), client.pttl("printer") > 20_000, lock.reacquire(), client.pttl("printer") <= 10_000))
show("release", (lock.release(), client.exists("printer"), refused(lock.release), late.acquire(), late.release()))
held = client.lock("held", timeout=0.2)
show("a lock ends by itself", (held.acquire(), time.sleep(0.3), held.owned(), refused(held.release)))

show("databases", (other.set("k", "of 1"), client.get("k"), other.dbsize(), other.get("page:1")))
show("move", (client.move("copied", 1), other.exists("copied"), client.exists("copied")))
show("flush one", (client.flushdb(), client.dbsize(), other.get("k"), other.dbsize()))
show("no such database", refused(lambda: redis.Redis.from_url(sys.argv[1], db=99).ping()))
show("wrong arguments", refused(lambda: client.execute_command("SET", "k")))
show("wrong option", refused(lambda: client.execute_command("SET", "k", 1, "EX", 10, "PX", 10)))
show("name", (client.client_setname("of-a-test"), isinstance(client.client_id(), int)))
show("random", (client.set("only", 1), client.randomkey(), client.dbsize()))
