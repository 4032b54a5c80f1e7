"""A forked worker against a started one: the same model, in turns. Nothing may differ but noise."""

import time

from bench.tools import Daemon, median

ROUNDS = 4
SWEEP = """sweep: model
workload: lm_step
params: {model: tiny, context: 128, batch: 4, mode: train_step, warmup: 1, steps: 20}
matrix: {seed: [0, 1, 2, 3, 4, 5]}
"""
FIGURES = [
    ("set-up", "setup_time", "step = 0"),
    ("first step", "time", "step = 0"),
    ("later steps", "time", "step >= 5"),
]


def values(*options):
    """By figure: the median of each attempt."""
    with Daemon(*options) as daemon:
        daemon.ctl("submit", "-", text=SWEEP)
        while daemon.rows("select count(*) from attempt where outcome is null")[0][0] > 0:
            time.sleep(0.05)
        found = {}
        for name, metric, steps in FIGURES:
            rows = daemon.rows(f"select attempt, value from sample where {steps} and metric = (select id from name where "
                               f"text = '{metric}') and phase in (select id from name where text in ('step', 'setup'))")
            attempts = {}
            for attempt, value in rows:
                attempts.setdefault(attempt, []).append(value)
            found[name] = [median(each) for each in attempts.values()]
        return found


def run(page):
    forked, started = {}, {}
    for _ in range(ROUNDS):
        for all_values, options in ((forked, ()), (started, ("--no-prefork",))):
            for name, medians in values(*options).items():
                all_values.setdefault(name, []).extend(medians)
    for name, _, _ in FIGURES:
        page.add(f"`lm_step` tiny, {name}, started", "ms", started[name], "every attempt loads its own worker")
        page.add(f"`lm_step` tiny, {name}, forked", "ms", forked[name], "forks of one loaded worker")
        page.add(f"{name}, forked to started", "ratio", [median(forked[name]) / median(started[name])],
                 "medians of the two, taken in turns", 1.02 if name == "later steps" else None)
