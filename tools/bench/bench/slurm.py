"""Trials on a Slurm cluster: beside submitit and HyperQueue, beside trials at home, and what the controller sees of them.

The cluster is that of tools/slurm_cluster: real, and on this machine alone. slurm_inside.py measures in it."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bench.tools import BIN, REPO, Skipped, median

ROUNDS = 2
TASKS = 500
NODES = 4
PEERS = ["submitit==1.5.4", "hyperqueue==0.27.0", "cloudpickle==3.1.3", "tqdm==4.67.1", "typing_extensions==4.15.0"]
NO_SLURM = 77  # what tools/slurm_cluster exits with then
HYPERQUEUES_WORKERS = f"""HyperQueue's automatic allocation is a command of the program `hq`, which its Python package does not have. So its
{NODES} workers begin in jobs of one `sbatch` each, before its tasks are submitted. They are the package's own workers and server: a worker
is the one of a `LocalCluster`, pointed at the server outside the job. What its automatic allocation adds was not measured."""
COUNTED = """A task of submitit is a Python function that does nothing, one of HyperQueue is `true`, and a trial is `noop` with a warm-up step and
a measured one, which a loaded worker in each job forks.
All begin without an allocation. submitit's tasks have one core and 200 MB each, so 8 run at once. sweepd has 4 jobs of a whole node, in each of
which one trial runs at a time; HyperQueue's workers have 2 cores each. A sweep ends when `submit --wait` returns, submitit when every
result has been read, HyperQueue when its last task begins, because its client looks only once a second.

CPU time is that of all processes in the cluster: Slurm's daemons, the tasks, and the tools themselves. The nodes share this machine's cores with
whatever else ran on it (its load is above), so wall times are longer than on a cluster of real nodes. CPU times are less so.

The queue is empty and Slurm starts a job at once, which is what submitit needs most: a job for each task waits in no queue here."""


def peers():
    """The Python that has submitit and HyperQueue, in the cache."""
    cache = Path(os.environ.get("SWEEPD_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sweepd")
    tree = cache / "slurm-peers"
    stamp = tree / ".complete"
    if not stamp.exists() or stamp.read_text().split() != PEERS:
        cache.mkdir(parents=True, exist_ok=True)
        install = [tree / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", *PEERS]
        for command in (["python3", "-m", "venv", "--clear", tree], install):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Skipped(f"could not install {' '.join(PEERS)}: {(done.stderr.splitlines() or ['no reason given'])[-1]}")
        stamp.write_text(" ".join(PEERS))
    return tree / "bin/python"


def measure(rounds, tasks):
    """What slurm_inside.py measured."""
    cluster = [REPO / "tools/slurm_cluster", "--nodes", str(NODES), "--cpus", "2", "--"]
    probe = subprocess.run([*cluster, "true"], stderr=subprocess.PIPE, text=True, check=False)
    if probe.returncode == NO_SLURM:
        raise Skipped(probe.stderr.strip())
    python = peers()
    with tempfile.NamedTemporaryFile() as result:
        inside = [python, Path(__file__).with_name("slurm_inside.py"), result.name, BIN, str(rounds), str(tasks)]
        done = subprocess.run([*cluster, *inside], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError("\n".join(done.stderr.splitlines()[-20:]))
        return json.loads(Path(result.name).read_text())


RACERS = {
    "sweepd": ("sweepd", "trials in pilot jobs"),
    "light": ("sweepd, worker without LibTorch", "the same with the tests' worker, which has `noop` and no LibTorch to load"),
    "jobs": ("submitit, a job for each task", "`submit` for each"),
    "array": ("submitit, a job array", "one `map_array`"),
    "hyperqueue": ("HyperQueue, a worker in each job", "one job of as many tasks"),
}


def race(page, rounds, tasks):
    for name, (title, how) in RACERS.items():
        page.add(f"{tasks} empty tasks: {title}", "s", [each[name]["wall_s"] for each in rounds], how)

    def ratio(what, above, below, **limit):
        values = [each[above]["wall_s"] / each[below]["wall_s"] for each in rounds]
        page.add(what, "ratio", values, "wall times of one round", **limit)

    for ours, title in (("sweepd", "sweepd"), ("light", "sweepd, worker without LibTorch")):
        ratio(f"{title}, times as fast as submitit's jobs", "jobs", ours, at_least=10)
        ratio(f"{title}, times as fast as submitit's array", "array", ours, at_least=10)
        ratio(f"{title}, times as slow as HyperQueue", ours, "hyperqueue", at_most=3)
    for name, (title, _) in RACERS.items():
        page.add(f"CPU time of a task: {title}", "ms", [each[name]["cpu_s"] / tasks * 1e3 for each in rounds], "of all processes of the cluster")
    for name, (title, _) in RACERS.items():
        page.add(f"requests to the controller for a task: {title}", "requests", [each[name]["requests"] / tasks for each in rounds], "`sdiag`")


def overhead(page, rounds):
    for worker, title, limit in (("sweep-worker", "", 150), ("test-sweep-worker", ", worker without LibTorch", None)):
        home = [ms for each in rounds for ms in each[worker]["home_ms"]]
        pilot = [ms for each in rounds for ms in each[worker]["pilot_ms"]]
        page.add(f"a trial at home{title}", "ms", home, "from one end to the next, `--no-prefork`")
        page.add(f"a trial in a pilot{title}", "ms", pilot, "the same in one job, in turns")
        forked = [ms for each in rounds for ms in each[worker]["forked_ms"]]
        page.add(f"a trial in a pilot{title}, forked", "ms", forked, "without `--no-prefork`, in turns with both")
        more = [median(each[worker]["pilot_ms"]) - median(each[worker]["home_ms"]) for each in rounds]
        page.add(f"more in a pilot{title}", "ms", more, "difference of the medians of one round", at_most=limit)
    page.add("`srun true` in a job", "ms", [ms for each in rounds for ms in each["srun_ms"]], "wall time")


def controller(page, queued):
    for trials, counts in queued.items():
        page.add(f"{int(trials):,} trials wait: jobs", "jobs", [counts["jobs"]], "`max_jobs: 4`; the controller's own count", at_most=4)
        page.add(f"{int(trials):,} trials wait: `squeue` a minute", "calls", [counts["polls"]], "`poll: 10s`; the controller's own count", at_most=7)
        page.add(f"{int(trials):,} trials wait: all requests in that minute", "requests", [counts["requests"]], "a `squeue` is two; the jobs are among them")


def run(page):
    found = measure(ROUNDS, TASKS)
    race(page, found["race"], TASKS)
    overhead(page, found["overhead"])
    controller(page, found["queued"])
    cluster = f"{found['slurm']}, {NODES} nodes of 2 CPUs on this machine; {', '.join(PEERS[:2])}."
    page.section("What was compared", f"{cluster}\n\n{COUNTED}\n\n{HYPERQUEUES_WORKERS}")
