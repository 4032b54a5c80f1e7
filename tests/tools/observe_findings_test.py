"""What the observer of `observe: torch` finds besides times: FLOPs, memory and kernels, and all of it on a GPU."""

import json
import unittest

from observed_program import Observed


class Findings(Observed):
    def test_flops_are_counted_in_the_first_step(self):
        reports = self.run_program(self.LOOP, warmup=1, SWEEPD_COUNT_FLOPS="1")
        self.assertEqual([each["work"] for each in reports if "work" in each],
                         [{"forward": 1000, "backward": 10000, "optimizer": 100000, "step": 111000}])

    def test_flops_of_evaluation_are_none_of_the_step(self):
        evaluated = self.run_program("""
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            for step in range(100):
                for batch in range(5):
                    model(requires_grad=False)
                    work(3)
                model().backward()
                model(requires_grad=False)
                optimizer.step()
        """, warmup=1, SWEEPD_COUNT_FLOPS="1")
        self.assertEqual([each["work"] for each in evaluated if "work" in each],
                         [{"forward": 1000, "backward": 10000, "optimizer": 100000, "step": 111000}])
        inference = "model = torch.nn.Module()\nfor step in range(9):\n    model(requires_grad=False)"
        self.assertEqual([each["work"] for each in self.run_program(inference, step_ends="forward", SWEEPD_COUNT_FLOPS="1") if "work" in each],
                         [{"forward": 1000, "step": 1000}])

    def test_flops_without_a_formula_are_a_warning(self):
        reports = self.run_program("""
            class LSTM(torch.nn.Module, torch.nn.RNNBase):
                def forward(self):
                    pass
            class GRU(LSTM):
                def forward(self):
                    work(1)
            class Model(torch.nn.Module):
                def forward(self):
                    self.inner()
                    self.other()
                    return super().forward()
            model, optimizer = Model(), torch.Optimizer()
            model.inner, model.other = LSTM(), GRU()
            for step in range(100):
                model().backward()
                optimizer.step()
        """, warmup=1, SWEEPD_COUNT_FLOPS="1")
        self.assertIn("no formula for LSTM,", self.facts(reports)["warning.flops"])

    def test_flops_that_are_computed_again(self):
        reports = self.run_program("""
            inner = torch.nn.Module()
            class Outer(torch.nn.Module):
                def forward(self):
                    inner()
                    return inner()
            class StopRecomputation(Exception):
                pass
            class Last(torch.nn.Module):
                def forward(self):
                    inner()
                    raise StopRecomputation
            def recompute():
                torch.attention_backward += 5000
                try:
                    outer()
                    Last()()
                except StopRecomputation:
                    pass
            outer, optimizer = Outer(), torch.Optimizer()
            for step in range(100):
                loss = outer()
                loss.recompute = recompute
                loss.backward()
                optimizer.step()
        """, warmup=1, SWEEPD_COUNT_FLOPS="1")
        work = next(each for each in reports if "work" in each)
        self.assertEqual(work["work"]["backward"], 13000)
        self.assertEqual(work["recomputed"], {"backward": 3000 + 5000 // 5, "step": 4000})

    def test_memory_by_phase_and_block(self):
        reports = self.run_program(self.LOOP, warmup=2, which="memory")
        memory = {each["memory"]: (each["at_start"], each["peak_allocated"], each["at_end"]) for each in reports if "memory" in each}
        before = memory["forward"][0]  # the tensors that Python knows are none here
        self.assertEqual({phase: tuple(size - before for size in sizes) for phase, sizes in memory.items()},
                         {"forward": (0, 1000, 1000), "backward": (1000, 1000, 0), "optimizer": (0, 0, 0), "step": (0, 1000, 0)})
        blocks = next(each["blocks"] for each in reports if "blocks" in each)
        self.assertEqual([(size, begin, end, phase, origin) for _, size, begin, end, phase, _, origin in blocks],
                         [(1000, 0, 6_000_000, "forward", "aten::mm")])

    TWO_MODELS = """
        class Storage:
            def __init__(self, at, size):
                self.at, self.size = at, size
            def data_ptr(self):
                return self.at
            def nbytes(self):
                return self.size
        class Net(torch.nn.Module):
            def __init__(self, at):
                self.weight = torch.Parameter(Storage(at, 10))
                self.weight.grad = torch.Parameter(Storage(at + 1, 10))
            def parameters(self):
                return [self.weight]
            def named_parameters(self):
                return [("weight", self.weight)]
            def named_buffers(self):
                return [("mask", self.weight)]
        class Critic(Net):
            pass
        alone = torch.Parameter(Storage(50, 7))
        actor, second, critic = Net(10), Net(20), Critic(30)
        optimizer = torch.Optimizer([actor.weight, alone])
        optimizer.state = {each: {"moment": torch.Parameter(Storage(at, 10))} for each, at in ((actor.weight, 60), (second.weight, 70), (alone, 80))}
        for step in range(9):
            actor()
            second()
            critic().backward()
            optimizer.step()
    """

    def test_tensors_of_one_name_are_counted_apart(self):
        reports = self.run_program(self.TWO_MODELS, warmup=2, which="memory")
        self.assertEqual(next(each["held"] for each in reports if "held" in each),
                         [["weights", "weight", 10], ["weights", "Net#2.weight", 10], ["weights", "Critic.weight", 10], ["weights", "parameter1", 7],
                          ["gradients", "weight.grad", 10], ["gradients", "Net#2.weight.grad", 10], ["gradients", "Critic.weight.grad", 10],
                          ["optimizer_state", "weight.moment", 10], ["optimizer_state", "Net#2.weight.moment", 10],
                          ["optimizer_state", "parameter1.moment", 10]])

    def test_memory_of_the_first_step(self):
        reports = self.run_program(self.LOOP, warmup=0, which="memory")
        memory = {each["memory"]: each["peak_allocated"] for each in reports if "memory" in each}
        self.assertEqual(memory, {"forward": 1500, "backward": 1500, "optimizer": 500, "step": 1500})

    def test_two_profiled_steps(self):
        self.run_program(self.LOOP, warmup=1, which="profile")
        for number in (0, 1):
            trace = json.loads((self.folder / f"observed.0.{number}.json").read_text(encoding="utf-8"))["traceEvents"]
            spans = {each["name"]: each["dur"] / 1000 for each in trace if each["name"] != "[memory]"}
            self.assertEqual(spans, {"sweepd.step": 111, "sweepd.forward": 1, "sweepd.backward": 10, "sweepd.optimizer": 100,
                                     "block": 1, "aten::mm": 1, "MmBackward0": 10})

    def test_the_profiler_stops_outside_the_range_of_an_optimizer(self):
        for warmup in (0, 1):
            reports = self.run_program("""
                model, optimizer = torch.nn.Module(), torch.Optimizer()
                def closure():
                    model().backward()
                for step in range(100):
                    optimizer.step(closure)
            """, warmup=warmup, which="profile")
            self.assertNotIn("observe.failed", self.facts(reports))
            self.assertTrue((self.folder / "observed.0.1.json").exists())

    def test_times_on_a_gpu_are_those_of_its_events(self):
        reports = self.run_program(self.LOOP, steps=2, FAKE_TORCH_GPU="1")
        self.assertEqual(self.facts(reports)["observe.clock"], "events of the device")
        steps = [(each["time"], each["host_time"]) for each in reports if "step" in each]
        first = {"forward": 1, "backward": 10, "optimizer": 100, "step": 111}
        self.assertEqual(steps, [(first, first), (dict(first, data=0), dict(first, data=0))])

    def test_memory_on_a_gpu(self):
        reports = self.run_program(self.LOOP, warmup=2, which="memory", FAKE_TORCH_GPU="1")
        memory = {each["memory"]: (each["at_start"], each["peak_allocated"], each["at_end"]) for each in reports if "memory" in each}
        self.assertEqual(memory, {"forward": (500, 1500, 1500), "backward": (1500, 1500, 500), "optimizer": (500, 500, 500),
                                  "step": (500, 1500, 500)})
        self.assertEqual({each["device_in_use"] for each in reports if "memory" in each}, {8000})
        blocks = next(each["blocks"] for each in reports if "blocks" in each)
        self.assertEqual([(size, begin, end, phase, origin) for _, size, begin, end, phase, _, origin in blocks],
                         [(500, 0, None, "before", "weight"), (1000, 0, 6_000_000, "forward", "train.py:7 forward")])
        points = next(each["timeline"] for each in reports if "timeline" in each)
        self.assertEqual([(at, what, live, phase) for _, at, what, _, _, live, _, phase in points if what == "phase"],
                         [(0, "phase", 500, "step"), (0, "phase", 500, "forward"), (1_000_000, "phase", 1500, "backward"),
                          (11_000_000, "phase", 500, "step"), (11_000_000, "phase", 500, "optimizer"),
                          (111_000_000, "phase", 500, "step"), (111_000_000, "phase", 500, "step")])
        self.assertEqual((self.folder / "memory_snapshot.0.pickle").read_text(encoding="ascii"), "snapshot")


if __name__ == "__main__":
    unittest.main()
