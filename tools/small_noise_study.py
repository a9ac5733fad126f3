"""Write studies/noise_2021_small.json: the algorithms of the whole study on little data.

python tools/small_noise_study.py

Run it after a change of the algorithms in studies/noise_2021.json; a test says so.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

STUDIES = Path(__file__).resolve().parents[1] / "studies"
_CODES = ["N", "I10", "cMISL"]
_SIZES = [100, 1000]
_STARTS = [1, 2, 3]
_WIDTH, _DEPTH = 110, 4
_ABOUT = (
    "noise_2021.json to try, and to see that all is well: two bundled networks, Sachs for "
    "Sports, three experiments, two sample sizes, the same algorithms and settings. RFCI-BSC is "
    "run three times where the paper has ten."
)
_BECAUSE = (
    "NOTEARS takes states as numbers, and of these networks only Sachs has ordinal variables alone"
)


def main() -> None:
    """Write the file."""
    path = STUDIES / "noise_2021_small.json"
    whole = json.loads((STUDIES / "noise_2021.json").read_text("utf-8"))
    path.write_text(text_of(small(whole)), encoding="utf-8")


def small(whole: dict[str, Any]) -> dict[str, Any]:
    """The small study.

    Parameters
    ----------
    whole
        The content of noise_2021.json.
    """
    study = copy.deepcopy(whole)
    (setup,) = study["benchmark_setup"]
    setup |= {"title": "noise_2021_small", "_about": _ABOUT, "time_limit": "1m"}
    setup["data"] = [
        {
            "graph_id": f"bundled:{name}",
            "parameters_id": f"bundled:{name}",
            "data_id": "rows",
            "seed_range": [1, 1],
            "noise": _CODES,
        }
        for name in ("asia", "sachs")
    ]
    study["resources"]["data"]["iid"][0]["n"] = _SIZES
    for objects in study["resources"]["structure_learning_algorithms"].values():
        for one in objects:
            if "start" in one:
                one["start"] = _STARTS
            if "only_on" in one:
                one["only_on"] = {"graphs": ["sachs"], "because": _BECAUSE}
    return study


def text_of(study: Any, depth: int = 0) -> str:
    """JSON as people write studies: what fits on a line stands on one."""
    plain = json.dumps(study, ensure_ascii=False)
    inner = study if isinstance(study, dict) else {}
    if depth > _DEPTH or not (inner or isinstance(study, list)) or len(plain) < _WIDTH:
        return plain + "\n" * (depth == 0)
    gap = "\n" + "  " * (depth + 1)
    if isinstance(study, list):
        items = [text_of(item, depth + 1) for item in study]
        return f"[{gap}{f',{gap}'.join(items)}{gap[:-2]}]"
    items = [f"{json.dumps(key)}: {text_of(value, depth + 1)}" for key, value in inner.items()]
    return f"{{{gap}{f',{gap}'.join(items)}{gap[:-2]}}}" + "\n" * (depth == 0)


if __name__ == "__main__":
    main()
