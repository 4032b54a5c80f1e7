#!/usr/bin/env python3
"""tools/storm: whether its checks notice a database, a journal or a process that is wrong."""

import contextlib
import io
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

from storming import checks, faults, kills, lanes, rounds, upkeep  # noqa: E402
from storming.machine import Machine  # noqa: E402

JOURNAL = '{"event":"started","pid":1,"wall_ns":1}\n{"event":"end","outcome":"%s","wall_ns":2}\n'


def empty_database(file):
    """As the migrations make it, with a sweep of two trials."""
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA synchronous = OFF")
        for migration in sorted((ROOT / "db" / "migrations").glob("[0-9]*.sql")):
            db.executescript(migration.read_text())
        db.execute("INSERT INTO host (id, uid, hostname, cpu_model, cores, sockets, memory_bytes) "
                   "VALUES (1, 'h', 'h', 'c', 2, 1, 1)")
        db.execute("INSERT INTO sweep (id, uid, name, description, workload, trial_order, submitted_ns, source) "
                   "VALUES (1, 's', 'quick', '', 'noop', 'interleaved', 1, '')")
        db.execute("INSERT INTO trial (id, key, workload, version) VALUES (1, 'a', 'noop', 1), (2, 'b', 'noop', 1)")
    db.close()


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.template = tempfile.mkdtemp(prefix="sweepd-storm-template-")
        empty_database(Path(cls.template) / "results.db")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.template)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sweepd-storm-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.database, self.runs = self.folder / "results.db", self.folder / "runs"
        shutil.copy(Path(self.template) / "results.db", self.database)
        self.attempt(1, trial=1)
        self.attempt(2, trial=2)
        self.journal("attempt1", "done")

    def execute(self, sql, *values):
        with sqlite3.connect(self.database) as db:
            db.execute(sql, values)

    def attempt(self, row, trial=1, outcome="done", which="timing"):
        self.execute("INSERT INTO attempt (row, uid, trial, pass, repeat, host, is_current, outcome, position, priority, "
                     "timeout_ns, started_ns, ended_ns) VALUES (?, ?, ?, ?, 0, 1, 0, ?, ?, 0, 0, 1, ?)",
                     row, f"attempt{row}", trial, which, outcome, row, outcome and 2)
        self.execute("INSERT INTO sweep_attempt VALUES (1, ?, 'queued')", row)
        self.execute("INSERT INTO lease VALUES (?, 0, '0', '', -1)", row)

    def journal(self, attempt, outcome, rank=0, tail=""):
        (self.runs / attempt).mkdir(parents=True, exist_ok=True)
        (self.runs / attempt / f"events.{rank}.ndjson").write_text(JOURNAL % outcome + tail)

    def complaints(self, hurt=(), disk_failed=False, expected="done"):
        return (checks.soundness(self.database) + checks.counted_twice(self.database) + checks.left_open(self.database) +
                checks.journals(self.database, self.runs) +
                checks.outcomes(self.database, set(hurt), {"quick": (expected, "crashed")}, disk_failed))

    def expect(self, part, **how):
        found = self.complaints(**how)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_nothing_is_wrong(self):
        self.assertEqual(self.complaints(), [])

    def test_a_trial_that_is_done_twice(self):
        self.attempt(3, trial=1)
        self.expect("trial 1, timing pass, repeat 0: 2 done attempts")

    def test_another_pass_or_outcome_is_no_second_result(self):
        self.attempt(3, trial=1, which="memory")
        self.attempt(4, trial=1, outcome="crashed")
        self.assertEqual(self.complaints(hurt=["attempt4"]), [])

    def test_an_attempt_that_holds_its_lease(self):
        self.attempt(3, outcome=None, which="memory")
        self.expect("attempt attempt3 is running in the database")

    def test_a_finished_journal_that_is_stored_as_something_else(self):
        self.execute("UPDATE attempt SET outcome = 'crashed' WHERE row = 1")
        self.expect("attempt attempt1 is stored as crashed, and its 1 rank(s) said: done", hurt=["attempt1"])

    def test_every_word_of_a_finished_journal_is_what_is_stored(self):
        for said, stored, right in [("oom", "oom", True), ("oom", "crashed", False), ("failed", "failed", True),
                                    ("failed", "timeout", False), ("skipped", "skipped", True), ("skipped", "oom", False),
                                    ("failed", "cancelled", False), ("oom", "done", False)]:
            self.journal("attempt1", said)
            self.execute("UPDATE attempt SET outcome = ? WHERE row = 1", stored)
            found = checks.journals(self.database, self.runs)
            self.assertEqual(not found, right, f"{said} stored as {stored}: {found}")

    def test_done_needs_the_end_of_every_rank(self):
        self.execute("INSERT INTO lease VALUES (1, 1, '1', '', -1)")
        self.expect("attempt attempt1 is stored as done, and its 2 rank(s) said: done")
        self.journal("attempt1", "done", rank=1)
        self.assertEqual(self.complaints(), [])
        self.journal("attempt1", "failed", rank=1)
        self.expect("stored as done, and its 2 rank(s) said: done, failed")

    def test_what_ranks_may_become(self):
        died = {"crashed", "timeout", "failed", "cancelled"}
        for said, ranks, outcomes in [(["done"], 1, {"done"}), (["oom"], 1, {"oom"}), ([None], 1, died), ([], 1, died),
                                      (["done", "oom"], 2, {"oom"}), (["done", None], 2, died), (["done"], 2, died),
                                      (["oom", "failed"], 2, {"oom", "failed"}), (["oom", None], 2, died | {"oom"})]:
            self.assertEqual(checks.may_become(said, ranks), outcomes, said)

    def test_a_finished_journal_that_is_not_stored(self):
        self.journal("attempt9", "oom")
        self.expect("attempt attempt9 has a finished journal and no row")

    def test_a_journal_of_one_rank_says_nothing_of_the_others(self):
        self.execute("INSERT INTO lease VALUES (1, 1, '1', '', -1)")
        self.execute("UPDATE attempt SET outcome = 'crashed' WHERE row = 1")
        self.assertEqual(self.complaints(hurt=["attempt1"]), [])

    def test_a_torn_journal_is_not_finished(self):
        self.journal("attempt9", "done", tail='{"event":')
        (self.runs / "attempt8").mkdir()
        (self.runs / "attempt8" / "events.0.ndjson").write_bytes(b'{"event":"end","outcome":"done"')
        self.expect("attempt9")

    def test_an_end_that_nothing_explains(self):
        self.execute("UPDATE attempt SET outcome = 'crashed', signal = 9 WHERE row = 2")
        self.expect("attempt attempt2 of `quick` is crashed (9); expected done")
        self.assertEqual(self.complaints(hurt=["attempt2"]), [])

    def test_what_a_full_disk_may_lose(self):
        self.execute("UPDATE attempt SET outcome = 'crashed' WHERE row = 2")
        self.execute("UPDATE attempt SET outcome = 'timeout' WHERE row = 1")
        (self.runs / "attempt1" / "events.0.ndjson").unlink()
        self.expect("attempt2 of `quick` is crashed", expected="timeout")
        self.assertEqual(self.complaints(expected="timeout", disk_failed=True), [])

    def test_a_row_that_names_a_missing_one(self):
        self.execute("INSERT INTO lease VALUES (77, 0, '0', '', -1)")
        self.expect("foreign_key_check: lease")

    def test_a_damaged_database(self):
        with sqlite3.connect(self.database) as db:
            page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'attempt_by_trial'").fetchone()[0]
            size = db.execute("PRAGMA page_size").fetchone()[0]
        with open(self.database, "r+b") as file:
            file.seek((page - 1) * size + size - 200)
            file.write(b"\xff" * 200)
        self.assertIn("integrity_check", "\n".join(checks.soundness(self.database)))

    def lost(self, seen, deleted=()):
        return checks.lost(self.database, {sweep: set(attempts) for sweep, attempts in seen.items()}, dict.fromkeys(deleted))

    def test_a_sweep_that_is_gone_was_deleted(self):
        self.assertEqual(self.lost({"s": ["attempt1", "attempt2"]}), [])
        self.assertEqual(self.lost({"t": ["attempt3"]}), ["sweep t with 1 done attempts is gone"])
        self.assertEqual(self.lost({"t": ["attempt3"]}, deleted=["t"]), [])

    def test_no_part_of_a_sweep_is_deleted(self):
        self.execute("DELETE FROM sweep_attempt WHERE attempt = 2")
        for deleted in ([], ["s"]):
            found = self.lost({"s": ["attempt1", "attempt2"]}, deleted)
            self.assertEqual(found, ["sweep s (quick) has lost 1 of 2 done attempts: attempt2"])
        self.execute("UPDATE attempt SET outcome = 'crashed' WHERE row = 1")
        self.assertIn("has lost 1 of 1", self.lost({"s": ["attempt1"]})[0])

    def test_what_is_not_recovered(self):
        seen = {"s": {"attempt1", "attempt9"}, "t": {"attempt8"}}
        self.assertEqual(checks.not_recovered(self.database, seen, {"t": "gone"}),
                         ["1 done attempts of sweep s are missing: attempt9"])

    def test_a_merged_sweep_has_the_attempts_and_samples_of_the_other_database(self):
        other = self.folder / "other.db"
        shutil.copy(self.database, other)
        self.assertEqual(checks.torn_merge(self.database, other), [])
        with sqlite3.connect(other) as db:
            db.execute("INSERT INTO name VALUES (1, 'time')")
            db.execute("INSERT INTO sample VALUES (1, 1, 1, 0, 0, 0, 1.0)")
        self.assertIn("merged sweep s has 2 of 2 attempts", checks.torn_merge(self.database, other)[0])
        with sqlite3.connect(other) as db:
            db.execute("UPDATE sweep SET uid = 't'")
        self.assertIn("merged sweep t has 0 of 2 attempts", checks.torn_merge(self.database, other)[0])

    def kept(self, **how):
        machine, notes = Machine("build", self.folder), rounds.Notes()
        machine.state, machine.other = self.folder, self.folder / "other"
        machine.other.mkdir()
        shutil.copy(self.database, machine.other)
        notes.kept.backups.append(upkeep.Backup(how["file"], how["seen"], subprocess.Popen(how["client"])))
        notes.kept.backups[0].client.wait()
        return upkeep.look(machine, notes)

    def test_a_backup_has_what_was_done_when_it_began(self):
        self.assertEqual(self.kept(file=self.database, seen={"s": {"attempt1"}}, client=["true"]), [])

    def test_a_backup_that_lacks_something(self):
        found = self.kept(file=self.database, seen={"t": {"attempt7"}}, client=["true"])
        self.assertEqual(found, ["results.db: sweep t with 1 done attempts is gone"])

    def test_a_backup_that_was_made_and_is_not_there(self):
        found = self.kept(file=self.folder / "none.db", seen={}, client=["true"])
        self.assertEqual(found, ["none.db: it was made, and is not there"])

    def test_a_backup_that_failed_need_not_be_there(self):
        self.assertEqual(self.kept(file=self.folder / "none.db", seen={}, client=["false"]), [])

    def test_a_process_that_is_left(self):
        self.assertEqual(checks.processes([]), [])
        self.assertEqual(checks.processes(["sweepd", "sweepd"]), ["2 process(es) `sweepd` are left"])


