"""The helpers of these tests are plain modules beside them."""

import sys
from pathlib import Path

import pytest

from dagathlon.modules import registry

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _forget_added_modules(monkeypatch: pytest.MonkeyPatch):
    """What one test adds, the next must not see."""
    monkeypatch.setenv(registry.FILES, "")
    registry.modules.cache_clear()
    yield
    registry.modules.cache_clear()
