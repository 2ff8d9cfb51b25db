"""Django's cache and its sessions, a line each call: python3 django_cache.py BACKEND LOCATION"""
import sys

import django
from django.conf import settings

backend, location = sys.argv[1:]
settings.configure(
    CACHES={"default": {"BACKEND": f"django.core.cache.backends.memcached.{backend}", "LOCATION": location, "KEY_PREFIX": "shop"}},
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
show("long", (cache.set("long", "kept", 60 * 60 * 24 * 60), cache.get("long")))
show("version", (cache.set("user", "of version 2", version=2), cache.get("user", version=2), cache.get("user")["name"]))
show("large", (cache.set("large", "ä" * 300_000), len(cache.get("large"))))
show("delete", (cache.delete("user"), cache.delete("user"), cache.get("user")))
show("delete many", (cache.delete_many([f"page{i}" for i in range(50)]), cache.get_many(["page1", "page2"])))

session = SessionStore()
session["cart"] = ["a book"]
session.save()
show("session", SessionStore(session.session_key)["cart"])
session.delete()
show("session gone", SessionStore(session.session_key).get("cart"))
