"""Reading of a setup's evaluations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from dagathlon.errors import Mistakes, listing, suggestion
from dagathlon.modules import modules
from dagathlon.study.config.evaluation import Request
from dagathlon.study.config.expand import ModuleEntry, expand
from dagathlon.study.config.json_source import Node


def switched_off(setup: Node) -> tuple[str, ...]:
    """Return names of evaluations set to ``false``, which are not shown by default either."""
    node = setup.get("evaluation")
    given = node.value if node is not None and isinstance(node.value, dict) else {}
    return tuple(name for name, value in given.items() if value is False)


def read_requests(
    setup: Node, algorithms: Mapping[str, ModuleEntry], mistakes: Mistakes
) -> list[Request]:
    """Return a setup's requests; unreadable ones are added to the mistakes."""
    known = modules("evaluation")
    node = mistakes.read(setup.need, "evaluation") or Node({}, setup.where)
    mistakes.read(node.only, known, "evaluation")
    result: list[Request] = []
    for key in mistakes.read(node.object) or ():
        if key in known:
            module = cast(type[Request], known[key])
            result += mistakes.read(_read_evaluation, module, node.need(key)) or ()
    for request in result:
        for name in request.algorithms():
            if name not in algorithms:
                mistakes.add(
                    f"{node.where}.{request.name}: no algorithm has the id {name!r}"
                    f"{suggestion(name, algorithms)}; ids: {listing(algorithms)}"
                )
    return result


def _read_evaluation(module: type[Request], child: Node) -> list[Request]:
    if child.value is None or child.value is False:
        return []
    if module.shape == "flag":
        return [module()] if child.flag() else []
    if module.shape == "ids":
        return [module.from_json({"ids": child.value}, child.where)]
    if module.shape == "object":
        return [module.from_json(child.object(), child.where)]
    if isinstance(child.value, dict):
        raise child.fail("found an object, expected a list of objects, such as [{}]")
    mistakes = Mistakes()
    read = [mistakes.read(expand, module, item.object(), item) or () for item in child.items()]
    mistakes.refuse()
    return [cast(Request, setting.module) for settings in read for setting in settings]
