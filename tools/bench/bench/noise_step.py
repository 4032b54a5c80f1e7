"""What `sweepctl compare` says about equal training steps and about a slowdown of known size.

As the benchmark `noise`, of steps of a small language model. They differ ten times as much from process to process as a matmul does, so
one comparison takes minutes and there are few of them: read the shares with that in mind.
"""

from bench.noise import measure

# 20 steps, because the medians of 5 differ by half as much again.
TEXT = "workload: lm_step\nparams: {model: tiny, mode: train_step, batch: 1, context: 128, warmup: 1, steps: 20, threads: 1}\n"


def run(page):
    measure(page, "lm_step tiny", TEXT, calibration=1200, limit_s=2400)
