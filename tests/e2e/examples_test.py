#!/usr/bin/env python3
"""Every example of `--help`, of README.md and of the documents, run as it stands there.

    tests/e2e/examples_test.py BIN_FOLDER [Help|Readme|Documents]      exit 77: this build has no LibTorch

What an example names (a sweep, an attempt, another machine's database) is there, in a home folder of its own. A file
is planned as it is written down first, and then submitted small, by the `# small:` line in its head, on this machine.
"""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release/bin"
SWEEP = """
sweep: {name}
workload: lm_step
passes: [timing, memory, profile]
params: {{model: tiny, batch: 1, warmup: 1, steps: 2, mode: train_step, device: cpu}}
matrix: {{context: [16, 32], precision: [fp32, bf16]}}
tables:
  - {{title: Step time, rows: [context], columns: [precision], cell: "{{mean:.1f}}", unit: ms, where: {{phase: step}}}}
plots:
  - {{title: Step time, x: context, y: median, color: precision, unit: ms, where: {{phase: step}}}}
"""
GANG = """
sweep: gang
workload: all_reduce
params: {backend: gloo, bytes: 1KiB, world_size: 2, warmup: 1, steps: 2, device: cpu, threads: 1}
"""
PRINTED = """
sweep: printed
workload: command
params:
  argv: echo took 1.5 ms
  warmup: 0
  device: cpu
  patterns: |
    time:ms = took ([0-9.]+)
"""
TRAIN = """
import torch
model, optimizer = torch.nn.Module(), torch.Optimizer()
while True:
    model().backward()
    optimizer.step()
"""
POOL = """
pools:
  h200: {slurm: {gpus_per_node: 8}, runs: ~/shared}
"""


def of_help(text):
    """The commands behind `Example:` or `Examples:`, one of each line that begins with sweepctl."""
    match = re.search(r"^Examples?: *(.*)", text, flags=re.M | re.S)
    if not match:
        return []
    lines = match[1].replace("\\\n", " ").splitlines()
    # A sentence may follow on the line, after a `;`.
    return [re.sub(r"; then .*", "", line.strip()) for line in lines if line.strip().startswith(("sweepctl ", "source "))]


