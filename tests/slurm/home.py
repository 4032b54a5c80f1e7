"""A daemon of its own on the cluster of tools/slurm_cluster, and what Slurm and the processes there say of it."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = Path(os.environ["SLURM_CLUSTER"])
ALL_OTHERS = "--exclude=node5"
WHOLE_NODES = f'cpus_per_node: 2, sbatch: ["{ALL_OTHERS}"]'
FORKED = "forked from the preloaded worker"
CONFIG = """
pools:
  cluster:
    slurm: {{time: {time}, max_jobs: 4, idle: 2s, poll: 1s, {nodes}}}
    runs: {runs}
    prologue: {prologue}
"""
NOOP = """
sweep: {name}
workload: noop
params: {{steps: 2, device: cpu, sleep: {sleep}, timeout: {timeout}, threads: 1}}
matrix: {{seed: [{seeds}], warmup: [{warmup}], world_size: [{ranks}]}}
tables:
  - {{title: Seeds, rows: [seed], pool: [warmup, world_size], values: [{{name: Step, cell: "{{n}}", where: {{phase: step}}}}]}}
"""


def slurm(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()


def cluster(*options):
    subprocess.run([ROOT / "tools/slurm_cluster", *options], check=True, timeout=60)


def eventually(holds, what, seconds=60):
    """Returns what `holds` does, once that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := holds():
            return found
        time.sleep(0.1)
    raise AssertionError(f"after {seconds} s not: {what() if callable(what) else what}")


