"""What peers without a credential do to a server. Each runs for some seconds in a process of its own."""

import os
import random
import resource
import select
import signal
import socket
import time

import wire
from crowd import Burst

PASSWORD = "correct horse battery"


def quiet(_server, until):
    """Nothing: what the machine itself makes a bystander wait."""
    while time.monotonic() < until:
        time.sleep(0.05)


def idle(server, until):
    """10,000 connections on which nobody logs in."""
    crowd = Burst(server.port, server.profile, 10_000, in_flight=200)
    while time.monotonic() < until:
        while crowd.begun < crowd.count and crowd.begun - crowd.settled < crowd.in_flight:
            crowd.begin()
        crowd.step(0.1)


def storm(server, until):
    """One address connects, shakes hands and goes away, again and again, a hundred at a time."""
    while time.monotonic() < until:
        crowd = Burst(server.port, server.profile, 100, in_flight=100)
        crowd.gather()
        for number, member in list(crowd.members.items()):
            crowd.drop(number, member)


def pour(server, until, clients, payload):
    """Sends the same on all connections as fast as it is taken; who is cut off comes back."""
    poll, members = select.epoll(), {}
    make = clients
    while time.monotonic() < until:
        while len(members) < 16:
            try:
                one = make()
            except OSError:
                time.sleep(0.01)
                break
            one.socket.setblocking(False)
            number = one.socket.fileno()
            members[number] = [one, 0]
            poll.register(number, select.EPOLLIN | select.EPOLLOUT)
        for number, event in poll.poll(0.05):
            one = members[number]
            try:
                if event & select.EPOLLIN and not one[0].socket.recv(1 << 16):
                    raise ConnectionError
                if event & select.EPOLLOUT:
                    sent = one[0].socket.send(payload[one[1]:])
                    one[1] = (one[1] + sent) % len(payload)
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(number)
                one[0].socket.close()
                del members[number]


def queued(server, until):
    """Frames of 60 KB behind a password that is being checked."""
    count = [0]

    def come():
        count[0] += 1
        one = wire.Client(server.port, server.profile)
        one.send(wire.login(server.profile, "alice", f"d{count[0]}", "password:wrong"))
        return one

    pour(server, until, come, wire.masked(wire.frame(7, b"\0" * 60_000)))


def event_log(server, until):
    """Messages of 32 KB to somebody who is not there, from a device that logs in again and again."""
    count = [0]
    text = "x" * (32 << 10)

    def come():
        count[0] += 1
        one = wire.Client(server.port, server.profile)
        name = f"writer{count[0]}"
        one.log_in(server.profile, name, name)
        return one

    pour(server, until, come, wire.masked(wire.message("m", "writer", "nobody", text)))


def devices(server, until):
    """One account, ever more devices, and a message to all of them between two."""
    sender = wire.Client(server.port, server.profile)
    sender.log_in(server.profile, "sender", "sender")
    count = 0
    while time.monotonic() < until:
        count += 1
        one = wire.Client(server.port, server.profile)
        one.log_in(server.profile, "many", f"device{count}")
        one.socket.close()
        sender.send(wire.message(f"m{count}", "sender", "many", "x" * 1000))
        sender.receive(wire.SEND_ACK)


def guesses(server, until):
    """Passwords are guessed on 16 connections."""
    count = 0
    ones = []
    while time.monotonic() < until:
        while len(ones) < 16:
            ones.append(wire.Client(server.port, server.profile))
        for one in list(ones):
            count += 1
            try:
                one.send(wire.login(server.profile, "alice", f"d{count}", f"password:guess{count}"))
            except OSError:
                ones.remove(one)
        for one in list(ones):
            try:
                one.receive(wire.LOGIN_ACK)
            except OSError:
                ones.remove(one)


def stopped(server, until):
    """Receivers that stop reading, and a sender who does not stop sending."""
    for index in range(8):
        one = wire.Client(server.port, server.profile)
        one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.log_in(server.profile, f"stopped{index}", f"stopped{index}")
        globals().setdefault("held", []).append(one)
    sender = wire.Client(server.port, server.profile)
    sender.log_in(server.profile, "sender", "sender")
    count = 0
    while time.monotonic() < until:
        count += 1
        sender.send(wire.message(f"m{count}", "sender", f"stopped{count % 8}", "x" * (30 << 10)))
        sender.receive(wire.SEND_ACK)


def oversized(server, until):
    """Frames of a megabyte, which nobody takes."""
    pour(server, until, lambda: wire.Client(server.port, server.profile), wire.masked(b"\0" * (1 << 20)))


def garbage(server, until):
    """Random bytes, half of them behind a handshake, half of those in frames."""
    chance = random.Random(7)
    while time.monotonic() < until:
        junk = chance.randbytes(2000)
        kind = chance.randrange(4)
        try:
            if kind < 2:
                one = socket.create_connection(("127.0.0.1", server.port), 5)
                one.sendall(junk)
                one.close()
                continue
            one = wire.Client(server.port, server.profile)
            one.socket.sendall(junk if kind == 2 else wire.masked(junk, mask=junk[:4]))
            one.socket.close()
        except OSError:
            pass


# Which profile each is for: passwords are agora-chat's.
ALL = [(quiet, "nim"), (idle, "nim"), (storm, "nim"), (queued, "agora-chat"), (event_log, "nim"),
       (devices, "agora-chat"), (guesses, "agora-chat"), (stopped, "zim"), (oversized, "nim"), (garbage, "nim")]


class AttackProcess:
    """An attack in a process of its own, a little behind the server and its bystander in the queue for processors: it
    is the server that is measured, and not who gets a processor."""

    def __init__(self, attack, server, seconds):
        self.process = os.fork()
        if self.process:
            return
        status = 1
        try:
            os.nice(5)
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            attack(server, time.monotonic() + seconds)
            status = 0
        except OSError as error:
            os.write(2, f"{attack.__name__}: {error}\n".encode())
        finally:
            os._exit(status)

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
