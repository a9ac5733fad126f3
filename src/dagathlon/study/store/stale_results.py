"""Stored results that are stale, since a module behind theirs has a new version."""

from __future__ import annotations

from collections.abc import Iterable

from dagathlon.study.plan.task import Task
from dagathlon.study.store.store import Store


def count_stale_results(tasks: Iterable[Task], store: Store) -> int:
    """Return how many tasks have a result only under the key of older versions.

    Such a key says nothing of the versions of whom a module hands work to, one of which has been
    raised since that module was first written: nobody knows which one made the result.
    """
    older = {task.key: task.plain for task in tasks if task.plain}
    missing = older.keys() - store.outcomes(older).keys()
    return len(store.outcomes(older[key] for key in missing))


def described(count: int) -> str:
    """Return a sentence about stale results."""
    return (
        f"{count:,} stored results are not used: they are of an older Dagathlon, which did not "
        "record the versions of what runs behind a module, and some of that has changed. They are "
        "computed again; dagathlon store gc FOLDER --keep STUDY removes the old ones"
    )
