"""A worker of HyperQueue in a job of Slurm, for slurm_inside.py: SERVER_FOLDER OWN_FOLDER.

HyperQueue's Python package starts workers only beside a server of its own. So this starts both, but the worker is told of
another server's folder first, and works for that one."""

import sys
import time
from pathlib import Path

from hyperqueue.cluster import LocalCluster, WorkerConfig

server, own = map(Path, sys.argv[1:])
own.mkdir()
cluster = LocalCluster(str(own))
(own / "hq-current").unlink()
(own / "hq-current").symlink_to((server / "hq-current").resolve())
cluster.start_worker(WorkerConfig(cores=2))
while True:  # until the job is cancelled
    time.sleep(60)
