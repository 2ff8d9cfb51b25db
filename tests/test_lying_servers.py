"""The class Memcached on servers that hang, close, drip, mistake keys or answer late, and on servers that are not there."""

import json
import select
import signal
import socket
import time
import unittest

from lies import LIES, LyingServer
from support import PATIENCE, SystemTest, original_of

VALUES = {key: f"value of {key}" for key in ("a1", "b1", "c1")}
RIGHT = {"get": VALUES["a1"], "getMulti": VALUES, "set": True, "setMulti": True, "increment": 7, "delete": True, "getDelayed": VALUES}
AFTER_THE_LIE = ["value of z9", {"y9": "value of y9", "x9": "value of x9"}, 7]
SUCCESS, CONNECTION_FAILURE, SOME_ERRORS = 0, 3, 19

# An answer that the client reads to its end ends by itself, however busy the machine is; the others end by the time-out.
HEARD_OUT = ("closes at once", "closes after a byte", "closes before the last bytes", "slow", "drips")
PATIENT_MS, SHORT_MS = 20_000, 150
# The original reads as long as such a server sends.
ENDLESS = ("an endless line", "drips for ever")
# Where the original answers something else, and why we do not follow.
ACCEPTED = {
    "garbage": "it tells of a miss, or of an unknown read failure; we tell of a protocol error",
    "a negative length": "it tells of a miss where no server has said so",
    "2 GB": "it waits for them; we refuse what no server holds",
    "another key": "it hands out the other key's value",
    "twice": "it hands out the second answer to the next call",
    "closes at once": "some errors, where it was still sending; a failed connection otherwise, as ours",
    "closes after a byte": "some errors, where it was still sending; a failed connection otherwise, as ours",
    "closes before the last bytes": "it drops values that are whole, or tells of a miss",
    "stops in the middle": "it drops values that are whole, or tells of a miss",
    "late": "in the binary protocol what it sends last counts as the next request",
}
# Without a server: the original reports the last key, which it did not try.
OTHER_CAUSE = ("getMulti", "setMulti")
# Longer than a name's part may be: no name server is asked, which may be slow, and whose silence has another code.
UNRESOLVABLE = "x" * 64 + ".invalid"

# Over a connection that was used before, a client waits in the socket itself.
SIGNALLED = """<?php
    pcntl_signal(SIGUSR1, fn() => null);
    $m = new Memcached;
    $m->setOptions([Memcached::OPT_BINARY_PROTOCOL => false, Memcached::OPT_POLL_TIMEOUT => 500]);
    $m->addServer($argv[1], 0);
    $m->get('a1');
    $m->get('a1');
    unlink(preg_replace('/sock$/', 'honest', $argv[1]));
    echo "used\n";
    $got = $m->get('a1');
    pcntl_sigprocmask(SIG_BLOCK, [SIGUSR1]); // PHP takes the handler away before it ends, and would be killed
    echo json_encode($got), ' ', $m->getResultMessage();
"""


