"""Django's cache and its sessions on django-redis, a line each call: python3 django_redis_cache.py URL"""
import sys

import django
from django.conf import settings

settings.configure(
    CACHES={"default": {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": sys.argv[1], "KEY_PREFIX": "shop"}},
    INSTALLED_APPS=["django.contrib.sessions"],
    SESSION_ENGINE="django.contrib.sessions.backends.cache",
    SECRET_KEY="of a test",
    USE_TZ=True,
)
django.setup()

from django.contrib.sessions.backends.cache import SessionStore  # noqa: E402: Django wants its settings first
from django.core.cache import cache  # noqa: E402


def show(label, value):
    print(f"{label}: {value!r}")


show("clear", cache.clear())
show("set", cache.set("user", {"name": "Ada", "visits": [1, 2, 3]}, 300))
show("get", cache.get("user"))
show("ttl", (298 < cache.ttl("user") <= 300, cache.ttl("none"), cache.persist("user"), cache.ttl("user"), cache.expire("user", 60), cache.ttl("user") > 58))
show("miss", cache.get("none", "a default"))
show("none is a value", (cache.set("nothing", None), cache.get("nothing", "a default")))
show("add there", cache.add("user", "x"))
show("add", cache.add("lock", "mine", 30))
show("text", (cache.set("text", "Grüße"), cache.get("text")))
show("set many", cache.set_many({f"page{i}": "x" * i for i in range(50)}, 300))
show("get many", sorted((key, len(value)) for key, value in cache.get_many([f"page{i}" for i in range(0, 100, 10)]).items()))
show("count", (cache.set("visits", 5), cache.incr("visits"), cache.incr("visits", 10), cache.decr("visits", 3)))
try:
    cache.incr("none")
except ValueError:
    show("count of none", "ValueError")
show("get or set", (cache.get_or_set("made", lambda: "once"), cache.get_or_set("made", lambda: "twice")))
show("touch", (cache.touch("user", 600), cache.touch("none", 600)))
show("gone at once", (cache.set("past", 1, 0), cache.get("past")))
show("version", (cache.set("user", "of version 2", version=2), cache.get("user", version=2), cache.get("user")["name"]))
show("large", (cache.set("large", "ä" * 300_000), len(cache.get("large"))))
show("keys", sorted(cache.keys("page1*")))
show("iterate", len(set(cache.iter_keys("page*"))))
show("delete", (cache.delete("user"), cache.delete("user"), cache.get("user")))
show("delete many", (cache.delete_many([f"page{i}" for i in range(50)]), cache.get_many(["page1", "page2"])))
show("delete pattern", (cache.set_many({f"menu{i}": i for i in range(30)}), cache.delete_pattern("menu*"), cache.keys("menu*")))
with cache.lock("printer", timeout=10):
    show("locked", (cache.lock("printer", timeout=10, blocking_timeout=0.1).acquire(), cache.has_key("printer")))
show("released", cache.has_key("printer"))

session = SessionStore()
session["cart"] = ["a book"]
session.save()
show("session", SessionStore(session.session_key)["cart"])
session.delete()
show("session gone", SessionStore(session.session_key).get("cart"))
