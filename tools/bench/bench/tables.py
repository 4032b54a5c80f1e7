"""A table over 100,000 trials as somebody gets it: from the daemon, over its socket; and by SQL."""

import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from bench.tools import BIN, Daemon

REPEATS = 9
TRIALS = 100_000
QUERIES = {
    "model x context": ["--rows", "model", "--columns", "context", "--where", "phase=step", "--pool", "all"],
    "model x phase": ["--rows", "model", "--columns", "phase", "--pool", "all"],
}
VIEW = "select model, context, avg(mean) from lm_step where phase = 'step' group by model, context"


def wall_ms(action):
    times = []
    for _ in range(REPEATS + 1):
        begin = time.perf_counter()
        action()
        times.append((time.perf_counter() - begin) * 1e3)
    return times[1:]  # the first reads the pages from the disk


def run(page):
    with tempfile.TemporaryDirectory(prefix="sweepd-bench-") as folder:
        made = Path(folder) / "results.db"
        subprocess.run([BIN / "query_bench", str(TRIALS), made], check=True, stdout=subprocess.DEVNULL)
        daemon = Daemon()
        daemon.state.mkdir(parents=True)
        shutil.copy(made, daemon.state / "results.db")
        with daemon:
            for name, options in QUERIES.items():
                page.add(f"`sweepctl query`, {name} over {TRIALS:,} trials", "ms",
                         wall_ms(lambda options=options: daemon.ctl("query", "lm_step", *options, "--format", "json")),
                         "wall time, start of the client, socket and rendering included", 100)
        with sqlite3.connect(made) as database:
            page.add(f"model x context by the view `lm_step`, {TRIALS:,} trials", "ms",
                     wall_ms(lambda: database.execute(VIEW).fetchall()), "the SQL of docs/DATABASE.md in SQLite")
