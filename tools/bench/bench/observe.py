"""What `observe: torch` costs a step of a PyTorch program. Needs a Python with torch in SWEEPD_PYTHON."""

import json
import os
import subprocess
from pathlib import Path

from bench.tools import REPO, Skipped, median


def run(page):
    python = os.environ.get("SWEEPD_PYTHON", "python3")
    has_torch = subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode == 0
    if not has_torch:
        raise Skipped(f"{python} has no torch; name a Python that has it in SWEEPD_PYTHON")
    path = f"{REPO}/experiments/scripts/observe"
    done = subprocess.run([python, Path(__file__).parent / "observed_steps.py"], check=True, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1"))
    pairs = json.loads(done.stdout)
    bare = median(pair[0] for pair in pairs)
    page.add("a bare step", "ms", [pair[0] for pair in pairs], "40 modules, AdamW, one thread; medians of 20 steps, in turns with those below")
    page.add("what the hooks add", "% of 5 ms", [(pair[1] - pair[0]) / 5 * 100 for pair in pairs], "the difference of neighbouring rounds", 1)
    page.section("The step", f"The hooks add a time that does not depend on the step's own ({bare:.1f} ms here), so it is compared with 5 ms.")
