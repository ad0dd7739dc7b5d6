"""Somebody who is logged in and only wants an answer: it says a heartbeat every few milliseconds, and counts how long
each answer takes. What it could not ask while it waited counts as asked and waiting, so that one long wait is not one
sample among thousands of short ones."""

import json
import os
import signal
import time

import wire

INTERVAL = 0.005


class Waits:
    def __init__(self, seconds):
        self.seconds = sorted(seconds)

    def percentile(self, percent):
        if not self.seconds:
            return float("nan")
        return self.seconds[min(len(self.seconds) - 1, int(len(self.seconds) * percent / 100))]

    @property
    def longest(self):
        return self.seconds[-1] if self.seconds else float("nan")

    def __str__(self):
        return (f"p50 {self.percentile(50) * 1000:.1f}, p99 {self.percentile(99) * 1000:.1f}, "
                f"longest {self.longest * 1000:.1f} ms")


class Bystander:
    """In a process of its own, so that it is not held up by what the measuring process does."""

    def __init__(self, port, profile, name="bystander"):
        self.told, telling = os.pipe()
        self.process = os.fork()
        if self.process:
            os.close(telling)
            with_line = os.read(self.told, 1)
            if with_line != b"+":
                raise RuntimeError("the bystander could not log in")
            return
        os.close(self.told)
        is_over = []
        signal.signal(signal.SIGTERM, lambda *_: is_over.append(True))
        waits, failure = [], None
        try:
            client = wire.Client(port, profile)
            if client.log_in(profile, name, name) != 0:
                os._exit(1)
            os.write(telling, b"+")
            due = time.monotonic()
            while not is_over:
                due = max(due + INTERVAL, time.monotonic() - INTERVAL)
                time.sleep(max(0, due - time.monotonic()))
                begun = time.monotonic()
                client.beat()
                wait = time.monotonic() - begun
                while wait > 0:
                    waits.append(wait)
                    wait -= INTERVAL
        except Exception as error:  # whatever it is, the figure is worth nothing without it
            failure = repr(error)
        answer = json.dumps([failure, waits]).encode()
        while answer:
            answer = answer[os.write(telling, answer):]
        os._exit(0)

    def end(self):
        """Its waits; raises when it was cut off."""
        os.kill(self.process, signal.SIGTERM)
        with os.fdopen(self.told) as answers:
            failure, waits = json.load(answers)
        os.waitpid(self.process, 0)
        if failure:
            raise RuntimeError(f"the bystander was cut off: {failure}")
        return Waits(waits)