class Orphans(unittest.TestCase):
    def left(self, processes, places=()):
        machine = Machine("build", "folder")
        machine.processes, machine.places = lambda: processes, lambda: list(places)
        return machine.orphans()

    def test_a_daemon_its_loaded_worker_and_nothing_else_may_live(self):
        self.assertEqual(self.left({}), [])
        self.assertEqual(self.left({5: ("sweepd", 1), 6: ("test-sweep-work", 5)}), [])
        self.assertEqual(self.left({5: ("sweepd", 1), 7: ("sweepd", 1)}), ["sweepd (a second one)"])
        self.assertEqual(self.left({5: ("sweepd", 1), 6: ("test-sweep-work", 1)}),
                         ["test-sweep-work (nobody is its parent)"])
        self.assertEqual(self.left({6: ("test-sweep-work", 5)}), ["test-sweep-work (nobody is its parent)"])
        self.assertEqual(self.left({5: ("sweepd", 1), 6: ("test-sweep-work", 5)}, [("attempt", 0, 6)]),
                         ["test-sweep-work (a rank)"])


    def test_a_fork_that_becomes_a_rank_while_it_is_taken_for_a_daemon_is_a_hurt_rank(self):
        machine = Machine("build", "folder")
        alive, places, hurt = {5: ("sweepd", 1), 6: ("sweepd", 1)}, [], set()
        machine.processes, machine.places = lambda: dict(alive), lambda: list(places)

        def kill(pid):
            if pid == 6:
                places.append(("attempt", 1, 6))
            return alive.pop(pid) is not None
        machine.kill = kill
        self.assertEqual(machine.kill_daemons(hurt), {5})
        self.assertEqual(hurt, {"attempt"})


