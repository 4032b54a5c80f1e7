"""The language model's step against what the machine can do, and against Python's PyTorch."""

import itertools
import os
import subprocess

from bench.tools import Daemon, median

ROUNDS = 4
MODES = ["forward", "forward_backward", "train_step"]
PRECISIONS = ["fp32", "bf16"]
# One file, so that the rounds of all sweeps alternate on the same machine.
SWEEP = f"""sweep: limits-arithmetic
workload: matmul
params: {{device: cpu, size: 2048, precision: fp32, warmup: 3, steps: 10, repeats: {ROUNDS}}}
---
sweep: limits-memory
workload: memcpy
params: {{device: cpu, bytes: 256MiB, warmup: 2, steps: 10, repeats: {ROUNDS}}}
---
sweep: models
workload: lm_step
params: {{device: cpu, model: small, context: 128, batch: 4, warmup: 3, steps: 10, repeats: {ROUNDS}}}
matrix: {{precision: [{", ".join(PRECISIONS)}], mode: [{", ".join(MODES)}]}}
"""
# The same model in Python, without its precision, mode and context.
PYTHON_MODEL = f"""workload: command
params:
  argv: >-
    {{python}} {{scripts}}/lm_step.py --model {{model}} --context {{context}} --batch {{batch}} --precision {{precision}}
    --mode {{mode}} --compile {{compile}} --device {{device}} --warmup {{warmup}} --steps {{steps}} --threads {{threads}}
    --seed {{seed}} --memory-limit {{memory_limit}}
  device: cpu
  model: small
  batch: 4
  compile: eager
  threads: {len(os.sched_getaffinity(0))}
"""
PYTHON = f"""---
sweep: python-models
{PYTHON_MODEL}  context: 128
  warmup: 3
  steps: 10
  repeats: {ROUNDS}
matrix: {{precision: [{", ".join(PRECISIONS)}], mode: [{", ".join(MODES)}]}}
"""
FIGURES = """select s.median, w.flops, w.bytes
from summary s join attempt a on a.row = s.attempt join trial t on t.id = a.trial
join params_{workload} q on q.trial = t.id
join name p on p.id = s.phase join name m on m.id = s.metric
left join phase_work w on w.attempt = a.row and w.phase = s.phase
where m.text = 'time' and a.pass = 'timing' and t.workload = '{workload}' and p.text = '{phase}' and {where}"""


def python_with_torch():
    """The Python that the `command` workload would take, when it has torch; else nothing."""
    python = os.environ.get("SWEEPD_PYTHON", "python3")
    try:
        done = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def run(page):
    version = python_with_torch()
    with Daemon() as daemon:
        daemon.ctl("submit", "-", "--wait", text=SWEEP + (PYTHON if version else ""))

        def figures(workload, phase, where="1"):
            return daemon.rows(FIGURES.format(workload=workload, phase=phase, where=where))

        peak = median([flops / ms for ms, flops, _ in figures("matmul", "step")])
        copied = median([moved / ms for ms, _, moved in figures("memcpy", "step")])
        page.add("`matmul` 2048, fp32", "TFLOP/s", [flops / ms / 1e9 for ms, flops, _ in figures("matmul", "step")],
                 "the ruler of the shares below")
        page.add("`memcpy` 256 MiB", "GB/s", [moved / ms / 1e6 for ms, _, moved in figures("memcpy", "step")], "read and written")
        for precision, mode in itertools.product(PRECISIONS, MODES):
            where = f"q.mode = '{mode}' and q.precision = '{precision}'"
            rows = figures("lm_step", "step", where)
            what = f"{mode}, {precision}"
            page.add(f"`lm_step` small, context 128, {what}", "ms", [ms for ms, _, _ in rows], "medians of 10 steps each")
            if precision == "fp32" and mode != "train_step":
                page.add(f"its share of the `matmul` rate, {what}", "%", [flops / ms / peak * 100 for ms, flops, _ in rows],
                         "model FLOPs by formula", at_least=85)
            if version:
                python = [ms for ms, _, _ in figures("command", "step", where)]
                page.add(f"Python PyTorch {version}, {what}", "ms", python, "the same model, threads and seed")
                page.add(f"`lm_step` times as fast as Python, {what}", "ratio", [median(python) / median([r[0] for r in rows])],
                         "medians, rounds in turns", at_least=1)
        moved = figures("lm_step", "optimizer", "q.mode = 'train_step' and q.precision = 'fp32'")
        page.add("AdamW's share of the `memcpy` rate", "%", [moved_bytes / ms / copied * 100 for ms, _, moved_bytes in moved],
                 "28 bytes a parameter, all of lines it reads too; a copy also fetches the lines that it only writes", at_least=70)
