"""`Study`: a JSON study file, from parsing to the report."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.ranking.ranks import Unit
from dagathlon.learners.spec import LearnerLike, is_learner
from dagathlon.report.outputs import FigureChoice, write_outputs
from dagathlon.report.results import Results
from dagathlon.report.written import is_written
from dagathlon.study.config.in_memory import as_named, home_of, is_pair
from dagathlon.study.config.new_study import picked_study
from dagathlon.study.config.study_file import Config, config_of, read_config
from dagathlon.study.engine.engines import DEFAULT, make_engine
from dagathlon.study.engine.preparation import modules_with_programs, prepare_modules
from dagathlon.study.engine.protocol import (
    Engine,
    Event,
    Note,
    OnEvent,
    Options,
    Summary,
    Writing,
    silent,
)
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.planner import make_plan
from dagathlon.study.records.file import save, saved_setups
from dagathlon.study.records.from_plan import facts_of_setup
from dagathlon.study.records.provenance import Provenance, Source, sources_of
from dagathlon.study.records.schema import SavedStudy
from dagathlon.study.store.results_folder import STORE_FOLDER, refuse_links, write_file
from dagathlon.study.store.stale_results import count_stale_results, described
from dagathlon.study.store.store import Store
from dagathlon.study_run import StudyRun
from dagathlon.wording import counted

_MOST_PASSES = 4  # of writing tables and recomputing damaged results


@dataclass(frozen=True)
class Study:
    """A parsed and validated study.

    Parameters
    ----------
    config
        The study's content.
    time_limit, memory_limit
        Limits of every learning run, in the place of the study's: seconds, bytes.
    seed
        Number added to every seed of the study.
    cpu_limit
        Limit of every learning run in seconds of processor time, in the place of the study's.

    Examples
    --------
    >>> study = Study.load("studies/quickstart.json")  # doctest: +SKIP
    >>> study.run(out="results", jobs=2)  # doctest: +SKIP
    """

    config: Config
    time_limit: float | None = None
    memory_limit: int | None = None
    seed: int = 0
    cpu_limit: float | None = None

    @classmethod
    def load(
        cls,
        path: Path | str,
        resources: Path | str | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        seed: int = 0,
        *,
        cpu_limit: float | None = None,
    ) -> Self:
        """Load a study file.

        Parameters
        ----------
        path
            The JSON file.
        resources
            A Benchpress `resources` folder.
        time_limit, memory_limit
            Limits of every learning run, in the place of the study's: seconds, bytes.
        seed
            Added to every seed of the study: other replicates of the same study.
        cpu_limit
            Limit of every learning run in seconds of processor time, in the place of the study's.
        """
        folder = None if resources is None else Path(resources)
        config = read_config(Path(path), folder, seed=seed)
        return cls(config, time_limit, memory_limit, seed, cpu_limit)

    @classmethod
    def of(
        cls,
        content: Mapping[str, Any],
        *,
        name: str = "study.json",
        home: Path | str = ".",
        resources: Path | str | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        seed: int = 0,
        cpu_limit: float | None = None,
    ) -> Self:
        """Make a study from its content as dictionaries and lists.

        Parameters
        ----------
        content
            A study as in a JSON file.
        name
            Name of the file that it could be; a copy with that name lies beside the results.
        home
            Folder that file names in the study are relative to.
        resources, time_limit, memory_limit, seed, cpu_limit
            As in `load`.
        """
        folder = None if resources is None else Path(resources)
        config = config_of(content, name, folder, Path(home), seed)
        return cls(config, time_limit, memory_limit, seed, cpu_limit)

    @classmethod
    def build(
        cls,
        title: str,
        learners: LearnerLike | Sequence[LearnerLike] | Mapping[str, LearnerLike] = None,
        data: Any = (),
        *,
        evaluation: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Make a study of some learners on some data, without a file.

        Parameters
        ----------
        title
            Names the folder of its results.
        learners
            One learner or a list of them, as `dagathlon.learn` takes them: ``"hc"``,
            ``"pc[alpha=0.01,0.05]"``, ``("pc", {"alpha": 0.01})``, ``Pc(alpha=0.01)``, ``Pc``; or a
            mapping by the ids that they shall have in tables.
        data
            A list of networks, bundled or in files (``"alarm[n=1000,seeds=5]"``), data files
            (``"mine.csv[truth=graph.csv]"``), and what `read_data` takes besides: data frames,
            arrays, a `Dataset`; or one of these. With a pair of data and `Graph`, the graph is
            their truth. None means random linear Gaussian data.
        evaluation
            The evaluations, as in a study file; by default those that suit the data.
        **options
            As in `load`: ``resources``, ``time_limit``, ``memory_limit``, ``seed``,
            ``cpu_limit``.

        Examples
        --------
        >>> study = Study.build("mine", ["hc", "pc[alpha=0.01,0.05]"], ["asia[n=500,seeds=3]"])
        >>> study.run("results").to_pandas()  # doctest: +SKIP
        """
        if learners is None and "algorithms" in options:
            warnings.warn("algorithms is called learners now", DeprecationWarning, stacklevel=2)
            learners = options.pop("algorithms")
        picks = [learners] if is_learner(learners) else learners
        items = data if isinstance(data, list | tuple) and not is_pair(data) else [data]
        home = home_of(items)
        content = picked_study(title, picks, [as_named(item) for item in items], home=home)
        if evaluation is not None:
            content["benchmark_setup"][0]["evaluation"] = dict(evaluation)
        return cls.of(content, name=f"{title}.json", home=home, **options)

    @cached_property
    def plan(self) -> Plan:
        """Return all tasks of the study."""
        return make_plan(self.config, self.time_limit, self.memory_limit, self.cpu_limit)

    def prepare(self) -> list[SavedStudy]:
        """Check external modules and return each setup's record, before the first task runs.

        Returns
        -------
        list
            The records saved in the folder of each setup.
        """
        modules_with_programs(task.call for task in self.plan.tasks)
        return [facts_of_setup(self.config, self.plan, n) for n in range(len(self.config.setups))]

    def sources(self, number: int) -> list[Source]:
        """Return the files and bundled networks that a setup's data come from."""
        return sources_of(self.config.setups[number], self.config.library)

    def run(  # noqa: PLR0917 - all but the first are given by name
        self,
        out: Path | str = "results",
        jobs: int = 0,
        options: Options | None = None,
        on_event: Callable[[Event], None] = silent,
        engine: Engine | str = DEFAULT,
        figures: FigureChoice = "asked",
    ) -> StudyRun:
        """Run all tasks without a stored outcome, and write tables, figures and the report.

        Parameters
        ----------
        out
            Folder of results; each setup gets a folder of its own in it.
        jobs
            Number of cores to use; 0 is all.
        options
            Order, retries, which part; of a shard no report is written.
        on_event
            Called with every event.
        engine
            The engine that runs the tasks: ``"local"`` (worker processes on this machine),
            ``"inline"`` (one after another in this process, for a debugger), ``"batched"`` (in this
            process, with all data sets of a learner at once where it can take them), or an engine
            with its own settings.
        figures
            Which figures become files: those that the report does not have (``"asked"``), ``"all"``
            of them, or ``"none"``.

        Returns
        -------
        StudyRun
            Numbers of tasks run, stored before, and failed; the runs as a table
            (`StudyRun.to_pandas`) and one by one, with their graphs (`StudyRun.runs`).
        """
        folder, plan, options = Path(out), self.plan, options or Options()
        with _writing(folder), Store(folder / STORE_FOLDER) as store:
            outdated = count_stale_results(plan.tasks, store)
            if outdated:
                on_event(Note(described(outdated)))
            setups = [folder / setup.title for setup in self.config.setups]
            chosen = make_engine(engine, jobs=jobs) if isinstance(engine, str) else engine
            work = _Work(self, chosen, store, on_event, setups)
            summary = work.run(options)
            if not summary.interrupted and options.shard is None:
                summary = work.write(options, figures, summary)
        return StudyRun(**vars(summary), folders={path.name: path for path in setups})


