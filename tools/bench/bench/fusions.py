"""The language model's step with every fusion and our own attention, against the plain step and against Python's PyTorch."""

from pathlib import Path

from bench.lm_step import PYTHON_MODEL, python_with_torch
from bench.tools import Daemon, median

ROUNDS = 2
ALL = "attention: flash, fused_linear: on, fused_norm: on, fused_rotary: on, fused_swiglu: on"
# Where the CPU has no instructions for bf16, steps are long, and one of Python's takes minutes: fewer of them tell enough.
HAS_BF16 = "avx512" in Path("/proc/cpuinfo").read_text()
STEPS = "warmup: 1, steps: 3" if HAS_BF16 else "warmup: 1, steps: 2"
MODES = ["forward_backward", "train_step"] if HAS_BF16 else ["forward_backward"]
PYTHON_STEPS = f"warmup: 1\n  steps: 3\n  repeats: {ROUNDS}" if HAS_BF16 else "warmup: 0\n  steps: 1"
BF16_MATRIX = f"matrix: {{mode: [{', '.join(MODES)}], context: [128, 512]}}"
# One file, so that the rounds of all sweeps alternate on the same machine.
SWEEP = f"""sweep: plain
workload: lm_step
params: {{device: cpu, model: small, batch: 4, mode: forward_backward, context: 512, precision: fp32, {STEPS}, repeats: {ROUNDS}}}
---
sweep: fused-fp32
workload: lm_step
params: {{device: cpu, model: small, batch: 4, mode: forward_backward, context: 512, precision: fp32, {ALL}, {STEPS}, repeats: {ROUNDS}}}
---
sweep: fused-bf16
workload: lm_step
params: {{device: cpu, model: small, batch: 4, precision: bf16, weight_copies: kept, {ALL}, {STEPS}, repeats: {ROUNDS}}}
{BF16_MATRIX}
---
sweep: plain-bf16
workload: lm_step
params: {{device: cpu, model: small, batch: 4, precision: bf16, {STEPS}, repeats: {ROUNDS}}}
{BF16_MATRIX}
"""
PYTHON = f"""---
sweep: python
{PYTHON_MODEL}  precision: bf16
  {PYTHON_STEPS}
{BF16_MATRIX}
"""
MEDIANS = """select s.median from summary s join attempt a on a.row = s.attempt join sweep_attempt w on w.attempt = a.row
join sweep v on v.id = w.sweep join params_{workload} q on q.trial = a.trial join name p on p.id = s.phase join name m on m.id = s.metric
where m.text = 'time' and a.pass = 'timing' and p.text = 'step' and v.name = '{sweep}' and {where}"""


def run(page):
    version = python_with_torch()
    with Daemon() as daemon:
        daemon.ctl("submit", "-", "--wait", text=SWEEP + (PYTHON if version else ""))

        def medians(sweep, where="1", workload="lm_step"):
            return [ms for (ms,) in daemon.rows(MEDIANS.format(sweep=sweep, where=where, workload=workload))]

        what = "forward and backward, small, context 512, fp32"
        plain, fused = medians("plain"), medians("fused-fp32")
        page.add(f"{what}: plain", "ms", plain, f"medians of {STEPS[-1]} steps, {ROUNDS} processes in turns")
        page.add(f"{what}: fused, own attention", "ms", fused, "all fusions and `attention: flash`")
        page.add(f"{what}: times as fast", "ratio", [median(plain) / median(fused)], "medians", at_least=1.25)
        for mode in MODES:
            for context in (128, 512):
                where = f"q.mode = '{mode}' and q.context = {context}"
                what = f"{mode}, small, context {context}, bf16"
                fused, plain = medians("fused-bf16", where), medians("plain-bf16", where)
                page.add(f"{what}: plain", "ms", plain, "autocast")
                page.add(f"{what}: fused, own attention", "ms", fused, "and `weight_copies: kept`")
                if version:
                    python = medians("python", where, "command")
                    page.add(f"{what}: Python PyTorch {version}", "ms", python,
                             "the same model, threads and seed" + ("" if HAS_BF16 else "; one step, because this CPU has no instructions for bf16"))
                    page.add(f"{what}: fused times as fast as Python", "ratio", [median(python) / median(fused)], "medians, in turns", at_least=1.2)
                page.add(f"{what}: fused times as fast as plain", "ratio", [median(plain) / median(fused)], "medians, in turns")
