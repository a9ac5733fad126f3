"""Cores and cards of a study: `threads` and `gpu` of a setup or an algorithm."""

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
    """Requested cores and cards; None where not given."""

    threads: int | None = None
    gpu: int | None = None

    def check(self, module: type[Module], node: Node) -> None:
        """Raise for GPUs given to a learner that uses none, or denied to one that needs them."""
        if self.gpu and _gpu(module) == "no":
            raise node.fail(f"gpu: {module.name} has no use for a graphics card")
        if self.gpu == 0 and _gpu(module) == "yes":
            raise node.fail(f"gpu: {module.name} cannot run without a graphics card")


NOTHING_WANTED = WantedResources()


def resource_keys(module: type[Module]) -> tuple[str, ...]:
    """Return keys of an object that request cores and cards; parameters take precedence."""
    if not issubclass(module, Learner):
        return ()
    return tuple(key for key in RESOURCES if key not in module.parameters())


def read_wanted(node: Node, keys: Collection[str] = RESOURCES) -> WantedResources:
    """Return the requested resources of a setup or an algorithm's object."""
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
    """Return a run's resources: the object's request, else the setup's, else the learner's."""
    threads = next((n for n in (own.threads, setup.threads) if n is not None), _threads(module))
    need = _gpu(module)
    if need == "no":
        return Resources(threads)
    asked = own.gpu if own.gpu is not None else setup.gpu
    if asked is None:
        return Resources(threads, 1, optional=need == "optional")
    return Resources(threads, max(asked, int(need == "yes")))


def says_threads(own: WantedResources, setup: WantedResources) -> bool:
    """Whether the study fixes the number of threads of a run."""
    return own.threads is not None or setup.threads is not None


def _gpu(module: Any) -> str:
    """Return a learner's use of cards; a parameter named so may hold anything."""
    gpu = getattr(module, "gpu", None)
    return GPU_WORDS.get(gpu, "no") if isinstance(gpu, str | bool) else "no"


def _threads(module: Learner) -> int:
    threads: Any = module.threads
    return threads if type(threads) is int and threads > 0 else 1
