"""The observer of `observe: torch` finds the phases of training loops."""

import json
import unittest

from observed_program import REPO, Observed


class Steps(Observed):
    def test_a_loop(self):
        times = self.times("""
            model = torch.nn.Module()
            optimizer = torch.Optimizer()
            for step in range(1000):
                work(1000)
                loss = model()
                work(2)
                loss.backward()
                work(5)
                optimizer.step()
        """)
        first = {"forward": 3, "backward": 10, "optimizer": 100, "step": 118}
        self.assertEqual(times, [first, dict(first, data=1000, step=1118)])

    def test_the_program_is_ended_after_its_steps(self):
        self.run_program("""
            import atexit
            atexit.register(lambda: print("exit handler"))
            for step in range(1000):
                print(step, flush=True)
                torch.nn.Module()().backward()
                torch.Optimizer().step()
        """, steps=3, warmup=1)
        self.assertEqual(self.output.split(), ["0", "1", "2", "3", "4"])

    def test_accumulation_is_one_step(self):
        reports = self.run_program("""
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            for step in range(4):
                for micro in range(3):
                    model().backward()
                optimizer.step()
        """)
        self.assertEqual([each["time"] for each in reports if "step" in each],
                         [{"data": 0, "forward": 3, "backward": 30, "optimizer": 100, "step": 133}] * 2)
        self.assertEqual(self.facts(reports)["observe.forwards_per_step"], 3)

    def test_data_of_every_micro_batch(self):
        times = self.times("""
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            for step in range(4):
                for micro in range(3):
                    work(7)
                    if micro == 1:
                        model(requires_grad=False)
                        work(30)
                    model().backward()
                work(400)
                optimizer.step()
        """)
        first = {"data": 7 + 1 + 30 + 7, "forward": 3, "backward": 30, "optimizer": 100, "step": 578}
        self.assertEqual(times, [first, dict(first, data=52, step=585)])

    def test_modules_inside_modules_and_recomputation_are_counted_once(self):
        times = self.times("""
            class Outer(torch.nn.Module):
                def forward(self):
                    inner()
                    return inner()
            inner, outer, optimizer = torch.nn.Module(), Outer(), torch.Optimizer()
            for step in range(4):
                loss = outer()
                loss.recompute = inner
                loss.backward()
                optimizer.step()
        """)
        self.assertEqual(times[0], {"forward": 2, "backward": 11, "optimizer": 100, "step": 113})

    def test_evaluation_is_no_forward(self):
        times = self.times("""
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            model(requires_grad=False)
            for step in range(4):
                model().backward()
                optimizer.step()
                for batch in range(5):
                    model(requires_grad=False)
        """)
        self.assertEqual(times, [{"forward": 1, "backward": 10, "optimizer": 100, "step": 111},
                                 {"data": 5, "forward": 1, "backward": 10, "optimizer": 100, "step": 116}])

    def test_a_closure_inside_the_optimizer(self):
        times = self.times("""
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            def closure():
                model().backward()
            for step in range(4):
                optimizer.step(closure)
        """)
        self.assertEqual(times[1], {"data": 0, "forward": 1, "backward": 10, "optimizer": 100, "step": 111})

    def test_several_optimizers_of_one_step(self):
        times = self.times("""
            model, first, second = torch.nn.Module(), torch.Optimizer(), torch.Optimizer()
            for step in range(4):
                model().backward()
                first.step()
                second.step()
        """)
        self.assertEqual(times[0], {"forward": 1, "backward": 10, "optimizer": 200, "step": 211})

    def test_an_optimizer_inside_the_backward(self):
        times = self.times("""
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            for step in range(4):
                loss = model()
                loss.recompute = optimizer.step
                loss.backward()
        """)
        self.assertEqual(times, [{"forward": 1, "backward": 110, "step": 111},
                                 {"data": 0, "forward": 1, "backward": 110, "step": 111}])

    def test_optimizers_in_turns_are_a_warning(self):
        facts = lambda body, steps: self.facts(self.run_program("model, *all = torch.nn.Module(), *(torch.Optimizer() for _ in range(9))\n" + body,
                                                                steps=steps)).get("warning.optimizers", "")
        train = "\n    model().backward()\n    all[%s].step()"
        self.assertTrue(facts("for step in range(9):" + train % 0 + train % 1, 3).startswith("2 optimizers step in turns"))
        self.assertEqual(facts("for step in range(9):" + train % 0 + "\n    all[1].step()", 3), "")
        self.assertEqual(facts("for step in range(9):" + train % "step", 6), "", "a new one each time")
        self.assertEqual(facts("for step in range(9):" + train % "step > 3", 6), "", "one after the other")

    def test_a_program_without_an_optimizer_is_told_so(self):
        clear = "\n    model.weight.grad = None"
        program = """
            class Model(torch.nn.Module):
                weight = torch.Parameter()
                def parameters(self):
                    return [self.weight]
            model, optimizer = Model(), torch.Optimizer()
            for step in range(%d):
                model().backward()
                model.weight.grad = %s
                for _ in range(%d):
                    optimizer.step()
        """
        for steps, gradient, optimizers, backwards in ((100, None, 0, None), (101, None, 0, 100), (1000, 1, 0, None), (1001, 1, 0, 1000),
                                                       (2000, None, 1, None)):
            facts = self.facts(self.run_program(program % (steps, gradient, optimizers), steps=3000))
            self.assertEqual(facts.get("observe.no_optimizer"), backwards)
        self.assertEqual(facts["observe.phase"], "step")
        facts = self.facts(self.run_program(program % (3, None, 0)))
        self.assertIn("step_ends", facts["observe.phase"])

    def test_the_phase_of_an_exception(self):
        program = """
            class Model(torch.nn.Module):
                def forward(self, fail=False):
                    if fail:
                        raise KeyError
                    return super().forward()
            class Optimizer(torch.Optimizer):
                def step(self):
                    if step == 1 and "%s" == "optimizer":
                        raise KeyError
            where, model, optimizer = "%s", Model(), Optimizer()
            if where == "setup":
                raise KeyError
            def fail():
                raise KeyError
            for step in range(2):
                if where == "step" and step == 1:
                    raise KeyError
                loss = model(step == 1 and where == "forward")
                if step == 1 and where == "backward":
                    loss.recompute = fail
                loss.backward()
                optimizer.step()
        """
        for where in ("setup", "step", "forward", "backward", "optimizer"):
            facts = self.facts(self.run_program(program % (where, where), code=1, steps=9))
            self.assertEqual(facts.get("observe.phase", "setup"), where)

    def test_without_an_optimizer(self):
        backward = self.times("""
            for step in range(5):
                torch.nn.Module()().backward()
        """, step_ends="backward")
        self.assertEqual(backward[0], {"forward": 1, "backward": 10, "step": 11})
        forward = self.times("""
            for step in range(5):
                work(3)
                torch.nn.Module()(requires_grad=False)
        """, step_ends="forward")
        self.assertEqual(forward, [{"forward": 1, "step": 1}, {"data": 3, "forward": 1, "step": 4}])

    def test_a_function_of_the_program_ends_the_step(self):
        called = self.times("""
            model = torch.nn.Module()
            def train_step():
                work(7)
                model().backward()
                work(50)
            for step in range(10):
                train_step()
                work(1000)
        """, step_ends="train_step")
        self.assertEqual(called, [{"forward": 1, "backward": 10, "step": 61}, {"data": 1007, "forward": 1, "backward": 10, "step": 1068}])
        for kind, own, call in (("staticmethod", "", "Log().write()"), ("classmethod", "cls", "Log.write()"),
                                ("torch.same", "self", "Log().write()")):
            after = self.times(f"""
            torch.same = lambda function: function
            class Log:
                @{kind}
                def write({own}):
                    work(3)
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            for step in range(10):
                model(requires_grad=False)
                model().backward()
                optimizer.step()
                optimizer.step()
                {call}
            """, step_ends="Log.write")
            first = {"forward": 2, "backward": 10, "optimizer": 200, "step": 215}
            self.assertEqual(after, [first, dict(first, data=0)], kind)

    def test_a_function_of_a_module_ends_the_step(self):
        (self.folder / "engine").mkdir()
        (self.folder / "engine/__init__.py").write_text("", encoding="utf-8")
        (self.folder / "engine/loop.py").write_text("import torch\ndef run(model):\n    return model(requires_grad=False)\n", encoding="utf-8")
        times = self.times("""
            from engine import loop
            model = torch.nn.Module()
            for step in range(10):
                loop.run(model)
        """, step_ends="engine.loop.run")
        self.assertEqual(times, [{"forward": 1, "step": 1}, {"data": 0, "forward": 1, "step": 1}])

    def test_a_function_that_is_not_there_is_named(self):
        for steps in (3, 300):
            reports = self.run_program(f"""
                for step in range({steps}):
                    torch.nn.Module()().backward()
            """, step_ends="train_step")
            self.assertIn("has a function `train_step`", self.facts(reports)["observe.failed"])

    BY_HAND = """
        import sweepd_metrics as sweepd
        model = torch.nn.Module()
        model()
        for step in range(100):
            with sweepd.phase("forward"):
                model(requires_grad=False)
                with sweepd.phase("lookup"):
                    work(20)
                work(3)
            work(4)
            sweepd.step()
            work(1000)
    """

    HAND_STEP = {"forward": 4, "lookup": 20, "step": 28}

    METRICS = str(REPO / "experiments/scripts/metrics")

    def test_a_program_says_itself_where_its_steps_are(self):
        times = self.times(self.BY_HAND, path=self.METRICS)
        self.assertEqual(times, [self.HAND_STEP, dict(self.HAND_STEP, data=1000, step=1028)])
        for which in ("memory", "profile"):
            reports = self.run_program(self.BY_HAND, path=self.METRICS, which=which, warmup=1)
            self.assertNotIn("observe.failed", self.facts(reports))
        trace = json.loads((self.folder / "observed.0.1.json").read_text(encoding="utf-8"))["traceEvents"]
        names = {each["name"] for each in trace}
        self.assertLessEqual({"sweepd.step", "sweepd.forward", "sweepd.lookup", "aten::mm"}, names)

    def test_steps_by_hand_without_phases(self):
        times = self.times("""
            import sweepd_metrics as sweepd
            sweepd.step()
            for step in range(100):
                work(9)
                sweepd.step()
        """, path=self.METRICS)
        self.assertEqual(times, [{"step": 9}, {"step": 9}])

    def test_modules_are_ranges_down_to_a_depth(self):
        program = """
            class Part(torch.nn.Module):
                def named_modules(self):
                    yield "", self
                    yield "layers.0.mlp", self.inner
                    yield "layers.0.mlp.up", self.deep
                def forward(self, requires_grad=True):
                    self.deep()
                    return self.inner()
            model, optimizer = Part(), torch.Optimizer()
            model.inner, model.deep = torch.nn.Module(), torch.nn.Module()
            for step in range(100):
                model().backward()
                optimizer.step()
        """
        for ranges, expected in (("", set()), ("modules", {"layers.mlp"}), ("modules 3", {"layers.mlp", "layers.mlp.up"})):
            self.run_program(program, which="profile", SWEEPD_RANGES=ranges)
            trace = json.loads((self.folder / "observed.0.1.json").read_text(encoding="utf-8"))["traceEvents"]
            self.assertEqual({each["name"] for each in trace if each["name"].startswith("layers")}, expected)


if __name__ == "__main__":
    unittest.main()
