"""What each story on a cluster begins with, and what must be left of it: nothing but its attempts' folders."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from home import ROOT, Home, eventually, processes

BIN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release/bin"
PAGES = Path("/dev/shm")


def why_no_torch():
    """Why gangs cannot talk and models cannot be trained, or an empty text."""
    worker = BIN / "sweep-worker"
    if not worker.exists():
        return f"{worker} was not built"
    described = subprocess.run([worker, "--describe"], capture_output=True, text=True, timeout=60).stdout
    return "" if '"all_reduce"' in described else "the worker was built without LibTorch"


NO_TORCH = why_no_torch()


def tearDownModule():
    of_slurm = (b"slurmctld", b": slurmscriptd", b"slurmd", b"munged")
    cluster_itself = b"slurm_cluster"
    def left():
        return processes(lambda line, _: not line.startswith(of_slurm) and cluster_itself not in line)
    eventually(lambda: not left(), lambda: f"the stories leave no process: {left()}", 20)
    eventually(lambda: not list(PAGES.iterdir()), lambda: f"the stories leave no page: {list(PAGES.iterdir())}", 20)


class Story(unittest.TestCase):
    forks_are_certain = True  # unless a job may have been unable to load its worker

    def setUp(self):
        self.home = Home(self.id().rsplit(".", 1)[1], BIN)
        self.home.configure()

    def tearDown(self):
        self.home.end()

    def every_trial_is_done(self, trials, seconds=60, home=None):
        home = home or self.home
        home.ctl("list")  # starts the daemon if it is dead
        home.all_ended(seconds)
        query = "SELECT trial, sum(outcome = 'done') FROM attempt GROUP BY trial, pass, repeat"
        self.assertEqual([done for _, done in home.sql(query)], [1] * trials)

    def nothing_is_left(self, home=None):
        home = home or self.home
        home.eventually(lambda: not home.jobs(), "no job is left")
        self.assertTrue(list(home.runs.glob("jobs/*/*")))
        eventually(lambda: not self.endless(home), lambda: f"every job's folder says its end: not {self.endless(home)}")
        self.no_attempt_is_lost(home)
        home.ctl("stop")
        eventually(lambda: not home.left_of_it(), lambda: f"nothing is left: {home.left_of_it()}", 20)

    def endless(self, home):
        """The folders of jobs that do not say how these ended, with the files in them."""
        found = []
        for job in home.runs.glob("jobs/*/*"):
            try:
                names = os.listdir(job)
            except FileNotFoundError:
                continue  # one of too many: the daemon removed it
            if "ended" not in names:
                found.append((job.name, sorted(names)))
        return found

    def no_attempt_is_lost(self, home):
        done = "SELECT a.uid FROM attempt a JOIN host h ON h.id = a.host WHERE a.outcome = 'done' AND h.pool = 'cluster'"
        for (attempt,) in home.sql(done):
            for rank in range(len(home.request(attempt)["lease"])):
                journal = (home.runs / attempt / f"events.{rank}.ndjson").read_text().splitlines()
                self.assertEqual(json.loads(journal[0])["event"], "started", attempt)
                self.assertEqual(json.loads(journal[-1])["event"], "end", attempt)
            if self.forks_are_certain:
                self.assertEqual(home.is_forked(attempt), home.may_be_forked(attempt), home.ctl("log", attempt))
        known = {attempt for (attempt,) in home.sql("SELECT uid FROM attempt")}
        folders = {folder.name for folder in home.runs.iterdir() if folder.is_dir()} - {"jobs"}
        self.assertLessEqual(folders, known, "folders of no attempt")
