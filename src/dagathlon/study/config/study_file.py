"""Reading of study files: Benchpress's JSON, unmodified, with our additions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from dagathlon.errors import Mistakes, StudyError, listing, suggestion, unknown
from dagathlon.modules import add_files, find, modules
from dagathlon.simulate.transform import Transform
from dagathlon.study.config.evaluation import Request
from dagathlon.study.config.expand import ModuleEntry, Setting, expand
from dagathlon.study.config.json_source import Node, read_json, without_comments
from dagathlon.study.config.library import (
    DATA_FOLDER,
    GRAPH_FOLDER,
    NETWORK_FOLDER,
    FixedFile,
    Library,
    is_file_name,
    refuse_unknown_bundled,
)
from dagathlon.study.config.noises import read_noises
from dagathlon.study.config.plan_requests import Cases
from dagathlon.study.config.reading import (
    ENTRY_KEYS,
    labelled_by_reading,
    read_missing,
    refuse_reading,
    with_reading_options,
)
from dagathlon.study.config.requests import read_requests, switched_off
from dagathlon.study.config.resources import (
    NOTHING_WANTED,
    RESOURCES,
    WantedResources,
    read_wanted,
)
from dagathlon.study.config.sections import read_sections
from dagathlon.study.config.units import seconds_of, size_of

_DATA_KEYS = (
    *("graph_id", "parameters_id", "data_id", "seed_range", "noise", "transforms"),
    *ENTRY_KEYS,
)
_SETUP_KEYS = ("title", "data", "evaluation", "time_limit", "memory_limit", "cpu_limit", *RESOURCES)
RESERVED_TITLES = (".", "..", "store")
_LAST_SEED = 2**63 - 1
_MAX_SEEDS = 10_000_000

Part: TypeAlias = Setting | FixedFile
Steps: TypeAlias = tuple[Transform, ...]


@dataclass(frozen=True)
class DataEntry:
    """One entry of a setup's `data`: alternatives for graph, parameters, data, steps; the seeds.

    An empty tuple of graphs or parameters means null: there is none. Each of `steps` is a
    sequence of transforms; the first of them is a noise experiment, which may do nothing.
    """

    graph_id: str | None
    parameters_id: str | None
    data_id: str
    graphs: Sequence[Part]
    parameters: Sequence[Part]
    data: Sequence[Part]
    seeds: range
    steps: Sequence[Steps]
    where: str


@dataclass(frozen=True)
class Setup:
    """One benchmark: data entries, requests, limits and cores of every run.

    `evaluations` is what the study asks for, `shown` what its report has besides, `off` names what
    it does not want to see at all.
    """

    title: str
    data: Sequence[DataEntry]
    evaluations: Sequence[Request]
    shown: Sequence[Request]
    time_limit: float | None
    memory_limit: int | None
    where: str
    resources: WantedResources = NOTHING_WANTED
    off: tuple[str, ...] = ()
    cpu_limit: float | None = None

    def algorithm_ids(self) -> list[str]:
        """Ids of all algorithms that some evaluation reads, in order of appearance."""
        names = (name for part in self.evaluations for name in part.algorithms())
        return list(dict.fromkeys(names))

    def ids_on(self, cases: Cases) -> tuple[str, ...]:
        """Ids of the algorithms that some evaluation reads on one kind of data."""
        read = {name for part in self.evaluations for name in part.reads(cases)}
        return tuple(name for name in self.algorithm_ids() if name in read)

    def benchmarked(self) -> set[str]:
        """Ids of the algorithms that are compared with the truth in the joint table."""
        return {name for part in self.evaluations for name in part.compared()}


@dataclass(frozen=True)
class Config:
    """A parsed and validated study, before planning."""

    path: Path
    setups: Sequence[Setup]
    algorithms: Mapping[str, ModuleEntry]
    library: Library
    content: bytes | None = None

    @property
    def text(self) -> bytes:
        """The study as written: its file, or JSON if it was made in Python."""
        return self.path.read_bytes() if self.content is None else self.content


def read_config(
    path: Path, resources: Path | None = None, home: Path | None = None, seed: int = 0
) -> Config:
    """Parse and validate a study file.

    Parameters
    ----------
    path
        The JSON file.
    resources
        A Benchpress `resources` folder; by default one beside the study, if there is one.
    home
        Folder that file names in the study are relative to; by default that of the file.
    seed
        Added to every seed of the study: other replicates of the same study.
    """
    root = _root(path)
    try:
        config = _read_root(root, path, _library(home or path.parent, resources))
        return _shifted(config, seed) if seed else config
    except StudyError as error:
        raise error.inside(path) from None


def config_of(
    content: Mapping[str, Any],
    name: str = "study.json",
    resources: Path | None = None,
    home: Path = Path(),
    seed: int = 0,
) -> Config:
    """Validate a study made in Python, as `read_config` does with a file.

    Parameters
    ----------
    content
        The content of a study file.
    name
        Name for the study's file.
    resources, home, seed
        As in `read_config`.
    """
    try:
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise StudyError(f"{name}: cannot be written as JSON ({error})") from None
    try:
        root = Node(without_comments(json.loads(text)), "")
        config = _read_root(root, Path(name), _library(home, resources))
        config = replace(config, content=text.encode())
        return _shifted(config, seed) if seed else config
    except StudyError as error:
        raise error.inside(name) from None


def code_of(path: Path) -> list[Path]:
    """Return the user modules that a study runs.

    Nothing is run to find out, so that it can be said before.
    """
    root = _root(path)
    try:
        return _module_files(root, path.parent)
    except StudyError as error:
        raise error.inside(path) from None


def _root(path: Path) -> Node:
    root = Node(without_comments(read_json(path)), "")
    if not isinstance(root.value, dict):
        raise StudyError(f"{path}: a study is a JSON object")
    return root


def _read_root(root: Node, path: Path, library: Library) -> Config:
    add_files(_module_files(root, library.home))
    sections, nodes = _both(root, path)
    mistakes = Mistakes()
    known = read_sections(sections, mistakes)
    read = [mistakes.read(_read_setup, node, known, library) for node in nodes]
    titles: set[str] = set()
    for node, setup in zip(nodes, read, strict=True):
        if setup is not None and setup.title in titles:
            mistakes.add(f"{node.where}: the title {setup.title!r} is taken by an earlier setup")
        elif setup is not None:
            titles.add(setup.title)
    mistakes.refuse()
    return Config(path, read, known["structure_learning_algorithms"], library)


def _both(root: Node, path: Path) -> tuple[Node, list[Node]]:
    """Return the two parts of a study: resources and setups."""
    mistakes = Mistakes()
    resources = mistakes.read(root.need, "resources")
    setups = mistakes.read(root.need, "benchmark_setup")
    mistakes.refuse()
    if isinstance(setups.value, dict):  # the form before Benchpress 2.9
        nodes = [Node({"title": path.stem} | setups.value, setups.where)]
    else:
        nodes = list(setups.items())
    if not nodes:
        raise setups.fail("there is no setup")
    return resources, nodes


def _shifted(config: Config, seed: int) -> Config:
    def shifted(entry: DataEntry) -> DataEntry:
        seeds = range(entry.seeds.start + seed, entry.seeds.stop + seed)
        if seeds.start < 0:
            raise StudyError(f"{entry.where}.seed_range: with {seed} added, a seed is negative")
        if seeds.stop - 1 > _LAST_SEED:
            raise StudyError(
                f"{entry.where}.seed_range: with {seed} added, a seed is beyond 2^63 - 1"
            )
        return replace(entry, seeds=seeds)

    setups = [replace(s, data=[shifted(entry) for entry in s.data]) for s in config.setups]
    return replace(config, setups=setups)


def _library(home: Path, resources: Path | None) -> Library:
    if resources is not None and not resources.is_dir():
        raise StudyError(f"the resources folder {resources} does not exist")
    beside = home / "resources"
    return Library(resources or (beside if beside.is_dir() else None), home)


def _module_files(root: Node, home: Path) -> list[Path]:
    """Return the files under `modules`, relative to the study."""
    files = root.get("modules")
    found = []
    mistakes = Mistakes()
    for item in files.items() if files else ():
        name = item.text()
        path = home / name
        if not is_file_name(name) or not path.exists():
            mistakes.add(f"{item.where}: there is no file or folder {path}")
        found.append(path)
    mistakes.refuse()
    return found


def _read_setup(
    node: Node, sections: Mapping[str, Mapping[str, ModuleEntry]], library: Library
) -> Setup:
    mistakes = Mistakes()
    mistakes.read(node.only, _SETUP_KEYS, "a setup")
    title = mistakes.read(_read_title, node)
    places = mistakes.read(lambda: list(node.need("data").items())) or ()
    data = [mistakes.read(_read_data, item, sections, library) for item in places]
    evaluations = read_requests(node, sections["structure_learning_algorithms"], mistakes)
    for entry in data:
        if entry is not None and not entry.graphs and entry.graph_id is None:
            _refuse_truth(entry, evaluations, mistakes)
    time = mistakes.read(_read_limit, node, "time_limit", seconds_of)
    memory = mistakes.read(_read_limit, node, "memory_limit", size_of)
    cpu = mistakes.read(_read_limit, node, "cpu_limit", seconds_of)
    wanted = mistakes.read(read_wanted, node)
    mistakes.refuse()
    data = labelled_by_reading(data)
    off = switched_off(node)
    shown = list(_shown(evaluations, off, data))
    return Setup(title, data, evaluations, shown, time, memory, node.where, wanted, off, cpu)


def _refuse_truth(entry: DataEntry, evaluations: Sequence[Request], mistakes: Mistakes) -> None:
    """Add mistakes for evaluations that need a truth which the data lack."""
    for evaluation in evaluations:
        if evaluation.needs_truth():
            mistakes.add(
                f"{entry.where}: {evaluation.name} compares with the truth, which needs a "
                "graph_id; give one, or leave the evaluation out"
            )


def _read_title(node: Node) -> str:
    title = node.need("title").text()
    plain = title.split() == [title] and "/" not in title and is_file_name(title)
    if not plain or title in RESERVED_TITLES:
        raise node.need("title").fail(
            f"{title!r} cannot name the folder of results; a title is one word without blanks and "
            f"slashes, and none of {listing(map(repr, RESERVED_TITLES))}"
        )
    return title


def _read_limit(node: Node, key: str, read: Callable[[Any, str], Any]) -> Any:
    child = node.get(key)
    return read(child.value, child.where) if child else None


def _shown(
    asked: Sequence[Request], off: Sequence[str], data: Sequence[DataEntry]
) -> Iterator[Request]:
    ids = tuple(dict.fromkeys(name for request in asked for name in request.algorithms()))
    named = {*(request.name for request in asked), *off}
    return shown_besides(named, ids, all(entry.graphs for entry in data))


def shown_besides(named: set[str], ids: Sequence[str], has_truth: bool) -> Iterator[Request]:
    """Yield requests that a report includes by default and the study does not name.

    Parameters
    ----------
    named
        Names of the evaluations that the study asks for or switches off.
    ids
        The algorithms of the setup.
    has_truth
        Whether every data entry has a true graph.
    """
    for name, module in modules("evaluation").items():
        request = None if name in named else cast(type[Request], module).by_default(ids, has_truth)
        if request is not None:
            yield request


def _read_data(
    node: Node, sections: Mapping[str, Mapping[str, ModuleEntry]], library: Library
) -> DataEntry:
    mistakes = Mistakes()
    mistakes.read(node.only, _DATA_KEYS, "a data entry")
    data_id, data = mistakes.read(_read_rows, node, sections, library) or ("", ())
    graphs = mistakes.read(_alternatives, node, "graph_id", sections["graph"], library)
    parameters_id = mistakes.read(_optional_text, node, "parameters_id")
    parameters: Sequence[Part] = ()
    drawn = data_id and not any(isinstance(part, FixedFile) for part in data)
    if drawn and (graphs is not None or not _same_network(node)):
        found = mistakes.read(_read_parameters, node, sections["parameters"], library)
        parameters_id, parameters = found or (None, ())
    seeds = mistakes.read(_read_seeds, node)
    steps = mistakes.read(
        lambda: list(
            itertools.product(read_noises(node), *read_missing(node), *_read_transforms(node))
        )
    )
    mistakes.refuse()
    names = (_optional_text(node, "graph_id"), parameters_id, data_id)
    return DataEntry(*names, graphs, parameters, data, seeds, steps, node.where)


def _same_network(node: Node) -> bool:
    """Whether graph and parameters are one network, so that its absence is reported once."""
    given = _optional_text(node, "parameters_id")
    return given is None or given == _optional_text(node, "graph_id")


def _read_parameters(
    node: Node, entries: Mapping[str, ModuleEntry], library: Library
) -> tuple[str | None, Sequence[Part]]:
    """Return the id and parts that data are drawn from; a network brings its own graph."""
    alternatives, name = (
        _alternatives(node, "parameters_id", entries, library),
        node.get("parameters_id"),
    )
    if alternatives or (name is not None and _is_wrong(entries, name.value)):
        return _optional_text(node, "parameters_id"), alternatives
    graph_id = _optional_text(node, "graph_id")
    model = None if graph_id is None else library.model_of(graph_id)
    if model is None:
        raise node.fail("data are drawn from parameters: parameters_id must not be null")
    return graph_id, [model]


def _is_wrong(entries: Mapping[str, ModuleEntry], name: object) -> bool:
    """Whether an id is that of a faulty entry, which has been reported."""
    entry = entries.get(name) if isinstance(name, str) else None
    return entry is not None and not entry.values and not entry.settings


def _read_rows(
    node: Node, sections: Mapping[str, Mapping[str, ModuleEntry]], library: Library
) -> tuple[str, Sequence[Part]]:
    """Return the rows of a data entry: files, else generators of that id."""
    child = node.need("data_id")
    name = child.text()
    files = with_reading_options(node, library.data(name))
    if files:
        return name, files
    if name not in sections["data"]:
        refuse_unknown_bundled(child, DATA_FOLDER)
        choices = [*sections["data"], *library.names(DATA_FOLDER, (".csv",))]
        looked = f"{library.looked(DATA_FOLDER, name)}, or a folder of .csv files"
        raise child.fail(f"{unknown('data id', name, choices)}; {looked}")
    refuse_reading(node)
    return name, sections["data"][name].settings


def _optional_text(node: Node, key: str) -> str | None:
    child = node.get(key)
    return child.text() if child else None


def _alternatives(
    node: Node, key: str, entries: Mapping[str, ModuleEntry], library: Library
) -> Sequence[Part]:
    """Return the parts that an id of a data entry names: settings first, then files."""
    child = node.get(key)
    if child is None:
        return ()
    name = child.text()
    if name in entries:
        return entries[name].settings
    source = library.graph(name) if key == "graph_id" else library.parameters(name)
    if source is None:
        folder = GRAPH_FOLDER if key == "graph_id" else NETWORK_FOLDER
        refuse_unknown_bundled(child, folder)
        choices = [*entries, *library.names(folder, (".csv", ".rds"))]
        what = key.replace("_", " ")
        if not Path(name).suffix:
            message = f"unknown {what} {name!r}{suggestion(name, choices)}"
            raise child.fail(f"{message}; {library.wanted_network(name)}")
        raise child.fail(f"{unknown(what, name, choices)}; {library.looked(folder, name)}")
    return [source]


def _read_seeds(node: Node) -> range:
    child = node.get("seed_range")
    if child is None:
        return range(1, 2)
    bounds = [item.whole() for item in child.items()]
    if len(bounds) != 2:
        raise child.fail(f"found {len(bounds)} numbers, expected [first, last]")
    first, last = bounds
    if last < first:
        raise child.fail(f"found [{first}, {last}]; the first seed is at most the last")
    if first < 0 or last > _LAST_SEED:
        raise child.fail("seeds are whole numbers from 0 to 2^63 - 1")
    if last - first >= _MAX_SEEDS:
        raise child.fail(f"{last - first + 1} seeds; {_MAX_SEEDS} is the maximum")
    return range(first, last + 1)


def _read_transforms(node: Node) -> list[list[Transform]]:
    """Return the transforms of a data entry in order, each with its settings."""
    child = node.get("transforms")
    return [_read_transform(item) for item in child.items()] if child else []


def _read_transform(node: Node) -> list[Transform]:
    """Read a transform: a name, or an object with parameters, which may be lists to try."""
    given = node.value if isinstance(node.value, dict) else {node.text(): {}}
    if len(given) != 1:
        raise node.fail(f"found {len(given)} names, expected one: list transforms one by one")
    ((name, values),) = given.items()
    module = find("transform", name, node.where)
    inner = Node(values, f"{node.where}.{name}")
    transforms = [cast(Transform, s.module) for s in expand(module, inner.object(), inner)]
    for i, transform in enumerate(transforms):
        if transform in transforms[:i]:
            raise inner.fail(f"{transform.label} is given twice")
    return transforms
