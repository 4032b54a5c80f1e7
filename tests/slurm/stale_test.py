#!/usr/bin/env python3
"""The daemon and the nodes of a real Slurm cluster see the shared folder through mounts of their own, as two hosts do.

    tools/slurm_cluster --nodes 4 -- tests/slurm/stale_test.py BIN_FOLDER STALE_FOLDER [TEST...]

What one of them changes the other one sees when it opens the file, and else half a minute later (mounted/stale_folder.cpp).
"""

import subprocess
import sys
import time
import unittest
from pathlib import Path

STALE_FOLDER = Path(sys.argv.pop(2)).resolve()

from home import CLUSTER, eventually  # noqa: E402
from story import Story, tearDownModule  # noqa: E402, F401


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


class OnlyWhatNfsPromises(Story):
    def setUp(self):
        super().setUp()
        self.home.configure(nodes="cpus_per_node: 2")
        self.real = CLUSTER / f"{self.home.folder.name}-real"
        self.real.mkdir()
        self.mount()
        # Its mount is in its own namespace, with the daemon.
        begin = f"{STALE_FOLDER} {self.real} {self.home.runs} && exec {self.home.bin}/sweepctl list"
        begun = run("unshare", "--mount", "--propagation", "private", "sh", "-c", f"umount {self.home.runs} && {begin}",
                    env=self.home.environment, cwd=self.home.folder)
        self.assertEqual(begun.returncode, 0, begun.stdout + begun.stderr)

    def tearDown(self):
        super().tearDown()
        run("umount", "--lazy", self.home.runs)
        run("pkill", "-f", f"^{STALE_FOLDER} {self.real} ")

    def mount(self):
        mounted = run(STALE_FOLDER, self.real, self.home.runs)
        if mounted.returncode != 0:
            self.skipTest(f"no file system can be mounted here: {mounted.stderr.strip()}")

    def daemon_sees_another_mount(self):
        pid = (self.home.folder / "state/lock").read_text().split()[0]
        (self.home.runs / "of_the_nodes").touch()
        theirs = Path(f"/proc/{pid}/root") / str(self.home.runs).lstrip("/")
        self.assertNotEqual(theirs.stat().st_dev, self.home.runs.stat().st_dev)

    def nothing_is_left_but_the_mounts(self):
        home = self.home
        home.eventually(lambda: not home.jobs(), "no job is left")
        self.no_attempt_is_lost(home)
        home.ctl("stop")

    def test_attempts_begin_and_end_without_waiting_for_what_is_stale(self):
        home = self.home
        self.daemon_sees_another_mount()
        home.submit("stale", seeds=8, sleep="20ms", warmup="0, 1")
        begun = time.monotonic()
        self.every_trial_is_done(16, 120)
        self.assertLess(time.monotonic() - begun, 25, "less than what is stale stays so")
        self.assertEqual(home.counts(), {"done": 16})
        self.assertEqual(home.sql("SELECT count(*) FROM attempt_loss"), [(0,)])
        # The journal was read whole, though the daemon looked into the folder while it grew.
        self.assertEqual(home.sql("""SELECT count(*) FROM sample s JOIN name m ON m.id = s.metric JOIN name p ON p.id = s.phase
                                     WHERE m.text = 'time' AND p.text = 'step' AND NOT s.warmup"""), [(32,)])
        self.nothing_is_left_but_the_mounts()

    def test_what_runs_is_seen_and_can_be_cancelled(self):
        home = self.home
        home.submit("long", sleep="1h", warmup="0, 1")
        home.one_is_forked_and_one_is_not()
        home.eventually(lambda: "step" in home.ctl("status"), "its place is told")
        self.assertIn("stopping 2 running", home.ctl("cancel", "long"))
        home.all_ended(25)
        self.assertEqual(home.counts(), {"cancelled": 2})
        self.nothing_is_left_but_the_mounts()

    def test_a_gang_that_fails_is_told_of(self):
        home = self.home
        gang = "sweep: gang\nworkload: fault\nparams: {device: cpu, threads: 1, timeout: 1m, steps: 3, kind: exit, world_size: 2}\n"
        home.submit_text("gang", gang)
        home.all_ended(25)
        self.assertEqual(home.counts(), {"crashed": 1}, home.ctl("show", "gang"))
        self.nothing_is_left_but_the_mounts()


if __name__ == "__main__":
    unittest.main(verbosity=2)
