"""`rank_without_truth`: rank learners on data without a true graph, by a generated study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dagathlon.data import Dataset, read_data, write_data
from dagathlon.data.reading.preview import constant_columns
from dagathlon.data.spec import facts_of
from dagathlon.errors import DagathlonError, DataError, StudyError, listing, not_written
from dagathlon.frame import grouped
from dagathlon.learners.suggest import Suggestion, diverse_suggestions, suggest
from dagathlon.modules import find
from dagathlon.processes.held_folder import HeldFolder
from dagathlon.study.config.new_study import title_of, with_full_paths
from dagathlon.study.config.picks import Pick, check_picks, picks_of
from dagathlon.study.config.units import seconds_of, size_of
from dagathlon.study.engine.engines import DEFAULT
from dagathlon.study.engine.protocol import Engine
from dagathlon.study.plan.task import Status
from dagathlon.study.records.display import make_display
from dagathlon.wording import counted
from dagathlon.workflow import Study

if TYPE_CHECKING:
    from dagathlon.evaluations.intersection_validation.evaluation import IntersectionValidation
    from dagathlon.evaluations.intersection_validation.validation import IntervalResult
    from dagathlon.study_run import StudyRun

_EVALUATION = "intersection_validation"
_FEWEST = 2
_RESULT = "interval.json"


def rank_without_truth(
    data: Any,
    learners: Any = None,
    *,
    sizes: int | Iterable[int] | None = None,
    subsamples: int = 10,
    copies: int = 0,
    pairwise: bool = True,
    seed: int = 1,
    jobs: int = 0,
    timeout: float | str | None = None,
    memory_limit: int | str | None = None,
    out: Path | str | None = None,
    progress: bool = False,
) -> IntervalResult:
    """Rank learners on data without a true graph, and say how far to believe the ranking.

    What all learners find in all rows, edges and missing edges alike, is the agreement graph. On
    subsamples each learner is judged by how many of the agreed pairs it gets wrong, so that those
    that find early what all find late come first (intersection-validation). How many pairs are
    agreed on, and how many of them are joined, forecasts how reliable the ranking is.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes: a file, a data frame, an array.
    learners
        Two or more, as `dagathlon.learn` takes them: ``"pc[alpha=0.01]"``, ``("pc", {"alpha":
        0.01})``, ``Pc(alpha=0.01)``, ``Pc``; or a mapping by their names in tables. By default
        some that suit the data and search in different ways.
    sizes, subsamples
        Numbers of rows of the subsamples, by default 100, 200, 400 … below that of the data (of
        fewer than 200 rows a quarter and a half), and number of subsamples of each size.
    copies, pairwise
        Number of bootstrap samples that weight pairs for a second ranking, 0 for none; and whether
        every two learners are compared by what these two agree on.
    seed, jobs
        Seed of subsamples and learners; number of cores, 0 for all.
    timeout, memory_limit
        Limits of each run: seconds or ``"10m"``, bytes or ``"2G"``. Runs beyond them are failures.
    out, progress
        Folder of results and report, from which an interrupted call goes on, by default a
        temporary one; and whether to show the progress.

    Examples
    --------
    >>> rank_without_truth("data.csv", ["boss", "pc"])  # doctest: +SKIP
    """
    table = data if isinstance(data, Dataset) else read_data(data)
    named = [item.spec for item in suggested(table)] if learners is None else learners
    given = (picks_of(named), _name(data), _whole(sizes))
    question = Question(table, *given, subsamples, copies, pairwise, seed)
    time = None if timeout is None else seconds_of(timeout, "timeout")
    memory = None if memory_limit is None else size_of(memory_limit, "memory_limit")
    with HeldFolder() if out is None else nullcontext(out) as folder:
        study = question.study(Path(folder), time, memory)
        done = run_shown(study, Path(folder), jobs=jobs, quiet=not progress)
        if done.interrupted:
            raise KeyboardInterrupt
        return result_of(done)


def suggested(data: Dataset) -> tuple[Suggestion, ...]:
    """Return suitable learners of different families; raise a `DataError` for fewer than two."""
    result = diverse_suggestions(suggest(data))
    if len(result) < _FEWEST:
        raise DataError(
            "no two learners are known that take these data and are quick on them: name the "
            "learners; dagathlon suggest says which suit"
        )
    return result


@dataclass(frozen=True)
class Question:
    """Arguments of `rank_without_truth`, and the study that answers it.

    Parameters
    ----------
    data
        The data.
    picks
        The learners.
    name
        What the data are called.
    sizes, subsamples, copies, pairwise, seed
        As in `rank_without_truth`.
    imputed
        Number of completed copies that learners learn from where there are gaps; 0 leaves them.
    modules
        Files of the user's own that define learners, which are known already.
    """

    data: Dataset
    picks: Sequence[Pick]
    name: str
    sizes: tuple[int, ...] | None = None
    subsamples: int = 10
    copies: int = 0
    pairwise: bool = True
    seed: int = 1
    imputed: int = 0
    modules: tuple[Path, ...] = ()

    @property
    def title(self) -> str:
        """Return the name of the results folder."""
        return f"{self.name}-interval"

    def study(
        self,
        out: Path,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        cpu_limit: float | None = None,
    ) -> Study:
        """Return the study, with its data beside its results so that it can be run again.

        Parameters
        ----------
        out
            Folder of results.
        time_limit, memory_limit, cpu_limit
            Limits of each run: seconds, bytes, seconds of processor time.
        """
        self._check()
        home = out / self.title
        _keep(self.data, home / self._file)
        limits: dict[str, Any] = {"time_limit": time_limit, "memory_limit": memory_limit}
        limits["cpu_limit"] = cpu_limit
        content, name = self._content(), f"{self.title}.json"
        return Study.of(content, name=name, home=home, **limits)

    @property
    def _file(self) -> str:
        return f"{self.name}.arrow"

    def _asked(self) -> dict[str, Any]:
        """Return the parameters of the evaluation."""
        return {
            "sizes": None if self.sizes is None else sorted(set(self.sizes)),
            "subsamples": self.subsamples,
            "copies": self.copies,
            "pairwise": self.pairwise,
        }

    def _check(self) -> None:
        """Reject arguments that allow no ranking, before anything is learned."""
        module = cast("type[IntersectionValidation]", find("evaluation", _EVALUATION))
        evaluation = module.from_json(self._asked())
        _check_data(self.data)
        rows = len(self.data)
        wrong = [size for size in self.sizes or () if not _FEWEST <= size < rows]
        if wrong:
            raise DataError(
                f"sizes: found {listing(wrong)}; subsamples have {_FEWEST} rows or more, and fewer "
                f"than the data, which have {rows:,}"
            )
        if not evaluation.sizes_on(rows):
            raise DataError(
                f"{rows:,} rows are too few to be divided into subsamples; if you want it all the "
                "same, say how many rows these shall have (--sizes, sizes)"
            )
        facts = facts_of(self.data)
        check_picks(self.picks, replace(facts, missing=False) if self.imputed else facts)

    def _entry(self) -> dict[str, Any]:
        """Return the study's data entry: the file, and the seed of all subsamples and learners."""
        entry = {"graph_id": None, "parameters_id": None, "data_id": self._file}
        gaps = {"missing": {"impute": self.imputed}} if self.imputed else {}
        return entry | {"seed_range": [self.seed, self.seed]} | gaps

    def _content(self) -> dict[str, Any]:
        algorithms = grouped(
            (pick.module.name, {"id": pick.id, **with_full_paths(pick.module, pick.values)})
            for pick in self.picks
        )
        ids = [pick.id for pick in self.picks]
        setup = {
            "title": self.title,
            "data": [self._entry()],
            "evaluation": {
                "graph_estimation": {"ids": ids, "csvs": True},
                _EVALUATION: {"ids": ids, **self._asked()},
                "data_description": True,
            },
        }
        code = [*self.modules, *(pick.file for pick in self.picks if pick.file is not None)]
        files = list(dict.fromkeys(str(file.resolve()) for file in code))
        return ({"modules": files} if files else {}) | {
            "benchmark_setup": [setup],
            "resources": {"structure_learning_algorithms": algorithms},
        }


