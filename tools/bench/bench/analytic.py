"""Analytic sweeps: points a second by the formulas alone, and from submission until all are stored."""

import json
import subprocess
import time

from bench.tools import BIN, Daemon

POINTS = 10_000
ROUNDS = 3


def formulas():
    """Points a second of one worker, its start included."""
    lines = "".join(
        json.dumps({"workload": "parallelism", "params": {"tokens": str(1024 * (i + 1))}}) + "\n" for i in range(POINTS)
    )
    begin = time.perf_counter()
    done = subprocess.run([BIN / "sweep-worker", "--work"], input=lines, text=True, capture_output=True, check=True)
    taken = time.perf_counter() - begin
    if done.stdout.count('"event":"work"') != POINTS:
        raise RuntimeError("the worker left questions unanswered")
    return POINTS / taken


def sweep():
    tokens = ", ".join(str(1024 * (i + 1)) for i in range(POINTS // 10))
    return f"sweep: points\nworkload: parallelism\nmatrix:\n  fsdp: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]\n  tokens: [{tokens}]\n"


def stored():
    """Points a second from the sweep's submission until the last is stored, and the database's bytes a point."""
    with Daemon() as daemon:
        begin = time.perf_counter()
        daemon.ctl("submit", "-", "--wait", text=sweep())
        taken = time.perf_counter() - begin
        if daemon.rows("select count(*) from attempt where outcome = 'done'") != [(POINTS,)]:
            raise RuntimeError("not every point is done")
        return POINTS / taken, (daemon.state / "results.db").stat().st_size / POINTS


def run(page):
    alone, whole = [], []
    for _ in range(ROUNDS):
        alone.append(formulas())
        whole.append(stored())
    page.add("analytic points, formulas alone", "1/s", alone, f"`sweep-worker --work` on {POINTS:,} trials of `parallelism`, with its start")
    page.add("analytic points, submitted, evaluated and stored", "1/s", [rate for rate, _ in whole],
             f"`sweepctl submit --wait` of {POINTS:,} points, each with its figures and their formulas")
    page.add("database of an analytic point", "B", [size for _, size in whole], "file size over points")
