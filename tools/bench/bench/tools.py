"""Programs, processes and numbers that the benchmarks share."""

import os
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

REPO = Path(__file__).resolve().parents[3]
BIN = REPO / "build/release/bin"


class Skipped(Exception):
    """A benchmark lacks what it needs; the text says what."""


def build(targets):
    subprocess.run([REPO / "tools/build", "release", *targets], check=True, stdout=subprocess.DEVNULL)


def percentile(values, share):
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


median = statistics.median


def cpu_of_children_s():
    usage = os.times()
    return usage.children_user + usage.children_system


def timed(command, **options):
    """Wall seconds of a command that must succeed."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    return time.perf_counter() - begin


class Daemon:
    """sweepd in a state folder of its own, gone at the end."""

    def __init__(self, *options, binaries=BIN):
        self.binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="sweepd-bench-"))
        self.state = self.folder / "state"
        self.options = options
        self.environment = {**os.environ, "SWEEPD_STATE_DIR": str(self.state), "SWEEPD_WORKER": str(binaries / "sweep-worker")}

    def __enter__(self):
        subprocess.run([self.binaries / "sweepd", *self.options], env=self.environment, check=True)
        return self

    def __exit__(self, *_):
        for entry in self.state.glob("runs/*/pid.*"):
            who = entry.read_text().split()  # pid, start time, boot id; empty before the start
            if who:
                self.end_worker(int(who[0]), int(who[1]))
        subprocess.run([self.binaries / "sweepctl", "stop", "--now"], env=self.environment, stdout=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def end_worker(pid, start):
        """Only the very process: its start time must match too, since pids are reused."""
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
            if int(stat[stat.rindex(")") + 2:].split()[19]) == start:
                os.kill(pid, 9)
        except (OSError, ValueError):
            pass

    def run(self, *arguments, text=None):
        """sweepctl, whatever its exit code."""
        return subprocess.run([self.binaries / "sweepctl", *arguments], env=self.environment, input=text, text=True,
                              capture_output=True, check=False)

    def ctl(self, *arguments, text=None):
        done = self.run(*arguments, text=text)
        if done.returncode != 0:
            raise RuntimeError(f"sweepctl {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def pid(self):
        return int((self.state / "lock").read_text().split()[0])

    def cpu_ns(self):
        """CPU time of all its threads."""
        return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{self.pid()}/task").iterdir())

    def memory_mb(self, field):
        """A field of /proc/<pid>/status, such as VmRSS, in MB (10^6 bytes)."""
        for line in Path(f"/proc/{self.pid()}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024 / 1e6
        raise KeyError(field)

    def rows(self, query):
        with sqlite3.connect(f"file:{self.state}/results.db?mode=ro", uri=True) as database:
            return database.execute(query).fetchall()

    def block(self):
        """One attempt that holds the host, so that all others wait."""
        self.ctl("submit", "-", text="sweep: blocker\nworkload: noop\nparams: {sleep: 1h, warmup: 0, steps: 1, priority: 1000}\n")
        while not list(self.state.glob("runs/*/pid.0")):
            time.sleep(0.01)
