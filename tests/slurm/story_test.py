#!/usr/bin/env python3
"""Sweeps on a real Slurm cluster, through the daemon, while everything around them fails.

    tools/slurm_cluster --nodes 5 -- tests/slurm/story_test.py BIN_FOLDER [TEST...]

After each story every trial has the outcome that it should have, Slurm has no job, each job's folder says how the job
ended, each `done` attempt has its folder with a whole journal, and no process and no temporary file is left.
Attempts with warm-up are forked by the loaded worker of their job, and those without have a step of their own.
node5 is left to the story of the time limit, which Slurm takes half a minute to notice.
"""

import random
import re
import subprocess
import time
import unittest

from home import ALL_OTHERS, Home, cluster, eventually, slurm
from story import BIN, Story, tearDownModule

HALVES_OF_NODE5 = 'cpus_per_node: 1, exclusive: false, sbatch: ["--nodelist=node5", "--mem=200M"]'
HUNGRY = """
sweep: hungry
program: eat
params: {argv: eat.py, device: cpu, steps: 1, timeout: 1m}
matrix: {warmup: [0, 1]}
"""


class OnACluster(Story):
    @classmethod
    def setUpClass(cls):
        cls.limited = Home("limited", BIN)
        cls.limited.configure(HALVES_OF_NODE5, limit="1m")
        cls.addClassCleanup(cls.limited.end)
        cls.limited.submit("limited", sleep="1h", timeout="0s", warmup="0, 1")
        cls.limited.one_is_forked_and_one_is_not()
        for job in cls.limited.jobs():
            slurm("scontrol", "update", f"jobid={job}", "endtime=now+1")
        cls.refused = Home("refused", BIN)
        cls.refused.configure("cpus_per_node: 2, partition: nix")
        cls.addClassCleanup(cls.refused.end)
        cls.refused.submit("refused", seeds=20)

    def test_a_sweep_becomes_a_table(self):
        home, file = self.home, self.home.write("table", seeds=8)
        devices = home.ctl("devices")
        self.assertIn("Pool cluster", devices)
        self.assertRegex(devices, r"node\[1-[45]\]")  # node5 is among them once its story is over
        plan = home.ctl("plan", file, "--pool", "cluster")
        self.assertIn("8 trials of 1 rank: 1 node x 2 CPUs for 10m; the queue would begin at ", plan)
        table = home.ctl("run", file, "--pool", "cluster", "--format", "md")
        for seed in range(8):
            self.assertRegex(table, rf"(?m)^\| +{seed} +\| +2.? +\|$")
        self.every_trial_is_done(8)
        # Jobs are shared, and each attempt shows its job.
        self.assertLess(len(list(home.runs.glob("jobs/*/*"))), 8)
        attempt = home.sql("SELECT uid FROM attempt LIMIT 1")[0][0]
        self.assertRegex(home.ctl("show", attempt), r"slurm.step +- +\d+\.\d+ on node[1-4]")
        self.assertIn("ended done", home.ctl("log", attempt))
        home.ctl("submit", file, "--pool", "cluster", "--wait")
        self.assertEqual(home.counts(), {"done": 8}, "measured before, and reused")
        self.nothing_is_left()

    def test_a_pool_as_an_axis_is_watched_compared_and_paused(self):
        home = self.home
        text = """
sweep: both
workload: noop
params: {steps: 3, device: cpu, threads: 1, timeout: 1m, sleep: 100ms}
matrix: {pool: [local, cluster], seed: [0, 1, 2]}
tables:
  - {title: Pools, rows: [pool, seed], values: [{name: Steps, cell: "{n}", where: {phase: step}}]}
"""
        (home.folder / "both.yaml").write_text(text)
        home.ctl("submit", "both.yaml")
        self.assertIn("paused both: ", home.ctl("pause", "both"))
        home.ctl("resume", "both")
        self.assertIn("both: 6/6 ended", home.ctl("watch", "both"))
        self.assertRegex(home.ctl("list"), r"(?m)both +noop .* 6 +6 +6 +done")
        table = home.ctl("report", "both", "--format", "md")
        for pool in ("local", "cluster"):
            for seed in range(3):
                self.assertRegex(table, rf"(?m)^\| {pool} +\| +{seed} \| +3 \|$")
        wide = home.ctl("query", "--sweep", "both", "--rows", "seed", "--columns", "pool", "--cell", "{n}", "--where", "phase=step",
                        "--format", "md")
        self.assertRegex(wide, r"\| seed \| local \| cluster \|")
        compared = home.ctl("compare", "both", "--by", "pool=local,cluster", allowed=())
        self.assertIn("of 3 points", compared)
        self.assertIn("the sides also differ in host=", compared)
        self.assertEqual(home.counts(), {"done": 6})
        self.nothing_is_left()

    def test_a_plan_asks_for_every_kind_of_trial(self):
        plan = self.home.ctl("plan", self.home.write("kinds", ranks="1, 2, 3, 4, 5, 6, 7, 8, 9"), "--pool", "cluster")
        self.assertEqual(len(re.findall(r"1 trial of \d ranks?: \d nodes? x 2 CPUs", plan)), 9, plan)
        self.assertIn("world_size 9: ", plan)  # five nodes, of which this pool leaves out one

    def test_what_waits_says_why_and_can_be_cancelled(self):
        filler = slurm("sbatch", "--parsable", "--nodes=4", ALL_OTHERS, "--exclusive", "--output=/dev/null", "--wrap=sleep 100")
        self.addCleanup(slurm, "scancel", filler)
        eventually(lambda: slurm("squeue", "--noheader", "--format=%T", f"--jobs={filler}") == "RUNNING", "it is full")
        home = self.home
        home.submit("waits", seeds=6)
        home.eventually(lambda: "Resources" in home.ctl("show", "waits"), "the reason is told")
        self.assertRegex(home.ctl("show", "waits"), r"queued.* waits in job \d+: Resources")
        self.assertRegex(home.ctl("status"), r"waits in pool cluster: Resources \(job \d+\)")
        attempt = home.sql("SELECT uid FROM attempt WHERE given_ns IS NOT NULL LIMIT 1")[0][0]
        self.assertRegex(home.ctl("show", attempt), r"(?m)^reason +Resources$")
        self.assertIn("ended 6 queued attempts, stopping 0", home.ctl("cancel", "waits"))
        home.all_ended()
        self.assertEqual(home.counts(), {"cancelled": 6})
        self.nothing_is_left()

    def test_cancel_ends_what_runs_and_retry_runs_it_again(self):
        home = self.home
        home.submit("cancel", sleep="1h", warmup="0, 1")
        for command, answer in (("cancel", "stopping 2 running"), ("retry", "retrying 2"), ("cancel", "stopping 2 running")):
            if command == "cancel":
                home.one_is_forked_and_one_is_not()
            self.assertIn(answer, home.ctl(command, "cancel"))
            if command == "cancel":
                home.all_ended()
        self.assertEqual(home.counts(), {"cancelled": 4})
        self.nothing_is_left()

    def test_jobs_go_on_while_no_daemon_runs(self):
        home = self.home
        home.submit("stopped", seeds=3, sleep="500ms", warmup="0, 1")
        home.started(2)
        self.assertRegex(home.ctl("stop"), r"stopped; \d attempts? in clusters continue, and \d queued wait")
        time.sleep(2)
        self.every_trial_is_done(6)
        self.nothing_is_left()

    # Each death comes after this many results, so that all of them meet attempts at any speed of
    # the machine.
    def test_the_daemon_dies_thirty_times_in_500_trials(self):
        home = self.home
        home.submit("forks", seeds=480, sleep="20ms")
        home.submit("steps", seeds=20, sleep="20ms", warmup="0")
        for results in sorted(random.sample(range(480), 30)):
            home.eventually(lambda: home.counts().get("done", 0) >= results, f"{results} results")
            time.sleep(random.uniform(0, 0.2))
            home.kill_daemon()
            home.ctl("list")
        self.every_trial_is_done(500, 120)
        self.nothing_is_left()

    def test_somebody_cancels_jobs(self):
        home = self.home
        home.submit("cancelled", sleep="2s", warmup="0, 1")
        attempts = home.one_is_forked_and_one_is_not()
        slurm("scancel", *home.jobs())
        home.all_ended()
        for attempt in attempts:
            self.assertRegex(home.ctl("show", attempt), r"cancelled(.|\n)*job \d+ ended as CANCELLED")
        home.ctl("retry", "cancelled")
        self.every_trial_is_done(2)
        self.nothing_is_left()

    def test_somebody_cancels_a_job_in_the_queue(self):
        home = self.home
        home.configure(nodes='cpus_per_node: 1, exclusive: false, sbatch: ["--begin=now+1hour"]')
        home.submit("waiting", seeds=2)
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
        self.nothing_is_left()

    def test_what_slurm_takes_away_runs_again(self):
        home = self.home
        home.submit("taken", sleep="2s", warmup="0, 1")
        attempts = home.one_is_forked_and_one_is_not()
        urgent = slurm("sbatch", "--parsable", "--partition=urgent", "--nodes=4", ALL_OTHERS, "--exclusive",
                       "--output=/dev/null", "--wrap=true")
        self.assertTrue(urgent)
        losses = "SELECT count(*) FROM attempt_loss"
        home.eventually(lambda: home.sql(losses) == [(2,)], "their jobs were preempted")
        nodes = home.running_nodes(2)
        slurm("scontrol", "update", f"nodename={','.join(nodes)}", "state=down", "reason=test")
        home.eventually(lambda: home.sql(losses) == [(4,)], "their nodes failed")
        slurm("scontrol", "update", f"nodename={','.join(nodes)}", "state=resume")
        self.every_trial_is_done(2)
        for attempt in attempts:
            shown = home.ctl("show", attempt)
            self.assertIn("ended as PREEMPTED", shown)
            self.assertRegex(shown, f"ended as NODE_FAIL on ({'|'.join(nodes)})")
        self.nothing_is_left()

    def test_more_memory_than_the_node_has(self):
        (self.home.folder / "eat.py").write_text("import time\nkeep = bytearray(700 << 20)\ntime.sleep(30)\n")
        self.home.submit_text("hungry", HUNGRY, "--wait")
        self.assertEqual(self.home.counts(), {"oom": 2})
        self.nothing_is_left()

    def test_a_prologue_that_fails_is_told_and_tried_again(self):
        home = self.home
        home.configure(prologue="test -e ready || { echo no such module >&2; exit 3; }")
        home.submit("prologue", warmup="0, 1")
        told = "the prologue of pool `cluster` ended with status 3 on node"
        home.eventually(lambda: told in home.ctl("status") and "no such module" in home.ctl("status"), "status says why")
        home.configure()
        home.ctl("stop")
        self.every_trial_is_done(2)
        self.nothing_is_left()

    # It was submitted before all other stories: nothing ends within the first minute.
    def test_what_sbatch_refuses_for_good_is_an_outcome(self):
        home = self.refused
        home.eventually(lambda: home.counts().get("failed", 0) >= 4, "all that had asked for a job have ended", 120)
        failed = home.sql("SELECT uid FROM attempt WHERE outcome = 'failed'")
        self.assertLess(len(failed), 20, "and the rest of the queue waits")
        told = "sbatch refused: sbatch: error: invalid partition specified: nix"
        self.assertIn(f"pool `cluster`: attempts cannot start: {told}", home.ctl("status"))
        for (attempt,) in failed:
            self.assertIn(told, home.ctl("show", attempt))
        home.configure()
        home.ctl("stop")
        self.assertIn(f"retrying {len(failed)}", home.ctl("retry", "refused"))
        self.every_trial_is_done(20, home=home)
        self.nothing_is_left(home)

    def test_the_controller_is_away_for_twenty_seconds(self):
        self.forks_are_certain = False  # without a controller no step begins
        # The attempts must still run when the controller is down, which may take seconds on a busy
        # machine: a pool without attempts does not call the controller.
        self.home.submit("controller", seeds=3, sleep="10s", warmup="0, 1")
        self.home.started(2)
        cluster("--down", "slurmctld")
        try:
            self.home.eventually(lambda: "does not answer" in self.home.ctl("status"), "status says so")
            time.sleep(20)
        finally:
            cluster("--up", "slurmctld")  # the other stories need it
        self.every_trial_is_done(6, 180)
        self.nothing_is_left()

    def test_the_shared_folder_is_not_mounted_yet(self):
        home = self.home
        home.submit("unmounted", sleep="6s", warmup="0")
        (attempt,) = home.started()
        home.kill_daemon()
        # Only the daemon's own view: the nodes have the folder all the time.
        command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', home.runs, BIN / "sweepctl", "list"]
        subprocess.run(command, env=home.environment, check=True, timeout=60, capture_output=True)
        told = "the state of an attempt that an earlier daemon gave to it is unknown"
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
        self.home.submit("full", seeds=4, sleep="200ms", warmup="0, 1")
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
        self.assertEqual(home.counts(), {"timeout": 2})
        for (attempt,) in home.sql("SELECT uid FROM attempt"):
            self.assertEqual(home.is_forked(attempt), home.may_be_forked(attempt))
            self.assertIn("took longer than 1m", home.ctl("show", attempt))
        self.nothing_is_left(home)


if __name__ == "__main__":
    # The time limit comes last: Slurm notices it during the other tests.
    unittest.TestLoader.sortTestMethodsUsing = lambda _, a, b: 1 if ("limit" in a, a) > ("limit" in b, b) else -1
    unittest.main(verbosity=2)
