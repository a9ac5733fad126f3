"""Report of one learner on one data file, as a study of one finished run."""

from __future__ import annotations

import shlex
import shutil
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.data import Dataset, write_data
from dagathlon.errors import DagathlonError, DataWarning, not_written
from dagathlon.learners import Estimate
from dagathlon.modules import find
from dagathlon.processes.held_folder import HeldFolder
from dagathlon.report.outputs import FigureChoice
from dagathlon.study.config.new_study import title_of, with_full_paths, without_truth
from dagathlon.study.engine.limits import Usage
from dagathlon.study.plan.task import Limits, Outcome, Status
from dagathlon.study.records.display import make_display
from dagathlon.study.store.codec import encode
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

_PAGES = (".html", ".htm")


class Learned(NamedTuple):
    """A learned graph with its data, learner and cost.

    Parameters
    ----------
    name, parameters
        The learner, and the parameters that were given.
    file, data
        The data file, and the data as the learner got them.
    estimate, usage
        Its result, and what it cost.
    seed, timeout, cpu_limit
        Seed and limits of the run.
    """

    name: str
    parameters: Mapping[str, Any]
    file: Path
    data: Dataset
    estimate: Estimate
    usage: Usage
    seed: int
    timeout: float | None
    cpu_limit: float | None


def check_report(path: Path | None) -> None:
    """Raise when the report cannot be written to `path`, before long work."""
    if path is None:
        return
    if not path.parent.is_dir():
        raise DagathlonError(not_written(path, FileNotFoundError()))
    if _is_page(path):
        if path.is_dir():
            raise DagathlonError(not_written(path, IsADirectoryError("it is a folder")))
    elif path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise DagathlonError(
            f"{path}: a report is a page (a name that ends in .html) or a new folder, and this "
            "exists already"
        )


def _is_page(path: Path) -> bool:
    return path.suffix.lower() in _PAGES


def write_report(learned: Learned, path: Path, copies: int) -> bool:
    """Write the page, or a folder with page, tables and figures; return False if interrupted.

    Parameters
    ----------
    learned
        What was learned.
    path
        The page, if its name ends in ``.html``, else the folder.
    copies
        Number of bootstrap samples to learn from again; 0 for none.
    """
    with HeldFolder() as home:
        stem = title_of(learned.file)
        write_data(learned.data, home / f"{stem}.arrow")
        content = _study(learned, stem, copies)
        name = f"{stem}-{learned.name}.json"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # said when the file was read
            study = Study.of(
                content,
                name=name,
                home=home,
                time_limit=learned.timeout,
                cpu_limit=learned.cpu_limit,
            )
            _ = study.plan
        out = home / "out"
        _put(study, out, learned)
        with make_display(study.plan, False, None) as display:
            figures: FigureChoice = "none" if _is_page(path) else "all"
            summary = study.run(out, on_event=display.on_event, figures=figures)
            display.finish(summary)
        if summary.interrupted:
            return False
        _copy(out / study.config.setups[0].title, path)
    return True


def _study(learned: Learned, stem: str, copies: int) -> dict[str, Any]:
    evaluation = {"learned_graphs": {}, **without_truth([learned.name], max(copies, 1))}
    for name in ("graph_estimation", "agreement", *(() if copies else ("stability",))):
        del evaluation[name]
    evaluation["learned_graphs"] = {"ids": [learned.name]}
    if learned.estimate.posterior is not None:
        evaluation["edge_probabilities"] = {"ids": [learned.name]}
    entry = {"graph_id": None, "parameters_id": None, "data_id": f"{stem}.arrow"}
    setup = {
        "title": f"{stem}-{learned.name}",
        "data": [entry | {"seed_range": [learned.seed, learned.seed]}],
        "evaluation": evaluation | {"data_description": True},
    }
    module = find("algorithm", learned.name)
    algorithm = {"id": learned.name, **with_full_paths(module, learned.parameters)}
    return {
        "_command": f"dagathlon {shlex.join(sys.argv[1:])}",
        "benchmark_setup": [setup],
        "resources": {"structure_learning_algorithms": {learned.name: [algorithm]}},
    }


def _put(study: Study, out: Path, learned: Learned) -> None:
    """Store the result under the study's key, so that the study does not learn it again."""
    task = study.plan.tasks[study.plan.runs[0].learn]
    limits = study.plan.limits.get(study.plan.runs[0].learn, Limits())
    outcome = Outcome(Status.OK, "", "", *learned.usage, limits)
    with Store(out / STORE_FOLDER) as store:
        store.put(task, outcome, store.objects.keep(encode(learned.estimate)))


def _copy(made: Path, path: Path) -> None:
    try:
        if _is_page(path):
            shutil.copyfile(made / "report.html", path)
        else:
            path.mkdir(exist_ok=True)
            shutil.copyfile(made / "report.html", path / "report.html")
            for folder in filter(Path.is_dir, made.iterdir()):
                shutil.copytree(folder, path / folder.name)
    except OSError as error:
        raise DagathlonError(not_written(path, error)) from None
