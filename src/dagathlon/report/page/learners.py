"""What the learners of a study take, give and assume, and which of them did not take its data."""

from __future__ import annotations

from dagathlon.report.page.sections import text
from dagathlon.report.results import Results
from dagathlon.study.plan.plan import ALGORITHM
from dagathlon.study.records.omitted import omitted, without_copies
from dagathlon.wording import agreeing, counted

_HEADER = ("learner", "takes", "gives", "assumes")


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
    """Sentences on algorithms that do not take some of the data, one for each cause."""
    here = {origin.where for origin in results.plan.origins}
    found = [
        one
        for one in results.plan.omissions
        if one.where in here and one.transform.startswith(f"{ALGORITHM} ")
    ]
    said = []
    for cause in omitted(found, results.algorithms):
        pairs = [(one.data_label, one.where) for one in found if one.reason in cause.reasons]
        n = len(list(without_copies(dict.fromkeys(pairs))))
        verb = agreeing(len(cause.names), "was", "were")
        said.append(f"{cause.who} {verb} skipped on {counted(n, 'kind')} of data: {cause.words}.")
    return said
