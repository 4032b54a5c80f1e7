#!/usr/bin/env python3
"""Sweeps on a real Slurm cluster, through the daemon, while everything around them fails.

    tools/slurm_cluster --nodes 5 -- tests/slurm/story_test.py BIN_FOLDER [--long]

--long: 500 trials and 30 deaths of the daemon instead of 10 and 3. After each story every trial has one `done` attempt,
Slurm has no job of it, and each job's folder says how the job ended. node5 is left to the story of the time limit, which Slurm takes half a minute to notice.
"""

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
BIN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release/bin"
HOME = Path(os.environ["SLURM_CLUSTER"])
ALL_OTHERS = "--exclude=node5"
CONFIG = """
pools:
  cluster:
    slurm: {{cpus_per_node: 2, time: {time}, max_jobs: 4, idle: 3s, poll: 1s, sbatch: ["{sbatch}"]}}
    runs: {runs}
    prologue: {prologue}
"""
NOOP = """
sweep: {name}
workload: noop
params: {{steps: 2, warmup: 0, device: cpu, sleep: {sleep}, timeout: {timeout}, world_size: {ranks}}}
matrix: {{seed: [{seeds}]}}
tables:
  - {{title: Seeds, rows: [seed], values: [{{name: Step, cell: "{{n}}", where: {{phase: step}}}}]}}
"""
GANG = """
sweep: gang
workload: all_reduce
params: {backend: gloo, world_size: 4, warmup: 1, steps: 2, device: cpu, threads: 1, timeout: 1m}
matrix: {bytes: [1KiB, 64KiB]}
"""
HUNGRY = """
sweep: hungry
program: eat
params: {argv: eat.py, device: cpu, steps: 1, warmup: 0, timeout: 1m}
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


class Home:
    """A daemon's state, its configuration, and the folder of its runs."""

    def __init__(self, name):
        self.folder = HOME / name
        self.runs = self.folder / "runs"
        self.runs.mkdir(parents=True)
        self.environment = {"SWEEPD_CORES_LOST": "0"} | os.environ | {
            "SWEEPD_STATE_DIR": str(self.folder / "state"),
            "SWEEPD_CONFIG": str(self.folder / "config.yaml"),
            "SWEEPD_WORKER": str(BIN / "test-sweep-worker"),
        }

    def configure(self, sbatch=ALL_OTHERS, limit="10m", prologue="true"):
        text = CONFIG.format(runs=self.runs, sbatch=sbatch, time=limit, prologue=prologue)
        (self.folder / "config.yaml").write_text(text)

    def ctl(self, *arguments, allowed=(0, 4)):
        done = subprocess.run(
            [BIN / "sweepctl", *arguments], env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=300
        )
        if allowed and done.returncode not in allowed:
            raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def write(self, name, trials=1, sleep="0s", timeout="1m", ranks=1):
        seeds = ", ".join(str(i) for i in range(trials))
        text = NOOP.format(name=name, sleep=sleep, timeout=timeout, ranks=ranks, seeds=seeds)
        (self.folder / f"{name}.yaml").write_text(text)
        return f"{name}.yaml"

    def submit(self, name, *options, **what):
        return self.ctl("submit", self.write(name, **what), "--pool", "cluster", *options)

    def kill_daemon(self):
        try:
            os.kill(int((self.folder / "state/lock").read_text().split()[0]), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            pass  # none runs

    def sql(self, query):
        with closing(sqlite3.connect(f"file:{self.folder}/state/results.db?mode=ro", uri=True, timeout=30)) as db:
            return db.execute(query).fetchall()

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

    def jobs(self):
        """Numbers of its jobs that Slurm has."""
        names = {folder.name for folder in self.runs.glob("jobs/*/*")}
        queue = [line.split() for line in slurm("squeue", "--noheader", "--format=%i %j").splitlines()]
        return [number for number, name in queue if name in names]

    def running_node(self):
        """The node on which an attempt runs, once it does. Right after a loss it may still seem to run in the old job."""
        def node():
            nodes = [slurm("squeue", "--noheader", "--states=RUNNING", "--format=%N", f"--jobs={job}") for job in self.jobs()]
            return self.started() and next(filter(None, nodes), None)
        return self.eventually(node, "an attempt runs in a job")


class Story(unittest.TestCase):
    def setUp(self):
        self.home = Home(self.id().rsplit(".", 1)[1])
        self.home.configure()

    def tearDown(self):
        self.home.ctl("stop", "--now", allowed=())
        self.home.kill_daemon()
        if jobs := self.home.jobs():
            slurm("scancel", *jobs)
        eventually(lambda: not self.home.jobs(), "the queue is empty")

    def every_trial_is_done(self, trials, seconds=60):
        self.home.ctl("list")  # starts the daemon if it is dead
        self.home.all_ended(seconds)
        query = "SELECT trial, sum(outcome = 'done') FROM attempt GROUP BY trial, pass, repeat"
        self.assertEqual([done for _, done in self.home.sql(query)], [1] * trials)

    def nothing_is_left(self):
        self.home.eventually(lambda: not self.home.jobs(), "no job is left")
        jobs = list(self.home.runs.glob("jobs/*/*"))
        self.assertTrue(jobs)
        self.home.eventually(lambda: all((job / "ended").exists() for job in jobs), "every job's folder says its end")


class OnACluster(Story):
    @classmethod
    def setUpClass(cls):
        cls.limited = Home("limited")
        cls.limited.configure(sbatch="--nodelist=node5", limit="1m")
        cls.addClassCleanup(cls.limited.kill_daemon)
        cls.limited.submit("limited", sleep="1h", timeout="0s")
        cls.limited.started()
        slurm("scontrol", "update", f"jobid={cls.limited.jobs()[0]}", "endtime=now+1")

    def test_a_sweep_becomes_a_table(self):
        home, file = self.home, self.home.write("table", trials=8)
        devices = home.ctl("devices")
        self.assertIn("Pool cluster", devices)
        self.assertIn("node[1-4]", devices)
        plan = home.ctl("plan", file, "--pool", "cluster")
        self.assertIn("8 trials of 1 rank: 1 node x 2 CPUs for 10m; the queue would begin at ", plan)
        table = home.ctl("run", file, "--pool", "cluster", "--format", "md")
        for seed in range(8):
            self.assertRegex(table, rf"(?m)^\| +{seed} +\| +2.? +\|$")
        self.every_trial_is_done(8)
        # Jobs are shared, and each attempt knows its own.
        self.assertLess(len(list(home.runs.glob("jobs/*/*"))), 8)
        attempt = home.sql("SELECT uid FROM attempt LIMIT 1")[0][0]
        self.assertRegex(home.ctl("show", attempt), r"slurm.step +- +\d+\.\d+ on node[1-4]")
        self.assertIn("ended done", home.ctl("log", attempt))
        home.ctl("submit", file, "--pool", "cluster", "--wait")
        self.assertEqual(home.counts(), {"done": 8}, "measured before, and reused")
        self.nothing_is_left()

    def test_what_waits_says_why_and_can_be_cancelled(self):
        filler = slurm("sbatch", "--parsable", "--nodes=4", ALL_OTHERS, "--exclusive", "--output=/dev/null", "--wrap=sleep 100")
        self.addCleanup(slurm, "scancel", filler)
        eventually(lambda: slurm("squeue", "--noheader", "--format=%T", f"--jobs={filler}") == "RUNNING", "it is full")
        home = self.home
        home.submit("waits", trials=6)
        home.eventually(lambda: "Resources" in home.ctl("show", "waits"), "the reason is told")
        self.assertRegex(home.ctl("show", "waits"), r"queued.* waits in job \d+: Resources")
        self.assertRegex(home.ctl("status"), r"waits in pool cluster: Resources \(job \d+\)")
        attempt = home.sql("SELECT uid FROM attempt WHERE given_ns IS NOT NULL LIMIT 1")[0][0]
        self.assertRegex(home.ctl("show", attempt), r"(?m)^reason +Resources$")
        self.assertIn("ended 6 queued attempts, stopping 0", home.ctl("cancel", "waits"))
        home.all_ended()
        self.assertEqual(home.counts(), {"cancelled": 6})

    def test_cancel_ends_what_runs(self):
        self.home.submit("cancel", trials=2, sleep="1h")
        self.home.started(2)
        self.assertIn("stopping 2 running", self.home.ctl("cancel", "cancel"))
        self.home.all_ended()
        self.assertEqual(self.home.counts(), {"cancelled": 2})
        self.assertIn("retrying 2", self.home.ctl("retry", "cancel"))
        self.home.started(2)
        self.home.ctl("cancel", "cancel")
        self.home.all_ended()

    def test_jobs_go_on_while_no_daemon_runs(self):
        home = self.home
        home.submit("stopped", trials=6, sleep="500ms")
        home.started(2)
        self.assertRegex(home.ctl("stop"), r"stopped; \d attempts? in clusters go on, and \d queued wait")
        time.sleep(2)
        self.every_trial_is_done(6)

    def test_the_daemon_dies_again_and_again(self):
        trials, deaths = (500, 30) if LONG else (10, 3)
        self.home.submit("deaths", trials=trials, sleep="20ms")
        for _ in range(deaths):
            time.sleep(random.uniform(0.1, 1.5))
            self.home.kill_daemon()
            self.home.ctl("list")
        self.every_trial_is_done(trials, 1500 if LONG else 60)
        self.nothing_is_left()

    def test_ranks_on_two_nodes(self):
        worker = BIN / "sweep-worker"
        described = subprocess.run([worker, "--describe"], capture_output=True, text=True) if worker.exists() else None
        if described and '"all_reduce"' in described.stdout:
            self.home.environment["SWEEPD_WORKER"] = str(worker)
            (self.home.folder / "gang.yaml").write_text(GANG)
            self.home.ctl("submit", "gang.yaml", "--pool", "cluster")
        else:  # without LibTorch the ranks start and end together, and do not talk
            self.home.submit("gang", trials=2, ranks=4)
        self.every_trial_is_done(2)
        steps = self.home.sql("SELECT DISTINCT f.text FROM fact f JOIN name n ON n.id = f.name WHERE n.text = 'slurm.step'")
        nodes = {}
        for (step,) in steps:
            nodes.setdefault(step.split(" on ")[0], set()).add(step.split(" on ")[1])
        self.assertEqual([len(each) for each in nodes.values()], [2, 2], nodes)

    def test_somebody_cancels_a_job(self):
        self.home.submit("cancelled", sleep="2s")
        (attempt,) = self.home.started()
        slurm("scancel", *self.home.jobs())
        self.home.all_ended()
        self.assertRegex(self.home.ctl("show", attempt), r"cancelled(.|\n)*job \d+ ended as CANCELLED")
        self.home.ctl("retry", "cancelled")
        self.every_trial_is_done(1)
        self.nothing_is_left()

    def test_somebody_cancels_a_job_in_the_queue(self):
        home = self.home
        home.configure(sbatch="--begin=now+1hour")
        home.submit("waiting", trials=2)
        given = "SELECT uid FROM attempt WHERE given_ns IS NOT NULL AND outcome IS NULL ORDER BY row"
        home.eventually(lambda: len(home.jobs()) == 2, "two jobs wait")
        attempt = home.sql(given)[0][0]
        job = home.eventually(lambda: re.search(r"(?m)^job +(\d+)$", home.ctl("show", attempt)), "its job is told")[1]
        slurm("scancel", job)
        home.eventually(lambda: home.counts() == {"cancelled": 1, "open": 1}, "one is cancelled")
        self.assertRegex(home.ctl("show", attempt), rf"cancelled(.|\n)*job {job} ended as CANCELLED")
        time.sleep(3)
        self.assertEqual(len(home.jobs()), 1, "the other one waits on, and nothing is submitted again")
        home.ctl("cancel", "waiting")
        home.all_ended()

    def test_what_slurm_takes_away_runs_again(self):
        self.home.submit("taken", sleep="1s")
        self.home.started()
        urgent = slurm("sbatch", "--parsable", "--partition=urgent", "--nodes=4", ALL_OTHERS, "--exclusive",
                       "--output=/dev/null", "--wrap=true")
        self.assertTrue(urgent)
        losses = "SELECT count(*) FROM attempt_loss"
        self.home.eventually(lambda: self.home.sql(losses) == [(1,)], "its job was preempted")
        node = self.home.running_node()
        (attempt,) = self.home.started()
        slurm("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        self.home.eventually(lambda: self.home.sql(losses) == [(2,)], "its node failed")
        slurm("scontrol", "update", f"nodename={node}", "state=resume")
        self.every_trial_is_done(1)
        shown = self.home.ctl("show", attempt)
        self.assertIn("ended as PREEMPTED", shown)
        self.assertIn(f"ended as NODE_FAIL on {node}", shown)
        self.nothing_is_left()

    def test_more_memory_than_the_node_has(self):
        (self.home.folder / "eat.py").write_text("import time\nkeep = bytearray(700 << 20)\ntime.sleep(30)\n")
        (self.home.folder / "hungry.yaml").write_text(HUNGRY)
        self.home.ctl("submit", "hungry.yaml", "--pool", "cluster", "--wait")
        self.assertEqual(self.home.counts(), {"oom": 1})

    def test_a_prologue_that_fails_is_told_and_tried_again(self):
        home = self.home
        home.configure(prologue="test -e ready || { echo no such module >&2; exit 3; }")
        home.submit("prologue", trials=2)
        told = "the prologue of pool `cluster` ended with status 3 on node"
        home.eventually(lambda: told in home.ctl("status") and "no such module" in home.ctl("status"), "status says why")
        home.configure()
        home.ctl("stop")
        self.every_trial_is_done(2)

    @unittest.skipUnless(LONG, "slurm.executor has a shorter one")
    def test_the_controller_is_away_for_a_while(self):
        self.home.submit("controller", trials=6, sleep="500ms")
        self.home.started()
        cluster("--down", "slurmctld")
        self.home.eventually(lambda: "does not answer" in self.home.ctl("status"), "status says so")
        time.sleep(20)
        cluster("--up", "slurmctld")
        self.every_trial_is_done(6, seconds=180)
        self.nothing_is_left()

    def test_the_shared_folder_is_not_mounted_yet(self):
        home = self.home
        home.submit("unmounted", sleep="6s")
        (attempt,) = home.started()
        home.kill_daemon()
        # Only the daemon's own view: the nodes have the folder all the time.
        command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', home.runs, BIN / "sweepctl", "list"]
        subprocess.run(command, env=home.environment, check=True, timeout=60, capture_output=True)
        told = "nobody knows what became of an attempt there"
        home.eventually(lambda: told in home.ctl("status"), "status says why")
        time.sleep(3)
        self.assertEqual(home.counts(), {"open": 1})
        daemon = (home.folder / "state/lock").read_text().split()[0]
        subprocess.run(["nsenter", "--mount", f"--target={daemon}", "umount", "--lazy", home.runs], check=True)
        self.every_trial_is_done(1)
        self.assertNotIn(told, home.ctl("status"))
        self.assertEqual(home.sql("SELECT count(*) FROM attempt_loss"), [(0,)])
        self.assertEqual(len(list(home.runs.glob("jobs/*/*"))), 1, "it ran once")
        self.nothing_is_left()

    def test_the_shared_folder_is_full_for_a_while(self):
        runs = self.home.runs
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", runs], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "--lazy", runs], check=False))
        self.home.submit("full", trials=8, sleep="200ms")
        self.home.started()
        with open(runs / "ballast", "wb", buffering=0) as ballast:
            try:
                while ballast.write(b"0" * 4096):
                    pass
            except OSError:
                pass
        time.sleep(3)
        (runs / "ballast").unlink()
        self.every_trial_is_done(8)
        self.nothing_is_left()

    def test_the_time_limit_of_a_job_is_a_timeout(self):
        home = self.limited
        home.all_ended()
        self.assertEqual(home.counts(), {"timeout": 1})
        self.assertIn("took longer than 1m", home.ctl("show", "limited"))


if __name__ == "__main__":
    # The time limit comes last: Slurm notices it meanwhile.
    unittest.TestLoader.sortTestMethodsUsing = lambda _, a, b: 1 if ("limit" in a, a) > ("limit" in b, b) else -1
    unittest.main(verbosity=2)
