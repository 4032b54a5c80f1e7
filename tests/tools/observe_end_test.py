"""Tests what the observer leaves alone: a program's end, exceptions, threads and sitecustomize."""

import unittest

from observed_program import Observed


class Program(Observed):
    def test_a_program_that_ends_early_reports_what_it_did(self):
        reports = self.run_program("""
            for step in range(2):
                torch.nn.Module()().backward()
                torch.Optimizer().step()
            print("the end")
        """, steps=10)
        self.assertEqual(len([each for each in reports if "step" in each]), 2)
        self.assertEqual(self.facts(reports)["observe.missing_steps"], 8)
        self.assertIn("the end", self.output)

    def test_the_programs_exceptions_and_exit_code_stay(self):
        self.run_program("""
            class Broken(torch.nn.Module):
                def forward(self):
                    raise KeyError("of the program")
            try:
                Broken()()
            except KeyError as error:
                print("caught", error)
            raise SystemExit(7)
        """, code=7)
        self.assertIn("caught 'of the program'", self.output)

    def test_a_mistake_of_the_observer_is_a_fact_and_not_the_end(self):
        reports = self.run_program("""
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            torch.cuda = None
            for step in range(3):
                model().backward()
                optimizer.step()
            print("done")
        """)
        self.assertIn("done", self.output)
        self.assertIn("AttributeError", self.facts(reports)["observe.failed"])

    def test_threads_and_forks_are_left_alone(self):
        times = self.times("""
            import os, threading
            model, optimizer = torch.nn.Module(), torch.Optimizer()
            for step in range(4):
                thread = threading.Thread(target=model)
                thread.start(); thread.join()
                if os.fork() == 0:
                    model().backward(); optimizer.step()
                    os._exit(0)
                os.wait()
                model().backward()
                optimizer.step()
        """)
        self.assertEqual(len(times), 2)
        self.assertEqual(times[1], {"data": 1, "forward": 1, "backward": 10, "optimizer": 100, "step": 112})

    def test_the_users_own_sitecustomize_runs(self):
        self.run_program("print('program')", own="print('own sitecustomize')")
        self.assertEqual(self.output.split("\n")[:2], ["own sitecustomize", "program"])


if __name__ == "__main__":
    unittest.main()
