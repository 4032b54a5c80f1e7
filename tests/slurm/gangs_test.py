#!/usr/bin/env python3
"""Models, ranks of several nodes, and a plugin on a real Slurm cluster, through the daemon.

    tools/slurm_cluster --nodes 5 -- tests/slurm/gangs_test.py BIN_FOLDER [TEST...]

What must be left of each story is what story_test.py says.
"""

import shutil
import unittest

from story import BIN, NO_TORCH, Story, tearDownModule  # noqa: F401

# The tests' worker, which has no LibTorch, has none of these.
GANG = """
sweep: gang
workload: all_reduce
params: {backend: BACKEND, world_size: 4, warmup: 1, steps: 2, device: cpu, threads: 1, timeout: 1m}
matrix: {bytes: [1KiB, 64KiB]}
"""
TINY = "model: tiny, vocab: 100, context: 16, batch: 1, warmup: 1, steps: 2, device: cpu, threads: 1, timeout: 1m"
TRAINING = f"""
sweep: training
workload: lm_step
params: {{{TINY}}}
matrix: {{seed: [{", ".join(map(str, range(16)))}]}}
"""
DDP = f"""
sweep: ddp
workload: ddp
params: {{{TINY}, backend: gloo, world_size: 4}}
matrix: {{strategy: [naive, overlap]}}
"""

SAXPY = """
sweep: saxpy
workload: ./saxpy.so
params: {warmup: 1, steps: 2, device: cpu, timeout: 1m}
matrix: {size: [1000, 2000]}
"""


class GangsOnACluster(Story):
    def test_a_plugin_runs_as_it_was_submitted(self):
        home, library = self.home, self.home.folder / "saxpy.so"
        home.environment["SWEEPD_CACHE"] = str(home.folder / "cache")
        shutil.copy(BIN.parent / "plugins/saxpy.so", library)
        home.submit_text("saxpy", SAXPY)
        library.unlink()
        self.every_trial_is_done(2)
        for (attempt,) in home.sql("SELECT uid FROM attempt"):
            self.assertTrue(home.is_forked(attempt), "by the job's loaded worker")
        self.nothing_is_left()

    def test_ranks_of_mixed_number(self):
        self.home.submit("mixed", seeds=3, ranks="1, 2, 4")
        self.every_trial_is_done(9)
        self.assertEqual(self.home.nodes_of_attempts(), [1] * 6 + [2] * 3)
        self.nothing_is_left()

    @unittest.skipIf(NO_TORCH, NO_TORCH)
    def test_sixteen_small_models(self):
        self.home.take_worker_with_torch()
        self.home.submit_text("training", TRAINING)
        self.every_trial_is_done(16)
        losses = self.home.sql("SELECT f.number FROM fact f JOIN name n ON n.id = f.name WHERE n.text = 'final_loss'")
        self.assertEqual(len(losses), 16)
        self.nothing_is_left()

    @unittest.skipIf(NO_TORCH, NO_TORCH)
    def test_ranks_on_two_nodes_talk(self):
        home = self.home
        home.take_worker_with_torch()
        home.submit_text("gang", GANG.replace("BACKEND", "gloo"))
        home.submit_text("ddp", DDP)
        self.every_trial_is_done(4)
        self.assertEqual(home.nodes_of_attempts(), [2] * 4)
        shared = "SELECT count(*) FROM attempt_reason WHERE reason LIKE '%ranks shared%'"
        self.assertEqual(home.sql(shared), [(0,)], "two ranks on two cores of each node")
        # The losses depend on the ranks' exchange, and are those of ranks on one host.
        home.ctl("submit", "ddp.yaml", "--pool", "local", "--wait")
        there, here = home.losses("cluster"), home.losses("local")
        self.assertEqual(len(there), 4)
        self.assertEqual(there.keys(), here.keys())
        for step, loss in there.items():
            self.assertAlmostEqual(loss, here[step], places=4)
        self.nothing_is_left()

    @unittest.skipIf(NO_TORCH, NO_TORCH)
    def test_ranks_on_two_nodes_cannot_share_memory(self):
        home = self.home
        home.take_worker_with_torch()
        home.submit_text("gang", GANG.replace("BACKEND", "shm"))
        home.all_ended()
        self.assertEqual(home.counts(), {"skipped": 2})
        attempt = home.sql("SELECT uid FROM attempt LIMIT 1")[0][0]
        self.assertIn("backend shm needs all ranks on one host, and these are on 2 nodes; use gloo", home.ctl("show", attempt))
        self.nothing_is_left()

    @unittest.skipIf(NO_TORCH, NO_TORCH)
    def test_gloo_takes_the_interface_that_is_named(self):
        home = self.home
        home.take_worker_with_torch()
        home.configure(prologue="export SWEEPD_INTERFACE=nix0")
        home.submit_text("gang", GANG.replace("BACKEND", "gloo"))
        home.all_ended()
        self.assertEqual(home.counts(), {"failed": 2})
        for (attempt,) in home.sql("SELECT uid FROM attempt"):
            self.assertIn("nix0", home.ctl("show", attempt))
        self.nothing_is_left()
        home.configure(prologue="export SWEEPD_INTERFACE=lo")
        home.ctl("retry", "gang")
        self.every_trial_is_done(2)
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