class _Work(NamedTuple):
    """The two phases of a run: running the tasks, and writing the outputs."""

    study: Study
    engine: Engine
    store: Store
    on_event: OnEvent
    setups: Sequence[Path]

    def run(self, options: Options) -> Summary:
        """Run the tasks without a stored outcome."""
        plan, store = self.study.plan, self.store
        with self._saved(partial=options.partial) as ended:
            prepare_modules(plan, store, lambda text: self.on_event(Note(text)))
            summary = self.engine.run(plan, store, on_event=self.on_event, options=options)
            ended(summary)
        return summary

    def write(self, options: Options, figures: FigureChoice, summary: Summary) -> Summary:
        """Write all outputs; recompute results that turn out to be damaged."""
        for _ in range(_MOST_PASSES):
            damaged = self._write(figures)
            if not damaged or summary.interrupted:
                break
            self.on_event(Note(f"{counted(damaged, 'damaged result')} computed again"))
            quiet = self._replace(on_event=self._note)
            again = quiet.run(replace(options, retry=frozenset()))
            summary = _joined(summary, again)
        return summary

    def _write(self, figures: FigureChoice) -> int:
        """Write outputs that are absent or out of date; return the number of damaged results."""
        before = self.store.n_damaged
        changed = [
            results
            for results in (Results.of(setup, self.store) for setup in self.setups)
            if not is_written(results, figures)
        ]
        if changed:
            self.on_event(Writing())
            write_outputs(changed, figures, lambda done, asked: self.on_event(Writing(done, asked)))
        return self.store.n_damaged - before

    @contextmanager
    def _saved(self, *, partial: bool) -> Iterator[Callable[[Summary], None]]:
        """Save each setup's records for later viewing, first before and then after the run."""
        study, setups = self.study, self.setups
        name, limits = study.config.path.name, (study.time_limit, study.memory_limit)
        found = [
            Provenance(
                *(name, study.seed, *limits),
                partial=partial,
                sources=study.sources(number),
                cpu_limit=study.cpu_limit,
            )
            for number in range(len(setups))
        ]
        for facts, folder, provenance in zip(study.prepare(), setups, found, strict=True):
            refuse_links(folder)
            save(facts, folder)
            provenance.save(folder)
            write_file(folder / name, study.config.text)
        interrupted = True

        def ended(summary: Summary) -> None:
            nonlocal interrupted
            interrupted = summary.interrupted

        def close() -> None:
            for folder, provenance in zip(setups, found, strict=True):
                provenance.closed(interrupted=interrupted).save(folder)

        try:
            yield ended
        except BaseException:
            # On a full disk, why the run ended says more than why this cannot be written.
            with suppress(OSError):
                close()
            raise
        close()

    def _note(self, event: Event) -> None:
        """Event handler of a repair run: forward notes, drop all other events.

        Tasks are counted once, by the run that began them.
        """
        if isinstance(event, Note):
            self.on_event(event)


