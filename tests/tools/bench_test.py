#!/usr/bin/env python3
"""What tools/bench/run makes of measured values; the measuring itself is not tested."""

import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/bench"))

from bench.attempts import intervals  # noqa: E402
from bench.page import Page, shown  # noqa: E402
from bench.slurm import RACERS, race  # noqa: E402
from bench.submit import sweep  # noqa: E402
from bench.tools import percentile  # noqa: E402

loader = SourceFileLoader("compare_builds", str(ROOT / "tools/bench/compare_builds"))
compare_builds = module_from_spec(spec_from_loader("compare_builds", loader))
loader.exec_module(compare_builds)


class Table(unittest.TestCase):
    def row(self, *arguments):
        page = Page("toy", "A toy")
        page.add(*arguments)
        return page.table().splitlines()[2]

    def test_a_limit_is_met_or_not(self):
        self.assertEqual(self.row("submit", "s", [0.5, 0.25, 0.75], "wall", 1.0),
                         "| submit | 0.500 s | 0.275 to 0.725 | ≤ 1.00 s | yes | 3 | wall |")
        self.assertEqual(self.row("start", "ms", [11.0], "wall", 10), "| start | 11.0 ms |  | ≤ 10.0 ms | **no** | 1 | wall |")

    def test_a_limit_may_be_the_least(self):
        self.assertEqual(self.row("share", "%", [80.0], "FLOPs", None, 85), "| share | 80.0 % |  | ≥ 85.0 % | **no** | 1 | FLOPs |")
        self.assertIn("| yes |", self.row("share", "%", [90.0], "FLOPs", None, 85))

    def test_without_a_limit_there_is_nothing_to_meet(self):
        self.assertEqual(self.row("memory", "MB", [1234.5], "VmRSS"), "| memory | 1,234 MB |  |  |  | 1 | VmRSS |")

    def test_three_digits(self):
        self.assertEqual([shown(v) for v in (0, 0.000123, 0.0123, 1.234, 12.34, 123.4, 12345.6)],
                         ["0.000", "0.00012", "0.012", "1.23", "12.3", "123", "12,346"])

    def test_percentiles_between_values(self):
        self.assertEqual(percentile([4, 1, 3, 2], 0.5), 2.5)
        self.assertEqual(percentile([7], 0.95), 7)


class Parts(unittest.TestCase):
    def test_intervals_leave_the_first_attempt_out_but_for_what_follows_it(self):
        attempts = [{"process": 1.0, "end": 2.0}, {"process": 5.0, "end": 9.0}]
        self.assertEqual(intervals(attempts, "end", "next process"), [3.0])
        self.assertEqual(intervals(attempts, "process", "end"), [4.0])

    def test_a_sweep_has_as_many_trials_as_asked_for(self):
        text = sweep("s", 7, 40)
        self.assertIn("seed: [7, 8]", text)
        self.assertEqual(text.split("steps: [")[1].count(","), 19)

    def test_peers_on_a_cluster_are_compared_round_by_round(self):
        seconds = {"sweepd": 10, "light": 4, "jobs": 100, "array": 30, "hyperqueue": 2}
        rounds = [{name: {"wall_s": seconds[name] * times, "cpu_s": 1, "requests": 50} for name in RACERS} for times in (1, 3)]
        page = Page("slurm", "A cluster")
        race(page, rounds, 100)
        rows = {name: (values, at_most, at_least) for name, _, values, _, at_most, at_least in page.rows}
        self.assertEqual(rows["sweepd, times as fast as submitit's jobs"], ([10, 10], None, 10))
        self.assertEqual(rows["sweepd, worker without LibTorch, times as fast as submitit's array"], ([7.5, 7.5], None, 10))
        self.assertEqual(rows["sweepd, times as slow as HyperQueue"], ([5, 5], 3, None))
        self.assertEqual(rows["CPU time of a task: sweepd"][0], [10, 10])

    def test_a_benchmark_that_lacks_what_it_needs_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "python3").symlink_to(sys.executable)
            done = subprocess.run([sys.executable, ROOT / "tools/bench/run", "--no-build", "slurm"], env={"PATH": folder}, text=True,
                                  capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tools/bench/run: slurm: skipped: slurm_cluster: skipped: munged, ", done.stderr)

    def test_two_builds_take_turns_and_neither_is_always_first(self):
        self.assertEqual(list(compare_builds.in_turns("a", "b", 3)), [(1, "a"), (1, "b"), (2, "b"), (2, "a"), (3, "a"), (3, "b")])

    def test_a_folder_without_programs_is_refused(self):
        done = subprocess.run([ROOT / "tools/bench/compare_builds", "/nowhere", "/nowhere"], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("`/nowhere` has no sweepctl; expected the folder of a build's programs", done.stderr)

    def test_a_page_is_written_with_its_title_and_the_command_that_made_it(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Page("toy", "A toy")
            page.add("speed", "1/s", [2.0], "counted")
            page.write(Path(folder) / "cpu/toy.md")
            text = (Path(folder) / "cpu/toy.md").read_text()
        self.assertTrue(text.startswith("# A toy\n"), text)
        for part in ("`tools/bench/run --write toy`", "| speed | 2.00 1/s |", "| CPU |", "| date |"):
            self.assertIn(part, text)

    def test_names(self):
        done = subprocess.run([ROOT / "tools/bench/run", "--list"], capture_output=True, text=True, check=True)
        self.assertLessEqual({"submit", "clients", "attempts", "forks", "expand", "slurm"}, set(done.stdout.split()))
        wrong = subprocess.run([ROOT / "tools/bench/run", "sumbit"], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("no benchmark `sumbit`; there are submit,", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
