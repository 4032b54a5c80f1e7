"""What the programs here know of their own steps: `watch` writes one JSON object a step to $OWN_CLOCK.<rank>.

Its hooks run inside the calls at which the observer looks, so each of its times lies between two marks of the observer
however the machine is disturbed. `ended` is the last moment that surely belongs to a step: of a gradient or of an
optimizer.
"""

import gc
import json
import os
import time

import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 256), nn.Linear(256, 10)

    def forward(self, x):
        with torch.profiler.record_function("hidden"):
            hidden = self.first(x).relu()
        return self.second(hidden)


def bytes_of(tensors):
    """Of their storages, each once; of a DTensor this rank's shard."""
    sizes = {}
    for each in tensors:
        try:
            storage = getattr(each, "_local_tensor", each).untyped_storage()
            sizes[storage.data_ptr()] = storage.nbytes()
        except (RuntimeError, NotImplementedError):
            pass  # a tensor of torch.compile, which has no memory
    return sum(sizes.values())


def _alive():
    for each in gc.get_objects():
        if issubclass(type(each), torch.Tensor):
            yield each
            if each.is_leaf and each.grad is not None:
                yield each.grad


class _Watch:
    def __init__(self, model, optimizers):
        self.model, self.optimizers = model, optimizers
        path = os.environ.get("OWN_CLOCK", "/tmp/own_clock")
        self.file = open(f"{path}.{os.environ.get('RANK', 0)}", "w", encoding="utf-8")
        self.line = {}

    def begin_forward(self, *_):
        if "ended" in self.line:
            print(json.dumps(self.line), file=self.file, flush=True)
            self.line = {}
        self.line.setdefault("forward", time.perf_counter_ns())
        self.line["forwards"] = self.line.get("forwards", 0) + 1

    def gradient(self, _):
        now = time.perf_counter_ns()
        self.line.setdefault("gradient", now)
        self.line["last_gradient"] = now
        if not self.optimizers:  # they step as soon as there is a gradient
            self.line["ended"] = now

    def begin_optimizer(self, *_):
        self.line.setdefault("gradients", bytes_of(each.grad for each in self.model.parameters() if each.grad is not None))
        self.line.setdefault("optimizer", time.perf_counter_ns())

    def end_optimizer(self, *_):
        states = [value for each in self.optimizers for state in each.state.values() for value in state.values()]
        self.line["optimizer_state"] = bytes_of(each for each in states if isinstance(each, torch.Tensor))
        self.line["weights"] = bytes_of(self.model.parameters())
        self.line["alive"] = bytes_of(_alive())
        self.line["ended"] = time.perf_counter_ns()


def watch(model, *optimizers, hooks_of_gradients=True):
    """`model` is the program's outermost module, or one in it. Returns it."""
    own = _Watch(model, optimizers)
    model.register_forward_pre_hook(own.begin_forward)
    for each in model.parameters() if hooks_of_gradients else ():
        each.register_post_accumulate_grad_hook(own.gradient)
    for each in optimizers:
        each.register_step_pre_hook(own.begin_optimizer)
        each.register_step_post_hook(own.end_optimizer)
    return model
