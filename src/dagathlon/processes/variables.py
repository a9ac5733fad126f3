"""Environment variables by which a process is told its share of the machine."""

from __future__ import annotations

THREADS = "DAGATHLON_THREADS"
"""Environment variable: number of threads that a run may use."""
CARDS = "CUDA_VISIBLE_DEVICES"
"""Environment variable: graphics cards that a run may use; empty for none."""
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "ARROW_IO_THREADS",
    "JULIA_NUM_THREADS",
    THREADS,
)
"""Environment variables by which common libraries set their number of threads."""
