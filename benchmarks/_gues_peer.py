"""gues on one data set, as a program: it lives in an environment of its own, with an older NumPy.

    python _gues_peer.py DATA.npz MOVES OUT.npz

writes CPU seconds, and of the chain's second half how often two variables are joined.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from gues.grues import InputData


def main(data: str, moves: str, out: str) -> None:
    warnings.simplefilter("ignore")
    peer = InputData(np.load(data)["values"], np.random.default_rng(1))
    start = time.process_time()
    peer.mcmc(max_moves=int(moves))
    seconds = time.process_time() - start
    chain = np.asarray(peer.uec_markov_chain, dtype=float)
    np.savez(out, seconds=seconds, joined=chain[len(chain) // 2 :].mean(axis=0), best=peer.map_uec)


if __name__ == "__main__":
    main(*sys.argv[1:])
