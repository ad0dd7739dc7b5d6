"""The server that is measured, and what the system says of it and of the machine."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


class Server:
    def __init__(self, program, profile, data=False, record=False, strict=False):
        self.folder = tempfile.mkdtemp(prefix="imrepl-hostile-")
        arguments = [program, "serve", "--listen", "127.0.0.1:0", "--profile", profile, "--connections", "19000",
                     "--connections-per-address", "19000"]
        if data:
            arguments += ["--data", self.folder + "/data"]
        if record:
            arguments += ["--record", self.folder + "/server.pcapng"]
        if strict:
            arguments.append("--strict")
        self.output = self.folder + "/out"
        environment = {**os.environ, "HOME": self.folder, "XDG_DATA_HOME": self.folder, "XDG_STATE_HOME": self.folder}
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment)
        self.pid, self.profile = self.process.pid, profile
        self.port = int(self.line(r"serving .* on ws://[^ ]*:(\d+)"))

    def line(self, pattern):
        """Waits for a line of its output, and gives what the pattern's group has of it."""
        for _ in range(2000):
            with open(self.output, encoding="utf-8", errors="replace") as output:
                found = re.search(pattern, output.read(1 << 20))
            if found:
                return found.group(1)
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        with open(self.output, encoding="utf-8", errors="replace") as output:
            raise RuntimeError(f"the server did not say {pattern}:\n{output.read(4000)}")

    def command(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def cpu(self):
        """Seconds of processor time it has used, its own and the system's for it."""
        with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as _:
            pass
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/schedstat", encoding="ascii") as stat:
                total += int(stat.read().split()[0])
        return total / 1e9

    def resident(self):
        """Bytes of memory it holds."""
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as stat:
            return int(stat.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Machine:
    """What else the machine did in a span of time, in parts of what all its processors can do."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        with open("/proc/stat", encoding="ascii") as stat:
            return [int(number) for number in stat.readline().split()[1:9]]

    def steal(self):
        spent = [now - then for now, then in zip(self.read(), self.before)]
        return spent[7] / max(1, sum(spent))

    def busy(self):
        spent = [now - then for now, then in zip(self.read(), self.before)]
        return 1 - (spent[3] + spent[4]) / max(1, sum(spent))
