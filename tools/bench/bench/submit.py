"""Submitting: time until it is durable, how it grows with the queue, and the daemon's memory."""

import time

from bench.tools import Daemon, median


def sweep(name, first, count):
    """`count` trials: twenty numbers of steps by count/20 seeds."""
    seeds = ", ".join(str(first + i) for i in range(count // 20))
    steps = ", ".join(str(1 + i) for i in range(20))
    return f"sweep: {name}\nworkload: noop\nparams: {{warmup: 0}}\nmatrix:\n  seed: [{seeds}]\n  steps: [{steps}]\n"


class Submitter:
    def __init__(self, daemon):
        self.daemon = daemon
        self.next_seed = 0

    def submit(self, count):
        """Wall seconds of sweepctl, which returns when the sweep is on the disk; and the daemon's CPU."""
        text = sweep(f"s{self.next_seed}", self.next_seed, count)
        self.next_seed += count // 20
        cpu = self.daemon.cpu_ns()
        begin = time.perf_counter()
        self.daemon.ctl("submit", "-", text=text)
        return time.perf_counter() - begin, (self.daemon.cpu_ns() - cpu) * 1e-9


def run(page):
    with Daemon() as daemon:
        daemon.block()
        submitter = Submitter(daemon)
        empty_mb = daemon.memory_mb("VmRSS")
        thousands = [submitter.submit(1000) for _ in range(5)]
        tens = [submitter.submit(10_000) for _ in range(5)]
        while (submitter.next_seed * 20) < 100_000:
            submitter.submit(min(10_000, 100_000 - submitter.next_seed * 20))
        resident_mb, peak_mb = daemon.memory_mb("VmRSS"), daemon.memory_mb("VmHWM")
        late = [submitter.submit(1000) for _ in range(5)]

    with Daemon() as daemon:
        daemon.block()
        whole = Submitter(daemon).submit(100_000)
        whole_peak_mb = daemon.memory_mb("VmHWM")

    page.add("submitting 10,000 trials", "s", [wall for wall, _ in tens],
             "wall time of `sweepctl submit` of one sweep, on the disk when it returns", 1.0)
    page.add("submitting 10,000 trials, CPU time", "s", [cpu for _, cpu in tens], "of the daemon", 1.0)
    page.add("a trial's cost at 100,000 queued to that at 1,000", "ratio",
             [median(cpu for _, cpu in late) / median(cpu for _, cpu in thousands)],
             "CPU time of the daemon for sweeps of 1,000 trials, median of 5 before and after", 1.5)
    page.add("submitting 100,000 trials in one sweep", "s", [whole[0]], "wall time of `sweepctl submit`")
    page.add("daemon without a queue", "MB", [empty_mb], "VmRSS, 10^6 bytes")
    page.add("daemon with 100,000 trials queued", "MB", [resident_mb], "VmRSS", 150)
    page.add("daemon with 100,000 trials queued, peak", "MB", [peak_mb], "VmHWM, submitted as sweeps of up to 10,000", 150)
    page.add("daemon after one sweep of 100,000 trials, peak", "MB", [whole_peak_mb], "VmHWM")
