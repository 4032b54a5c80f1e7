"""A fake of PyTorch with the few entry points that the observer of `observe: torch` uses. Its clock counts: `work(n)` takes
n ms, a forward 1 ms, a backward 10 and an optimizer's step 100, so every time is exact. A forward allocates 1000 bytes
that the backward frees, and the first one 500 more that stay. With $FAKE_TORCH_GPU the parameters are on a GPU, which
finishes the work of an event when somebody synchronises, 1 ms later than the host issued it."""

import json
import os
import sys
import time
import types

__version__ = "0.fake"
_now = 0
attention_backward = 0  # FLOPs


def work(ms):
    global _now
    _now += ms * 1_000_000


time.perf_counter_ns = time.time_ns = lambda: _now
_has_gpu = bool(os.environ.get("FAKE_TORCH_GPU"))


class Tensor:
    is_cuda, is_leaf = True, False  # so that it holds no memory of the host

    def __init__(self, requires_grad=True):
        self.requires_grad = requires_grad

    def backward(self):
        autograd.backward(self)


class _Operator:
    def __init__(self, name, **arguments):
        self.event = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "args": arguments}

    def __enter__(self):
        self.event["ts"] = _now / 1e3
        return self

    def __exit__(self, *_):
        self.event["dur"] = _now / 1e3 - self.event["ts"]
        _profile.events.append(self.event)


def _change(size, address):
    _Gpu.change(size, address)
    _profile.events.append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": _now / 1e3, "tid": 1,
                            "args": {"Device Type": 0, "Bytes": size, "Addr": address}})


class _Storage:
    def data_ptr(self):
        return 0x500

    def nbytes(self):
        return 500


class Parameter:
    is_cuda, grad = _has_gpu, None

    def __init__(self, storage=_Storage()):
        self._storage = storage

    def untyped_storage(self):
        return self._storage


class _Recurrent:
    """A module whose FLOPs the counter does not know."""


class Module:
    ms = 1
    has_cache = False

    def parameters(self):
        return [Parameter()] if _has_gpu else []

    def named_parameters(self):
        return [("weight", each) for each in self.parameters()]

    def named_modules(self):
        return [("", self)]

    def named_buffers(self):
        return []

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, requires_grad=True):
        with profiler.record_function("block"), _Operator("aten::mm"):
            if not self.has_cache:
                self.has_cache = True
                _change(500, 0x500)
            _change(1000, 0x1000)
            work(self.ms)
        return Tensor(requires_grad)


def _backward(tensor):
    with _Operator("MmBackward0"):
        work(5)
        _change(-1000, 0x1000)
        work(5)
    if hasattr(tensor, "recompute"):
        tensor.recompute()


_pre, _post = [], []


class Optimizer:
    is_open = False  # a step, with the range of the profiler around it

    def __init__(self, parameters=()):
        self.param_groups, self.state = [{"params": list(parameters)}], {}
        if not hasattr(type(self).step, "hooked"):
            type(self).step = self.profile_hook_step(type(self).step)
            type(self).step.hooked = True

    @staticmethod
    def profile_hook_step(step):
        def hooked(self, *args):
            Optimizer.is_open = True
            for hook in _pre:
                hook(self, (), {})
            step(self, *args)
            for hook in _post:
                hook(self, (), {})
            Optimizer.is_open = False
        return hooked

    def step(self, closure=None):
        if closure is not None:
            closure()
        work(100)


def _schedule(wait, warmup, active, repeat):
    assert (wait, warmup, active) == (0, 1, 1)
    return repeat


