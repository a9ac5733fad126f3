# /// script
# requires-python = ">=3.11,<3.15"
# dependencies = [
#     "contourpy==1.3.3", "cycler==0.12.1", "filelock==4.2.10", "fonttools==4.68.0",
#     "fsspec==2026.9.0", "gcastle==1.0.4", "jinja2==3.1.6", "joblib==1.6.0",
#     "kiwisolver==1.5.1", "markupsafe==3.0.4", "matplotlib==3.11.2", "mpmath==1.3.0",
#     "narwhals==2.28.0", "networkx==3.6.1", "numpy==2.4.6", "packaging==26.3",
#     "pandas==3.1.1", "pillow==13.0.0", "pyarrow==26.0.1", "pyparsing==3.3.3",
#     "python-dateutil==4.0.0", "scikit-learn==1.9.1", "scipy==1.17.1", "setuptools==84.2.1",
#     "sympy==1.14.0", "threadpoolctl==3.8.0", "torch==2.15.0", "tqdm==4.70.1",
#     "typing-extensions==4.16.0", "tzdata==2026.6",
# ]
# ///
"""gCastle's learners that train networks: data.arrow and parameters.json in, adjmat.csv out.

What is handed to gCastle is what Benchpress's scripts hand to it; everything else keeps gCastle's
own default. torch pins its own CUDA packages.
"""

import csv
import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any, TextIO

os.environ.setdefault("CASTLE_BACKEND", "pytorch")
# To ask the driver itself for cards would keep copies of this process from using them.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")

import numpy as np
import pyarrow as pa
import torch
from castle.algorithms import CORL, GAE, MCSL, RL, GraNDAG, NotearsNonlinear

# The class, the name of its seed (Benchpress gives none to NOTEARS), and parameters of Benchpress's
# files that its scripts do not hand on.
LEARNERS: dict[str, tuple[Any, str | None, tuple[str, ...]]] = {
    "gcastle_notears_nonlinear": (NotearsNonlinear, None, ()),
    "gcastle_grandag": (GraNDAG, "random_seed", ("num_neighbors", "random_seed", "device_ids")),
    "gcastle_mcsl": (MCSL, "random_seed", ()),
    "gcastle_gae": (GAE, "seed", ()),
    "gcastle_rl": (RL, "seed", ()),
    "gcastle_corl": (CORL, "random_seed", ("random_seed",)),
}
OURS = (
    "module", "data_kind", "names", "seed", "time_limit", "memory_limit", "timeout",
    "edgeConstraints",
)  # fmt: skip
PROGRESS = re.compile(r"(\d+)/(\d+) \[")


def load_the_rest() -> None:
    """Take one step of an optimiser: torch loads half of itself when it first does."""
    weight = torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.Adam([weight])
    weight.sum().backward()
    optimiser.step()


def made(parameters: dict[str, Any]) -> Any:
    """The learner of gCastle with its parameters."""
    cls, seed, ignored = LEARNERS[parameters["module"]]
    values = {k: v for k, v in parameters.items() if k not in (*OURS, *ignored)}
    if seed is not None:
        values[seed] = parameters["seed"]
    if cls is GraNDAG:
        values["input_dim"] = len(parameters["names"])
    return cls(**values)


def seed_all(seed: int) -> None:
    """NOTEARS draws its first weights from torch's generator and seeds it nowhere."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - gCastle draws from the global generator
    torch.manual_seed(seed)


def read_data() -> Any:
    """The data as gCastle takes them."""
    with pa.memory_map("data.arrow") as source, pa.ipc.open_file(source) as file:
        table = file.read_all()
        columns = [table.column(j).to_numpy() for j in range(table.num_columns)]
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)


class Bars:
    """Standard error that turns the bars of tqdm into messages."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Print, and say how far it is where the text says so."""
        found = PROGRESS.search(text)
        if found is None:
            return self._stream.write(text)
        print(f"@dagathlon progress {found.group(1)} {found.group(2)}", flush=True)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def weights_of(learner: Any) -> Any:
    """The numbers that gCastle puts its threshold to; MCSL has another name for them."""
    found = getattr(learner, "weight_causal_matrix", None)
    return getattr(learner, "causal_matrix_weight", None) if found is None else found


def write_matrix(name: str, names: list[str], matrix: Any) -> None:
    """A matrix under a header of names, from row to column."""
    with open(name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *matrix.tolist()])


def main() -> None:
    """Learn from the data in the present folder."""
    sys.stderr = Bars(sys.stderr)
    parameters = json.loads(Path("parameters.json").read_text("utf-8"))
    names = parameters["names"]
    seed_all(parameters["seed"])
    learner = made(parameters)
    learner.learn(read_data())
    write_matrix("adjmat.csv", names, np.asarray(learner.causal_matrix).astype(int))
    weights = weights_of(learner)
    if weights is not None and np.isfinite(weights).all():
        write_matrix("weights.csv", names, np.asarray(weights, dtype=float))
    about = {"gcastle": "1.0.4", "torch": torch.__version__, "device": parameters["device_type"]}
    Path("stats.json").write_text(json.dumps(about), "utf-8")


load_the_rest()
if __name__ == "__main__":
    main()
