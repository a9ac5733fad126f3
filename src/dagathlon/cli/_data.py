"""Arguments for reading and preparing a data file, shared by commands."""

from __future__ import annotations

import argparse
import contextlib
import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dagathlon.data import list_data, load_data
from dagathlon.data.preparing.imputation import DEFAULT_COPIES
from dagathlon.data.reading.options import Reading
from dagathlon.errors import DagathlonError, DataError, NotApplicableError, suggestion
from dagathlon.learners.api import seed_of
from dagathlon.modules.spec import single_values
from dagathlon.simulate.columns import Standardize
from dagathlon.simulate.preparing import Discretize, DropMissing, Impute, Log
from dagathlon.simulate.transform import Transform

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_ALL = "all"
_MISSING = ("keep", "drop", "impute")
_DISCRETIZE = re.compile(r"([^\[:]*)(\[.*\])?(?::(.*))?", re.S)


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the data file and the arguments for reading and preparing it."""
    parser.add_argument("data", type=Path, help="data file (CSV, TSV, Excel, Parquet, Arrow)")
    add_preparation_arguments(parser)


def add_preparation_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for reading and preparing a data file."""
    group = parser.add_argument_group(
        "how to read and prepare the data", "dagathlon describe shows what is understood without"
    )

    def flag(name: str, metavar: str, help: str) -> None:
        group.add_argument(name, action="append", default=[], metavar=metavar, help=help)

    flag(
        "--kinds",
        "NAME=KIND,…",
        "continuous, ordinal, categorical, id or ignore; * is any other column",
    )
    flag("--levels", "NAME=LOW<HIGH", "the levels of an ordinal column, in their order")
    flag("--drop", "NAME,…", "columns to leave out")
    flag("--keep", "NAME,…", "the only columns to take")
    flag("--na", "WORD,…", "more words and numbers that mean a missing value, e.g. --na=-999")
    flag("--recode", "NAME:OLD=NEW,…", "new labels for old ones, e.g. --recode sex:F=f,Female=f")
    group.add_argument("--no-header", action="store_true", help="the first line is data, not names")
    group.add_argument("--delimiter", metavar="SIGN", help="what separates fields, e.g. ';' or tab")
    group.add_argument("--decimal", choices=(".", ","), help="the decimal sign")
    group.add_argument("--encoding", metavar="NAME", help="of a text file, e.g. cp1252 or utf-16")
    group.add_argument("--skip", type=int, metavar="N", help="lines of titles above the header")
    group.add_argument("--sheet", metavar="NAME", help="of a workbook; by default the first one")
    group.add_argument(
        "--cardinality-row",
        choices=("yes", "no"),
        help="whether the second line holds the numbers of levels, as in Benchpress's files",
    )
    group.add_argument(
        "--missing",
        metavar="HOW",
        help="what to do with missing values: drop (rows), impute or impute=N (N copies, pooled), "
        "or keep "
        "(the default, for learners that take them)",
    )
    flag("--log", "NAME,…", f"columns to take logarithms of, or {_ALL}")
    flag(
        "--discretize",
        "METHOD[levels=N][:NAME,…]",
        "cut continuous columns: equal_width, equal_frequency, hartemink or mdl",
    )
    group.add_argument(
        "--standardize", action="store_true", help="continuous columns get mean 0 and variance 1"
    )


def data_from(arguments: argparse.Namespace, *, pooled: bool = False) -> Dataset:
    """Return the data that the arguments name, read and prepared.

    Rows with gaps are dropped first; then come logarithms, levels, standardisation, imputation.

    Parameters
    ----------
    arguments
        The parsed arguments of `add_data_arguments`.
    pooled
        Whether the command itself imputes several times (`copies_of`): missing values are then
        left. Other commands get one imputed copy.
    """
    steps = preparation(arguments, pooled=pooled)
    data = _read(arguments.data, reading_of(arguments))
    rng = np.random.Generator(np.random.Philox(key=_seed(arguments)))
    for step in steps:
        try:
            data = step.apply(data, rng)
        except NotApplicableError as error:
            raise DataError(f"{arguments.data}: {error}") from None
    return data


def _seed(arguments: argparse.Namespace) -> int:
    return seed_of(getattr(arguments, "seed", 1), "--seed")


def _read(path: Path, reading: Reading) -> Dataset:
    """Read a file; without a file of that name, load the bundled data set of that name."""
    name = str(path).removesuffix(".csv")
    if path.exists() or name not in list_data():
        return reading.read(path)
    if reading.to_json():
        raise DataError(f"{path}: bundled data are read as they are")
    return load_data(name)


def completed_from(arguments: argparse.Namespace) -> Dataset:
    """As `data_from`, with one imputed copy where several are asked for."""
    missing = "impute" if copies_of(arguments) else arguments.missing
    return data_from(argparse.Namespace(**{**vars(arguments), "missing": missing}))


@contextlib.contextmanager
def missing_values_explained(data: Dataset) -> Iterator[None]:
    """Context manager that adds a remedy to errors about missing values."""
    try:
        yield
    except DataError as error:
        if data.has_missing and "missing values" in str(error):
            error.add_note(
                "add --missing drop or --missing impute=5; dagathlon suggest names learners that "
                "take these data with their gaps"
            )
        raise


def reading_of(arguments: argparse.Namespace) -> Reading:
    """Return the reading options of the arguments."""
    levels = {
        name: [level.strip() for level in text.split("<")]
        for name, text in _pairs(arguments.levels, "--levels").items()
    }
    kinds = _pairs(arguments.kinds, "--kinds")
    row = arguments.cardinality_row
    reading = Reading(
        kinds={**dict.fromkeys(levels, "ordinal"), **kinds},
        levels=levels,
        drop=_words(arguments.drop),
        keep=_words(arguments.keep) if arguments.keep else None,
        na=_words(arguments.na),
        header=not arguments.no_header,
        delimiter={"tab": "\t", "\\t": "\t"}.get(arguments.delimiter, arguments.delimiter),
        decimal=arguments.decimal,
        encoding=arguments.encoding,
        skip=arguments.skip or 0,
        sheet=arguments.sheet,
        recode=_recoding(arguments.recode),
    )
    return reading if row is None else replace(reading, cardinality_row=row == "yes")


