"""How much of a study is there, in words for a page and a terminal."""

from __future__ import annotations

import os
from typing import NamedTuple

from dagathlon.study.records.provenance import Provenance, RunState
from dagathlon.study.store.claims import run_records
from dagathlon.study.store.store import Store
from dagathlon.wording import agreeing, counted


class Standing(NamedTuple):
    """How much of a setup is there.

    Parameters
    ----------
    there
        Runs whose results are in the store.
    planned
        Runs of the setup.
    state
        Whether more will come.
    limited
        Whether only a part was asked for.
    """

    there: int
    planned: int
    state: RunState
    limited: bool = False

    @property
    def partial(self) -> bool:
        """Whether something is missing; every table then says so."""
        return self.there < self.planned

    def words(self) -> str:
        """What a reader must know before the numbers; empty when all runs are in."""
        if not self.partial:
            return ""
        runs = f"{self.there:,} of {counted(self.planned, 'run')}"
        return f"{runs} {agreeing(self.there, 'is', 'are')} in; {self._why()}"

    def line(self) -> str:
        """The same for a list of setups, in which one that is complete says so."""
        whole = "the only run is" if self.planned == 1 else f"all {self.planned:,} runs are"
        return self.words() or f"{whole} in"

    def _why(self) -> str:
        if self.state is RunState.RUNNING:
            return "the study is running"
        if self.state is RunState.INTERRUPTED:
            return "the study was interrupted, and the command that ran it goes on from there"
        if self.limited:
            return "the study was run in part only (--limit, --shard)"
        return "the results of the others are not in the store any more"


def state_of(provenance: Provenance, store: Store) -> RunState:
    """Whether a run that has not said that it ended still goes on."""
    if provenance.state is not RunState.RUNNING:
        return provenance.state
    mine = (
        record
        for record in run_records(store)
        if record.pid == provenance.process and record.began >= provenance.began
    )
    record = next(mine, None)
    going_on = _exists(provenance.process) if record is None else record.alive
    return RunState.RUNNING if going_on else RunState.INTERRUPTED


def _exists(process: int) -> bool:
    """Whether a run that has not reached the store yet may be getting ready."""
    try:
        os.kill(max(process, 1), 0)
    except (OSError, OverflowError):
        return False
    return True
