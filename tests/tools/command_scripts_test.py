#!/usr/bin/env python3
"""experiments/scripts: what they tell sweepd, and how they end where Python has no torch."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "experiments" / "scripts"


def run(*command, **options):
    """Runs Python without its site-packages, so without torch wherever the test runs, with the descriptor that sweepd
    gives; the ended process, and the lines reported."""
    read, write = os.pipe()
    environment = {**os.environ, "SWEEPD_METRICS_FD": str(write), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    ended = subprocess.run([sys.executable, "-S", *command], env=environment, pass_fds=[write], capture_output=True,
                           text=True, **options)
    os.close(write)
    with os.fdopen(read) as lines:
        return ended, [json.loads(line) for line in lines]


class SkippedWithoutTorch(unittest.TestCase):
    def test_each_script_says_what_to_install(self):
        for script in ("lm_step.py", "attention.py"):
            with self.subTest(script):
                ended, lines = run(str(SCRIPTS / script))
                self.assertEqual(ended.returncode, 77, ended.stderr)
                self.assertEqual(len(lines), 1)
                self.assertIn("cannot import torch", lines[0]["skipped"])
                self.assertIn("pip install torch", lines[0]["skipped"])
                self.assertIn("SWEEPD_PYTHON", lines[0]["skipped"])


class Metrics(unittest.TestCase):
    def test_lines_are_those_of_the_guide(self):
        ended, lines = run("-c", """
import sweepd_metrics as sweepd
sweepd.setup(compile_time=1500.0)
sweepd.step(0, {"forward": 1.25, "step": 4}, warmup=True)
sweepd.step(1, 3.5, warmup=False, loss=2.5)
sweepd.memory("step", 1024, at_end=512)
sweepd.fact("torch", "2.11.0")
sweepd.fact("parameters", 5)
""", cwd=SCRIPTS)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(lines, [
            {"step": 0, "warmup": False, "compile_time": {"setup": 1500.0}},
            {"step": 0, "warmup": True, "time": {"forward": 1.25, "step": 4}},
            {"step": 1, "warmup": False, "time": 3.5, "loss": 2.5},
            {"memory": "step", "peak_allocated": 1024, "at_end": 512},
            {"fact": "torch", "text": "2.11.0"},
            {"fact": "parameters", "number": 5},
        ])

    def test_phases_and_steps_by_hand(self):
        ended, lines = run("-c", """
import sys, time
now = 0
time.perf_counter_ns = lambda: now * 1000000
def work(ms):
    global now
    now += ms
sys.path.insert(0, sys.argv[1])
import sweepd_metrics as sweepd
for number in range(2):
    with sweepd.phase("load"):
        work(3)
    work(10)
    with sweepd.phase("multiply"):
        work(5)
        with sweepd.phase("load"):
            work(1)
        work(5)
    sweepd.step()
    work(100)
