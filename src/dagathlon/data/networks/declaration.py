"""Parser of variable declarations shared by BIF, DSC and NET: a name and a block of statements."""

from __future__ import annotations

from collections.abc import Callable

from dagathlon.data.networks.definition import Draft, place
from dagathlon.data.networks.scanner import Scanner
from dagathlon.errors import DataError


def read_declaration(
    scan: Scanner,
    draft: Draft,
    what: str,
    keyword: str,
    levels_of: Callable[[Scanner], list[str]],
    *,
    continuous: bool = False,
) -> None:
    """Parse a declaration and add the variable to the draft.

    Parameters
    ----------
    scan, draft
        Where to read and where to put it.
    what
        The format's word for a variable, for messages.
    keyword, levels_of
        The statement that lists the levels, and how to read the rest of it.
    continuous
        Whether the variable has no levels.
    """
    line = scan.line
    name = scan.name(f"a {what}'s name")
    levels: list[str] | None = None
    scan.expect("{")
    while not scan.accept("}"):
        if scan.accept(keyword):
            levels = levels_of(scan)
        elif scan.at_end():
            raise scan.error(f"expected '}}' after {what} {name!r}")
        else:
            scan.skip_statement()
    if levels is None and not continuous:
        raise DataError(f"{place(line, name)}: has no {keyword}")
    draft.variable(name, None if continuous else levels, line)


def discrete_levels(scan: Scanner) -> list[str]:
    """Parse levels such as ``discrete [2] {yes, no};``; their number is optional."""
    kind = scan.name("a type")
    if kind != "discrete":
        raise scan.error(f"expected type discrete, found {kind!r}")
    count = None
    if scan.accept("["):
        count = scan.name("a number of levels")
        scan.expect("]")
    scan.accept("=")
    scan.expect("{")
    levels = scan.names("}")
    scan.accept(";")
    if count is not None and count != str(len(levels)):
        raise scan.error(f"{count} levels announced, {len(levels)} listed")
    return levels