def processes(which):
    """Command lines of those of the cluster for which `which` holds: of their bytes of command line and environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes()
            if line and int(entry.name) != os.getpid() and which(line, (entry / "environ").read_bytes()):
                found.append(f"{entry.name} {line.replace(bytes(1), b' ').decode(errors='replace')}")
        except OSError:
            continue  # it has ended
    return found


class Home:
    """A daemon's state, its configuration, and the folder of its runs."""

    def __init__(self, name, bin_folder):
        self.bin = bin_folder
        self.folder = CLUSTER / name
        self.runs = self.folder / "runs"
        self.runs.mkdir(parents=True)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = {"SWEEPD_CORES_LOST": "0"} | os.environ | {
            "SWEEPD_STATE_DIR": str(self.folder / "state"),
            "SWEEPD_CONFIG": str(self.folder / "config.yaml"),
            "SWEEPD_WORKER": str(self.bin / "test-sweep-worker"),
            "TMPDIR": str(self.temporary),
        }

    def take_worker_with_torch(self):
        self.environment["SWEEPD_WORKER"] = str(self.bin / "sweep-worker")

    def configure(self, nodes=WHOLE_NODES, limit="10m", prologue="true"):
        text = CONFIG.format(runs=self.runs, nodes=nodes, time=limit, prologue=prologue)
        (self.folder / "config.yaml").write_text(text)

    def ctl(self, *arguments, allowed=(0, 4)):
        done = subprocess.run(
            [self.bin / "sweepctl", *arguments], env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=300
        )
        if allowed and done.returncode not in allowed:
            raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def write(self, name, seeds=1, sleep="0s", timeout="1m", ranks="1", warmup="1"):
        numbers = ", ".join(str(i) for i in range(seeds))
        text = NOOP.format(name=name, sleep=sleep, timeout=timeout, ranks=ranks, seeds=numbers, warmup=warmup)
        (self.folder / f"{name}.yaml").write_text(text)
        return f"{name}.yaml"

    def submit(self, name, *options, **what):
        return self.ctl("submit", self.write(name, **what), "--pool", "cluster", *options)

    def submit_text(self, name, text, *options):
        (self.folder / f"{name}.yaml").write_text(text)
        return self.ctl("submit", f"{name}.yaml", "--pool", "cluster", *options)

    def kill_daemon(self):
        try:
            os.kill(int((self.folder / "state/lock").read_text().split()[0]), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            pass  # none runs

    def sql(self, query, *values):
        with closing(sqlite3.connect(f"file:{self.folder}/state/results.db?mode=ro", uri=True, timeout=30)) as db:
            return db.execute(query, values).fetchall()

    def counts(self):
        return dict(self.sql("SELECT coalesce(outcome, 'open'), count(*) FROM attempt GROUP BY 1"))

    def eventually(self, holds, what, seconds=60):
        return eventually(holds, lambda: f"{what}; {self.counts()}; {self.ctl('status', allowed=())}", seconds)

    def all_ended(self, seconds=60):
        self.eventually(lambda: "open" not in self.counts(), "all attempts have ended", seconds)

    def started(self, attempts=1):
        """Ids of attempts that run."""
        query = "SELECT uid FROM attempt WHERE started_ns IS NOT NULL AND outcome IS NULL"
        self.eventually(lambda: len(self.sql(query)) >= attempts, f"{attempts} attempts run")
        return [uid for (uid,) in self.sql(query)]

    def request(self, attempt):
        return json.loads((self.runs / attempt / "request.json").read_text())

    def is_forked(self, attempt):
        log = self.runs / attempt / "log.0.txt"
        return log.exists() and FORKED in log.read_text(errors="replace")

    def may_be_forked(self, attempt):
        request = self.request(attempt)
        return request["params"]["warmup"] != "0" and len(request["lease"]) == 1

    def one_is_forked_and_one_is_not(self):
        """Returns both, which run: the fork first."""
        ids = self.started(2)
        forks = sorted(ids, key=self.may_be_forked, reverse=True)
        self.eventually(lambda: self.is_forked(forks[0]), "the first is forked")
        if len(ids) != 2 or self.is_forked(forks[1]) or self.may_be_forked(forks[1]):
            raise AssertionError(f"not two, of which one has a step of its own: {ids}")
        return forks

    def nodes_of_attempts(self):
        """How many nodes each attempt ran on, sorted."""
        query = "SELECT f.attempt, f.text FROM fact f JOIN name n ON n.id = f.name WHERE n.text = 'slurm.step'"
        nodes = {}
        for attempt, step in self.sql(query):
            nodes.setdefault(attempt, set()).add(step.split(" on ")[1])
        return sorted(len(each) for each in nodes.values())

    def losses(self, pool):
        """Of rank 0, by trial and step."""
        query = """SELECT a.trial, s.step, s.value FROM sample s JOIN name n ON n.id = s.metric
                   JOIN attempt a ON a.row = s.attempt JOIN host h ON h.id = a.host
                   WHERE n.text = 'loss' AND s.rank = 0 AND s.warmup = 0 AND h.pool = ?"""
        return {(trial, step): value for trial, step, value in self.sql(query, pool)}

    def jobs(self):
        """Numbers of its jobs that Slurm has."""
        names = {folder.name for folder in self.runs.glob("jobs/*/*")}
        queue = [line.split() for line in slurm("squeue", "--noheader", "--format=%i %j").splitlines()]
        return [number for number, name in queue if name in names]

    def running_nodes(self, count):
        """The nodes of that many jobs in which attempts run, once they do. Right after a loss an attempt may still seem
        to run in the old job."""
        def nodes():
            found = [slurm("squeue", "--noheader", "--states=RUNNING", "--format=%N", f"--jobs={job}") for job in self.jobs()]
            return len(self.started(count)) == count and len(list(filter(None, found))) == count and found
        return self.eventually(nodes, f"{count} attempts run in jobs")

    def end(self):
        """Also after a story that failed."""
        self.ctl("stop", "--now", allowed=())
        self.kill_daemon()
        if jobs := self.jobs():
            slurm("scancel", *jobs)
        eventually(lambda: not self.jobs(), "the queue is empty")

    def left_of_it(self):
        """What names its folder among the processes, and its temporary files."""
        name = f"{self.folder}/".encode()
        return processes(lambda line, environment: name in line + environment) + list(self.temporary.iterdir())