class Storm(unittest.TestCase):
    def run_storm(self, *arguments):
        return subprocess.run([ROOT / "tools" / "storm", *arguments], capture_output=True, text=True, check=False)

    def test_the_same_seed_changes_bytes_in_the_same_way(self):
        changed = [faults.mutated(faults.MESSAGES[0], random.Random(7)) for _ in range(2)]
        self.assertEqual(*changed)
        self.assertNotEqual(changed[0], faults.mutated(faults.MESSAGES[0], random.Random(8)))

    def test_lanes_play_each_round_once_and_the_same_ones_again(self):
        all_of_them = lanes.seeds_of(7, 0, 10, 1)
        shared = [lanes.seeds_of(7, lane, 10, 3) for lane in range(3)]
        self.assertEqual(sorted(all_of_them), sorted(sum(shared, [])))
        self.assertNotEqual(all_of_them, lanes.seeds_of(8, 0, 10, 1))

    def test_a_lane_that_dies_is_a_failure(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            rounds, failed, _ = lanes.run([["false"], ["true"]])
        self.assertEqual((rounds, failed), (0, 1))
        self.assertIn("a lane ended with exit status 1", said.getvalue())

    def test_complaints_of_a_lane_are_told_with_the_seed_of_their_round(self):
        line = '{"seed":5,"kind":"of a worker","counts":{"kills of a worker":1},"complaints":["lost"]}'
        with contextlib.redirect_stdout(io.StringIO()) as said:
            rounds, failed, counts = lanes.run([["echo", line]])
        self.assertEqual((rounds, failed, dict(counts)), (1, 1, {"kills of a worker": 1}))
        self.assertEqual(said.getvalue(), "round 5, kill of a worker:\n  lost\n")

    def test_a_sweep_of_kills_is_new_in_each_round(self):
        for work in (kills.SCRIPTED, kills.REAL):
            for part in range(len(work.sweeps)):
                self.assertIn("seed: 31", work.text(part, 31, 4))
                self.assertNotIn("LENGTH", work.text(part, 31, 4))

    def test_wrong_options_are_refused_before_anything_begins(self):
        for options, part in [(["--minutes", "0"], "must be above 0"), (["--kills", "--rounds", "0"], "must be above 0"),
                              (["--lanes", "0"], "must be above 0"), (["--real"], "--real is for --kills")]:
            done = self.run_storm(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
