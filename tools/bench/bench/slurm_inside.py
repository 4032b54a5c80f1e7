"""Measures in the cluster of tools/slurm_cluster, for slurm.py, with the Python that has submitit and HyperQueue.

    slurm_inside.py RESULT BIN_FOLDER ROUNDS TASKS
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import submitit  # noqa: E402
from hyperqueue import Job  # noqa: E402
from hyperqueue.cluster import LocalCluster  # noqa: E402

from bench.tools import Daemon  # noqa: E402

BIN = Path(sys.argv[2])
HOME = Path(os.environ["SLURM_CLUSTER"])
NODES = 4
CHAIN = 20  # trials one after the other
QUEUED = [10, 10_000]
QUEUED_S = 60
POOL = """pools:
  cluster:
    slurm: {{cpus_per_node: 2, time: 1h, max_jobs: {max_jobs}, idle: 2m}}
    runs: {runs}
"""


def noops(count):
    # Without a warm-up step nothing is forked.
    return f"sweep: noops\nworkload: noop\nparams: {{device: cpu, warmup: 1, steps: 1}}\nmatrix: {{seed: [{', '.join(map(str, range(count)))}]}}\n"


def slurm(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def clear_queue():
    """All jobs of the cluster are ours."""
    slurm("scancel", "--me")
    while slurm("squeue", "--noheader"):
        time.sleep(0.1)


def requests():
    """What the controller was asked since the last `sdiag --reset`, by the kind of request."""
    counts = {}
    for line in slurm("sdiag").split("message type")[1].split("statistics by user")[0].splitlines():
        if "count:" in line:
            counts[line.split()[0]] = int(line.split("count:")[1].split()[0])
    return {kind: count for kind, count in counts.items() if kind != "REQUEST_STATS_INFO"}


def cpu_s():
    """CPU time of all processes of this pid namespace, those that have ended among them: a parent counts its children."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            ticks += sum(map(int, stat.read_text().rsplit(")", 1)[1].split()[11:15]))
        except OSError:
            pass  # it has just ended
    return ticks / os.sysconf("SC_CLK_TCK")


class Meter:
    """Of what happens in the cluster from now on."""

    def __init__(self):
        slurm("sdiag", "--reset")
        self.cpu = cpu_s()
        self.begin = time.perf_counter()

    def read(self):
        wall = time.perf_counter() - self.begin
        return {"wall_s": wall, "cpu_s": cpu_s() - self.cpu, "requests": sum(requests().values())}


class ClusterDaemon(Daemon):
    """With a pool `cluster`; its jobs are gone at the end."""

    def __init__(self, worker, max_jobs, *options):
        super().__init__(*options, binaries=BIN)
        (self.folder / "runs").mkdir()
        config = self.folder / "config.yaml"
        config.write_text(POOL.format(max_jobs=max_jobs, runs=self.folder / "runs"))
        self.environment |= {"SWEEPD_CONFIG": str(config), "SWEEPD_WORKER": str(BIN / worker)}

    def __exit__(self, *_):
        clear_queue()
        super().__exit__()


def check_done(daemon, count):
    found = daemon.rows("select count(*) from attempt where outcome = 'done'")[0][0]
    if found != count:
        raise RuntimeError(f"{found} of {count} trials are done: {daemon.rows('select distinct outcome from attempt')}")


def sweepd(worker, count):
    with ClusterDaemon(worker, NODES) as daemon:
        meter = Meter()
        daemon.ctl("submit", "-", "--pool", "cluster", "--wait", text=noops(count))
        found = meter.read()
        check_done(daemon, count)
        return found


def submitit_tasks(count, array):
    folder = tempfile.mkdtemp(dir=HOME)
    executor = submitit.AutoExecutor(folder=folder, cluster="slurm")
    executor.update_parameters(timeout_min=60, cpus_per_task=1, slurm_mem="200M", slurm_array_parallelism=count)
    meter = Meter()
    jobs = executor.map_array(lambda _: None, range(count)) if array else [executor.submit(lambda: None) for _ in range(count)]
    while not all(job.paths.result_pickle.exists() for job in jobs):
        time.sleep(0.05)
    for job in jobs:
        job.result()
    found = meter.read()
    clear_queue()
    return found