def run_shown(
    study: Study, out: Path, *, jobs: int = 0, engine: Engine | str = DEFAULT, quiet: bool = False
) -> StudyRun:
    """Run a study with a progress display unless `quiet`."""
    with make_display(study.plan, quiet) as display:
        done = study.run(out, jobs, on_event=display.on_event, engine=engine, figures="none")
        display.finish(done)
    return done


def answer_of(done: StudyRun) -> Path:
    """Return the path of the result file in the results folder of the study."""
    (folder,) = done.folders.values()
    return folder / _EVALUATION / _RESULT


def result_of(done: StudyRun) -> IntervalResult:
    """Return the result; raise an error where too few learners have a graph of all rows."""
    from dagathlon.evaluations.intersection_validation.validation import IntervalResult  # noqa: PLC0415 - statistics are heavy

    path = answer_of(done)
    result = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    if not result:
        raise DagathlonError(_nothing_to_compare(done))
    return IntervalResult.from_dict(result[0])


def _nothing_to_compare(done: StudyRun) -> str:
    """Return the message naming the learners that failed on all rows, and the reasons."""
    failed = {
        run.setting: f"{run.status}, {run.metrics.get('reason')}"
        for run in done.runs()
        if run.status != Status.OK
    }
    listed = "; ".join(f"{name}: {reason}" for name, reason in failed.items())
    return (
        f"fewer than two learners have a graph of all rows, so that nothing is agreed: {listed}; "
        f"see {done.reports[0]}"
    )


def _whole(sizes: int | Iterable[int] | None) -> tuple[int, ...] | None:
    """Convert numbers of rows from any library to Python's integers."""
    if sizes is None:
        return None
    try:
        return tuple(map(index, sizes if isinstance(sizes, Iterable) else [sizes]))
    except TypeError:
        raise StudyError(f"sizes: found {sizes!r}, expected whole numbers of rows") from None


def _name(data: Any) -> str:
    return title_of(Path(data)) if isinstance(data, str | Path) else "data"


def _keep(data: Dataset, path: Path) -> None:
    """Write the data beside the results."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise DagathlonError(f"{path.parent}: results cannot be written there ({reason})") from None
    try:
        write_data(data, path)
    except OSError as error:
        raise DagathlonError(not_written(path, error)) from None


def _check_data(data: Dataset) -> None:
    """Reject empty data, and columns on which all learners would agree."""
    rows, columns = len(data), len(data.names)
    if rows < _FEWEST or columns < _FEWEST:
        raise DataError(
            f"there is nothing to learn from {counted(rows, 'row')} of {counted(columns, 'column')}"
        )
    constant = constant_columns(data)
    if constant:
        raise DataError(
            f"constant: {listing(constant)}. No learner joins them with others, so that all would "
            "seem to agree on more than they do; leave them out (--drop, drop of read_data)"
        )