""", str(SCRIPTS / "metrics"))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(lines, [{"step": 0, "time": {"load": 4, "multiply": 10, "step": 24}},
                                 {"step": 1, "time": {"load": 4, "multiply": 10, "step": 124}}])

    def params(self, **variables):
        ended = subprocess.run([sys.executable, "-S", "-c", "import sweepd_metrics as s; print(repr(s.params()))"],
                               cwd=SCRIPTS, env={"PYTHONDONTWRITEBYTECODE": "1", **variables}, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.strip()

    def test_parameters_have_the_types_that_the_file_declares(self):
        declared = '{"label":"0012345","hash":"12e456","size":512,"rate":1.0,"limit":Infinity,"fast":true}'
        self.assertEqual(self.params(SWEEPD_PARAMS=declared, SWEEPD_PARAM_label="0012345"),
                         "{'label': '0012345', 'hash': '12e456', 'size': 512, 'rate': 1.0, 'limit': inf, 'fast': True}")

    def test_by_hand_only_what_is_written_like_a_number_is_one(self):
        for text, expected in [("512", "512"), ("-1", "-1"), ("0.5", "0.5"), ("1e-3", "0.001"), ("true", "True"),
                               ("0012345", "'0012345'"), ("12e456", "'12e456'"), ("inf", "'inf'"), ("1_000", "'1_000'")]:
            self.assertEqual(self.params(SWEEPD_PARAM_x=text), "{'x': " + expected + "}", text)


WORKER = """#!/bin/sh
cp "$2/request.json" "$KEEP"
cat >"$2/events.0.ndjson" <<'END'
{"event":"started","pid":1,"wall_ns":1}
{"event":"step","step":0,"warmup":false,"samples":[["setup","capture_time",12.5],["setup","setup_time",30]]}
{"event":"step","step":0,"warmup":true,"samples":[["forward","time",1.25],["step","time",4],["step","host_time",4.5]]}
{"event":"step","step":1,"warmup":false,"samples":[["forward","time",1],["step","time",3],["step","host_time",3.5]]}
{"event":"fact","name":"final_loss","number":9.5}
END_EVENT
END
"""


@unittest.skipUnless(shutil.which("c++"), "no C++ compiler")
class CppHeader(unittest.TestCase):
    def lines_of(self, program, **variables):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "own.cpp"
            source.write_text(program, encoding="utf-8")
            subprocess.run(["c++", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", f"-I{SCRIPTS / 'metrics'}", str(source),
                            "-o", f"{folder}/own"], check=True)
            ended = subprocess.run([f"{folder}/own"], env={**os.environ, **variables}, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout.splitlines()

    def test_typed_parameters_and_steps_and_ends(self):
        code, lines = self.lines_of("""#include "sweepd_metrics.h"
int main() {
  std::printf("%ld %g %d %s %g\\n", sweepd::param("size", 512L), sweepd::param("rate", 0.5), sweepd::param("fast", false),
              sweepd::param("name", "none").c_str(), sweepd::param("other", 2.5));
  std::printf("%ld\\n", sweepd::steps());
  sweepd::memory("step", 1024);
  sweepd::out_of_memory("forward", 77);
}
""", SWEEPD_PARAM_size="7", SWEEPD_PARAM_rate="1e-3", SWEEPD_PARAM_fast="true", SWEEPD_PARAM_name="a b", SWEEPD_WARMUP="1", SWEEPD_STEPS="4")
        self.assertEqual((code, lines), (1, ["7 0.001 1 a b 2.5", "5", '{"memory":"step","peak_allocated":1024}',
                                             '{"oom":"forward","requested":77}']))

    EVENTS = """#define CUDART_VERSION 12000
struct Event { int at; };
using cudaEvent_t = Event*;
static int clock_now = 0, live = 0;
int cudaEventCreate(cudaEvent_t* event) { *event = new Event{0}; return ++live, 0; }
int cudaEventRecord(cudaEvent_t event) { event->at = ++clock_now; return 0; }
int cudaEventSynchronize(cudaEvent_t) { return 0; }
int cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) { *ms = static_cast<float>(to->at - from->at); return 0; }
int cudaEventDestroy(cudaEvent_t event) { delete event; return --live, 0; }
"""

    def test_phases_are_timed_by_events_of_cuda_where_it_is_included(self):
        _, lines = self.lines_of(self.EVENTS + """#include "sweepd_metrics.h"
