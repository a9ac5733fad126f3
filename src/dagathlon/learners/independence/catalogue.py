"""Tests of conditional independence by name: which there are, and which suits the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple, TypeAlias, cast

from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError, StudyError, listing, unknown
from dagathlon.learners.independence.module import TestModule
from dagathlon.modules import Names, SharedCode, modules
from dagathlon.modules.lineage import named_bases
from dagathlon.modules.spec import single_values

DELETION = ".td"
"""What is appended to the name of a test for test-wise deletion."""

IMPUTATION = ".mi"
"""What is appended to the name of a test to pool it over imputed copies of the data."""

DEFAULT_TESTS: Mapping[DataKind, str] = {"continuous": "cor", "discrete": "mi", "mixed": "wilks-dg"}
"""The test that suits a kind of data when none is chosen; for mixed data by the benchmark
``mixed_tests``."""


TestText: TypeAlias = Annotated[str, Names("test")]
"""A test as a learner names it: ``zf``, ``zf.td``, ``mine[bins=5]``."""


class NamedTest(NamedTuple):
    """A test as a learner names it: the module, and how missing values are treated."""

    module: TestModule
    deletes: bool
    imputes: bool


def known_tests() -> Mapping[str, type[TestModule]]:
    """All tests by name, sorted.

    One with ``.td`` at its end leaves out rows with missing values per test, one with ``.mi``
    pools over imputed copies of the data.
    """
    return cast(Mapping[str, type[TestModule]], modules("test"))


def named_test(text: str) -> NamedTest:
    """The test of that name, such as ``zf``, ``zf.td`` or ``mine[bins=5]``.

    Raises
    ------
    DataError
        When there is no such test, or it does not take its parameters.
    """
    try:
        name, values = single_values(text)
        base = base_name(name)
        if base not in known_tests():
            raise DataError(unknown("independence test", name, known_tests()))
        module = known_tests()[base].from_json(values, text if values else "")
    except StudyError as error:
        raise DataError(str(error)) from None
    if name.endswith(DELETION) and not module.leaves_out_rows:
        raise DataError(
            f"the test {base!r} cannot leave out rows with gaps; impute them first "
            "(dagathlon.data.impute)"
        )
    if name.endswith(IMPUTATION) and not module.pools:
        raise DataError(
            f"the test {base!r} cannot be pooled over imputed data; those that can: "
            f"{listing(each + IMPUTATION for each in pooled_tests())}"
        )
    return NamedTest(module, name.endswith(DELETION), name.endswith(IMPUTATION))


def problem_of_test(text: str) -> str:
    """Why there is no such test; empty when there is."""
    try:
        named_test(text)
    except DataError as error:
        return str(error)
    return ""


def base_name(name: str) -> str:
    """The name of a test without what says how it treats missing values."""
    return name.removesuffix(DELETION).removesuffix(IMPUTATION)


def with_ending(text: str, ending: str) -> str:
    """A test as a learner names it, with an ending behind its name.

    Examples
    --------
    >>> with_ending("mine[bins=5]", DELETION)
    'mine.td[bins=5]'
    """
    name, bracket, parameters = text.partition("[")
    return name + ending + bracket + parameters


def pooled_tests() -> list[str]:
    """Names of the tests that can be pooled over imputed copies."""
    return [name for name, test in known_tests().items() if test.pools]


def suitable_tests(kind: DataKind) -> list[str]:
    """Names of the tests for a kind of data, those that take no other first."""
    found = [name for name, test in known_tests().items() if kind in test.takes]
    return sorted(found, key=lambda name: len(known_tests()[name].takes))


def shared_tests(*texts: str) -> tuple[SharedCode, ...]:
    """Tests, as learners name them, as what a learner hands work to."""
    return tuple(_shared(named_test(text)) for text in texts)


def _shared(test: NamedTest) -> SharedCode:
    module = test.module
    if test.imputes:
        return SharedCode("test", module.name, module.pooled_version)
    uses = (*module.delegates(), *named_bases(type(module)))
    return SharedCode("test", module.name, module.version, uses, module.one_thread)


def tests_for_missing(kind: DataKind) -> tuple[str, str]:
    """A test that leaves out rows with missing values, and one that imputes them, by full name.

    They are the default for such data where it can do that, else the ones of shortest name.
    """
    known, default = known_tests(), DEFAULT_TESTS[kind]
    choices = sorted(suitable_tests(kind), key=lambda name: (name != default, len(name)))
    deleting = next(name for name in choices if known[name].leaves_out_rows)
    pooled = next(name for name in choices if known[name].pools)
    return with_ending(deleting, DELETION), with_ending(pooled, IMPUTATION)
