"""Somebody who is logged in and only wants an answer: it says a heartbeat every few milliseconds, and counts how long
each answer takes. What it could not ask while it waited counts as asked and waiting, so that one long wait is not one
sample among thousands of short ones.

With each wait it notes how long the server's loop ran meanwhile, and how long the loop itself waited for a processor: on
a busy machine the one is the server's doing, and the other is not."""

import json
import os
import signal
import time

import wire

INTERVAL = 0.005


class Loop:
    """The thread of a server on which everything happens."""

    def __init__(self, pid):
        tasks = f"/proc/{pid}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/comm", encoding="ascii", errors="replace") as name:
                if name.read().startswith("NIO-ELT"):
                    self.file = open(f"{tasks}/{task}/schedstat", encoding="ascii")
                    return
        raise RuntimeError("the server has no loop")

    def read(self):
        """Seconds that it ran, and that it waited for a processor."""
        self.file.seek(0)
        ran, waited, _ = self.file.read().split()
        return int(ran) / 1e9, int(waited) / 1e9


class Waits:
    def __init__(self, seconds, ran, starved):
        self.seconds = sorted(seconds)
        # Of one wait: the longest time that the loop ran, and that it had no processor.
        self.ran, self.starved = ran, starved

    def percentile(self, percent):
        if not self.seconds:
            return float("nan")
        return self.seconds[min(len(self.seconds) - 1, int(len(self.seconds) * percent / 100))]

    @property
    def longest(self):
        return self.seconds[-1] if self.seconds else float("nan")

    def __str__(self):
        return (f"p50 {self.percentile(50) * 1000:.1f}, p99 {self.percentile(99) * 1000:.1f}, "
                f"longest {self.longest * 1000:.1f} ms; in one wait the loop ran {self.ran * 1000:.1f} ms at most and "
                f"had no processor for {self.starved * 1000:.1f}")


class Bystander:
    """In a process of its own, so that it is not held up by what the measuring process does."""

    def __init__(self, server, profile, name="bystander"):
        self.told, formatted = os.pipe()
        self.process = os.fork()
        if self.process:
            os.close(formatted)
            with_line = os.read(self.told, 1)
            if with_line != b"+":
                raise RuntimeError("the bystander could not log in")
            return
        os.close(self.told)
        is_over = []
        signal.signal(signal.SIGTERM, lambda *_: is_over.append(True))
        waits, failure, ran, starved = [], None, 0, 0
        try:
            loop = Loop(server.pid)
            client = wire.Client(server.port, profile)
            if client.log_in(profile, name, name) != 0:
                os._exit(1)
            os.write(formatted, b"+")
            due = time.monotonic()
            while not is_over:
                due = max(due + INTERVAL, time.monotonic() - INTERVAL)
                time.sleep(max(0, due - time.monotonic()))
                before, begun = loop.read(), time.monotonic()
                client.beat()
                wait, after = time.monotonic() - begun, loop.read()
                ran, starved = max(ran, after[0] - before[0]), max(starved, after[1] - before[1])
                while wait > 0:
                    waits.append(wait)
                    wait -= INTERVAL
        except Exception as error:  # whatever it is, the figure is worth nothing without it
            failure = repr(error)
        answer = json.dumps([failure, waits, ran, starved]).encode()
        while answer:
            answer = answer[os.write(formatted, answer):]
        os._exit(0)

    def end(self):
        """Its waits; raises when it was cut off."""
        os.kill(self.process, signal.SIGTERM)
        with os.fdopen(self.told) as answers:
            failure, *waits = json.load(answers)
        os.waitpid(self.process, 0)
        if failure:
            raise RuntimeError(f"the bystander was cut off: {failure}")
        return Waits(*waits)
