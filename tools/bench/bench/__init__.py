"""The parts of tools/bench/run."""