def of_fences(text):
    """Lines of fenced blocks that begin with sweepctl, or with a prompt, their continuations joined."""
    commands = []
    for block in re.findall(r"^```[a-z]*\n(.*?)^```", text, flags=re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.removeprefix("$ ").strip()
            if line.startswith("sweepctl "):
                commands.append(line)
    return commands


def of_table(text):
    """Back-quoted commands in the rows of a page's tables."""
    rows = "\n".join(line for line in text.splitlines() if line.startswith("| "))
    return [command for command in re.findall(r"`([^`]+)`", rows)
            if re.match(r"(sweepctl|sqlite3|source) ", command) and command != "sweepctl merge OTHER.db"]


class WithResults(unittest.TestCase):
    """A home folder with results. Each class below is a test of ctest, beside the others."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)
        cls.environment = {key: value for key, value in os.environ.items()
                           if not key.startswith("SWEEPD_") and not key.startswith("XDG_")}
        cls.environment.update(HOME=str(cls.home), PATH=f"{BIN}:{os.environ['PATH']}",
                               SWEEPD_CORES_LOST=os.environ.get("SWEEPD_CORES_LOST", "0"))
        cls.addClassCleanup(cls.shell, "sweepctl stop --now")
        (cls.home / "experiments").symlink_to(ROOT / "experiments")
        (cls.home / "other.yaml").write_text(SWEEP.format(name="lm-end-to-end"))
        watched = SWEEP.replace("workload: lm_step", "workload: lm_step\nsentinel: 10m")
        (cls.home / "lm.yaml").write_text(watched.format(name="lm-end-to-end"))
        (cls.home / "gang.yaml").write_text(GANG)
        (cls.home / "printed.yaml").write_text(PRINTED)
        (cls.home / "train.py").write_text(TRAIN)
        (cls.home / "my_gpt.yaml").write_text(re.search(r"^```yml\n(.*?)^```", (ROOT / "README.md").read_text(), flags=re.M | re.S)[1])
        for name in ["before", "after"]:
            shutil.copy(ROOT / "tests/trace/data/cpu_training.json.gz", cls.home / f"{name}.json.gz")
        (cls.home / ".config/sweepd").mkdir(parents=True)
        (cls.home / ".config/sweepd/config.yaml").write_text(POOL)
        for name, batch in [("before", 2), ("after", 3)]:
            (cls.home / f"{name}.yaml").write_text(SWEEP.format(name=name).replace("batch: 1", f"batch: {batch}"))
        for step in ["sweepctl submit other.yaml --set context=16,64 --set precision=fp32 --wait", "sweepctl stop",
                     "mv .local/state/sweepd other", "cp -r other rescued && rm rescued/results.db",
                     "sweepctl submit lm.yaml gang.yaml printed.yaml before.yaml after.yaml --wait"]:
            ended = cls.shell(step)
            assert ended.returncode == 0, f"{step}: {ended.stderr}"

    @classmethod
    def shell(cls, command):
        words = ["bash", "-c", command]
        if "completion zsh" in command:
            words = ["zsh", "-fc", "autoload -Uz compinit; compinit -u -D; " + command]
        elif "completion fish" in command:
            words = ["fish", "--no-config", "-c", command]
        if not shutil.which(words[0]):
            words = ["true"]
        return subprocess.run(words, cwd=cls.home, env=cls.environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300, check=False)

    def sql(self, query):
        done = subprocess.run(["sqlite3", self.home / ".local/state/sweepd/results.db", query], text=True,
                              capture_output=True, check=True)
        return done.stdout.strip()

    def filled(self, command):
        """With the names of what is there in the place of the examples'."""
        wanted = "pass = 'timing'"
        if "--memory" in command or "sweepctl export" in command:
            wanted = "pass = 'memory'"
        elif "--kernels" in command or "sweepctl explain" in command:
            wanted = "pass = 'profile'"
        elif "--rank" in command:
            wanted = "trial in (select trial from params_all_reduce)"
        attempt = self.sql(f"select uid from attempt where {wanted} and outcome = 'done' limit 1")
        command = command.replace("import FILE", f"import {ROOT}/tests/trace/data/cpu_training.json.gz")
        if command.startswith("sweepctl compare") and "--kernels" in command:
            command = command.replace("lm-end-to-end", "before")  # no other example submits it without profiles
        sweep = "printed" if command.startswith("sweepctl reread") else "lm-end-to-end"
        for old, new in [(r"\bFILE\b", "lm.yaml"), (r"\bNAME\b|\bmy-gpt\b", sweep), (r"\b(ATTEMPT|3f9c2a7b|5f3a)\b", attempt),
                         (r"\bOTHER\.db\b|/mnt/h200/results\.db", "other/results.db"),
                         ("--device cuda:0", "--device cpu")]:  # there is no GPU here
            command = re.sub(old, new, command)
        return command

    def run_example(self, command):
        words = shlex.split(command, comments=True)
        if words[:2] == ["sweepctl", "submit"]:
            planned = re.sub(r" --notify '[^']*'", "", command.replace("submit", "plan", 1))
            plan = self.shell(planned.replace(" --wait", ""))
            self.assertEqual(plan.returncode, 0, plan.stderr)
            file = next(word for word in words[2:] if word.endswith(".yaml"))
            small = re.search(r"^# small: (.*)", (self.home / file).read_text(), flags=re.M)
            if small:
                command = f"sweepctl submit {file} {small[1]}" + (" --wait" if "--wait" in words else "")
            command = command.replace("--pool h200", "--pool local")  # there is no cluster here
        if words[1] == "noise" and "--sweep" not in words:
            command = re.sub(r" --processes \d+", "", command) + " --processes 16 --set steps=2"
        if words[:2] == ["sweepctl", "study"]:
            command += " --dry-run"  # it takes minutes
        if words[-1] == "my_gpt.yaml":
            command = f"PYTHONPATH={ROOT}/tests/fake_torch {command}"
        ended = self.shell(command)
        # What pools depends on the results that are there.
        advice = re.search(r"these cells would pool .*, or say (--pool .*)", ended.stderr)
        if advice:
            ended = self.shell(f"{command} {advice[1]}")
        allowed = {0}
        if words[1] == "submit":
            allowed.add(4)  # some experiments are about running out of memory
        if words[-1].endswith(".svg"):
            allowed.add(6)  # python3 may lack the package that draws pictures
        if words[1] == "doctor":
            allowed.add(1)  # this machine may have a problem
        if words[1] in ("cancel", "pause"):
            allowed.add(1)  # it has ended already
        if words[1] == "compare" and "--fail-if" in words:
            allowed.add(1)
        self.assertIn(ended.returncode, allowed, ended.stdout + ended.stderr)
        return ended

    def check(self, where, commands, fewest):
        self.assertGreaterEqual(len(commands), fewest, f"{where}: the examples are found by how they look")
        for command in commands:
            filled = self.filled(command)
            with self.subTest(where=where, command=command, run=filled):
                ended = self.run_example(filled)
                if re.match(r"sweepctl (report|query|compare|show|list|plan)\b(?!.*(>| -o ))", filled):
                    self.assertNotEqual(ended.stdout.strip(), "", "it prints nothing")
                written = re.match(r"sweepctl report\b.* -o (\S+)", filled)
                if written:
                    self.assertGreater((self.home / written[1]).stat().st_size, 0, "it writes nothing")


class Help(WithResults):
    """What each command says of itself."""

    def test_help(self):
        verbs = re.findall(r"^  ([a-z-]+) ", self.shell("sweepctl --help").stdout.split("\nSubcommands:", 1)[-1], flags=re.M)
        self.assertGreater(len(verbs), 35)
        for verb in verbs:
            text = self.shell(f"sweepctl {verb} --help").stdout
            self.check(f"sweepctl {verb} --help", of_help(text), 1)

    def test_worker_by_hand(self):
        text = self.shell("sweep-worker --help").stdout
        match = re.search(r"^Example.*?:\n(.*?)\n\n", text, flags=re.M | re.S)
        command = self.filled(" ".join(match[1].split()).replace("/tmp/again", str(self.home / "again")))
        ended = self.shell(command)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn('"outcome":"done"', (self.home / "again/events.0.ndjson").read_text())


class Readme(WithResults):
    """README.md, docs/TASKS.md, and what is refused."""

    def test_readme(self):
        text, tasks = ((ROOT / page).read_text() for page in ("README.md", "docs/TASKS.md"))
        self.check("README.md", of_fences(text), 2)
        self.check("docs/TASKS.md", of_table(tasks), 20)
        self.assertLessEqual(set(of_table(text)), set(of_table(tasks)))

    def test_a_spreadsheet_has_a_row_for_each_trial(self):
        """The command for a spreadsheet. Runs first, while the database holds three sweeps of its own."""
        text = (ROOT / "docs/TASKS.md").read_text()
        command = next(command for command in of_table(text) if "--format csv" in command)
        ended = self.shell(command)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotRegex(ended.stderr, "pool")
        rows = list(csv.DictReader(ended.stdout.splitlines()))
        for name in ["batch", "context", "precision"]:
            self.assertGreater(len({row[name] for row in rows}), 1, name)
        stored = self.sql("select batch, context, precision, mean from lm_step where phase = 'step'")
        means = {tuple(line.split("|")[:3]): float(line.split("|")[3]) for line in stored.splitlines()}
        shown = {(row["batch"], row["context"], row["precision"]): float(row["step (ms)"]) for row in rows}
        self.assertEqual(len(rows), len(means))
        self.assertEqual(shown.keys(), means.keys())
        for point, mean in means.items():
            self.assertAlmostEqual(shown[point], mean, delta=1e-6 * mean)

    def test_what_would_pool_is_refused_and_the_advice_works(self):
        for command in ["sweepctl query lm_step --rows model,context --columns phase --cell '{mean}' --format csv",
                        "sweepctl query lm_step --rows context --columns precision"]:
            refused = self.shell(command)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn("these cells would pool ", refused.stderr)
            options, pool = re.search(r": add (.*), or say (--pool .*)", refused.stderr).groups()
            for advised in [*options.split(" or "), pool]:
                ended = self.shell(f"{command} {advised}")
                self.assertEqual(ended.returncode, 0, f"{command} {advised}: {ended.stderr}")


class Documents(WithResults):
    """The pages beside it."""

    def test_documents(self):
        for path in sorted([*(ROOT / "docs").glob("*.md"), ROOT / "experiments/README.md", *(ROOT / "schemas").glob("*.md")]):
            if path.name == "WHY_SLOW.md":  # the traces of its examples are not in the project
                continue
            commands = of_fences(path.read_text())
            # These examples do not run the experiment whose table this is.
            commands = [command for command in commands if "kernel_time" not in command]
            self.check(path.name, commands, 0)


if __name__ == "__main__":
    described = subprocess.run([BIN / "sweep-worker", "--describe"], capture_output=True, text=True, check=False)
    if '"lm_step"' not in described.stdout or not shutil.which("sqlite3"):
        sys.exit(77)
    unittest.main()
