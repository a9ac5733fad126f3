"""Tests of conditional independence by name, and the default test for each kind of data."""

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
"""Suffix of a test's name for test-wise deletion."""

IMPUTATION = ".mi"
"""Suffix of a test's name for pooling over imputed copies of the data."""

DEFAULT_TESTS: Mapping[DataKind, str] = {"continuous": "cor", "discrete": "mi", "mixed": "wilks-dg"}
"""Default test for each kind of data; for mixed data chosen by the benchmark ``mixed_tests``."""


TestText: TypeAlias = Annotated[str, Names("test")]
"""A test as named in a learner's parameter: ``zf``, ``zf.td``, ``mine[bins=5]``."""


class NamedTest(NamedTuple):
    """A parsed test name: the test module, and how missing values are treated."""

    module: TestModule
    deletes: bool
    imputes: bool


def known_tests() -> Mapping[str, type[TestModule]]:
    """Return all tests by name, sorted.

    The suffix ``.td`` of a name is test-wise deletion of rows with missing values, ``.mi``
    pooling over imputed copies.
    """
    return cast(Mapping[str, type[TestModule]], modules("test"))


def named_test(text: str) -> NamedTest:
    """Parse the name of a test, such as ``zf``, ``zf.td`` or ``mine[bins=5]``.

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
            f"the test {base!r} cannot leave out rows with missing values; impute them first "
            "(dagathlon.data.impute)"
        )
    if name.endswith(IMPUTATION) and not module.pools:
        raise DataError(
            f"the test {base!r} cannot be pooled over imputed data; those that can: "
            f"{listing(each + IMPUTATION for each in pooled_tests())}"
        )
    return NamedTest(module, name.endswith(DELETION), name.endswith(IMPUTATION))


def problem_of_test(text: str) -> str:
    """Return why a text names no test; empty if it names one."""
    try:
        named_test(text)
    except DataError as error:
        return str(error)
    return ""


def base_name(name: str) -> str:
    """Return the name of a test without the suffix for missing values."""
    return name.removesuffix(DELETION).removesuffix(IMPUTATION)


def with_ending(text: str, ending: str) -> str:
    """Append a suffix to the name in a test's text, before its parameters.

    Examples
    --------
    >>> with_ending("mine[bins=5]", DELETION)
    'mine.td[bins=5]'
    """
    name, bracket, parameters = text.partition("[")
    return name + ending + bracket + parameters


def pooled_tests() -> list[str]:
    """Return the names of the tests that can be pooled over imputed copies."""
    return [name for name, test in known_tests().items() if test.pools]


def suitable_tests(kind: DataKind) -> list[str]:
    """Return the names of the tests for a kind of data, those for this kind alone first."""
    names = [name for name, test in known_tests().items() if kind in test.takes]
    return sorted(names, key=lambda name: len(known_tests()[name].takes))


def shared_tests(*texts: str) -> tuple[SharedCode, ...]:
    """Return the named tests as delegates of a learner, so that their versions count."""
    return tuple(_shared(named_test(text)) for text in texts)


def _shared(test: NamedTest) -> SharedCode:
    module = test.module
    if test.imputes:
        return SharedCode("test", module.name, module.pooled_version)
    uses = (*module.delegates(), *named_bases(type(module)))
    return SharedCode("test", module.name, module.version, uses, module.one_thread)


def tests_for_missing(kind: DataKind) -> tuple[str, str]:
    """Return a test with test-wise deletion and one with imputation, by full name.

    The default test for the kind of data is taken if it supports that, else the one of shortest
    name.
    """
    known, default = known_tests(), DEFAULT_TESTS[kind]
    choices = sorted(suitable_tests(kind), key=lambda name: (name != default, len(name)))
    deleting = next(name for name in choices if known[name].leaves_out_rows)
    pooled = next(name for name in choices if known[name].pools)
    return with_ending(deleting, DELETION), with_ending(pooled, IMPUTATION)