def _joined(first: Summary, second: Summary) -> Summary:
    """Return the summary of a run and of the one after it, which repaired its results.

    A task counts once, as it ended: both may have run it, such as those that are skipped.
    """
    ended = second.ran + second.stored
    ran = (first.ran + second.ran) & ended
    return replace(
        second,
        ran=ran,
        stored=ended - ran,
        seconds=first.seconds + second.seconds,
    )


class _writing:  # noqa: N801 - it reads as a statement
    """Context manager that turns errors of writing to a folder into a message."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _cannot_write(self.folder, error) from None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, OSError):
            raise _cannot_write(self.folder, error) from error


def _cannot_write(folder: Path, error: OSError) -> DagathlonError:
    place = getattr(error, "filename", None) or folder
    if isinstance(error, FileExistsError):
        return DagathlonError(f"{place}: cannot be the folder of results, since it is a file")
    reason = getattr(error, "strerror", None) or error
    return DagathlonError(f"{place}: cannot be written ({reason})")


class Rewritten(NamedTuple):
    """A rewritten report, and notes for its reader on what is missing and why."""

    report: Path
    notes: list[str]


def rewrite(
    folder: Path, figures: FigureChoice = "asked", rank_unit: Unit | None = None
) -> list[Rewritten]:
    """Rewrite tables, figures and reports from saved results.

    Nothing is learned, no module is loaded, and the files of the study need not exist. A
    running or interrupted study is reported in its present state.

    Parameters
    ----------
    folder
        The folder of results of studies, or that of one setup.
    figures
        Which figures become files.
    rank_unit
        Unit that counts once in average ranks, instead of the study's; it is kept until the
        study is run again.

    Returns
    -------
    list of Rewritten
        The reports.
    """
    written = []
    for setup in saved_setups(folder):
        refuse_links(setup)
        with _writing(setup), Store(store_of(setup), readonly=True) as store:
            results = Results.of(setup, store)
            if rank_unit is not None:
                replace(results.provenance, rank_unit=rank_unit).save(setup)
                results = Results.of(setup, store)
            report = write_outputs([results], figures)[0]
        notes = [f"{name} is not shown: {reason}" for name, reason in results.not_shown]
        words = results.standing.words()
        written.append(Rewritten(report, [words, *notes] if words else notes))
    return written


def store_of(setup: Path) -> Path:
    """Return the path of a setup's result store, which setups of one folder share."""
    return Path(os.path.abspath(setup)).parent / STORE_FOLDER
