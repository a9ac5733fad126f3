"""trilearn on one data set, as a program: it lives in an environment with an older NumPy.

    python _trilearn_peer.py DATA.npz PARTICLES STEPS OUT.npz

writes CPU seconds and the log likelihood of the graph after each step.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import pandas as pd
from trilearn import pgibbs


def main(data: str, particles: str, steps: str, out: str) -> None:
    warnings.simplefilter("ignore")
    np.random.seed(1)  # noqa: NPY002 - the stream that it draws from
    frame = pd.DataFrame(np.load(data)["values"])
    start = time.process_time()
    found = pgibbs.sample_trajectory_ggm(frame, int(particles), int(steps))
    seconds = time.process_time() - start
    np.savez(out, seconds=seconds, scores=np.asarray(found.log_likelihood(), dtype=float))


if __name__ == "__main__":
    main(*sys.argv[1:])
