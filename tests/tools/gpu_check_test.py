#!/usr/bin/env python3
"""tools/gpu_check as a bundle has it, with scripted nvidia-smi, sweepctl and test_gpu."""

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SMI = """
if [ "$1" = -L ]; then echo 'GPU 0: NVIDIA H200 (UUID: GPU-1)'; exit 0; fi
echo '580.65.06, 143771 MiB, Enabled'
"""
SWEEPCTL = """
echo "$*" >>"$CALLS"
case $1 in
  --version) echo 'sweepctl 0.1.0 (abc)' ;;
  submit) mkdir -p "$SWEEPD_STATE_DIR" && echo rows >"$SWEEPD_STATE_DIR/results.db" ;;
  report) echo "| model | ms |"; echo "| $2 | 1.5 |" ;;
  show) echo 'attempt,outcome,why'; echo "1,done," ;;
esac
"""


def before(pattern, commands):
    """sweepctl as above, but for a call that matches."""
    return f'case $* in {pattern}) echo "$*" >>"$CALLS"; {commands} ;; esac\n{SWEEPCTL}'


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.bundle = self.root / "sweepd-0.1.0-linux-x86_64"
        (self.bundle / "bin").mkdir(parents=True)
        (self.root / "path").mkdir()
        shutil.copy(ROOT / "tools" / "gpu_check", self.bundle / "bin" / "gpu_check")
        self.command("path/nvidia-smi", SMI)
        self.command(f"{self.bundle.name}/bin/sweepctl", SWEEPCTL)
        self.experiment("quickstart", "")
        self.experiment("attention", "# gpu_check: --set device=cuda --set context=1K\n")
        self.experiment("host_only", "")

    def command(self, path, script):
        target = self.root / path
        target.write_text(f"#!/bin/sh\n{script}\n")
        target.chmod(0o755)

    def experiment(self, name, marker):
        path = self.bundle / "share/sweepd/experiments" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{marker}sweep: {name}\nworkload: noop\n")

    def run_check(self, *arguments, program=None):
        environment = {**os.environ, "PATH": f"{self.root}/path:{os.environ['PATH']}", "CALLS": f"{self.root}/calls"}
        environment.pop("OUT", None)
        return subprocess.run([program or self.bundle / "bin/gpu_check", "--out", self.root / "out", *arguments],
                              env=environment, text=True, capture_output=True, check=False)

    def calls(self, verb):
        return [line for line in (self.root / "calls").read_text().splitlines() if line.startswith(verb)]

    def test_no_gpu_runs_nothing(self):
        self.command("path/nvidia-smi", "echo 'NVIDIA-SMI has failed' ; exit 9")
        done = self.run_check()
        self.assertEqual(done.returncode, 77)
        self.assertIn("no GPU on this machine, nothing was run (nvidia-smi -L: NVIDIA-SMI has failed)", done.stderr)
        self.assertFalse((self.root / "out").exists())

    def test_runs_quickstart_and_what_is_marked(self):
        done = self.run_check()
        self.assertEqual(done.returncode, 0, done.stderr)
        shipped = self.bundle / "share/sweepd/experiments"
        self.assertEqual(self.calls("submit"), [
            f"submit {shipped}/quickstart.yaml --set device=cuda --wait",
            f"submit {shipped}/attention.yaml --set device=cuda --set context=1K --wait",
        ])
        self.assertEqual(self.calls("report"), ["report quickstart --format md", "report attention --format md"])
        report = (self.root / "out/report.md").read_text()
        for part in ["GPU 0: NVIDIA H200", "driver, memory, ECC: 580.65.06", "sweepctl 0.1.0 (abc)", "| attention | 1.5 |",
                     "No test_gpu in this build"]:
            self.assertIn(part, report)
        self.assertEqual((self.root / "out/results.db").read_text(), "rows\n")
        self.assertEqual(done.stdout, report)

    def test_failed_gpu_test_is_named(self):
        self.command(f"{self.bundle.name}/bin/test_gpu", "echo '[  FAILED  ] Timeline.Orders'; exit 1")
        done = self.run_check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("[  FAILED  ] Timeline.Orders", (self.root / "out/report.md").read_text())

    def test_a_suite_that_dies_or_hangs_takes_nothing_else_along(self):
        # A trap in CudaFlash, and a hang in Nccl that ignores SIGTERM.
        self.command(f"{self.bundle.name}/bin/test_gpu", """
echo "$*" >>"$CALLS"
case $1 in
  *=CudaFlash.*) kill -ABRT $$ ;;
  *=Nccl.*) trap '' TERM; sleep 30 & wait ;;
  *) echo "[  PASSED  ] 3 tests." ;;
esac""")
        script = self.bundle / "bin/gpu_check"
        script.write_text(re.sub(r'"\d+ Nccl"', '"1 Nccl"', script.read_text()).replace("--kill-after=5", "--kill-after=1"))
        done = self.run_check()
        self.assertEqual(done.returncode, 1)
        suites = [call.split("=")[1] for call in self.calls("--gtest_filter")]
        self.assertEqual(suites, [f"{name}.*" for name in ("Cuda", "CudaFlashSmall", "CudaFlash", "CudaFused", "CudaProducts", "CudaMemoryPass",
                                                           "Nccl", "CudaPrecision", "CudaGraphs", "CudaProfile")])
        self.assertIn("CudaFlash: ended with status 134", self.report())
        self.assertIn("Nccl: stopped after its share of 1 s", self.report())
        self.assertEqual(self.report().count("[  PASSED  ] 3 tests."), 8)
        self.assertIn("| attention | 1.5 |", self.report())

    def test_the_plan_adds_up_and_continues(self):
        for name, rank, share in [("first", 1, 200), ("second", 2, 300), ("third", 3, 100), ("huge", 4, 600)]:
            self.experiment(name, f"# gpu_check: --set device=cuda\n# gpu_check_rank: {rank}\n# gpu_check_seconds: {share}\n")
        done = self.run_check("--plan", "--minutes", "10")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.root / "out").exists())
        runs = {}
        for line in done.stdout.splitlines():
            if line.startswith("run "):
                runs[line] = run = []
            elif "does not fit" not in line:
                run.append((int(line.split()[0]), line.split()[-1]))
        self.assertEqual(list(runs), ["run 1: 10 minutes", "run 2: 10 minutes"])
        for items in runs.values():
            self.assertLessEqual(sum(share for share, _ in items), 585)
        self.assertEqual([name for _, name in runs["run 1: 10 minutes"]][-3:], ["quickstart", "first", "third"])
        self.assertEqual([name for _, name in runs["run 2: 10 minutes"]], ["second", "attention"])
        self.assertIn("600 s  table huge: does not fit into any run", done.stdout)

    def test_stretched_shares_leave_a_slow_machine_its_time(self):
        self.experiment("slow", "# gpu_check: --set device=cuda\n# gpu_check_rank: 1\n# gpu_check_seconds: 1\n")
        self.command(f"{self.bundle.name}/bin/sweepctl", before("'submit '*slow*", "sleep 3; exit 0"))
        self.run_check()
        self.assertIn("Stopped before their end: slow", self.report())
        self.run_check("--stretch", "20", "--minutes", "60")
        self.assertNotIn("Stopped", self.report())

    def test_the_first_run_has_what_is_most_wanted(self):
        done = subprocess.run([ROOT / "tools/gpu_check", "--plan"], text=True, capture_output=True, check=True)
        first, *later = done.stdout.split("run ")[1:]
        for name in ("flash-leaderboard", "lm-end-to-end", "attention-grid", "matmul-limit", "kernels", "CudaProfile", "compute-sanitizer"):
            self.assertIn(f" {name}\n", first)
        self.assertIn("compiled-lm-step", later[-1])
        self.assertNotIn("does not fit", done.stdout)

    def test_continue_runs_what_is_left_and_keeps_the_rest(self):
        self.command(f"{self.bundle.name}/bin/test_gpu", "echo '[  PASSED  ] 3 tests.'")
        self.experiment("later", "# gpu_check: --set device=cuda\n# gpu_check_rank: 9\n# gpu_check_seconds: 590\n")
        self.assertEqual(self.run_check().returncode, 0)
        self.assertNotIn("| later | 1.5 |", self.report())
        (self.root / "out").rename(self.root / "before")
        (self.root / "calls").unlink()
        done = self.run_check("--continue", str(self.root / "before"), "--minutes", "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([Path(call.split()[1]).stem for call in self.calls("submit")], ["later"])
        self.assertIn("| attention | 1.5 |", self.report())
        self.assertIn("# GPU check, continued", self.report())
        self.assertIn("| later | 1.5 |", self.report())
        self.assertEqual(self.report().count("[  PASSED  ] 3 tests."), 10)
        self.assertEqual(self.run_check("--continue", str(self.root / "none")).returncode, 2)

    def test_continues_a_run_that_was_stopped_before_its_first_result(self):
        before = self.root / "before"
        before.mkdir()
        (before / "done.txt").write_text("quickstart\n")
        done = self.run_check("--continue", str(before))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([Path(call.split()[1]).stem for call in self.calls("submit")], ["attention"])

    def test_gpu_tests_that_all_skip_fail(self):
        self.command(f"{self.bundle.name}/bin/test_gpu", "echo '[  PASSED  ] 0 tests.'; echo '[  SKIPPED ] 1 test'")
        self.assertEqual(self.run_check().returncode, 1)

    def test_failed_submit_is_reported_and_the_rest_goes_on(self):
        self.command(f"{self.bundle.name}/bin/sweepctl",
                     'case $* in *quickstart.yaml*) echo "error: no such model"; exit 2 ;; esac\n' + SWEEPCTL)
        done = self.run_check()
        self.assertEqual(done.returncode, 1)
        report = (self.root / "out/report.md").read_text()
        self.assertIn("error: no such model", report)
        self.assertIn("| attention | 1.5 |", report)

    def sweepctl(self, pattern, commands):
        self.command(f"{self.bundle.name}/bin/sweepctl", before(pattern, commands))

    def report(self):
        return (self.root / "out/report.md").read_text()

    def test_runs_by_rank(self):
        self.experiment("aaa_later", "# gpu_check_rank: 7\n# gpu_check: --set device=cuda\n")
        self.experiment("zzz_first", "# gpu_check: --set device=cuda\n# gpu_check_rank: 1\n")
        self.assertEqual(self.run_check().returncode, 0)
        names = [Path(call.split()[1]).stem for call in self.calls("submit")]
        self.assertEqual(names, ["quickstart", "zzz_first", "attention", "aaa_later"])

    def test_what_takes_too_long_is_stopped_and_the_rest_goes_on(self):
        self.experiment("attention", "# gpu_check: --set device=cuda\n# gpu_check_seconds: 1\n")
        self.experiment("last", "# gpu_check: --set device=cuda\n# gpu_check_rank: 9\n")
        self.sweepctl("submit*attention.yaml*", "sleep 300; exit 0")
        begin = time.monotonic()
        done = self.run_check()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begin, 150)
        self.assertEqual(self.calls("cancel"), ["cancel attention"])
        self.assertIn("Stopped before their end: attention", self.report())
        for name in ("attention", "last"):
            self.assertIn(f"| {name} | 1.5 |", self.report())

    def test_what_there_is_no_time_for_is_named(self):
        done = self.run_check("--minutes", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Not run, since the 0 minutes were over (`gpu_check --continue` runs them): compute-sanitizer quickstart attention", self.report())
        self.assertIn("not run, the time was over: compute-sanitizer quickstart attention", done.stderr)
        self.assertIn("## Clocks after", self.report())

    def test_every_sweep_of_a_file_is_reported(self):
        path = self.bundle / "share/sweepd/experiments/attention.yaml"
        path.write_text("# gpu_check: --set device=cuda\nsweep: one\n---\nsweep: two\n")
        self.assertEqual(self.run_check().returncode, 0)
        self.assertEqual(self.calls("report")[1:], ["report one --format md", "report two --format md"])

    def test_out_of_memory_is_a_result_and_a_failed_attempt_a_failure(self):
        for outcome, code in [("oom", 0), ("skipped", 0), ("failed", 1), ("crashed", 1), ("timeout", 1)]:
            with self.subTest(outcome):
                self.sweepctl("submit*attention.yaml*", "exit 4")
                ctl = self.bundle / "bin/sweepctl"
                ctl.write_text(ctl.read_text().replace("1,done,", f"1,{outcome},kernel launch"))
                self.assertEqual(self.run_check().returncode, code)
                self.assertEqual(f"1,{outcome},kernel launch" in self.report(), code == 1)

    def test_missing_packages_are_made_and_their_attempts_run_again(self):
        path = self.bundle / "share/sweepd/experiments/attention.yaml"
        path.write_text("# gpu_check: --set device=cuda\nsweep: attention\nmatrix: {compile: [aot_inductor]}\n")
        (self.bundle / "bin/aot_compile").write_text(
            "import os, sys\nopen(os.environ['CALLS'], 'a').write('aot_compile ' + ' '.join(sys.argv[1:3]) + '\\n')\n")
        self.assertEqual(self.run_check().returncode, 0)
        self.assertEqual(self.calls("aot_compile"), ["aot_compile --for attention"])
        self.assertEqual(self.calls("retry"), ["retry attention --only skipped --wait"])

    def test_memory_checker_runs_the_tests_of_our_kernels(self):
        self.command(f"{self.bundle.name}/bin/test_gpu", "echo '[  PASSED  ] 9 tests.'")
        for said, code, failed, shown in [("ERROR SUMMARY: 0 errors", 0, 0, "ERROR SUMMARY: 0 errors"),
                                          ("ERROR SUMMARY: 2 errors", 9, 1, "ERROR SUMMARY: 2 errors"),
                                          ("Error: Device not supported", 1, 0, "does not support this device or container")]:
            with self.subTest(said):
                self.command("path/compute-sanitizer", f'echo "$*" >>"$CALLS"; echo "{said}"; exit {code}')
                self.assertEqual(self.run_check().returncode, failed)
                self.assertIn(shown, self.report())
        self.assertIn("--gtest_filter=CudaFlashSmall.ThePathsAgree*", self.calls("--target-processes")[0])

    def test_the_smoke_programs_come_first_and_go_through_the_memory_checker(self):
        self.command(f"{self.bundle.name}/bin/test_gpu", 'echo "test_gpu $*" >>"$CALLS"; echo "[  PASSED  ] 9 tests."')
        self.command(f"{self.bundle.name}/bin/gpu_smoke", 'echo "gpu_smoke $*" >>"$CALLS"; echo "[  PASSED  ] d 64"; echo "Hopper, the same: 5.100 ms"')
        self.command(f"{self.bundle.name}/bin/fused_smoke", 'echo "fused_smoke $*" >>"$CALLS"; echo "[  PASSED  ] norm"; echo "AdamW: 0.100 ms"')
        self.command("path/compute-sanitizer", 'echo "$*" >>"$CALLS"; echo "ERROR SUMMARY: 0 errors"')
        self.assertEqual(self.run_check().returncode, 0)
        lines = (self.root / "calls").read_text().splitlines()
        programs = [line for line in lines if line.startswith(("gpu_smoke", "fused_smoke", "test_gpu"))]
        self.assertEqual(programs[:3], ["gpu_smoke --time", "fused_smoke --time", "test_gpu --gtest_filter=Cuda.*"])
        for time in ["Hopper, the same: 5.100 ms", "AdamW: 0.100 ms"]:
            self.assertIn(time, self.report())
        checked = [Path(line.split()[4]).name for line in lines if line.startswith("--target-processes")]
        self.assertEqual(checked, ["gpu_smoke", "fused_smoke", "test_gpu"])
        self.assertIn("gpu_smoke\nfused_smoke\n", (self.root / "out/done.txt").read_text())

    def test_packed_bundle(self):
        archive = self.root / "sweepd.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(self.bundle, self.bundle.name)
        done = self.run_check("--bundle", str(archive), program=ROOT / "tools/gpu_check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.calls("submit")), 2)

    def test_wrong_stretch(self):
        for value in ("0", "1.5", "x", ""):
            done = self.run_check("--stretch", value)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--stretch needs a whole number from 1 on, not `{value}`", done.stderr)

    def test_wrong_usage(self):
        for arguments, part in [(["--fast"], "no option `--fast`"), (["--minutes", "x"], "needs a whole number"), (["gone.yaml"], "no file `gone.yaml`")]:
            done = self.run_check(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