def hyperqueue(count):
    folder = Path(tempfile.mkdtemp(dir=HOME))
    worker = Path(__file__).with_name("hyperqueue_worker.py")
    with LocalCluster(str(folder)) as cluster:
        client = cluster.client()
        meter, begin = Meter(), time.time()
        for i in range(NODES):
            slurm("sbatch", "--exclusive", "--nodes=1", "--output=/dev/null", f"--wrap=exec {sys.executable} {worker} {folder} {folder}/{i}")
        job = Job(default_workdir=folder / "tasks")
        (folder / "tasks").mkdir()
        for _ in range(count):
            job.program(["true"])
        client.wait_for_jobs([client.submit(job)])
        found = meter.read()
        begun = [entry.stat().st_mtime for entry in (folder / "tasks").glob("**/*stdout")]
        if len(begun) != count:
            raise RuntimeError(f"{len(begun)} of {count} tasks of HyperQueue have run")
        clear_queue()
        return found | {"wall_s": max(begun) - begin}  # its client looks only once a second


def race(tasks):
    return {
        "sweepd": sweepd("sweep-worker", tasks),
        "jobs": submitit_tasks(tasks, array=False),
        "hyperqueue": hyperqueue(tasks),
        "light": sweepd("test-sweep-worker", tasks),
        "array": submitit_tasks(tasks, array=True),
    }


def chain(daemon, *options):
    """ms from the end of one trial to the end of the next."""
    with daemon:
        daemon.ctl("submit", "-", "--wait", *options, text=noops(CHAIN + 1))
        check_done(daemon, CHAIN + 1)
        ends = [end for (end,) in daemon.rows("select ended_ns from attempt order by ended_ns")]
    return [(b - a) / 1e6 for a, b in zip(ends, ends[1:])]


def overhead():
    found = {}
    for worker in ("sweep-worker", "test-sweep-worker"):
        home = Daemon("--no-prefork", binaries=BIN)
        home.environment["SWEEPD_WORKER"] = str(BIN / worker)
        found[worker] = {
            "home_ms": chain(home),
            "pilot_ms": chain(ClusterDaemon(worker, 1, "--no-prefork"), "--pool", "cluster"),
            "forked_ms": chain(ClusterDaemon(worker, 1), "--pool", "cluster"),
        }
    loop = f"for i in $(seq {CHAIN}); do a=$EPOCHREALTIME; srun --ntasks=1 true; echo $a $EPOCHREALTIME; done"
    lines = slurm("salloc", "--quiet", "--nodes=1", "--exclusive", "bash", "-c", loop).splitlines()
    found["srun_ms"] = [(float(line.split()[1]) - float(line.split()[0])) * 1e3 for line in lines]
    return found


def queued(trials):
    """What the controller is asked in a minute by a daemon whose trials all wait, since the nodes are taken."""
    slurm("sbatch", f"--nodes={NODES}", "--exclusive", "--output=/dev/null", "--wrap=sleep 1h")
    with ClusterDaemon("test-sweep-worker", NODES) as daemon:
        slurm("sdiag", "--reset")
        daemon.ctl("submit", "-", "--pool", "cluster", text=noops(trials))
        time.sleep(QUEUED_S)
        counts = requests()
        waiting = daemon.rows("select count(*) from attempt where outcome is null and started_ns is null")[0][0]
        if waiting != trials:
            raise RuntimeError(f"{waiting} of {trials} trials wait")
        daemon.ctl("cancel", "noops")
    return {"jobs": counts["REQUEST_SUBMIT_BATCH_JOB"], "polls": counts["REQUEST_JOB_INFO"], "requests": sum(counts.values())}


def main():
    rounds, tasks = int(sys.argv[3]), int(sys.argv[4])
    os.environ |= {"TMPDIR": str(HOME), "TQDM_DISABLE": "1"}
    tempfile.tempdir = None  # read again: what is left here goes with the cluster
    found = {"slurm": slurm("squeue", "--version"), "queued": {trials: queued(trials) for trials in QUEUED}}
    found["overhead"] = [overhead() for _ in range(rounds + 1)]
    found["race"] = [race(tasks) for _ in range(rounds)]
    Path(sys.argv[1]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
