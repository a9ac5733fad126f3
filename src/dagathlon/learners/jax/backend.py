"""Lazy import of JAX, its settings, and the base class of learners in JAX.

Modules of this folder can be imported without JAX. They take `jax` and `jnp` from here, which
import the package on first use, and call `require_jax` before they compute.
"""

from __future__ import annotations

import os
import signal
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from dagathlon.data.spec import DataKind
from dagathlon.errors import UnavailableError
from dagathlon.learners.base import Estimate, Gpu, Learner, Statistic
from dagathlon.learners.user_cache import cache_folder

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

NEEDS_JAX = "" if find_spec("jax") else "JAX is not installed: pip install 'dagathlon[jax]'"
# Compilations below this time are not cached.
_KEPT_SECONDS = 0.2
_TENSOR_FLOAT = 8.0


class _Late:
    """A package that is imported on first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            # The registry inspects all names of a file, which must not import the package.
            raise AttributeError(attribute)
        require_jax()
        return getattr(import_module(self._name), attribute)


jax: Any = _Late("jax")
jnp: Any = _Late("jax.numpy")
flatten_util: Any = _Late("jax.flatten_util")


@cache
def require_jax() -> None:
    """Import JAX, set to one thread, with a cache of compiled code.

    Numbers have 32 bits, JAX's default: sums over rows are computed before, with 64 bits.

    Raises
    ------
    UnavailableError
        When JAX is not installed, with the line that installs it.
    """
    if NEEDS_JAX:
        raise UnavailableError(NEEDS_JAX)
    if os.environ.get("DAGATHLON_THREADS", "1") == "1":
        # The number of threads is read when JAX first looks for devices.
        os.environ.setdefault("NPROC", "1")
        flags = os.environ.get("XLA_FLAGS", "")
        if "multi_thread_eigen" not in flags:
            os.environ["XLA_FLAGS"] = f"{flags} --xla_cpu_multi_thread_eigen=false".strip()
    # A GPU is shared with other processes, so its memory is not preallocated.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    package = import_module("jax")
    config = package.config
    if config.jax_compilation_cache_dir is None and (folder := _compiled_code()):
        config.update("jax_compilation_cache_dir", folder)
        config.update("jax_persistent_cache_min_compile_time_secs", _KEPT_SECONDS)
    # JAX's threads inherit the mask. A signal that one of them handles within a matrix product of
    # oneDNN (seen in JAX 0.10) overwrites memory, and the process aborts some time later.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        package.devices()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _compiled_code() -> str:
    """Return the folder of the compilation cache; empty if the home cannot be written."""
    try:
        return str(cache_folder() / "jax")
    except UnavailableError:
        return ""


def keys(rngs: Sequence[np.random.Generator], start: int = 0) -> Any:
    """Return a JAX random key for each run, drawn from its own generator.

    Parameters
    ----------
    rngs
        Random generators of the runs.
    start
        Offset: other numbers give other keys from the same generators.
    """
    drawn = [int(rng.integers(2**32)) for rng in rngs]
    return jnp.stack([jax.random.fold_in(jax.random.PRNGKey(seed), start) for seed in drawn])


def on_gpu() -> bool:
    """Return whether JAX computes on a GPU."""
    return bool(jax.default_backend() != "cpu")


def full_precision_products() -> AbstractContextManager[object]:
    """Return a context of full-precision matrix products on GPUs, needed by line searches."""
    context: AbstractContextManager[object] = jax.default_matmul_precision("highest")
    return context


@cache
def device_and_precision(whole: bool = False) -> dict[str, Statistic]:
    """Return the device and the precision of JAX as statistics.

    Parameters
    ----------
    whole
        Whether products are computed with full-precision factors.
    """
    device = jax.devices()[0]
    precision = "float64" if jax.config.jax_enable_x64 else "float32"
    # GPUs from this generation on round the factors of matrix products by default.
    shortens = float(getattr(device, "compute_capability", None) or 0) >= _TENSOR_FLOAT
    exact = whole or jax.config.jax_default_matmul_precision in ("float32", "highest")
    if shortens and precision == "float32" and not exact:
        precision = "float32 (products tf32)"
    return {"device": str(device.device_kind), "precision": precision}


@dataclass(frozen=True, kw_only=True)
class JaxLearner(Learner):
    """Base class of learners in JAX, which learn from many data sets in one batch.

    A subclass defines `learn_many`. A run's result may depend on the rest of the batch by
    rounding alone. `whole_products` declares that it computes with `full_precision_products`.
    """

    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    gpu: ClassVar[Gpu | bool] = "optional"
    batches: ClassVar[bool] = True
    reentrant: ClassVar[bool] = False
    whole_products: ClassVar[bool] = False
    unavailable = NEEDS_JAX

    @classmethod
    def prepare(cls, say: Callable[[str], None] | None = None) -> None:
        """Import JAX."""
        require_jax()

    def environment_stats(self) -> Mapping[str, Statistic]:
        """Return the device and the precision of its numbers."""
        return device_and_precision(self.whole_products)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn from one data set."""
        return self.learn_many([data], [rng])[0]

    @abstractmethod
    def learn_many(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        """Learn from each data set with its own random numbers, in one batch."""


def by_size(data: Sequence[Dataset]) -> dict[int, list[int]]:
    """Group the indices of data sets by number of columns: each group fits into one batch."""
    places: dict[int, list[int]] = {}
    for place, one in enumerate(data):
        places.setdefault(len(one.names), []).append(place)
    return places


def batches_of(places: list[int]) -> list[list[int]]:
    """Split runs into batches: all together on a GPU, one by one on a CPU.

    A CPU gains nothing from several at once, and compiles for one size instead of many.
    """
    return [places] if on_gpu() else [[place] for place in places]
