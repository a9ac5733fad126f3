"""On which machines the runs of a setup were made, and whether their times compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dagathlon.errors import listing
from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.results import Results
from dagathlon.study.store.machine import described

_NOT_RECORDED = "machines that were not recorded"


def machines(results: Results) -> dict[str, str]:
    """What to say of machines, by name; nothing when all ran on the one that is named anyway."""
    made, known = results.made_on, _known(results)
    lines = {described(facts) for host in made for facts in known.get(host, ())}
    if not made or (len(made) == 1 and lines <= {results.provenance.machine}):
        return {}
    named = [_named(host, number, known.get(host, ())) for host, number in sorted(made.items())]
    return {"machines": "; ".join(named)} | _times(sorted(_processors(made, known)))


def _known(results: Results) -> dict[str, list[Row]]:
    return grouped((name, facts) for name, facts in results.store.hosts())


def _named(host: str, number: int, known: Rows) -> str:
    processors = sorted({str(facts.get("processor") or "") for facts in known} - {""})
    about = f" ({' or '.join(processors)})" if processors else ""
    runs = "learning run" if number == 1 else "learning runs"
    return f"{host or _NOT_RECORDED}{about}: {number:,} {runs}"


def _processors(made: Mapping[str, int], known: Mapping[str, Rows]) -> set[str]:
    found = {str(facts.get("processor") or "") for host in made for facts in known.get(host, ())}
    return found - {""}


def _times(processors: Sequence[str]) -> dict[str, str]:
    if len(processors) < 2:
        return {}
    return {
        "times": f"measured on different processors ({listing(processors)}): the time of a run on "
        "one does not compare with that of a run on another"
    }
