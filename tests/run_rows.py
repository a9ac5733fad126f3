"""Rows of runs with known values of one metric, for verdicts whose answer is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def run_rows(
    values: Mapping[str, Sequence[float | None]], data: str = "iid", metric: str = "SHD_pattern"
) -> list[dict[str, Any]]:
    """A row for each setting and seed; no value stands for a run over its time limit."""
    return [
        {
            "id": name.split(",")[0],
            "setting": name,
            "adjmat": "g",
            "parameters": "p",
            "data": data,
            "seed": seed,
            "status": "timeout" if value is None else "ok",
            metric: value,
        }
        for name, found in values.items()
        for seed, value in enumerate(found)
    ]