class _Profile:
    def __init__(self, schedule=0, on_trace_ready=None, **_):
        self.events = []
        self.ends, self.ready, self.steps = 2 * schedule, on_trace_ready, 0

    def start(self):
        global _profile
        assert not Optimizer.is_open, "torch crashes"
        self.events.clear()
        _profile = self

    def stop(self):
        global _profile
        _profile = _Profile()

    def step(self):
        """Every second step is recorded."""
        assert not Optimizer.is_open, "torch crashes"
        self.steps += 1
        if self.steps % 2 == 0:
            self.ready(self)
        self.events.clear()
        if self.steps == self.ends:
            self.stop()

    def export_chrome_trace(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": self.events}, file)


_profile = _Profile()


class _Annotation(_Operator):
    def __init__(self, name):
        super().__init__(name)
        self.event["cat"] = "user_annotation"


class _FlopCounterMode:
    def __init__(self, display=True):
        self.total = 0

    def __enter__(self):
        self.begin = _now

    def __exit__(self, *_):
        pass

    def get_total_flops(self):
        return (_now - self.begin) // 1000  # 1000 FLOPs a ms

    def get_flop_counts(self):
        return {"Global": {"aten.mm": self.get_total_flops(), "aten._scaled_dot_product_flash_attention_backward": attention_backward}}


class _Event:
    """Its work is done when somebody has synchronised after it."""

    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at, self.number = _now, _Gpu.synchronised

    def query(self):
        return _Gpu.synchronised > self.number

    def elapsed_time(self, end):
        assert self.query() and end.query(), "not done yet"
        return (end.at - self.at) / 1e6


class _Gpu:
    """What torch.cuda and torch.cuda.memory have."""

    synchronised, allocated, peak, history, live = 0, 0, 0, [], {}
    Event = _Event

    @classmethod
    def change(cls, size, address):
        cls.allocated += size
        cls.peak = max(cls.peak, cls.allocated)
        if size > 0:
            cls.live[address] = size
        else:
            cls.live.pop(address, None)
        frames = [{"filename": "/site-packages/torch/nn.py", "line": 1, "name": "call"},
                  {"filename": "/home/own/train.py", "line": 7, "name": "forward"}]
        cls.history.append({"action": "alloc" if size > 0 else "free_completed", "addr": address, "size": abs(size),
                            "time_us": _now // 1000, "frames": frames})

    @classmethod
    def synchronize(cls):
        cls.synchronised += 1

    @staticmethod
    def is_available():
        return _has_gpu

    is_initialized = is_available

    @classmethod
    def memory_allocated(cls):
        return cls.allocated

    @classmethod
    def max_memory_allocated(cls):
        return cls.peak

    @classmethod
    def max_memory_reserved(cls):
        return 4096

    @classmethod
    def reset_peak_memory_stats(cls):
        cls.peak = cls.allocated

    @staticmethod
    def mem_get_info():
        return 1000, 9000

    @staticmethod
    def current_device():
        return 0

    @classmethod
    def _record_memory_history(cls, max_entries=None, enabled="all"):
        cls.history.clear()

    @classmethod
    def _snapshot(cls):
        blocks = [{"address": address, "size": size, "state": "active_allocated"} for address, size in cls.live.items()]
        return {"device_traces": [list(cls.history)], "segments": [{"blocks": blocks}]}

    @staticmethod
    def _dump_snapshot(path):
        with open(path, "w", encoding="ascii") as file:
            file.write("snapshot")


_Gpu.memory = _Gpu
cuda = _Gpu
nn = types.SimpleNamespace(Module=Module, RNNBase=_Recurrent)
autograd = types.SimpleNamespace(backward=_backward)
sys.modules["torch.optim"] = types.ModuleType("torch.optim")
sys.modules["torch.optim.optimizer"] = types.SimpleNamespace(
    Optimizer=Optimizer, register_optimizer_step_pre_hook=_pre.append, register_optimizer_step_post_hook=_post.append)
profiler = types.SimpleNamespace(profile=_Profile, schedule=_schedule, record_function=_Annotation,
                                 ProfilerActivity=types.SimpleNamespace(CPU="cpu", CUDA="cuda"))

sys.modules["torch.utils"] = types.ModuleType("torch.utils")
sys.modules["torch.utils.flop_counter"] = types.ModuleType("torch.utils.flop_counter")
sys.modules["torch.utils.flop_counter"].FlopCounterMode = _FlopCounterMode
