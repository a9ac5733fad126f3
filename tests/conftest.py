"""Fixtures and settings that all tests share."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# As in the workers of a study; read when NumPy is first imported, which is later.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

# Hundreds of tests start programs: those need not compile all modules each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Code that JAX compiles for tests is no part of the user's cache.
_COMPILED = Path(__file__).parent.parent / ".pytest_cache" / "jax"
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(_COMPILED))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")

# Shells let what they start in the background ignore Ctrl-C, and children inherit that; some tests
# are about Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "dagathlon", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("dagathlon")


@pytest.fixture(autouse=True)
def _modules_of_other_tests() -> Iterator[None]:
    """Forget the user modules that a test adds, in its own process and in those it starts."""
    before = os.environ.get("DAGATHLON_MODULES")
    yield
    if os.environ.get("DAGATHLON_MODULES") == before:
        return
    if before is None:
        del os.environ["DAGATHLON_MODULES"]
    else:
        os.environ["DAGATHLON_MODULES"] = before
    if registry := sys.modules.get("dagathlon.modules.registry"):
        registry.modules.cache_clear()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The developers' folder of reference results; tests that need it are skipped without it."""
    beside = Path(__file__).parent.parent.parent / "shared"
    folder = Path(os.environ.get("DAGATHLON_SHARED", beside))
    if not (folder / "reference").is_dir():
        pytest.skip("no shared reference folder (set DAGATHLON_SHARED)")
    return folder


@pytest.fixture
def compiled_fast() -> Iterator[None]:
    """JAX optimises little: for tests in which it takes longer to compile than to compute."""
    config = pytest.importorskip("jax").config
    config.update("jax_disable_most_optimizations", True)
    yield
    config.update("jax_disable_most_optimizations", False)
