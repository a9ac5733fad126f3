"""Lazy imports of dask's packages, and values of their configuration."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError


def needed(module: str, extra: str = "dagathlon[dask]") -> Any:
    """Import an optional package; raise with the extra to install when it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        raise DagathlonError(f"this needs the package {missing}: pip install '{extra}'") from None


def configured(settings: ClusterSettings, word: str) -> Any:
    """Return a value of dask-jobqueue's configuration, such as a site's ``jobqueue.yaml``."""
    return _defaults().get(f"jobqueue.{settings.kind}.{word}", None)


@functools.cache
def _defaults() -> Any:
    needed("dask_jobqueue")  # registers its defaults
    return needed("dask.config")
