"""A database of a million trials and ten million samples: opening, listing, and the four shapes of tables."""

import contextlib
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from bench.tools import BIN, Daemon, timed

TRIALS = 1_000_000
SAMPLES = 10  # of each
REPEATS = 5
SHAPES = {
    "model x context": ["--rows", "model", "--columns", "context", "--where", "phase=step"],
    "model x phase": ["--rows", "model", "--columns", "phase"],
    "model, context x precision": ["--rows", "model,context", "--columns", "precision", "--where", "phase=forward"],
    "one precision, model x context": ["--rows", "model", "--columns", "context", "--where", "precision=bf16", "--where", "phase=step"],
}
ADD_SAMPLES = f"""INSERT INTO sample (attempt, metric, phase, rank, step, warmup, value)
WITH RECURSIVE step(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM step WHERE i < {SAMPLES - 1})
SELECT a.row, (SELECT id FROM name WHERE text = 'time'), (SELECT id FROM name WHERE text = 'step'), 0, i, 0, 20 + a.row % 97 + i
FROM attempt a, step"""


def opened(daemon):
    begin = time.perf_counter()
    with daemon:
        took = time.perf_counter() - begin
        pid = daemon.pid()
        daemon.ctl("stop", "--now")
        while Path(f"/proc/{pid}").exists():  # it writes its log back into the file
            time.sleep(0.01)
        kept = shutil.move(daemon.state / "results.db", daemon.folder.parent / f"{daemon.folder.name}.db")
    return took, kept


def daemon_on(file):
    daemon = Daemon()
    daemon.state.mkdir(parents=True)
    shutil.move(file, daemon.state / "results.db")
    return daemon


def run(page):
    with tempfile.TemporaryDirectory(prefix="sweepd-bench-") as folder:
        file = Path(folder) / "results.db"
        subprocess.run([BIN / "query_bench", str(TRIALS), file], check=True, stdout=subprocess.DEVNULL)
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA synchronous = OFF")
            database.execute(ADD_SAMPLES)
            database.commit()
            samples = database.execute("SELECT count(*) FROM sample").fetchone()[0]
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size_gb = file.stat().st_size / 1e9
        _, file = opened(daemon_on(file))
        starts = []
        for _ in range(REPEATS):
            took, file = opened(daemon_on(file))
            starts.append(took)
        with daemon_on(file) as daemon:
            lists = [timed([BIN / "sweepctl", "list"], env=daemon.environment) for _ in range(REPEATS + 1)][1:]
            shapes = {name: [timed([BIN / "sweepctl", "query", "lm_step", *options, "--pool", "all"], env=daemon.environment)
                             for _ in range(REPEATS)] for name, options in SHAPES.items()}
            peak_mb = daemon.memory_mb("VmHWM")
    page.add("starting a daemon on it", "s", starts, f"wall time of `sweepd`, until it answers; {size_gb:.2f} GB, {samples:,} samples", 1.0)
    page.add("`sweepctl list`", "ms", [s * 1e3 for s in lists], "wall time of the client", 20)
    for name, times in shapes.items():
        page.add(f"`sweepctl query`, {name}", "s", times, f"over all {TRIALS:,} trials; wall time of the client")
    page.add("daemon's memory, peak", "MB", [peak_mb], "VmHWM after all of these")