class LyingServers(SystemTest):
    def providers(self):
        return {"original": original_of("memcached"), "ours": self.ours(leveret__provide="memcached")}

    def told(self, process):
        """The results of the calls, by their names."""
        said, complaint = process.communicate(timeout=60)
        self.assertEqual((0, ""), (process.returncode, complaint), said)
        *lines, last = map(json.loads, said.splitlines())
        self.assertEqual(list(RIGHT), [line["call"] for line in lines])
        self.assertLess(last["peak_kib"], 200 << 10, "memory was taken for what never came")
        return {line.pop("call"): line for line in lines}

    def lie(self, binary):
        """All wrong answers at the same time, since the calls mostly wait."""
        running = {}
        for who, provider in self.providers().items():
            for lie in LIES:
                if who == "original" and lie in ENDLESS:
                    continue
                path = self.folder / f"{who}-{lie.replace(' ', '-')}.sock"
                LyingServer(self, path, lie)
                timeout_ms = PATIENT_MS if lie in HEARD_OUT else SHORT_MS
                running[who, lie] = self.start_php("lying_servers.php", path, 0, binary, timeout_ms, provider=provider)
        compared = 0
        told = {about: self.told(process) for about, process in running.items()}
        for lie in LIES:
            for call, got in told["ours", lie].items():
                with self.subTest(lie=lie, call=call, got=got):
                    self.check(lie, call, got)
                    if lie not in ACCEPTED and lie not in ENDLESS:
                        self.assertEqual(told["original", lie][call], got)
                        compared += 1
        self.remark(f"{len(LIES)} lies, {compared} calls compared with the original")

    def check(self, lie, call, got):
        """Correct or a failure: never a wrong value, and nothing of the wrong answer affects the next call."""
        then = got["then"]
        if (lie, call) == ("twice", "setMulti") and then[0] is False:
            # Surplus bytes may arrive during the next get: then that fails, and nothing after it.
            then = [AFTER_THE_LIE[0], *then[1:]]
        self.assertEqual(AFTER_THE_LIE, then)
        answer = got["answer"]
        if call == "getDelayed":
            self.assertTrue(answer[0])
            answer = {element["key"]: element["value"] for element in answer[1] or []}
            self.assertLessEqual(answer.items(), VALUES.items())
            self.assertEqual(answer == VALUES, got["code"] == SUCCESS)
        elif call == "getMulti" and got["code"] == SOME_ERRORS:
            self.assertLess(answer.items(), VALUES.items())
        elif got["code"] == SUCCESS:
            self.assertEqual(RIGHT[call], answer)
        else:
            self.assertIs(False, answer)
            if lie in ("closes at once", "closes after a byte"):
                self.assertEqual(CONNECTION_FAILURE, got["code"])

    def test_text(self):
        """For any wrong answer of a server the call is correct or fails, and the next one is correct (text)"""
        self.lie(binary=0)

    def test_binary(self):
        """For any wrong answer of a server the call is correct or fails, and the next one is correct (binary)"""
        self.lie(binary=1)

    def test_signals(self):
        """A server that hangs is left in time by a process that signals interrupt again and again"""
        path = self.folder / "signals.sock"
        LyingServer(self, path, "hangs")
        path.with_suffix(".honest").touch()
        process = self.start_php(SIGNALLED, path, provider=self.ours())
        self.assertEqual("used\n", process.stdout.readline())
        until = time.monotonic() + PATIENCE
        # Until it answers, and no longer: at its end PHP gives the signal back, and it would kill.
        while not (has_answered := select.select([process.stdout], [], [], 0.02)[0]) and time.monotonic() < until:
            process.send_signal(signal.SIGUSR1)
        self.assertTrue(has_answered, "it still waits")
        self.assertEqual("false TIMEOUT", process.stdout.read().replace("A TIMEOUT OCCURRED", "TIMEOUT"))

    def test_absent(self):
        """A name that does not resolve, a port that refuses and a socket that is not there fail as in pecl/memcached"""
        with socket.socket() as bound:  # and does not listen: nobody else gets the port meanwhile
            bound.bind(("127.0.0.1", 0))
            places = [(UNRESOLVABLE, 11211), ("127.0.0.1", bound.getsockname()[1]), (self.folder / "nobody", 0)]
            running = {
                (place, binary, who): self.start_php("lying_servers.php", *place, binary, PATIENT_MS, provider=provider)
                for place in places
                for binary in (0, 1)
                for who, provider in self.providers().items()
            }
            told = {about: self.told(process) for about, process in running.items()}
        for place in places:
            for binary in (0, 1):
                want, got = told[place, binary, "original"], told[place, binary, "ours"]
                for call in RIGHT:
                    with self.subTest(place=place, binary=binary, call=call):
                        if call in OTHER_CAUSE:
                            self.assertEqual((False, want["get"]["code"]), (got[call]["answer"], got[call]["code"]))
                        else:
                            self.assertEqual(want[call], got[call])


if __name__ == "__main__":
    unittest.main()
