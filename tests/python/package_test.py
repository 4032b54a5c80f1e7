#!/usr/bin/env python3
"""The package `sweepd` against a daemon of the build: its examples, its notebook, errors, and data frames.

    package_test.py BIN
"""

import doctest
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packaging/python/src"
BIN = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(PACKAGE))

import sweepd  # noqa: E402
import sweepd.submission  # noqa: E402

try:
    import pandas
except ModuleNotFoundError:
    pandas = None


def daemon_folder():
    """The state folder of this run, with the build's programs in PATH. Ends the daemon at exit."""
    folder = Path(tempfile.mkdtemp(prefix="sweepd-python-"))
    os.environ.update(SWEEPD_STATE_DIR=str(folder / "state"), SWEEPD_WORKER=str(BIN / "sweep-worker"), PATH=f"{BIN}:{os.environ['PATH']}")
    os.environ.setdefault("SWEEPD_CORES_LOST", "0")  # tests/e2e/sandbox.cpp
    for name in ("SWEEPCTL", "SWEEPD", "SWEEPD_CONFIG"):
        os.environ.pop(name, None)
    return folder


FOLDER = daemon_folder()


def tearDownModule():
    sweepd.default_client().close()
    subprocess.run(["sweepctl", "stop", "--now"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    shutil.rmtree(FOLDER, ignore_errors=True)


def naps():
    return sweepd.Sweep("naps", "noop", params={"sleep": "1ms", "steps": 3}, matrix={"warmup": [0, 1]})


class Examples(unittest.TestCase):
    """Each `>>>` of the docstrings."""

    def test_docstrings(self):
        sweepd.submit(naps()).wait(progress=False)
        tried = 0
        for name in ("__init__", "errors", "table", "sweep", "client", "submission"):
            module = sweepd if name == "__init__" else importlib.import_module(f"sweepd.{name}")
            result = doctest.testmod(module, globs={**vars(module), "sweepd": sweepd}, verbose=False,
                                     optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
            self.assertEqual(result.failed, 0, name)
            tried += result.attempted
        self.assertGreater(tried, 15)

    def test_readme(self):
        text = (ROOT / "packaging/python/README.md").read_text()
        code = text.split("```python\n")[1].split("```")[0]
        for name in ("table", "submit"):
            self.assertIn(f"sweepd.{name}(", code)
        page = (ROOT / "docs/PYTHON.md").read_text()
        for name in sweepd.__all__:
            self.assertIn(name, page, "docs/PYTHON.md names everything")

    @unittest.skipUnless(pandas, "no pandas; tools/fetch_python_packages installs it")
    def test_notebook(self):
        notebook = json.loads((ROOT / "experiments/notebooks/own_program.ipynb").read_text())
        names = {"display": print}
        before = Path.cwd()
        os.chdir(ROOT / "experiments/notebooks")  # as a notebook runs
        try:
            for cell in notebook["cells"]:
                self.assertEqual(cell.get("outputs", []), [], "outputs are not committed: they are of one machine")
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), "cell", "exec"), names)  # noqa: S102
        finally:
            os.chdir(before)
        self.assertLess(names["fastest"].loc[1000, "builtin"], names["fastest"].loc[1000, "insertion"])


