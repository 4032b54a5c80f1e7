"""Finds the phases of a step by what a training loop calls anyway, and tells them to the pass."""

import atexit
import functools
import importlib
import os

from . import report
from .function import Function
from .loop import Loop

_STEP_ENDS = ("optimizer", "backward", "forward")  # others are the name of a function
_MOST_BACKWARDS = 1000  # without an optimizer; many are legal, because gradients may accumulate
_MOST_CLEARED = 100     # those before which the gradients had been cleared, so that none accumulated


def _needs_gradient(result):
    """Whether the output of a module, also one in a tuple, dict or dataclass, leads to a backward."""
    if hasattr(result, "requires_grad"):
        return result.requires_grad
    if isinstance(result, dict):
        return any(_needs_gradient(each) for each in result.values())
    if isinstance(result, (tuple, list)):
        return any(_needs_gradient(each) for each in result)
    if hasattr(result, "__dict__"):
        return any(getattr(each, "requires_grad", False) for each in vars(result).values())
    return False


class Hooks:
    """Calls the loop from where torch calls anyway. A mistake of ours switches the observation off."""

    def __init__(self, torch, loop):
        self.loop = loop
        self.function = None if loop.step_ends in _STEP_ENDS else Function(loop.step_ends, loop, self.safely)
        self.call_module = torch.nn.Module.__call__
        self.run_backward = torch.autograd.backward
        self.backwards = self.cleared = 0  # while no optimizer has stepped
        self.has_optimizer = False

    def safely(self, what, *args):
        try:
            return what(*args)
        except Exception as error:  # pylint: disable=broad-except
            self.loop.on = False
            report.failed(what.__name__, error)
            return None

    def module(self, module, args, kwargs):
        loop = self.loop
        inside = loop.phase  # "optimizer" in a closure, else None
        self.safely(self.begin_forward, module)
        try:
            result = self.call_outermost(module, args, kwargs)
        except BaseException:
            self.safely(loop.forget)
            loop.raised = "forward"
            raise
        if loop.on:
            self.safely(self.end_forward, result, inside)
        return result

    def call_outermost(self, module, args, kwargs):
        loop = self.loop
        loop.in_module = True
        try:
            if not loop.observer.wraps_modules:
                return self.call_module(module, *args, **kwargs)
            with loop.observer.around(module, loop):
                return self.call_module(module, *args, **kwargs)
        finally:
            loop.in_module = False

    def next_module(self, module, args, kwargs):
        """Another model of the same forward, or a loss."""
        self.safely(self.loop.observer.saw_module, module)
        return self.call_outermost(module, args, kwargs)

    def begin_forward(self, module):
        if self.function is not None:
            self.function.look()
        self.loop.observer.saw_module(module)
        self.loop.open("forward")

    def end_forward(self, result, inside):
        loop = self.loop
        if loop.step_ends == "forward":
            loop.forwards += 1
            loop.ended = loop.close()
        elif _needs_gradient(result):
            loop.forwards += 1  # the phase goes on until the backward
        elif self.function is not None:  # it says what a step is
            loop.forwards += 1
            loop.close()
            if inside is not None:
                loop.open(inside)
        else:
            loop.forget()
            if inside is not None:
                loop.open(inside)

    def backward(self, args, kwargs):
        if self.loop.step_ends == "optimizer" and not self.has_optimizer:
            self.safely(self.count_backward)
        self.safely(self.loop.open, "backward")
        try:
            result = self.run_backward(*args, **kwargs)
        except BaseException:
            if self.loop.on:
                self.safely(self.end_backward)
            self.loop.raised = "backward"
            raise
        if self.loop.on:
            self.safely(self.end_backward)
        return result

    def count_backward(self):
        """A program without an optimizer would run to its timeout."""
        self.backwards += 1
        parameters = [each for root in self.loop.observer.roots for each in root.parameters()]
        if parameters and all(each.grad is None for each in parameters):
            self.cleared += 1
        if self.cleared == 3 or (self.cleared < 3 and self.backwards == 20):
            report.phase("step, no optimizer stepped: set `step_ends`")  # also where it runs to its timeout
        if self.backwards > _MOST_BACKWARDS or self.cleared > _MOST_CLEARED:
            report.fact("observe.no_optimizer", self.backwards - 1)
            self.has_optimizer = True  # as far as this is concerned

    def end_backward(self):
        loop = self.loop
        mark = loop.close()
        if loop.step_ends == "backward" or (loop.stepped_in_backward and self.function is None):
            loop.ended = mark
        elif loop.in_optimizer:
            loop.open("optimizer")

    def before_optimizer(self, optimizer):
        """The step before is over now: later, within the range of `Optimizer.step`, torch's profiler must not stop."""
        loop = self.loop
        if self.belongs_to_step(optimizer):
            return
        if loop.ended is not None:
            loop.hand_over()
        elif loop.begin is None:
            loop.observer.saw_optimizer(optimizer)
            loop.observer.begin_step(loop.number)

    def belongs_to_step(self, optimizer):
        """Whether it is another optimizer of a step that has ended."""
        return self.loop.ended is not None and self.function is None and id(optimizer) not in self.loop.stepped

    def begin_optimizer(self, optimizer):
        loop = self.loop
        if not self.has_optimizer:
            self.has_optimizer = True
            report.phase("step")
        if self.belongs_to_step(optimizer):
            loop.ended = None
        loop.observer.saw_optimizer(optimizer)
        loop.open("optimizer")
        loop.in_optimizer = True

    def end_optimizer(self, optimizer):
        loop = self.loop
        loop.in_optimizer = False
        mark = loop.close() if loop.phase is not None else None
        if mark is not None and self.function is None:
            loop.ended = mark
        loop.stepped.add(id(optimizer))


