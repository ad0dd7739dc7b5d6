"""How a release build holds up where many come at once, in figures with their goals.

    python3 SelfTests/Benchmarks/hostile [PROGRAM] [--only PART]

Everything goes over real sockets of the loopback. The figures are of this machine at this moment: what else it did
stands beside each (steal is what its host took away), and the row 'quiet' is what a bystander waits when nobody attacks. A
wait has a part that is the server's doing, for which its loop ran, and one in which the loop had no processor.
"""

import argparse
import os
import resource
import sys
import time

import attacks
import wire
from attacks import AttackProcess
from bystander import Bystander
from crowd import CrowdProcess
from server import Machine, Server

GOAL_MEMORY = 6.0  # KiB a connection
GOAL_DROP = 50.0  # ms
GOAL_LOGIN, GOAL_LOGIN_KEPT = 0.25, 0.4  # ms
GOAL_FAN_OUT = 50.0  # ms
GOAL_BYSTANDER = 20.0  # ms
CROWD = 10_000
EVENTS_KEPT = 12_000
DROPPED = 9_500


class Table:
    def __init__(self):
        print("| figure | goal | measured | ratio | besides | steal | machine busy |")
        print("|---|---|---|---|---|---|---|", flush=True)
        self.missed = 0

    def row(self, what, goal, measured, unit, machine, besides=""):
        ratio = ""
        if goal is not None:
            ratio = f"{measured / goal:.2f}"
            self.missed += measured > goal
        print(f"| {what} | {'' if goal is None else f'{goal:g} {unit}'} | {measured:.3g} {unit} | {ratio} | {besides} | "
              f"{machine.steal():.1%} | {machine.busy():.0%} |", flush=True)


def memory(program, table):
    for name, profile in [("on which nobody logs in", None), ("with a login each", "nim")]:
        with Server(program, "nim") as server:
            first = CrowdProcess(server.port, "nim", 100, profile=profile, prefix="first")
            first.there()
            # The server keeps its last events, as many for one connection as for thousands: they are there before.
            chatty = wire.Client(server.port, "nim")
            chatty.log_in("nim", "chatty", "chatty")
            for _ in range(EVENTS_KEPT):
                chatty.beat()
            time.sleep(0.5)
            machine, before = Machine(), server.resident()
            crowd = CrowdProcess(server.port, "nim", CROWD - 100, profile=profile, in_flight=200)
            there = crowd.there()
            time.sleep(0.5)
            each = (server.resident() - before) / max(1, there) / 1024
            table.row(f"memory of an idle connection {name}", GOAL_MEMORY if profile is None else None, each, "KiB",
                      machine, f"{there + 100} connections")
            crowd.kill()
            first.kill()


def drop(program, table):
    for name, profile in [("nobody had logged in", None), ("all had logged in", "nim")]:
        with Server(program, "nim") as server:
            crowd = CrowdProcess(server.port, "nim", DROPPED, profile=profile, in_flight=200)
            there = crowd.there()
            time.sleep(0.5)
            bystander = Bystander(server, "nim")
            time.sleep(0.5)
            machine, used = Machine(), server.cpu()
            crowd.kill()
            time.sleep(3)
            used = server.cpu() - used
            waits = bystander.end()
            table.row(f"{there} dropped at once, {name}: longest wait", GOAL_DROP, waits.longest * 1000, "ms", machine,
                      f"{waits}; {used * 1000:.0f} ms of processor")


def logins(program, table, rounds=2):
    for name, goal, data in [("in memory", GOAL_LOGIN, False), ("with --data", GOAL_LOGIN_KEPT, True)]:
        for profile in ["nim"]:
            with Server(program, profile, data=data) as server:
                machine, used, count = Machine(), 0, 0
                for turn in range(rounds):
                    before = server.cpu()
                    crowd = CrowdProcess(server.port, profile, CROWD - 100, profile=profile, prefix=f"r{turn}-")
                    count += crowd.there()
                    used += server.cpu() - before
                    crowd.kill()
                    time.sleep(2)
                table.row(f"processor time of connect and login {name}", goal, used / max(1, count) * 1000, "ms",
                          machine, f"{count} logins")


def fan_out(program, table, members=999, messages=20):
    with Server(program, "agora-rtm") as server:
        crowd = CrowdProcess(server.port, "agora-rtm", members, profile="agora-rtm", channel="lobby", in_flight=50)
        there = crowd.there()
        sender = wire.Client(server.port, "agora-rtm")
        sender.log_in("agora-rtm", "sender", "sender")
        sender.send(wire.join("lobby"))
        sender.receive(wire.JOIN_ACK)
        bystander = Bystander(server, "agora-rtm")
        time.sleep(1)
        machine, used, arrivals, answers = Machine(), 0, [], []
        for number in range(1, messages + 1):
            crowd.expect_messages(number * there)
            time.sleep(0.15)
            before, begun = server.cpu(), time.monotonic()
            sender.send(wire.message(f"m{number}", "sender", "lobby", "x" * (32 << 10), to_channel=True))
            sender.receive(wire.SEND_ACK)
            answers.append(time.monotonic() - begun)
            arrivals.append(crowd.arrived() - begun)
            used += server.cpu() - before
        waits = bystander.end()
        crowd.kill()
        table.row(f"32 KB to {there + 1} members: loop time", GOAL_FAN_OUT, used / messages * 1000, "ms", machine,
                  f"{messages} messages; all have it after {sorted(arrivals)[messages // 2] * 1000:.0f} ms")
        table.row("32 KB to 1,000 members: a bystander's longest wait", GOAL_FAN_OUT, waits.longest * 1000, "ms",
                  machine, f"{waits}; acknowledged after {sorted(answers)[messages // 2] * 1000:.0f} ms")


def under_attack(program, table, seconds=5, record=False):
    for attack, profile in attacks.ALL:
        with Server(program, profile, record=record) as server:
            if profile == "agora-chat":
                server.command(f'server account add alice "{attacks.PASSWORD}"')
            bystander = Bystander(server, profile)
            time.sleep(0.5)
            machine, used = Machine(), server.cpu()
            process = AttackProcess(attack, server, seconds)
            status = process.wait()
            used = server.cpu() - used
            waits = bystander.end()
            what = f"bystander's p99: {attack.__name__.replace('_', ' ')}{', recorded' if record else ''}"
            table.row(what, GOAL_BYSTANDER, waits.percentile(99) * 1000, "ms", machine,
                      f"{waits}; {used / seconds:.0%} of a processor{'' if status == 0 else '; the attack failed'}")


def recorded(program, table):
    under_attack(program, table, record=True)


PARTS = {"memory": memory, "drop": drop, "logins": logins, "fan-out": fan_out, "attacks": under_attack,
         "recorded": recorded}


def main():
    parser = argparse.ArgumentParser(description="How a release build holds up where many come at once.")
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", ".build", "release", "imrepl")
    parser.add_argument("program", nargs="?", default=default)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--attack", help="of the attacks only this one")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if options.attack:
        attacks.ALL[:] = [pair for pair in attacks.ALL if pair[0].__name__ == options.attack]
    table = Table()
    for name in options.only or PARTS:
        PARTS[name](options.program, table)
    if table.missed:
        print(f"{table.missed} goals missed", file=sys.stderr)


main()
