#!/usr/bin/env python3
"""The daemon on a real Slurm cluster while the folder that both share does not answer the daemon.

    tools/slurm_cluster --nodes 4 -- tests/slurm/hang_test.py BIN_FOLDER HANG_SHIM [TEST...]

A preloaded library holds every call of the daemon on that folder (preloaded/hang_shim.cpp). The nodes go on.
"""

import subprocess
import sys
import unittest
from pathlib import Path

SHIM = Path(sys.argv.pop(2)).resolve()

from home import eventually  # noqa: E402
from story import Story, tearDownModule  # noqa: E402, F401

SILENT = "has not answered since"


class TheFolderHangs(Story):
    def setUp(self):
        super().setUp()
        self.home.configure(nodes="cpus_per_node: 2")
        self.notes = self.home.folder / "notes"
        self.notes.mkdir()
        self.home.environment |= {
            "LD_PRELOAD": str(SHIM), "HANG_SHIM": str(self.notes), "HANG_FOLDER": str(self.home.runs)
        }

    def tearDown(self):
        self.answer()
        super().tearDown()

    def hang(self):
        (self.notes / "hang").touch()

    def answer(self):
        (self.notes / "hang").unlink(missing_ok=True)

    def a_call_hangs(self):
        held = self.notes / "held"
        eventually(lambda: held.exists(), "a call on the folder waits", 30)

    def ctl(self, *arguments, seconds=10):
        """Fails if the daemon does not answer meanwhile."""
        done = subprocess.run(
            [self.home.bin / "sweepctl", *arguments], env=self.home.environment, cwd=self.home.folder, capture_output=True,
            text=True, timeout=seconds
        )
        self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)
        return done.stdout + done.stderr

    def begin(self, *arguments):
        begun = subprocess.Popen(
            [self.home.bin / "sweepctl", *arguments], env=self.home.environment, cwd=self.home.folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True
        )
        self.addCleanup(begun.kill)
        return begun

    def loop_asked_nothing(self):
        on_loop = self.notes / "on_loop"
        self.assertEqual(on_loop.read_text() if on_loop.exists() else "", "", "what the loop asked of the folder")

    def outcomes_of(self, sweep):
        query = """SELECT coalesce(a.outcome, 'open') FROM sweep s JOIN sweep_attempt sa ON sa.sweep = s.id
                   JOIN attempt a ON a.row = sa.attempt WHERE s.name = ?"""
        return [outcome for (outcome,) in self.home.sql(query, sweep)]

    def test_clients_are_answered_and_this_machine_goes_on(self):
        home = self.home
        home.submit("far", seeds=4, sleep="900ms", warmup="0, 1")
        attempt = home.started()[0]
        self.hang()
        logs = [self.begin("log", attempt) for _ in range(6)]  # more than there are readers
        self.ctl("submit", home.write("dropped", seeds=3, sleep="11ms"), "--pool", "cluster")
        self.a_call_hangs()
        for command in ("status", "devices"):
            eventually(lambda: SILENT in self.ctl(command), f"`{command}` says that the folder is silent", 30)
        self.ctl("run", home.write("near", seeds=3, sleep="12ms"), seconds=60)
        self.assertEqual(self.outcomes_of("near"), ["done"] * 3)
        self.assertIn("ended 3 queued attempts", self.ctl("cancel", "dropped"))
        self.assertEqual(self.outcomes_of("dropped"), ["cancelled"] * 3)
        self.assertIn("open", self.outcomes_of("far"))
        self.assertEqual([log.poll() for log in logs], [None] * 6)
        self.answer()
        for log in logs:
            self.assertIn("ended done", log.communicate(timeout=30)[0])
        self.ctl("retry", "dropped")
        home.all_ended()
        self.assertEqual(self.outcomes_of("far"), ["done"] * 8)
        self.assertEqual(home.counts(), {"done": 14, "cancelled": 3})
        self.assertNotIn(SILENT, self.ctl("status"))
        self.every_trial_is_done(14)
        self.loop_asked_nothing()
        self.nothing_is_left()

    def test_what_begins_meanwhile_can_be_cancelled_and_nothing_is_lost(self):
        home = self.home
        self.ctl("list")
        self.hang()
        self.ctl("submit", home.write("dropped", seeds=2, sleep="11ms"), "--pool", "cluster")
        self.a_call_hangs()
        given = "SELECT count(*) FROM attempt WHERE given_ns IS NOT NULL"
        home.eventually(lambda: home.sql(given) == [(2,)], "both were given")
        self.ctl("cancel", "dropped")
        home.eventually(lambda: self.outcomes_of("dropped") == ["cancelled"] * 2, "what was not begun ends at once")
        self.ctl("submit", home.write("kept", seeds=6, sleep="13ms", warmup="0, 1"), "--pool", "cluster")
        self.ctl("pause", "kept")
        self.ctl("resume", "kept")
        self.assertEqual(self.outcomes_of("kept"), ["open"] * 12)
        self.answer()
        home.eventually(lambda: self.outcomes_of("kept") == ["done"] * 12, "all are done")
        self.assertEqual(home.sql("SELECT count(*) FROM attempt_loss"), [(0,)])
        self.loop_asked_nothing()
        self.nothing_is_left()

    def test_the_daemon_ends_and_the_next_one_begins_meanwhile(self):
        home = self.home
        home.submit("far", seeds=3, sleep="900ms", warmup="0, 1")
        home.started()
        self.hang()
        self.a_call_hangs()
        self.ctl("status")
        self.ctl("stop", seconds=30)
        lock = home.folder / "state/lock"
        pid = lock.read_text().split()[0]
        eventually(lambda: not Path(f"/proc/{pid}").exists(), "the daemon has ended", 20)
        self.ctl("status", seconds=20)
        self.assertNotEqual(lock.read_text().split()[0], pid, "another daemon")
        eventually(lambda: SILENT in self.ctl("status"), "the next one says that the folder is silent", 30)
        self.ctl("run", home.write("near", seeds=2, sleep="12ms"), seconds=60)
        home.kill_daemon()
        self.ctl("list", seconds=20)
        self.answer()
        self.every_trial_is_done(8)
        self.assertEqual(home.counts(), {"done": 8}, "nothing ran twice")
        self.loop_asked_nothing()
        self.nothing_is_left()

    def test_ranks_that_end_badly_or_too_late_are_told_of_afterwards(self):
        home = self.home
        gang = "sweep: gang\nworkload: fault\nparams: {device: cpu, threads: 1, timeout: 4s, sleep: 1h, steps: 3, kind: slow, world_size: 2}\n"
        home.submit_text("gang", gang)
        home.started()
        self.hang()
        self.a_call_hangs()
        self.ctl("run", home.write("near", seeds=2, sleep="12ms", timeout="1m"), seconds=60)
        self.answer()
        home.all_ended()
        self.assertEqual(self.outcomes_of("gang"), ["timeout"])
        self.loop_asked_nothing()
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
