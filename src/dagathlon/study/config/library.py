"""Lookup of a study's files: fixed graphs, parameters, data, constraints."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dagathlon.data import list_data, list_networks
from dagathlon.data.networks import NETWORK_FORMATS, has_network_ending
from dagathlon.data.reading.options import Reading
from dagathlon.data.standard import BUNDLED
from dagathlon.errors import StudyError, listing, unknown
from dagathlon.study.config.json_source import Node

GRAPH_FOLDER = "adjmat/myadjmats"
NETWORK_FOLDER = "parameters/myparams/bn.fit_networks"
SEM_FOLDER = "parameters/myparams/sem_params"
DATA_FOLDER = "data/mydatasets"
CONSTRAINT_FOLDER = "constraints"

_CHUNK = 2**20
# Before the name in the digest of a bundled network or data set; digests are parts of task keys.
_DIGEST = "dagathlon:"
_BUNDLED_ENDINGS = {GRAPH_FOLDER: ".csv", NETWORK_FOLDER: ".rds"}


@dataclass(frozen=True)
class FixedFile:
    """A graph, model or data set that is read from a file or bundled.

    Parameters
    ----------
    label
        Its name in tables and figures.
    location
        The file; of a bundled network or data set ``bundled:`` and its name.
    digest
        sha256 of the content; for bundled ones of the name. It is part of the task's key, so that a
        changed file is another task.
    reading
        Reading options of a data file, where the study gives any.
    place
        The file as the study finds it, links not followed.
    """

    label: str
    location: str
    digest: str
    reading: Reading | None = None
    place: str = ""

    @property
    def bundled(self) -> str:
        """Name of the bundled network or data set; empty for a file."""
        return self.digest.removeprefix(_DIGEST) if self.digest.startswith(_DIGEST) else ""


@dataclass(frozen=True)
class Library:
    """The folders in which a study's files are looked up, in order.

    ``bundled:asia`` means the network or data set of the package, whatever files there are. Other
    names, such as Benchpress's ``asia.csv``, mean a file; where there is none, what is bundled.

    Parameters
    ----------
    resources
        A Benchpress `resources` folder, or None.
    home
        The folder of the study itself.
    """

    resources: Path | None
    home: Path

    def graph(self, name: str) -> FixedFile | None:
        """Find a graph file, or the graph of a network: that of a file, or a bundled one."""
        if name.startswith(BUNDLED):
            return _network_graph(name.removeprefix(BUNDLED))
        file = self._file(GRAPH_FOLDER, name)
        if not file and has_network_ending(name):
            file = self._file(NETWORK_FOLDER, name)
        label = f"myadjmats/{Path(name).stem}"
        if file:
            return _of_file(label, file)
        return _network_graph(name.removesuffix(".csv")) or self._network(name, label)

    def parameters(self, name: str) -> FixedFile | None:
        """Find a network or weight file, or a bundled network."""
        if name.startswith(BUNDLED):
            plain = name.removeprefix(BUNDLED)
            return _network(plain, f"bn.fit_networks/{plain}.rds")
        for folder in (NETWORK_FOLDER, SEM_FOLDER):
            file = self._file(folder, name)
            if file:
                return _of_file(f"{Path(folder).name}/{name}", file)
        label = f"bn.fit_networks/{name}"
        bundled = _network(name.removesuffix(".rds").removesuffix(".bif"), label)
        return bundled or self._network(name, label)

    def model_of(self, name: str) -> FixedFile | None:
        """Find the model behind the graph of a network, in a file or bundled."""
        if has_network_ending(name):
            return self.parameters(name)
        graph = self.graph(name)
        if graph is None or graph.bundled:
            return self.parameters(graph.bundled) if graph else None
        return self._network(name, f"bn.fit_networks/{name}")

    def data(self, name: str) -> list[FixedFile]:
        """Find a data file, all CSV files of a folder, or bundled data; empty without any."""
        if name.startswith(BUNDLED):
            plain = name.removeprefix(BUNDLED)
            return _data(plain, f"fixed/filename={plain}.csv")
        for place in self._places(DATA_FOLDER, name):
            if place.is_file():
                return [_of_file(f"fixed/filename={name}", place)]
            if place.is_dir():
                files = sorted(place.glob("*.csv"))
                return [_of_file(f"fixed/filename={name}/{file.name}", file) for file in files]
        return _data(name.removesuffix(".csv"), f"fixed/filename={name}")

    def constraints(self, name: str, where: str) -> Path:
        """Find a constraint file."""
        file = self._file(CONSTRAINT_FOLDER, name)
        if not file:
            looked = self.looked(CONSTRAINT_FOLDER, name)
            raise StudyError(f"{where}: no constraint file {name!r}; {looked}")
        return file

    def _network(self, name: str, label: str) -> FixedFile | None:
        """Find the network file for a name without an ending, in any format."""
        if Path(name).suffix or not is_file_name(name):
            return None
        files = [
            file
            for folder in self._network_folders()
            for file in sorted(folder.glob("*"))
            if file.name.partition(".")[0].casefold() == name.casefold()
            if has_network_ending(file.name) and file.is_file()
        ]
        if len(files) > 1:
            raise StudyError(
                f"several files could be the network {name!r}: {listing(map(str, files))}; "
                "leave one of them, or name it with its ending"
            )
        return _of_file(label, files[0]) if files else None

    def _network_folders(self) -> list[Path]:
        folders = [self.resources / NETWORK_FOLDER, self.resources] if self.resources else []
        return [folder for folder in (*folders, self.home) if folder.is_dir()]

    def wanted_network(self, name: str) -> str:
        """Return where to put a network that a study names without an ending, and formats."""
        endings = [known.endings[0] for known in NETWORK_FORMATS.values()]
        files = " or ".join([f"{name}{endings[1]}", *endings[2:]])
        folder = f"the folder {self.resources}"
        if self.resources is None:
            folder = "a folder DIR and add --resources DIR"
        return (
            f"if it is a network of yours, put its file ({files}) into {folder}, or beside the "
            f"study ({self.home.resolve()}); without it, leave this entry out"
        )

    def looked(self, folder: str, name: str) -> str:
        """Return where a file was looked for, for error messages."""
        places = ", ".join(str(place) for place in self._places(folder, name))
        return f"looked for a file at {places}" if places else "no file has such a name"

    def names(self, folder: str, suffixes: Sequence[str]) -> list[str]:
        """Return files and bundled networks for the nearest match in error messages."""
        ending = _BUNDLED_ENDINGS.get(folder)
        names = {record.name + ending for record in list_networks()} if ending else set()
        if folder == DATA_FOLDER:
            names = {f"{name}.csv" for name in list_data()}
        if self.resources is not None and (self.resources / folder).is_dir():
            files = (self.resources / folder).iterdir()
            names |= {file.name for file in files if file.suffix in suffixes or file.is_dir()}
        return sorted(names)

    def _file(self, folder: str, name: str) -> Path | None:
        return next((place for place in self._places(folder, name) if place.is_file()), None)

    def _places(self, folder: str, name: str) -> Iterator[Path]:
        if not is_file_name(name):
            return
        if self.resources is not None:
            yield self.resources / folder / name
        yield self.home / name


def plain_id(name: str | None) -> str | None:
    """Return an id of a data entry without the prefix ``bundled:``, for names of folders."""
    return None if name is None else name.removeprefix(BUNDLED)


def is_file_name(name: str) -> bool:
    """Whether a file system could hold such a path."""
    try:
        parts = name.encode().split(b"/")
    except UnicodeEncodeError:
        return False
    return "\0" not in name and len(parts) < 100 and all(len(part) <= 255 for part in parts)


def refuse_unknown_bundled(node: Node, folder: str) -> None:
    """Raise when a name with the prefix ``bundled:`` is not bundled in that folder."""
    name = node.text()
    if not name.startswith(BUNDLED):
        return
    data = folder == DATA_FOLDER
    known = list_data() if data else [record.name for record in list_networks()]
    what = "bundled data set" if data else "bundled network"
    raise node.fail(unknown(what, name.removeprefix(BUNDLED), known))


def _of_file(label: str, path: Path) -> FixedFile:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror or error})") from None
    return FixedFile(label, str(path.resolve()), digest.hexdigest(), place=str(path))


def _network_graph(name: str) -> FixedFile | None:
    """Return the graph of a bundled network."""
    return _network(name, f"myadjmats/{name}")


def _network(name: str, label: str) -> FixedFile | None:
    """Return a bundled network."""
    known = any(record.name == name for record in list_networks())
    return FixedFile(label, BUNDLED + name, _DIGEST + name) if known else None


def _data(name: str, label: str) -> list[FixedFile]:
    """Return the bundled data set in a list; [] if the name is unknown."""
    return [FixedFile(label, BUNDLED + name, _DIGEST + name)] if name in list_data() else []
