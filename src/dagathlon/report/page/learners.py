"""What the learners of a study take, give and assume, and which of them did not take its data."""

from __future__ import annotations

from dagathlon.report.context import Results
from dagathlon.report.page.sections import text
from dagathlon.study.plan.plan import ALGORITHM

_HEADER = ("learner", "takes", "gives", "assumes")
_MOST = 5


def learners(results: Results) -> str:
    """A table of the learners, folded away; empty where nothing was saved about them."""
    found = {one.module.name: one.module for one in results.algorithms.values()}
    rows = [(name, module.abilities) for name, module in found.items() if module.abilities]
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADER)
    body = "".join(
        f'<tr><th scope="row">{text(name)}</th>'
        + "".join(f"<td>{text(able.get(column, ''))}</td>" for column in _HEADER[1:])
        + "</tr>"
        for name, able in rows
    )
    return (
        "<details><summary>What the learners take, give and assume</summary>"
        '<div class="scroll"><table class="learners">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def skipped(results: Results) -> list[str]:
    """Sentences on algorithms that do not take some of the data."""
    here = {origin.where for origin in results.plan.origins}
    places: dict[tuple[str, str], int] = {}
    for one in results.plan.omissions:
        if one.where in here and one.transform.startswith(f"{ALGORITHM} "):
            key = (one.transform.removeprefix(f"{ALGORITHM} "), one.reason)
            places[key] = places.get(key, 0) + 1
    said = [
        f"{name} was skipped on {n:,} kind{'' if n == 1 else 's'} of data: {reason}."
        for (name, reason), n in places.items()
    ]
    more = len(said) - _MOST
    return said if more <= 1 else [*said[:_MOST], f"{more:,} more were skipped; see the failures."]