class Metrics(unittest.TestCase):
    def test_a_script_that_reports_runs_by_hand(self):
        ran = subprocess.run([sys.executable, "-c", "import sweepd_metrics as s\ns.step(0, 1.5, loss=2)"], capture_output=True, text=True,
                             check=True, env={"PYTHONPATH": str(PACKAGE)})
        self.assertEqual(json.loads(ran.stdout), {"step": 0, "time": 1.5, "loss": 2})


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = sweepd.submit(naps()).wait(progress=False, check=True)

    def test_a_file_its_folder_and_what_it_sets(self):
        file = FOLDER / "here/small.yaml"
        file.parent.mkdir(exist_ok=True)
        (file.parent / "program.py").write_text("import sweepd_metrics as s\nfor n in s.steps(): s.step(n, {'step': 1.5})\n")
        file.write_text("sweep: small\nworkload: command\nparams: {argv: '{python} program.py', warmup: 0, steps: 2}\n"
                        "tables: [{title: Both, rows: [steps], where: {phase: step}, cell: '{mean:.1f}'}]\n")
        run = sweepd.submit(file, set={"steps": [2, 3]}).wait(progress=False, check=True)
        self.assertEqual(run.counts["done"], 2)
        both = run.table("bo", frame=False)
        self.assertEqual([list(row.values()) for row in both], [[2, 1.5], [3, 1.5]])
        self.assertTrue(both.text(0, both.columns[1]).startswith("1.5"))
        with self.assertRaisesRegex(KeyError, "no table `None`; there are `Both`"):
            run.table("None")
        self.assertEqual(run.samples(frame=False)["time"], [1.5] * 5)

    def test_a_program(self):
        (FOLDER / "mm.py").write_text("import argparse, sweepd_metrics as s\np = argparse.ArgumentParser()\n"
                                      "p.add_argument('--size', type=int)\nsize = p.parse_args().size\n"
                                      "for n in s.steps(): s.step(n, size / 100)\n")
        sweep = sweepd.Sweep("mm", program="mm", parameters={"size": 100}, matrix={"size": [100, 200]},
                             params={"argv": f"{{python}} {FOLDER}/mm.py", "args": "auto", "warmup": 0, "steps": 2})
        run = sweepd.submit(sweep).wait(progress=False, check=True)
        table = sweepd.table("mm", sweep=run.ids[0], rows="size", where={"phase": "step"}, cell="mean", frame=False)
        self.assertEqual(table[table.columns[1]], [1, 2])

    def test_several_sweeps_and_a_dictionary(self):
        run = sweepd.submit([naps(), {"sweep": "once", "workload": "noop", "params": {"steps": 1, "warmup": 0}}])
        self.assertEqual([sweep["name"] for sweep in run.sweeps], ["naps", "once"])
        self.assertEqual(run.sweeps[0]["reused"], 2)
        run.wait(progress=False)
        self.assertEqual(run.counts["total"], 3)
        with self.assertRaisesRegex(ValueError, "2 sweeps were submitted; name one"):
            run.samples()
        self.assertEqual(sweepd.sweeps(limit=1)[0]["name"], "once")

    def test_reuse_none_measures_again(self):
        run = sweepd.submit(naps(), reuse="none")
        self.assertEqual(run.sweeps[0]["queued"], 2)
        run.wait(progress=False)

    def test_plan_queues_nothing(self):
        before = len(sweepd.sweeps(limit=0))
        planned = sweepd.plan(naps(), set={"steps": 7})
        self.assertEqual((planned[0]["trials"], planned[0]["to_run"]), (2, 2))
        self.assertEqual(len(sweepd.sweeps(limit=0)), before)

    def test_pooling_is_refused_unless_said(self):
        with self.assertRaisesRegex(sweepd.MistakeError, r"would pool warmup \(0, 1\)"):
            sweepd.table(sweep="naps", rows="phase", frame=False)
        with self.assertRaisesRegex(sweepd.MistakeError, 'columns="warmup" or where={"warmup": "0"}, or say pool="warmup"$'):
            sweepd.table(sweep="naps", rows="phase", frame=False)
        table = sweepd.table(sweep="naps", rows="phase", pool="warmup", cell="n", frame=False)
        self.assertEqual(table["n"] if "n" in table.columns else table[table.columns[1]], [6, 6])

    def test_compare(self):
        compared = sweepd.compare("naps", by="warmup=0,1", frame=False)
        self.assertEqual(len(compared), 1)
        self.assertIn(compared["verdict"][0], ("faster", "slower", "same", "unclear", "not judged"))

    def test_what_is_not_done_is_said(self):
        bad = {"sweep": "bad", "workload": "command", "params": {"argv": "false", "steps": 1}, "matrix": {"warmup": [0, 1]}}
        run = sweepd.submit(bad).wait(progress=False)
        self.assertEqual((run.counts["failed"], [each["outcome"] for each in run.problems]), (2, ["failed"] * 2))
        with self.assertRaisesRegex(sweepd.NotAllDoneError, "2 of 2 attempts are not done: .*warmup=0.*: failed") as raised:
            sweepd.submit(bad).wait(progress=False, check=True)
        self.assertEqual(len(raised.exception.problems), 2)
        table = sweepd.table(sweep="bad", rows=["warmup"], where={"phase": "step"}, with_="outcome", frame=False)
        self.assertEqual([list(row.values())[1:] for row in table], [["failed", "failed"]] * 2)

    def test_a_database_without_a_daemon(self):
        expected = sweepd.table(sweep="naps", rows="warmup", columns="phase", frame=False)
        copy = FOLDER / "copy.db"
        subprocess.run(["sweepctl", "backup", copy], stdout=subprocess.DEVNULL, check=True)
        with sweepd.connect(database=copy) as client:
            self.assertEqual(str(client.table(sweep="naps", rows="warmup", columns="phase", frame=False)), str(expected))
            with self.assertRaises(sweepd.MistakeError):
                client.submit(naps())

    @unittest.skipUnless(pandas, "no pandas; tools/fetch_python_packages installs it")
    def test_data_frames(self):
        frame = sweepd.table(sweep="naps", rows="warmup", columns="phase", cell="median")
        self.assertEqual((list(frame.columns), frame.attrs["units"]), (["warmup", "idle", "step"], {"idle": "ms", "step": "ms"}))
        self.assertEqual([str(kind) for kind in frame.dtypes], ["int64", "float64", "float64"])
        samples = sweepd.samples(sweep="naps", where={"phase": "step"})
        by_hand = samples.groupby("warmup")["time"].median()
        for i, warmup in enumerate(frame["warmup"]):
            self.assertAlmostEqual(by_hand[warmup], frame["step"][i], places=9)

    def test_a_bar(self):
        shown = []

        class Bar:
            total = n = 0

            def refresh(self):
                shown.append((self.n, self.total))

            def close(self):
                shown.append("closed")

        original, sweepd.submission._bar = sweepd.submission._bar, lambda name, progress: Bar()
        try:
            sweepd.submit(naps(), reuse="none").wait()
        finally:
            sweepd.submission._bar = original
        self.assertEqual(shown[-2:], [(2, 2), "closed"])


