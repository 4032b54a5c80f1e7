#!/usr/bin/env python3
"""`observe: torch` with the real PyTorch and the frameworks above it, on programs that know nothing of sweepd.

    observed_test.py BIN [TEST...]

Needs tools/fetch_torch_python; exits with 77 without. The programs note their own times (programs/own_clock.py).
Every comparison of two clocks is of intervals of which one surely contains the other, so none depends on the machine.
"""

import csv
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
OBSERVE = ROOT / "experiments/scripts/observe"
MODULES = ("torch", "transformers", "accelerate", "lightning")

# What each program is known to do: (forwards of a step, whether an optimizer has a phase of its own).
ALONE = {"plain": (2, True), "gpt2": (1, True), "nanogpt": (2, True), "trainer": (2, True), "accelerated": (1, True),
         "lightning_fit": (1, True), "compiled": (1, True), "scaled": (1, True), "in_backward": (1, False), "two_optimizers": (1, True)}
TOGETHER = {"ddp": (1, True), "fsdp": (1, True)}
SIMPLE = ("plain", "gpt2", "nanogpt", "two_optimizers", "accelerated")  # no tensors but those that Python has


def python_with_torch():
    cache = os.environ.get("SWEEPD_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sweepd"
    look = "import importlib.util as u, sys; sys.exit(any(u.find_spec(each) is None for each in sys.argv[1:]))"
    for program in (os.environ.get("SWEEPD_PYTHON"), Path(cache) / "torch-python/bin/python"):
        if program and Path(program).exists() and subprocess.run([program, "-c", look, *MODULES], check=False).returncode == 0:
            return str(program)
    return None


PYTHON = python_with_torch()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Ran:
    """A pass over a program: the lines of its observer and of its own clock, by rank."""

    def __init__(self, name, which, ranks, folder, **variables):
        self.folder = Path(folder)
        port = free_port()
        started = [self._start(name, which, rank, ranks, port, variables) for rank in range(ranks)]
        self.codes = [each.wait(timeout=600) for each in started]
        self.log = "\n".join((self.folder / f"log.{rank}").read_text(errors="replace")[-3000:] for rank in range(ranks))
        self.reports = [self._lines(f"reports.{rank}") for rank in range(ranks)]
        self.own = [self._lines(f"own_clock.{rank}") for rank in range(ranks)]
        self.facts = {each["fact"]: each.get("text", each.get("number")) for each in self.reports[0] if "fact" in each}

    def _start(self, name, which, rank, ranks, port, variables):
        with open(self.folder / f"reports.{rank}", "wb") as reports, open(self.folder / f"log.{rank}", "wb") as log:
            env = dict(os.environ, PYTHONPATH=str(OBSERVE), PYTHONDONTWRITEBYTECODE="1", SWEEPD_METRICS_FD=str(reports.fileno()),
                       SWEEPD_PASS=which, SWEEPD_WARMUP="2", SWEEPD_STEPS="4", SWEEPD_FOLDER=str(self.folder), SWEEPD_COUNT_FLOPS="1",
                       OWN_CLOCK=str(self.folder / "own_clock"), OMP_NUM_THREADS="1", HF_HUB_OFFLINE="1")
            env.update(variables)
            if ranks > 1:
                env.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
            return subprocess.Popen([PYTHON, PROGRAMS / f"{name}.py"], cwd=self.folder, env=env, pass_fds=[reports.fileno()], stdout=log,
                                    stderr=log)

    def _lines(self, name):
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Programs(unittest.TestCase):
    maxDiff = None

    def measured(self, name, which, **variables):
        """The pass over the program, once it has ended as it should."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        ran = Ran(name, which, 2 if name in TOGETHER else 1, folder.name, **variables)
        self.assertEqual(set(ran.codes), {0}, ran.log)
        self.assertNotIn("observe.failed", ran.facts)
        return ran

    def check_times(self, name, forwards, has_optimizer):
        """They are within those of the program's own clock."""
        ran = self.measured(name, "timing")
        self.assertEqual(ran.facts.get("observe.forwards_per_step", 1), forwards)
        for reports, own in zip(ran.reports, ran.own):
            steps = [each["time"] for each in reports if "step" in each]
            self.assertEqual(len(steps), 6)
            self.assertEqual(set(steps[1]), {"data", "forward", "backward", "step"} | ({"optimizer"} if has_optimizer else set()))
            for number in range(1, 4):  # the program ends before it notes its last step
                self.check_step(steps[number], own[number - 1], own[number], own[number + 1])
        self.assertGreater(next(each["work"]["backward"] for each in ran.reports[0] if "work" in each), 0)

    def check_step(self, time, before, this, after):
        """The own clock's first and last times of a step are inside it, and those of its neighbours are outside."""
        slack = 0.001  # of rounding
        ms = lambda begin, end: (end - begin) / 1e6
        self.assertGreaterEqual(time["step"], ms(this["forward"], this["ended"]) - slack)
        self.assertLessEqual(time["step"], ms(before["ended"], after["forward"]) + slack)
        parts = sum(length for phase, length in time.items() if phase != "step")
        self.assertLessEqual(parts, time["step"] + slack)
        if "gradient" in this and "optimizer" in this and this["forwards"] == 1:
            self.assertGreaterEqual(time["backward"], ms(this["gradient"], this["last_gradient"]) - slack)
            self.assertLessEqual(time["backward"], ms(this["forward"], this["optimizer"]) + slack)
            self.assertGreaterEqual(time["optimizer"], ms(this["optimizer"], this["ended"]) - ms(this["forward"], this["last_gradient"]) - slack)
            self.assertLessEqual(time["forward"], ms(before["ended"], this["gradient"]) + slack)

    def check_memory(self, name, _, has_optimizer):
        """It is what torch says, to the byte."""
        ran = self.measured(name, "memory")
        memory = {each["memory"]: each for each in ran.reports[0] if "memory" in each}
        self.assertEqual(set(memory), {"forward", "backward", "step"} | ({"optimizer"} if has_optimizer else set()))
        held = next(each["held"] for each in ran.reports[0] if "held" in each)
        own = ran.own[0][-1]
        for kind in ("weights", "gradients", "optimizer_state"):
            if kind in own and name != "fsdp":
                self.assertEqual(sum(size for what, _, size in held if what == kind), own[kind], kind)
        if name in SIMPLE:
            self.assertEqual(memory["optimizer"]["at_end"], own["alive"])
        self.assertLess(memory["forward"]["at_start"], memory["step"]["peak_allocated"])

    def test_operators_are_those_of_torchs_profiler(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([PYTHON, PROGRAMS / "plain.py", "--own-profiler"], capture_output=True, text=True, check=True, cwd=folder,
                                 env=dict(os.environ, OMP_NUM_THREADS="1"))
        trace = json.loads((self.measured("plain", "profile").folder / "observed.0.1.json").read_text())["traceEvents"]
        names = [each["name"] for each in trace if each.get("cat") == "cpu_op" and not each["name"].startswith("sweepd.")]
        self.assertEqual({name: names.count(name) for name in names}, json.loads(ran.stdout))

    def test_modules_are_ranges(self):
        ran = self.measured("gpt2", "profile", SWEEPD_RANGES="modules 3")
        trace = json.loads((ran.folder / "observed.0.1.json").read_text())["traceEvents"]
        names = [each["name"] for each in trace if each.get("cat") == "user_annotation"]
        self.assertEqual(names.count("transformer.h.attn"), 2)
        self.assertEqual(names.count("transformer.ln_f"), 1)

    def test_a_closure_is_profiled(self):
        self.assertTrue((self.measured("lbfgs", "profile").folder / "observed.0.1.json").exists())

    def test_memory_of_two_models_of_one_class(self):
        held = next(each["held"] for each in self.measured("actor_critic", "memory").reports[0] if "held" in each)
        sums = {kind: sum(size for what, _, size in held if what == kind) for kind in ("weights", "gradients", "optimizer_state")}
        parameters, tensors = 2 * (64 * 256 + 256 + 256 * 10 + 10), 2 * 4
        self.assertEqual(sums, {"weights": 4 * parameters, "gradients": 4 * parameters, "optimizer_state": 8 * parameters + 4 * tensors})

    def test_a_function_ends_the_step(self):
        ran = self.measured("inference", "timing", SWEEPD_STEP_ENDS="generate")
        steps = [each["time"] for each in ran.reports[0] if "step" in each]
        self.assertEqual([set(each) for each in steps], [{"forward", "step"}] + [{"data", "forward", "step"}] * 5)
        self.assertEqual(ran.facts["observe.forwards_per_step"], 3)

    def test_flops_of_checkpoints_are_recomputed_ones(self):
        plain, again = ({**next(each for each in self.measured("checkpointed", "timing", CHECKPOINT=on).reports[0] if "work" in each)}
                        for on in ("0", "1"))
        linear, scores = 2 * (4 * 2 * 32) * 64 * 256, 2 * (4 * 2) * 32 * 32 * 64  # of one block, a product each
        self.assertEqual(plain["work"]["forward"], 2 * (linear + 2 * scores))
        self.assertEqual(plain["recomputed"], {"backward": 2 * scores, "step": 2 * scores})
        self.assertEqual(again["work"]["step"], plain["work"]["step"] + plain["work"]["forward"])
        self.assertEqual(again["recomputed"]["step"], plain["recomputed"]["step"] + plain["work"]["forward"])

    def test_memory_of_the_forward_is_what_its_tensors_need(self):
        ran = self.measured("two_optimizers", "memory")
        forward = next(each for each in ran.reports[0] if each.get("memory") == "forward")
        hidden, output, loss = 32 * 256 * 4, 32 * 10 * 4, 4
        # The relu frees the output of the first layer; the square keeps that of the second.
        self.assertEqual(forward["peak_allocated"] - forward["at_start"], 2 * hidden)
        self.assertEqual(forward["at_end"] - forward["at_start"], hidden + output + loss)


for _name, _known in {**ALONE, **TOGETHER}.items():
    setattr(Programs, f"test_times_of_{_name}", lambda self, name=_name, known=_known: self.check_times(name, *known))
    setattr(Programs, f"test_memory_of_{_name}", lambda self, name=_name, known=_known: self.check_memory(name, *known))


class Sweep(unittest.TestCase):
    """All programs in one sweep, with the programs of the build."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.env = dict(os.environ, SWEEPD_STATE_DIR=f"{folder.name}/state", SWEEPD_WORKER=str(BIN / "sweep-worker"), SWEEPD_PYTHON=PYTHON,
                        PATH=f"{BIN}:{os.environ['PATH']}", SWEEPD_SCRIPTS=str(ROOT / "experiments/scripts"), HF_HUB_OFFLINE="1")
        self.env.setdefault("SWEEPD_CORES_LOST", "0")  # tests/e2e/sandbox.cpp
        self.addCleanup(self.ctl, "stop", "--now")

    def ctl(self, *words):
        return subprocess.run(["sweepctl", *words], env=self.env, cwd=self.folder, text=True, capture_output=True, check=False)

    def rows(self, *words):
        ran = self.ctl(*words, "--format", "csv")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return list(csv.DictReader(io.StringIO(ran.stdout)))

    def test_all_programs(self):
        head = """sweep: {sweep}
program: observed
parameters: {{script: {{choices: [{choices}]}}}}
params: {{argv: '{programs}/{{script}}.py', env: 'OWN_CLOCK={{folder}}/own_clock', observe: torch, warmup: 2, steps: 3, device: cpu,
  threads: 1{more}}}
passes: [timing, memory, profile]
work: {{flops: count}}
matrix: {{script: [{choices}]}}
tables:
  - {{title: Times, rows: [script], columns: [phase], cell: '{{n}}'}}
  - {{title: Rates, rows: [script], values: [{{cell: '{{tflops:.3e}}', where: {{phase: step}}}}]}}
  - {{title: Peaks, rows: [script], columns: [phase], metric: peak_allocated_bytes, cell: '{{max:.0f}}'}}
  - {{title: Kernels, rows: [script, kernel], metric: kernel_calls, cell: '{{mean:.0f}}'}}
"""
        every = ", ".join([*ALONE, *TOGETHER])
        for sweep, names, more in (("alone", ALONE, ""), ("together", TOGETHER, ", world_size: 2")):
            text = head.format(sweep=sweep, choices=every, programs=PROGRAMS, more=more)
            text = text.replace(f"matrix: {{script: [{every}]}}", f"matrix: {{script: [{', '.join(names)}]}}")
            (self.folder / f"{sweep}.yaml").write_text(text)
            ran = self.ctl("submit", f"{sweep}.yaml", "--wait")
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr + self.ctl("show", sweep).stdout)
            print(self.ctl("report", sweep).stdout)
            kernels = {(row["script"], row["kernel"]) for row in self.rows("report", sweep, "--table", "Kernels")}
            for name in names:
                self.assertTrue({(name, "aten::addmm"), (name, "aten::mm")} & kernels, name)


if __name__ == "__main__":
    if PYTHON is None:
        print(f"skipped: no Python has {', '.join(MODULES)}; tools/fetch_torch_python installs one")
        sys.exit(77)
    BIN = Path(sys.argv.pop(1)).resolve()
    unittest.main()
