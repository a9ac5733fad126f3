"""Cores and cards as a study asks for them: `threads` and `gpu`, of a setup or of an algorithm."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from dagathlon.learners.base import GPU_WORDS, Learner
from dagathlon.modules import Module
from dagathlon.study.config.json_source import Node
from dagathlon.study.plan.task import Resources

RESOURCES = ("threads", "gpu")
_MOST = 4096


class WantedResources(NamedTuple):
    """Numbers of cores and cards that a part of a study asks for; None where it says nothing."""

    threads: int | None = None
    gpu: int | None = None

    def check(self, module: type[Module], node: Node) -> None:
        """Refuse cards for a learner without a use for them, and none for one that needs them."""
        if self.gpu and _gpu(module) == "no":
            raise node.fail(f"gpu: {module.name} has no use for a graphics card")
        if self.gpu == 0 and _gpu(module) == "yes":
            raise node.fail(f"gpu: {module.name} cannot run without a graphics card")


NOTHING_WANTED = WantedResources()


def resource_keys(module: type[Module]) -> tuple[str, ...]:
    """The keys of an object that ask for cores and cards; a parameter of that name goes first."""
    if not issubclass(module, Learner):
        return ()
    return tuple(key for key in RESOURCES if key not in module.parameters())


def read_wanted(node: Node, keys: Collection[str] = RESOURCES) -> WantedResources:
    """What a setup or an algorithm's object asks for."""
    threads = _read(node, "threads", 1) if "threads" in keys else None
    gpu = _read(node, "gpu", 0) if "gpu" in keys else None
    return WantedResources(threads, gpu)


def _read(node: Node, key: str, least: int) -> int | None:
    child = node.get(key)
    if child is None:
        return None
    if key == "gpu" and isinstance(child.value, bool):
        return int(child.value)
    number = child.whole()
    if not least <= number <= _MOST:
        raise child.fail(f"found {number}, expected a whole number from {least} to {_MOST}")
    return number


def resources_of(module: Learner, own: WantedResources, setup: WantedResources) -> Resources:
    """What a run gets: the object's word, else the setup's, else the learner's own."""
    threads = next((n for n in (own.threads, setup.threads) if n is not None), _threads(module))
    need = _gpu(module)
    if need == "no":
        return Resources(threads)
    asked = own.gpu if own.gpu is not None else setup.gpu
    if asked is None:
        return Resources(threads, 1, optional=need == "optional")
    return Resources(threads, max(asked, int(need == "yes")))


def says_threads(own: WantedResources, setup: WantedResources) -> bool:
    """Whether the study says how many threads a run has: then it has neither more nor less."""
    return own.threads is not None or setup.threads is not None


def _gpu(module: Any) -> str:
    """What a learner says of cards; a parameter of that name may hold anything."""
    found = getattr(module, "gpu", None)
    return GPU_WORDS.get(found, "no") if isinstance(found, str | bool) else "no"


def _threads(module: Learner) -> int:
    found: Any = module.threads
    return found if type(found) is int and found > 0 else 1
