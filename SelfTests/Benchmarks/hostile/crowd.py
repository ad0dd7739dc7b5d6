"""Many clients in a process of their own: they connect, perhaps log in, and then are only there, or read."""

import os
import resource
import select
import signal
import socket
import time

import wire


# Seconds between two heartbeats of a client that has logged in: every system calls it dead after some more.
BEAT = 10


class Burst:
    """Counts what its clients have come to. Speaks to its parent in lines, over a pipe."""

    def __init__(self, port, path, count, profile=None, prefix="c", channel=None, in_flight=64):
        self.port, self.path, self.count, self.profile, self.prefix = port, path, count, profile, prefix
        self.channel, self.in_flight = channel, in_flight
        self.poll = select.epoll()
        self.members = {}
        self.begun = self.settled = self.failed = self.messages = 0
        self.beat_at = time.monotonic() + BEAT

    def begin(self):
        index = self.begun
        self.begun += 1
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", self.port))
        self.members[one.fileno()] = [one, "connecting", b"", index]
        self.poll.register(one.fileno(), select.EPOLLOUT)

    def settle(self, failed=False):
        self.settled += 1
        self.failed += failed

    def step(self, timeout):
        for number, _ in self.poll.poll(timeout):
            member = self.members.get(number)
            if member is None:
                continue
            try:
                self.advance(number, member)
            except OSError:
                self.drop(number, member)
        if self.profile and time.monotonic() > self.beat_at:
            self.beat_at = time.monotonic() + BEAT
            self.beat()

    def beat(self):
        for number, member in list(self.members.items()):
            if member[1] in ("join", "there"):
                try:
                    member[0].send(wire.masked(wire.heartbeat()))
                except BlockingIOError:
                    pass
                except OSError:
                    self.drop(number, member)

    def drop(self, number, member):
        self.poll.unregister(number)
        member[0].close()
        del self.members[number]
        if member[1] != "there":
            self.settle(failed=True)

    def advance(self, number, member):
        one, stage, _, index = member
        if stage == "connecting":
            one.send(wire.handshake(self.path))
            member[1] = "greeting"
            self.poll.modify(number, select.EPOLLIN)
            return
        data = one.recv(1 << 16)
        if not data:
            return self.drop(number, member)
        if stage == "greeting":
            member[2] += data
            if b"\r\n\r\n" not in member[2]:
                return
            if not member[2].startswith(b"HTTP/1.1 101"):
                return self.drop(number, member)
            member[2] = wire.Reader()
            if self.profile is None:
                member[1] = "there"
                return self.settle()
            member[1] = "login"
            name = f"{self.prefix}{index}"
            one.send(wire.masked(wire.login(self.profile, name, name)))
            return
        for opcode, payload in member[2].feed(data):
            if opcode != 2:
                continue
            body, content = wire.body(payload)
            if stage == "login" and body == wire.LOGIN_ACK:
                if wire.status(content) != 0:
                    return self.drop(number, member)
                if self.channel:
                    member[1] = stage = "join"
                    one.send(wire.masked(wire.join(self.channel)))
                else:
                    member[1] = stage = "there"
                    self.settle()
            elif stage == "join" and body == wire.JOIN_ACK:
                member[1] = stage = "there"
                self.settle(failed=wire.status(content) != 0)
            elif body == wire.MESSAGE:
                self.messages += 1

    def gather(self):
        while self.settled < self.count:
            while self.begun < self.count and self.begun - self.settled < self.in_flight:
                self.begin()
            self.step(1)


class CrowdProcess:
    """A crowd that is in a process of its own and can be killed."""

    def __init__(self, port, path, count, **options):
        self.told, formatted = os.pipe()
        hearing, self.asking = os.pipe()
        self.process = os.fork()
        if self.process:
            os.close(formatted)
            os.close(hearing)
            self.answers = os.fdopen(self.told)
            return
        os.close(self.told)
        os.close(self.asking)
        status = 1
        try:
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            crowd = Burst(port, path, count, **options)
            crowd.gather()
            os.write(formatted, f"{crowd.settled - crowd.failed}\n".encode())
            crowd.poll.register(hearing, select.EPOLLIN)
            wanted = 0
            while True:
                crowd.step(0.5)
                if select.select([hearing], [], [], 0)[0]:
                    asked = os.read(hearing, 64)
                    if not asked:
                        break
                    wanted = int(asked.split()[-1])
                if wanted and crowd.messages >= wanted:
                    os.write(formatted, f"{time.monotonic()}\n".encode())
                    wanted = 0
            status = 0
        finally:
            os._exit(status)

    def there(self):
        """Waits until all are there, and says how many are."""
        return int(self.answers.readline() or 0)

    def expect_messages(self, count):
        os.write(self.asking, f"{count}\n".encode())

    def arrived(self):
        """When the last of the messages asked for had arrived; not a number when it did not within ten seconds."""
        if not select.select([self.answers], [], [], 10)[0]:
            return float("nan")
        return float(self.answers.readline() or "nan")

    def kill(self):
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            self.process = None
            os.close(self.asking)
            self.answers.close()
