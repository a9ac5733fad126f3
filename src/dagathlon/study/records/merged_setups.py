"""Bringing along what runs have saved of their setups, when their results are merged."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dagathlon.errors import StudyError
from dagathlon.study.records.file import MOST_BYTES, SAVED, load
from dagathlon.study.records.provenance import PROVENANCE, Provenance, RunState
from dagathlon.study.store.results_folder import (
    open_file,
    read_file,
    refuse_links,
    write_file,
)

# What the plan of a setup consists of, in the file that its run saved.
_OF_PLAN = ("keys", "cases/", "runs/", "further/")


def bring_setups(source: Path, out: Path) -> Iterator[str]:
    """Copy the setups of a folder of results into another, whose store has the results.

    A setup that is there already, such as another part of the same study, stays, and says from now
    on when all of its parts were run.

    Parameters
    ----------
    source
        A folder of results.
    out
        The folder of results that they are merged into.

    Yields
    ------
    str
        What a user must know: a setup that could not be brought, and why.
    """
    for path in sorted(source.glob(f"*/{SAVED}")):
        setup, place = path.parent, out / path.parent.name
        if setup.is_symlink() or path.is_symlink():
            yield f"{setup}: is a link; its results are merged, its report is not brought along"
            continue
        refuse_links(place)
        if not (place / SAVED).is_file():
            _bring(setup, place)
        elif _plan_of(path) == _plan_of(place / SAVED):
            _join(setup, place)
        else:
            yield (
                f"{setup}: is a setup of another study than {place}, which stays; the results are "
                "merged, and a run of a study that asks for them will find them"
            )


def _bring(setup: Path, place: Path) -> None:
    """Copy a setup, the file that identifies it last."""
    saved = load(setup)
    place.mkdir(parents=True, exist_ok=True)
    _elsewhere(Provenance.load(setup)).save(place)
    write_file(place / saved.name, saved.text)
    write_file(place / SAVED, read_file(setup, SAVED, most=MOST_BYTES))


def _join(setup: Path, place: Path) -> None:
    """Add the provenance of this part to a setup that is already there."""
    theirs = _elsewhere(Provenance.load(setup))
    if not (place / PROVENANCE).is_file():
        theirs.save(place)
        return
    ours = Provenance.load(place)
    if ours.state is RunState.RUNNING:
        return
    finished = RunState.FINISHED in (ours.state, theirs.state)
    joined = replace(
        ours,
        state=RunState.FINISHED if finished else RunState.INTERRUPTED,
        partial=ours.partial or theirs.partial,
        began=min(ours.began, theirs.began),
        ended=max((moment for moment in (ours.ended, theirs.ended) if moment), default=None),
    )
    if joined != ours:
        joined.save(place)


def _elsewhere(provenance: Provenance) -> Provenance:
    """Remove the process of a run that goes on elsewhere, since it is not on this machine."""
    if provenance.state is not RunState.RUNNING:
        return provenance
    return replace(provenance, state=RunState.INTERRUPTED)


def _plan_of(path: Path) -> list[tuple[str, int, int]]:
    """Return a hash that distinguishes plans, without reading them."""
    try:
        with (
            open(open_file(path.parent, path.name), "rb") as file,
            zipfile.ZipFile(file) as archive,
        ):
            entries = [e for e in archive.infolist() if e.filename.startswith(_OF_PLAN)]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise StudyError(f"{path}: what the run saved cannot be read ({error})") from None
    return sorted((entry.filename, entry.CRC, entry.file_size) for entry in entries)
