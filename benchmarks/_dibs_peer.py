"""dibs-lib on one data set, as a program: it lives in an environment of its own, with its own JAX.

    python _dibs_peer.py DATA.npz STEPS ALPHA OUT.npz

writes particles and CPU seconds of the first steps, in which JAX compiles, and of all.
"""

from __future__ import annotations

import os
import sys
import time

os.environ |= {"NPROC": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}

import jax
import jax.numpy as jnp
import numpy as np
from dibs.inference import MarginalDiBS
from dibs.models import BGe, ErdosReniDAGDistribution

PARTICLES = 50


def main(data: str, steps: str, alpha: str, out: str) -> None:
    values = np.load(data)["values"]
    p = values.shape[1]
    model = MarginalDiBS(
        x=jnp.asarray(values),
        graph_model=ErdosReniDAGDistribution(n_vars=p, n_edges_per_node=1),
        likelihood_model=BGe(n_vars=p, alpha_mu=1.0, alpha_lambd=p + 2.0),
        kernel_param={"h": 5.0},
        alpha_linear=float(alpha),
        latent_prior_std=0.5,
    )

    def seconds(count: int) -> tuple[float, np.ndarray]:
        start = time.process_time()
        found = model.sample(
            key=jax.random.PRNGKey(0), n_particles=PARTICLES, steps=count, n_dim_particles=p
        )
        return time.process_time() - start, np.asarray(found)

    first, _ = seconds(2)
    whole, particles = seconds(int(steps))
    np.savez(out, first=first, whole=whole, particles=particles)


if __name__ == "__main__":
    main(*sys.argv[1:])