def install(torch, observer, step_ends):
    loop = Loop(observer, step_ends)
    hooks = Hooks(torch, loop)
    call_module, run_backward = hooks.call_module, hooks.run_backward

    # `call` repeats the two lines of torch's own wrapper, which saves a call for each module.
    is_wrapper = call_module is getattr(torch.nn.Module, "_wrapped_call_impl", None)

    # torch.compile knows that programs replace this, and does not trace it.
    def call(self, *args, **kwargs):
        phase = loop.phase
        if phase is None or phase == "optimizer":
            if loop.here():
                return hooks.module(self, args, kwargs)
        elif phase == "forward" and not loop.in_module and loop.here():
            return hooks.next_module(self, args, kwargs)
        elif observer.wraps_modules and loop.on:
            with observer.around(self, loop):
                return call_module(self, *args, **kwargs)
        if not is_wrapper:
            return call_module(self, *args, **kwargs)
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    def backward(*args, **kwargs):
        if loop.phase != "backward" and loop.here():
            return hooks.backward(args, kwargs)
        return run_backward(*args, **kwargs)

    def before_optimizer(optimizer, *_):
        if loop.phase == "backward":
            loop.stepped_in_backward = True
        elif loop.here() and not loop.in_optimizer:
            hooks.safely(hooks.begin_optimizer, optimizer)

    def after_optimizer(optimizer, *_):
        if loop.here() and loop.in_optimizer:
            hooks.safely(hooks.end_optimizer, optimizer)

    def with_hooks(step):
        """Torch's own makes a range of the profiler around the step and all its hooks."""
        hooked = make_range(step)

        @functools.wraps(hooked)
        def call_step(optimizer, *args, **kwargs):
            if loop.phase != "backward" and loop.here() and not loop.in_optimizer:
                hooks.safely(hooks.before_optimizer, optimizer)
            return hooked(optimizer, *args, **kwargs)

        return call_step

    torch.nn.Module.__call__ = functools.wraps(call_module)(call)
    torch.autograd.backward = functools.wraps(run_backward)(backward)
    if step_ends not in ("backward", "forward"):
        # Newer versions have no attribute of this name in torch.optim.
        optimizers = importlib.import_module("torch.optim.optimizer")
        optimizers.register_optimizer_step_pre_hook(before_optimizer)
        optimizers.register_optimizer_step_post_hook(after_optimizer)
        make_range = optimizers.Optimizer.profile_hook_step
        optimizers.Optimizer.profile_hook_step = staticmethod(with_hooks)

    def stop():
        loop.on = False

    def at_exit():
        if loop.on and hooks.function is not None:
            hooks.safely(hooks.function.must_be_found)
        loop.at_exit()

    os.register_at_fork(after_in_child=stop)
    atexit.register(at_exit)
    return loop
