"""The measure loop of the PyTorch scripts: as sweepd's own, phase by phase, warm-up first."""

import os
import time

import sweepd_metrics as sweepd

HOW_TO_GET_TORCH = "pip install torch"


class Phases:
    """Marks where a phase begins; the one before ends there. CUDA events on a GPU, else the steady clock."""

    def __init__(self, torch, device):
        self.torch, self.cuda = torch, device == "cuda"
        self.marks = []

    def enter(self, phase):
        if self.cuda:
            mark = self.torch.cuda.Event(enable_timing=True)
            mark.record()
        else:
            mark = time.perf_counter()
        self.marks.append((phase, mark))

    def take(self):
        """{"forward": ms, ..., "step": ms} of the step that ended, and forgets it."""
        self.enter(None)
        if self.cuda:
            self.torch.cuda.synchronize()
        times = {}
        for (phase, begin), (_, end) in zip(self.marks, self.marks[1:]):
            times[phase] = times.get(phase, 0.0) + self._ms(begin, end)
        times["step"] = self._ms(self.marks[0][1], self.marks[-1][1])
        self.marks = []
        return times

    def _ms(self, begin, end):
        return begin.elapsed_time(end) if self.cuda else (end - begin) * 1e3


def prepare(torch, arguments):
    """Threads, seed, device, memory limit, TF32; facts of what runs. Returns the device."""
    if arguments.device == "cuda" and not torch.cuda.is_available():
        sweepd.skip(f"torch {torch.__version__} of this Python sees no GPU: install its CUDA build, or set device=cpu")
    torch.set_num_threads(max(1, arguments.threads))
    torch.manual_seed(arguments.seed)
    tf32 = getattr(arguments, "precision", "") == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    if arguments.device == "cuda" and arguments.memory_limit > 0:
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, arguments.memory_limit / total))
    sweepd.fact("torch", torch.__version__)
    return arguments.device


def add_run_arguments(parser):
    """What sweepd passes on to every script."""
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory-limit", type=int, default=0, help="bytes of GPU memory; 0: all")


def measure(torch, device, step, warmup, steps, compiled=False):
    """`step(phases)` runs one step. A compiled one is run once before, and that is its compile time. In the memory
    pass the last of a few steps is observed."""
    phases = Phases(torch, device)

    def run():
        if device == "cuda":
            torch.cuda.synchronize()
        step(phases)
        return phases.take()

    begun = time.perf_counter()
    if compiled:
        run()
        sweepd.setup(compile_time=(time.perf_counter() - begun) * 1e3)
    if os.environ.get("SWEEPD_PASS") == "memory":
        for _ in range(min(warmup, 3)):
            run()
        observe_memory(torch, device, run)
        return
    for number in range(warmup + steps):
        sweepd.step(number, run(), warmup=number < warmup)


def observe_memory(torch, device, run):
    if device != "cuda":  # has no allocator to ask: sweepd uses the resident set
        run()
        return
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    free, total = torch.cuda.mem_get_info()
    sweepd.memory("step", torch.cuda.max_memory_allocated(), at_start=before,
                  at_end=torch.cuda.memory_allocated(),
                  peak_reserved=torch.cuda.max_memory_reserved(), device_in_use=total - free)