int main() {
  for (int step = 0; step < 2; ++step) {
    { sweepd::Phase phase("load"); }
    { sweepd::Phase phase("multiply"); clock_now += 10; }
    { sweepd::Phase phase("load"); }
    sweepd::end_step();
  }
  std::printf("%d\\n", live);
}
""")
        step = {"load": 2, "multiply": 11, "step": 17}
        self.assertEqual([json.loads(line) for line in lines], [{"step": 0, "time": step}, {"step": 1, "time": step}, 1])


class OursBesidePythons(unittest.TestCase):
    """sweepd_lm_step.py with a worker that has written its journal already."""

    def run_with(self, end, *options):
        with tempfile.TemporaryDirectory() as folder:
            worker = Path(folder) / "worker"
            worker.write_text(WORKER.replace("END_EVENT", json.dumps({"event": "end", **end})))
            worker.chmod(0o755)
            os.environ.update(SWEEPD_WORKER=str(worker), KEEP=f"{folder}/kept")
            self.addCleanup(os.environ.pop, "SWEEPD_WORKER", None)
            ended, lines = run(str(SCRIPTS / "sweepd_lm_step.py"), *options, cwd=folder)
            return ended, lines, json.loads((Path(folder) / "kept").read_text())

    def test_passes_on_what_the_worker_measured(self):
        ended, lines, request = self.run_with({"outcome": "done"}, "--model", "small", "--compile", "sweepd_cuda_graph",
                                              "--mode", "forward", "--steps", "3", "--memory-limit", "1024")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(request["workload"], "lm_step")
        for name, text in [("model", "small"), ("compile", "cuda_graph"), ("mode", "forward"), ("steps", "3"),
                           ("memory_limit", "1024B"), ("device", "cpu")]:
            self.assertEqual(request["params"][name], text)
        self.assertEqual(lines, [
            {"step": 0, "warmup": False, "capture_time": {"setup": 12.5}},
            {"step": 0, "warmup": True, "time": {"forward": 1.25, "step": 4}, "host_time": {"step": 4.5}},
            {"step": 1, "warmup": False, "time": {"forward": 1, "step": 3}, "host_time": {"step": 3.5}},
            {"fact": "final_loss", "number": 9.5},
        ])

    def test_fused_is_every_fusion_and_kept_copies_only_where_lm_step_takes_them(self):
        for options, copies in [(("--precision", "bf16"), "kept"), (("--precision", "fp32"), None),
                                (("--precision", "bf16", "--mode", "forward"), None)]:
            _, _, request = self.run_with({"outcome": "done"}, "--compile", "sweepd_fused_graph", *options)
            params = request["params"]
            self.assertEqual((params["compile"], params["attention"], params["fused_norm"]), ("cuda_graph", "flash", "on"))
            self.assertEqual(params.get("weight_copies"), copies)

    def test_a_bundles_worker_is_started_by_its_launcher(self):
        with tempfile.TemporaryDirectory() as folder:
            bundle = Path(folder)
            for name in ("bin", "libexec"):
                (bundle / name).mkdir()
            launcher, program = bundle / "bin/sweep-worker", bundle / "libexec/sweep-worker"
            launcher.write_text(WORKER.replace("END_EVENT", json.dumps({"event": "end", "outcome": "done"})))
            launcher.chmod(0o755)
            shutil.copy("/bin/sh", program)  # it is asked for by what runs it: a program of that name
            ended = subprocess.run([program, "-c", f"{sys.executable} -S {SCRIPTS}/sweepd_lm_step.py; exit $?"], cwd=folder,
                                   env={**os.environ, "KEEP": f"{folder}/kept", "PYTHONDONTWRITEBYTECODE": "1"},
                                   capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertTrue((bundle / "kept").exists())

    def test_ends_as_the_worker_did(self):
        for end, code, last in [
                ({"outcome": "skipped", "reason": "no GPU"}, 77, {"skipped": "no GPU"}),
                ({"outcome": "oom", "phase": "forward", "requested": 64}, 1, {"oom": "forward", "requested": 64})]:
            ended, lines, _ = self.run_with(end)
            self.assertEqual((ended.returncode, lines[-1]), (code, last))
        ended, _, _ = self.run_with({"outcome": "failed", "message": "no such model"})
        self.assertEqual(ended.returncode, 1)
        self.assertIn("failed: no such model", ended.stderr)


if __name__ == "__main__":
    unittest.main()
