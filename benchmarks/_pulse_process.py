"""One learner in a process with a given native core: prints CPU seconds, and a mark of the result.

``python -m benchmarks._pulse_process CORE LEARNER PARAMETERS KIND COLUMNS ROWS REPEATS``
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import json
import sys
import time


def use_core(path: str) -> None:
    """Make a built core that of the package."""
    loader = importlib.machinery.ExtensionFileLoader("dagathlon._core", path)
    spec = importlib.util.spec_from_loader("dagathlon._core", loader)
    assert spec is not None
    sys.modules["dagathlon._core"] = module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)


def main() -> None:
    core, name, parameters, kind, columns, rows, repeats = sys.argv[1:]
    use_core(core)
    import numpy as np

    from benchmarks.inputs import linear_data
    from dagathlon.modules import find
    from dagathlon.testing.samples import of_values

    data = of_values(linear_data(int(columns), int(rows), 3).values, kind)  # type: ignore[arg-type]
    learner = find("algorithm", name).from_json(json.loads(parameters), name)
    seconds = []
    for _ in range(int(repeats)):
        begin = time.process_time()
        found = learner.learn(data, np.random.default_rng(1))  # type: ignore[attr-defined]
        seconds.append(time.process_time() - begin)
    marks = np.ascontiguousarray(found.graph.native.marks())
    print(min(seconds), hashlib.sha256(marks.tobytes()).hexdigest()[:12])


if __name__ == "__main__":
    main()
