"""From one attempt to the next: the time that is spent on anything but measuring."""

import json
import time

from bench.tools import BIN, Daemon, median, timed

TRIALS = 60
SWEEP = """sweep: noops
workload: noop
params: {{warmup: 1, steps: 1}}
matrix: {{seed: [{seeds}]}}
order: sequential
"""

# As a user submits them: with the default number of steps and a client that waits.
MANY = 1000
WAITED_FOR = "sweep: many\nworkload: noop\nmatrix: {{seed: [{seeds}]}}\n"

# The stages of a trial, by the times of its files: (name, from, to).
STAGES = [
    ("from its `end` line to the next attempt's request", "end", "next request"),
    ("from the request to the process", "request", "process"),
    ("from the process to its `started` line", "process", "started"),
    ("from `started` to `end`", "started", "end"),
]


def moments(folder):
    """Seconds since 1970 of one attempt's milestones."""
    events = [json.loads(line) for line in (folder / "events.0.ndjson").read_text().splitlines()]
    wall = {event["event"]: event["wall_ns"] * 1e-9 for event in events if event.get("event") in ("started", "end")}
    return {"request": (folder / "request.json").stat().st_mtime_ns * 1e-9,
            "process": (folder / "pid.0").stat().st_mtime_ns * 1e-9, **wall}


def run_noops(*options):
    """The milestones of TRIALS trials in the order in which they ran."""
    with Daemon(*options) as daemon:
        daemon.ctl("submit", "-", text=SWEEP.format(seeds=", ".join(map(str, range(TRIALS)))))
        while daemon.rows("select count(*) from attempt where outcome is null")[0][0] > 0:
            time.sleep(0.05)
        ended = daemon.rows("select count(*) from attempt where outcome = 'done'")[0][0]
        if ended != TRIALS:
            raise RuntimeError(f"{ended} of {TRIALS} trials are done")
        all_moments = [moments(folder) for folder in (daemon.state / "runs").iterdir()]
    return sorted(all_moments, key=lambda m: m["process"])


def wait_for_many():
    """Seconds a trial, from `submit --wait` to its return."""
    with Daemon() as daemon:
        begin = time.perf_counter()
        daemon.ctl("submit", "-", "--wait", text=WAITED_FOR.format(seeds=", ".join(map(str, range(MANY)))))
        return (time.perf_counter() - begin) / MANY


def intervals(attempts, first, second):
    if second.startswith("next "):
        return [b[second.removeprefix("next ")] - a[first] for a, b in zip(attempts, attempts[1:])]
    return [a[second] - a[first] for a in attempts[1:]]  # the first loads what others reuse


def run(page):
    for _ in range(3):
        timed([BIN / "sweep-worker", "--version"])
    bare, preloaded, plain = [], [], []
    for _ in range(2):
        bare += [timed([BIN / "sweep-worker", "--version"]) for _ in range(10)]
        preloaded.append(run_noops())
        bare += [timed([BIN / "sweep-worker", "--version"]) for _ in range(10)]
        plain.append(run_noops("--no-prefork"))
    page.add("bare start of the worker", "ms", [s * 1e3 for s in bare], "wall time of `sweep-worker --version`")
    for name, runs in (("", preloaded), (", `--no-prefork`", plain)):
        gaps = [gap for attempts in runs for gap in intervals(attempts, "end", "next process")]
        trials = [gap for attempts in runs for gap in intervals(attempts, "end", "next end")]
        page.add(f"from an attempt's end to the next process{name}", "ms", [gap * 1e3 for gap in gaps],
                 "from the worker's `end` line to the next attempt's pid file, whose time is that of the kernel's last tick: up to 4 ms early", 10)
        page.add(f"a whole `noop` trial{name}", "ms", [trial * 1e3 for trial in trials], "from `end` to the next `end`")
        page.add(f"a whole `noop` trial to the bare start{name}", "ratio", [median(trials) / median(bare)],
                 "medians of the two, taken in turns", 1.5)
    page.add(f"{MANY:,} `noop` trials, waited for", "ms a trial", [wait_for_many() * 1e3 for _ in range(2)],
             "wall time of `sweepctl submit --wait`, by their number; 15 steps each", 4)
    lines = ["| stage, median in ms | default | `--no-prefork` |", "|---|---:|---:|"]
    for name, first, second in STAGES:
        cells = [median([t for attempts in runs for t in intervals(attempts, first, second)]) * 1e3 for runs in (preloaded, plain)]
        lines.append(f"| {name} | {cells[0]:.2f} | {cells[1]:.2f} |")
    page.section("Where the time of a `noop` trial goes", "\n".join(lines))
