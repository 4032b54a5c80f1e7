"""The longest time for which the event loop stood still, while the daemon carries out something large.

A second client asks for `status` all the time, a millisecond after each answer, and notes the longest wait;
the daemon notes how long one piece of work held its loop.
"""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time

from bench.submit import sweep
from bench.tools import Daemon

TRIALS = int(os.environ.get("SWEEPD_STALL_TRIALS", "1000000"))
STEPS = int(os.environ.get("SWEEPD_STALL_STEPS", "1000000"))
DOCUMENTS = 1000
RANKS_PER_CORE = 16  # the most that is accepted
LOCK_S = 10


class Pinger:
    def __init__(self, daemon):
        self.daemon = daemon

    def __enter__(self):
        self.over, self.longest_s, self.held_s = False, 0.0, 0.0
        self.begin = time.perf_counter()
        self.thread = threading.Thread(target=self.ping)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()
        self.took_s = time.perf_counter() - self.begin

    def ping(self):
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "status", "params": {}}).encode() + b"\n"
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.daemon.state / "sweepd.sock"))
            answers = client.makefile("rb")
            while not self.over:
                begin = time.perf_counter()
                client.sendall(request)
                answer = json.loads(answers.readline())
                self.longest_s = max(self.longest_s, time.perf_counter() - begin)
                self.held_s = answer["result"]["longest_hold_ns"] * 1e-9
                time.sleep(0.001)


def measured(page, what, daemon, work):
    with Pinger(daemon) as pinger:
        work()
    how = f"longest of all waits for `status` during {pinger.took_s:.1f} s; the daemon says that one piece of work held its loop {pinger.held_s * 1e3:.1f} ms"
    page.add(f"longest stall: {what}", "ms", [pinger.longest_s * 1e3], how, 20)


def large_sweep(page):
    with Daemon() as daemon:
        daemon.block()
        text = sweep("large", 0, TRIALS)
        measured(page, f"submit of {TRIALS:,} trials", daemon, lambda: daemon.ctl("submit", "-", text=text))
        measured(page, f"cancel of {TRIALS:,} trials", daemon, lambda: daemon.ctl("cancel", "large"))
        measured(page, f"retry of {TRIALS:,} trials", daemon, lambda: daemon.ctl("retry", "large"))
        measured(page, f"plan of {TRIALS:,} trials", daemon, lambda: daemon.ctl("plan", "-", text=text))


def long_journal(page):
    with Daemon() as daemon:
        text = f"sweep: long\nworkload: noop\nparams: {{warmup: 0, steps: {STEPS}}}\n"
        measured(page, f"a journal of {STEPS:,} steps", daemon, lambda: daemon.ctl("submit", "-", "--wait", text=text))
        page.add("daemon after it, peak", "MB", [daemon.memory_mb("VmHWM")], "VmHWM")


def many_documents(page):
    text = "---\n".join(f"sweep: d{i}\nworkload: noop\nparams: {{seed: {i}}}\n" for i in range(DOCUMENTS))
    with Daemon() as daemon:
        daemon.block()
        measured(page, f"plan of {DOCUMENTS:,} documents", daemon, lambda: daemon.ctl("plan", "-", text=text))
        measured(page, f"submit of {DOCUMENTS:,} documents", daemon, lambda: daemon.ctl("submit", "-", text=text))


def write_lock(page):
    with Daemon() as daemon:
        database = sqlite3.connect(daemon.state / "results.db", isolation_level=None)

        def hold():
            database.execute("begin immediate")
            time.sleep(LOCK_S)
            database.execute("rollback")

        daemon.ctl("submit", "-", text=sweep("s", 0, 1000))
        measured(page, f"somebody's write lock for {LOCK_S} s, a sweep running", daemon, hold)


class Echo:
    """Waits for a process that only answers, as long as the machine lets it: what no daemon can do better."""

    SERVER = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stdout.buffer.flush()"

    def __enter__(self):
        self.over, self.longest_s = False, 0.0
        self.server = subprocess.Popen([sys.executable, "-c", self.SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.thread = threading.Thread(target=self.ping)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()
        self.server.communicate()

    def ping(self):
        while not self.over:
            begin = time.perf_counter()
            self.server.stdin.write(b"status\n")
            self.server.stdin.flush()
            self.server.stdout.readline()
            self.longest_s = max(self.longest_s, time.perf_counter() - begin)
            time.sleep(0.001)


def gang(page):
    ranks = RANKS_PER_CORE * len(os.sched_getaffinity(0))
    with Daemon() as daemon:
        text = f"sweep: gang\nworkload: noop\nparams: {{world_size: {ranks}, warmup: 0, steps: 1}}\n"
        with Echo() as echo:
            measured(page, f"start and end of {ranks} ranks", daemon, lambda: daemon.ctl("submit", "-", "--wait", text=text))
        page.add("longest wait beside it for a process that only answers", "ms", [echo.longest_s * 1e3], "the same client, the same time: what the kernel's scheduler costs")


def run(page):
    gang(page)
    large_sweep(page)
    long_journal(page)
    many_documents(page)
    write_lock(page)
