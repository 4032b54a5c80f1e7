"""Run by observe.py in a Python with torch: steps of about 5 ms, in turns bare and with the hooks of `observe: torch`.

Prints one JSON list of [bare, observed] medians in ms, one pair a round.
"""

import json
import os
import statistics
import sys
import time

import torch

ROUNDS, STEPS = 30, 20


def make_step():
    """40 modules, as a transformer of four blocks has."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    layers = [layer for _ in range(20) for layer in (torch.nn.Linear(192, 192), torch.nn.GELU())]
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.randn(64, 192)

    def step():
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def median_ms(step):
    times = []
    for _ in range(STEPS):
        begin = time.perf_counter()
        step()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def main():
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.environ.update(SWEEPD_METRICS_FD=str(nowhere), SWEEPD_PASS="timing", SWEEPD_WARMUP="0", SWEEPD_STEPS="1000000000")
    import sweepd_observe.hooks as hooks
    import sweepd_observe.timing as timing

    step = make_step()
    bare_call, bare_backward = torch.nn.Module.__call__, torch.autograd.backward
    loop = hooks.install(torch, timing.Timing(torch, 0, 10**9), "optimizer")
    hooked_call, hooked_backward = torch.nn.Module.__call__, torch.autograd.backward
    pairs = []
    for _ in range(ROUNDS):
        pair = []
        for call, backward, on in ((bare_call, bare_backward, False), (hooked_call, hooked_backward, True)):
            torch.nn.Module.__call__, torch.autograd.backward, loop.on = call, backward, on
            step()
            pair.append(median_ms(step))
        pairs.append(pair)
    loop.on = False
    json.dump(pairs, sys.stdout)


if __name__ == "__main__":
    main()
