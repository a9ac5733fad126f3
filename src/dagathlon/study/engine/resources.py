"""Cores and graphics cards: allocation, and environment variables for programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dagathlon.errors import DagathlonError
from dagathlon.processes.variables import CARDS, THREAD_VARIABLES
from dagathlon.study.plan.task import Resources
from dagathlon.wording import counted

PER_CARD = "DAGATHLON_RUNS_PER_CARD"
"""Environment variable: how many runs share a card; 1 by default."""
_PREALLOCATE = "XLA_PYTHON_CLIENT_PREALLOCATE"
_MOST_PER_CARD = 64


class Share(NamedTuple):
    """The cores and cards of one worker."""

    threads: int = 1
    cards: tuple[str, ...] = ()

    def variables(self) -> dict[str, str]:
        """Return environment variables that limit threads and cards, and fix set order."""
        threads = dict.fromkeys(THREAD_VARIABLES, str(self.threads))
        variables = {**threads, CARDS: ",".join(self.cards), "PYTHONHASHSEED": "0"}
        # JAX would take most of a card at once, even where runs share it.
        return {**variables, _PREALLOCATE: os.environ.get(_PREALLOCATE, "false")}


class Machine:
    """The cores and cards of this machine, allocated to workers.

    Parameters
    ----------
    cores
        Number of cores.
    cards
        Names of the cards, as `CUDA_VISIBLE_DEVICES` writes them; a shared card is repeated.
    """

    def __init__(self, cores: int, cards: Sequence[str] = ()) -> None:
        self.cores = cores
        self.cards = tuple(cards)
        self.free_cores = cores
        self.free_cards = list(cards)

    def possible(self, wanted: Resources) -> Resources:
        """Return what a task gets here: at most all cores, optional cards if present."""
        threads = min(wanted.threads, self.cores)
        lacking = wanted.optional and wanted.gpus > len(set(self.cards))
        return Resources(threads, 0 if lacking else wanted.gpus)

    def objection(self, wanted: Resources) -> str:
        """Why a task cannot run here; empty when it can."""
        needed = self.possible(wanted).gpus
        here = len(set(self.cards))
        if needed <= here:
            return ""
        present = f"has {here}" if here else "has none"
        return f"it needs {counted(needed, 'GPU')}, and this machine {present}"

    def fits(self, wanted: Resources, given_back: Sequence[Share] = ()) -> bool:
        """Whether a request fits once these shares are given back."""
        wanted = self.possible(wanted)
        cores = self.free_cores + sum(share.threads for share in given_back)
        cards = {*self.free_cards, *(card for share in given_back for card in share.cards)}
        return wanted.threads <= cores and wanted.gpus <= len(cards)

    def take(self, wanted: Resources) -> Share:
        """Allocate a share; `fits` must have been true."""
        threads, gpus, _ = self.possible(wanted)
        self.free_cores -= threads
        idlest = sorted(dict.fromkeys(self.free_cards), key=self.free_cards.count, reverse=True)
        cards = tuple(idlest[:gpus])
        for card in cards:
            self.free_cards.remove(card)
        return Share(threads, cards)

    def give_back(self, share: Share) -> None:
        """Free a share."""
        self.free_cores += share.threads
        self.free_cards += share.cards


def cards_to_give(variables: Mapping[str, str] = os.environ, devices: str = "/dev") -> list[str]:
    """Return the cards of this machine, each repeated for every run that may share it.

    All cards come once before any comes again, so that runs spread over them.

    Raises
    ------
    DagathlonError
        When `DAGATHLON_RUNS_PER_CARD` is no number of runs.
    """
    text = variables.get(PER_CARD, "1").strip()
    if not (text.isdecimal() and 1 <= int(text) <= _MOST_PER_CARD):
        allowed = f"a whole number from 1 to {_MOST_PER_CARD}"
        raise DagathlonError(f"{PER_CARD}: found {text!r}, expected {allowed}")
    return cards_here(variables, devices) * int(text)


def cards_here(variables: Mapping[str, str] = os.environ, devices: str = "/dev") -> list[str]:
    """Return names of the cards that this process may use.

    Parameters
    ----------
    variables
        The environment, in which schedulers such as SLURM name the allocated cards.
    devices
        The folder in which the driver puts one file per card.
    """
    allowed = variables.get(CARDS)
    if allowed is not None:
        names = [name.strip() for name in allowed.split(",")]
        return [name for name in names if name and name != "-1"]
    files = (path.name.removeprefix("nvidia") for path in Path(devices).glob("nvidia*"))
    # CUDA counts the cards that it sees from 0, whatever number the driver gave them.
    return [str(number) for number in range(sum(name.isdigit() for name in files))]
