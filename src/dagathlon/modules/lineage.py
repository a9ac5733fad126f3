"""Lineage of a module: the versions of other modules that its results depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from dagathlon.modules.module import Module

FIRST = 1
"""The first version of every module."""


@dataclass(frozen=True)
class SharedCode:
    """Code that several modules share and that no study names directly: a test, a score.

    Parameters
    ----------
    kind
        Kind of code, such as ``test`` or ``score``.
    name
        Its name among those of its kind.
    version
        Version; raised when the results change.
    uses
        Further code that it uses.
    one_thread
        Whether it must run in one thread.
    """

    kind: str
    name: str
    version: int = FIRST
    uses: tuple[Delegate, ...] = ()
    one_thread: bool = False

    def delegates(self) -> tuple[Delegate, ...]:
        """Return further code that it uses."""
        return self.uses


Delegate: TypeAlias = "Module | SharedCode"
Lineage: TypeAlias = Mapping[tuple[str, str], int]


def lineage(module: Module) -> Lineage:
    """Return the versions of all other code that a module's results depend on, by kind and name.

    That is its delegates, direct or not, and the modules that it is derived from.
    """
    versions: dict[tuple[str, str], int] = {}
    _follow(module, versions)
    return dict(sorted(versions.items()))


def raised(versions: Lineage) -> list[tuple[str, str, int]]:
    """Return the part of a lineage that is in the key of a task: versions beyond the first.

    A first version adds nothing, so that results stored before keys held a lineage keep their
    keys as long as no version in their lineage has been raised.
    """
    return [(*place, version) for place, version in versions.items() if version != FIRST]


def named_bases(cls: type) -> tuple[SharedCode, ...]:
    """Return the modules that a class is derived from."""
    bases = (base for base in cls.__mro__[1:] if vars(base).get("name"))
    return tuple(
        SharedCode(base.kind, base.name, base.version)  # type: ignore[attr-defined]
        for base in bases
    )


def _follow(source: Delegate, found: dict[tuple[str, str], int]) -> None:
    for base in named_bases(type(source)):
        found[base.kind, base.name] = base.version
    for delegate in source.delegates():
        found[delegate.kind, delegate.name] = delegate.version
        _follow(delegate, found)
