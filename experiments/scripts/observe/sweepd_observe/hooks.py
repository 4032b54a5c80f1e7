"""Finds the phases of a step by what a training loop calls anyway, and tells them to the pass."""

import atexit
import functools
import importlib
import os
import threading
from typing import NamedTuple, Optional

from . import report
from .function import Function

_STEP_ENDS = ("optimizer", "backward", "forward")  # others are the name of a function


class Step(NamedTuple):
    spans: list             # (phase, begin, end) in marks of the pass
    begin: object
    end: object
    own: Optional[tuple]    # (begin, end) of what the observer itself did within the step
    forwards: int


class Loop:
    """Where the training loop is. `observer` is the pass: timing, memory or profile.

    A step is over with the mark of what ends it, but it is handed to the pass only when something else begins, since
    a second optimizer may belong to it.
    """

    def __init__(self, observer, step_ends):
        self.observer = observer
        self.step_ends = step_ends
        self.on = True
        self.hooked = True         # False: the program says itself where its steps are
        self.thread = threading.get_ident()
        self.phase = None          # "forward", "backward" or "optimizer", while it is open
        self.opened = None         # its mark
        self.in_optimizer = False  # a closure may call forward and backward inside
        self.number = 0            # steps handed over
        self.begin = None          # the step's first mark
        self._new_step()

    def _new_step(self):
        self.spans = []            # (phase, begin, end)
        self.ended = None          # the mark that ends the step
        self.own = None            # the marks around the hand-over of the step before, which is none of the program's
        self.waited = None         # the mark of the first forward, until which batches were made
        self.forwards = 0
        self.stepped_in_backward = False  # optimizers that run as soon as a gradient is there
        self.stepped = set()       # optimizers

    def here(self):
        """Whether the hooks count: not in threads of the program and of autograd, nor in processes that it forked."""
        return self.on and self.hooked and threading.get_ident() == self.thread

    def open(self, phase):
        if self.ended is not None:
            self.hand_over()
        elif self.begin is None:
            self.observer.begin_step(self.number)
        mark = self.observer.mark(phase)
        if self.phase is not None:
            self._add_span(mark)
        elif self.begin is None:
            self.begin = mark
        elif not self.spans:
            self.waited = mark
        self.phase, self.opened = phase, mark

    def close(self):
        mark = self.observer.mark(None)
        self._add_span(mark)
        self.phase = None
        return mark

    def _add_span(self, mark):
        if not self.spans and self.waited is not None:
            self.spans.append(("data", self.begin, self.waited))
        self.spans.append((self.phase, self.opened, mark))

    def forget(self):
        """What was opened last is no part of a training step."""
        self.phase = None
        if self.number == 0 and not self.spans:
            self.begin = None

    def restart(self):
        """Drops what was recorded since the last step."""
        self.phase = self.begin = None
        self._new_step()

    def _tell(self):
        self.observer.end_step(Step(self.spans, self.begin, self.ended, self.own, self.forwards))
        self.number += 1

    def hand_over(self):
        ended, before = self.ended, self.observer.mark(None)
        self._tell()
        if self.number >= self.observer.steps:
            self.on = False
            self.observer.finish()
            report.end_program()
        self._new_step()
        self.begin = ended
        self.observer.begin_step(self.number)
        self.own = (before, self.observer.mark(None))

    def at_exit(self):
        """The program ended by itself."""
        if not self.on:
            return
        self.on = False
        if self.ended is not None:
            self._tell()
        self.observer.finish()
        if self.number < self.observer.steps:
            report.fact("observe.missing_steps", self.observer.steps - self.number)


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
            result = self.call_module(module, *args, **kwargs)
        except BaseException:
            self.safely(loop.forget)
            raise
        if loop.on:
            self.safely(self.end_forward, result, inside)
        return result

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
        self.safely(self.loop.open, "backward")
        try:
            return self.run_backward(*args, **kwargs)
        finally:
            if self.loop.on:
                self.safely(self.end_backward)

    def end_backward(self):
        loop = self.loop
        mark = loop.close()
        if loop.step_ends == "backward" or (loop.stepped_in_backward and self.function is None):
            loop.ended = mark
        elif loop.in_optimizer:
            loop.open("optimizer")

    def begin_optimizer(self, optimizer):
        loop = self.loop
        if id(optimizer) not in loop.stepped and loop.ended is not None:
            # Another optimizer of the same step.
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

    torch.nn.Module.__call__ = functools.wraps(call_module)(call)
    torch.autograd.backward = functools.wraps(run_backward)(backward)
    if step_ends not in ("backward", "forward"):
        # Newer versions have no attribute of this name in torch.optim.
        optimizers = importlib.import_module("torch.optim.optimizer")
        optimizers.register_optimizer_step_pre_hook(before_optimizer)
        optimizers.register_optimizer_step_post_hook(after_optimizer)

    def stop():
        loop.on = False

    def at_exit():
        if loop.on and hooks.function is not None:
            hooks.safely(hooks.function.must_be_found)
        loop.at_exit()

    os.register_at_fork(after_in_child=stop)
    atexit.register(at_exit)
    return loop