def reading_flags(arguments: argparse.Namespace) -> list[str]:
    """Return the reading options as command-line flags, for another command."""
    flags = []
    for name in ("kinds", "levels", "drop", "keep", "na", "recode"):
        flags += [f"--{name}={text}" for text in getattr(arguments, name)]
    if arguments.no_header:
        flags.append("--no-header")
    for name in ("delimiter", "decimal", "encoding", "skip", "sheet", "cardinality_row"):
        value = getattr(arguments, name)
        flags += [] if value is None else [f"--{name.replace('_', '-')}={value}"]
    return flags


def all_flags(arguments: argparse.Namespace) -> list[str]:
    """Return the reading and preparation options as command-line flags, for another command."""
    flags = reading_flags(arguments)
    if arguments.missing is not None:
        flags.append(f"--missing={arguments.missing}")
    for name in ("log", "discretize"):
        flags += [f"--{name}={text}" for text in getattr(arguments, name)]
    return [*flags, "--standardize"] if arguments.standardize else flags


def prepares(arguments: argparse.Namespace) -> str:
    """Return the first flag that changes data after reading; empty without one."""
    given = {
        "--missing": arguments.missing,
        "--log": arguments.log,
        "--discretize": arguments.discretize,
        "--standardize": arguments.standardize,
    }
    return next((flag for flag, value in given.items() if value), "")


def preparation(arguments: argparse.Namespace, *, pooled: bool = False) -> list[Transform]:
    """Return the transforms that the flags ask for, in order."""
    how, copies = _how_missing(arguments.missing)
    steps: list[Transform] = [DropMissing()] if how == "drop" else []
    if arguments.log:
        named = _words(arguments.log)
        steps.append(Log(columns=None if named == (_ALL,) else named))
    steps += [_discretize(text) for text in arguments.discretize]
    if arguments.standardize:
        steps.append(Standardize())
    if how == "impute" and not pooled:
        if copies:
            raise DagathlonError(
                f"--missing impute={copies}: this command takes one completed copy of the data; "
                "write --missing impute"
            )
        steps.append(Impute())
    return steps


def tell_entries(study: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Add reading options and transforms to the data entries of a study."""
    options = reading_of(arguments).to_json()
    how, copies = _how_missing(arguments.missing)
    steps = [
        {step.name: {key: value for key, value in step.to_json().items() if value is not None}}
        for step in preparation(arguments, pooled=True)
        if not isinstance(step, DropMissing)
    ]
    for entry in study["benchmark_setup"][0]["data"]:
        is_file = entry["parameters_id"] is None
        entry.update(options if is_file else {})
        if how != "keep":
            entry["missing"] = {"impute": copies} if copies else how
        if steps:
            entry["transforms"] = steps


def copies_of(arguments: argparse.Namespace) -> int:
    """Return the number of imputed copies; 0 without imputation."""
    how, copies = _how_missing(arguments.missing)
    return (copies or DEFAULT_COPIES) if how == "impute" else 0


def _how_missing(text: str | None) -> tuple[str, int]:
    """Parse ``--missing`` into a method and a number of copies."""
    how, given, number = (text or "keep").partition("=")
    if how not in _MISSING:
        choices = ", ".join([*_MISSING, "impute=5"])
        raise DagathlonError(f"--missing {text}{suggestion(how, _MISSING)}: one of {choices}")
    if not given:
        return how, 0
    if how != "impute" or not (number.isdecimal() and 0 < int(number) <= 1000):
        raise DagathlonError(f"--missing {text}: write impute=5 for five completed copies")
    return how, int(number)


def _discretize(text: str) -> Discretize:
    """Parse ``hartemink[levels=4]:a,b`` into a transform."""
    match = _DISCRETIZE.fullmatch(text.strip())
    if match is None:
        raise DagathlonError(f"--discretize {text}: write METHOD[levels=4]:NAME,NAME")
    _, values = single_values(f"discretize{match[2] or ''}")
    values["method"] = match[1].strip()
    if match[3] is not None:
        values["columns"] = list(_words([match[3]]))
    return Discretize.from_json(values, "--discretize")


def _words(texts: list[str]) -> tuple[str, ...]:
    """Split texts at commas, except inside quotation marks."""
    fields = [field.strip() for row in csv.reader(texts, skipinitialspace=True) for field in row]
    return tuple(dict.fromkeys(field for field in fields if field))


def _recoding(texts: list[str]) -> dict[str, dict[str, str]]:
    """Parse ``sex:F=f,Female=f`` into new labels by old ones, by column."""
    recodings: dict[str, dict[str, str]] = {}
    for text in texts:
        name, given, changes = text.partition(":")
        if not given or not changes:
            raise DagathlonError(f"--recode: expected NAME:OLD=NEW,…, found {text!r}")
        recodings.setdefault(name.strip(), {}).update(_pairs([changes], "--recode"))
    return recodings


def _pairs(texts: list[str], flag: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for word in _words(texts):
        name, given, value = word.rpartition("=")
        if not given or not name.strip():
            raise DagathlonError(f"{flag}: expected NAME=VALUE, found {word!r}")
        if pairs.setdefault(name.strip(), value.strip()) != value.strip():
            raise DagathlonError(f"{flag}: {name.strip()!r} is given twice")
    return pairs