class CommandLine(unittest.TestCase):
    def start(self, *arguments, **environment):
        return subprocess.run([sys.executable, "-m", "sweepd", *arguments], text=True, capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment})

    def test_every_command_is_one_of_sweepctl(self):
        ran = self.start("workloads", "noop")
        self.assertEqual((ran.returncode, ran.stdout), (0, subprocess.run(["sweepctl", "workloads", "noop"], text=True, capture_output=True,
                                                                          check=True).stdout))
        self.assertEqual(self.start("nonsense").returncode, 2)

    def test_without_sweepctl(self):
        ran = self.start("status", PATH="/nowhere")
        self.assertEqual((ran.returncode, ran.stderr.partition(";")[0]), (1, "sweepd: no `sweepctl` in PATH"))


class Mistakes(unittest.TestCase):
    def test_a_file_with_mistakes_names_each(self):
        with self.assertRaises(sweepd.MistakeError) as raised:
            sweepd.submit({"sweep": "x", "workload": "noop", "params": {"slep": 1}, "matrix": {"steps": []}})
        first = raised.exception.diagnostics[0]
        self.assertEqual((first["file"], first["line"], first["help"]), ("<python>", 3, "did you mean `sleep`?"))
        self.assertEqual(len(raised.exception.diagnostics), 2)

    def test_a_sweep_has_a_workload_or_a_program(self):
        for given, found in [({}, "neither"), ({"workload": "noop", "program": "mm"}, "workload='noop' and program='mm'")]:
            with self.assertRaisesRegex(ValueError, f"expected either a workload or a program, not {found}"):
                sweepd.Sweep("x", **given)

    def test_nothing_there(self):
        with self.assertRaisesRegex(sweepd.NotFoundError, "no workload `nop`"):
            sweepd.table("nop", rows="steps")
        with self.assertRaisesRegex(sweepd.NotFoundError, 'a sweep is named with sweep="naps"$'):
            sweepd.submit(naps()).wait(progress=False)
            sweepd.table("naps", rows="steps")
        with self.assertRaisesRegex(sweepd.MistakeError, "^set: `steps` must be name=value"):
            sweepd.default_client().call("plan", **dict(sweepd.client._request(naps(), None), set=["steps"]))
        with self.assertRaisesRegex(sweepd.UnavailableError, "no daemon listens on"):
            sweepd.connect(FOLDER / "none", start=False).sweeps()
        with self.assertRaisesRegex(sweepd.UnavailableError, "no database file"):
            sweepd.connect(database=FOLDER / "none").sweeps()
        (FOLDER / "text.db").write_text("no database")
        with self.assertRaisesRegex(sweepd.Error, "file is not a database"):
            sweepd.connect(database=FOLDER / "text.db").sweeps()
        with self.assertRaises(ValueError):
            sweepd.connect(state_dir="a", database="b")

    def test_without_sweepctl(self):
        path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
        try:
            with self.assertRaisesRegex(sweepd.UnavailableError, "no `sweepctl` in PATH; .* or set SWEEPCTL"):
                sweepd.connect(FOLDER / "none").sweeps()
        finally:
            os.environ["PATH"] = path

    def test_a_daemon_that_ends_and_one_that_starts(self):
        client = sweepd.connect()
        client.sweeps()
        subprocess.run(["sweepctl", "stop"], stdout=subprocess.DEVNULL, check=True)
        with self.assertRaises(sweepd.UnavailableError):
            client.sweeps()
        self.assertTrue(client.sweeps(limit=1), "the next question starts it again")
        client.close()
        sweepd.default_client().close()

    def test_a_long_path(self):
        long = FOLDER / ("long" * 30)
        with sweepd.connect(long) as client:
            self.assertEqual(client.sweeps(), [])
        subprocess.run(["sweepctl", "--state-dir", long, "stop"], stdout=subprocess.DEVNULL, check=True)

    def test_a_request_that_is_too_large(self):
        with self.assertRaisesRegex(sweepd.Error, "bytes"):
            sweepd.submit({"sweep": "x", "workload": "noop", "description": "x" * (5 << 20)})


if __name__ == "__main__":
    if not any(each["name"] == "noop" for each in sweepd.workloads()):
        tearDownModule()
        print("skipped: this build's worker has no `noop`")
        sys.exit(77)
    unittest.main()
