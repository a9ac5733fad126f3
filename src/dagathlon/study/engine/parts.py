"""Parts of a plan: a quick look, or shards that together cover it.

A shard is the same on every machine, whatever is installed or stored there: it follows from the
tasks alone. Hence shards are balanced by numbers of runs of each kind, not by expected times.
"""

from __future__ import annotations

import functools
import heapq
import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from dagathlon.study.engine.protocol import Options
from dagathlon.study.plan.task import Task, TaskKind

Tasks: TypeAlias = Sequence[Task]

MOST_SHARDS = 10_000
"""Largest number of shards."""

_CHANGES = (TaskKind.NOISE, TaskKind.TRANSFORM)
_LEARNED = (TaskKind.LEARN, TaskKind.ESTIMATE)


class _Group(NamedTuple):
    """Tasks of one shard; `kind` numbers kinds of data by first appearance."""

    kind: int
    members: list[int]


def wanted_part(tasks: Tasks, options: Options) -> Sequence[int]:
    """Positions of the tasks that the options ask for, in the order of the plan."""
    if options.shard is not None:
        return shard(tasks, *options.shard)
    return range(len(tasks)) if options.limit is None else quick_look(tasks, options.limit)


def quick_look(tasks: Tasks, n: int) -> list[int]:
    """Return positions of the first n learning tasks with their inputs and exclusive dependents.

    Without learning tasks it is the first n tasks of any kind and what they need.
    """
    learning = _learning(tasks)
    return _completed(tasks, learning[:n] if learning else range(min(n, len(tasks))))


def shard(tasks: Tasks, number: int, count: int) -> list[int]:
    """Return positions of one of `count` parts of a plan, numbered from 1.

    Every learning task is in exactly one of them, with what it needs; what is made of learned
    graphs is in the part that has all of them. Without learning tasks, the tasks that no other
    task reads are divided.

    Parameters
    ----------
    tasks
        The plan.
    number, count
        Which part, and of how many.
    """
    return _completed(tasks, shares(tasks, count)[number - 1])


def shares(tasks: Tasks, count: int) -> list[list[int]]:
    """Return the learning tasks of each shard; without any, the tasks that no other task reads.

    Runs on one data set stay together where there are at least as many data sets as shards;
    data sets that were made of one, where there are as many of those. Learners that read what
    others have learned stay with them always.
    """
    divided, kinds = _learning(tasks) or _unread(tasks), _kinds(tasks)
    groups: list[_Group] = []
    for level in (_origin, _data, _itself):
        named = {i: level(tasks, i) for i in divided}
        groups = _groups(tasks, named, kinds)
        if len(groups) >= count:
            break
    return _dealt(groups, count)


def sizes(tasks: Tasks, count: int) -> list[int]:
    """Return the number of tasks per shard; shared inputs count in each."""
    masks = [0] * len(tasks)
    for number, share in enumerate(shares(tasks, count)):
        for position in share:
            masks[position] = 1 << number
    _complete(tasks, masks)
    result = [0] * count
    for mask, times in Counter(masks).items():
        for number in _bits(mask):
            result[number] += times
    return result


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _dealt(groups: Sequence[_Group], count: int) -> list[list[int]]:
    """Assign groups to shards: large ones first, each to the shard with the fewest tasks."""
    parts: list[list[int]] = [[] for _ in range(count)]
    loads = [(0, number) for number in range(count)]
    for group in sorted(groups, key=lambda group: (-len(group.members), group.kind)):
        load, number = loads[0]
        parts[number].extend(group.members)
        heapq.heapreplace(loads, (load + len(group.members), number))
    return [sorted(members) for members in parts]


def _groups(tasks: Tasks, named: Mapping[int, Hashable], kinds: Sequence[int]) -> list[_Group]:
    """Group tasks by name; join groups where a learner in one reads a result of another."""
    joined = _Joined()
    for position, name in named.items():
        joined.join(position, name)
        for other in _learners_behind(tasks, position):
            joined.join(position, other)
    groups: dict[Hashable, _Group] = {}
    for position in named:
        group = _Group(kinds[position], [])
        groups.setdefault(joined.name(position), group).members.append(position)
    return list(groups.values())


class _Joined:
    """Disjoint-set forest (union-find)."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def name(self, item: Hashable) -> Hashable:
        """Return the representative of an element's set."""
        while (above := self._above.get(item, item)) != item:
            self._above[item] = self._above.get(above, above)
            item = above
        return item

    def join(self, item: Hashable, other: Hashable) -> None:
        self._above[self.name(item)] = self.name(other)


def _learners_behind(tasks: Tasks, position: int) -> Iterable[int]:
    """Return the learning tasks whose graphs a learning task reads, directly or by an estimator."""
    for i in _learned(tasks, tasks[position]):
        if tasks[i].call.kind is TaskKind.LEARN:
            yield i
        else:
            yield from _learners_behind(tasks, i)


def _kinds(tasks: Tasks) -> list[int]:
    """Return the kind number of each task; tasks of one kind differ in their seeds alone."""
    numbers: dict[Hashable, int] = {}
    kinds: list[int] = []
    for task in tasks:
        kind = (task.call.digest, *(kinds[i] for i in task.inputs))
        kinds.append(numbers.setdefault(kind, len(numbers)))
    return kinds


def _origin(tasks: Tasks, position: int) -> Hashable:
    """Return the data set before all transforms."""
    name, place = _data(tasks, position)
    while tasks[place].call.kind in _CHANGES and tasks[place].inputs:
        place = tasks[place].inputs[0]
    return name, place


def _data(tasks: Tasks, position: int) -> tuple[str, int]:
    """Return the data set that a task reads, as a key that no position equals."""
    inputs = tasks[position].inputs
    return "data", inputs[0] if inputs else position


def _itself(tasks: Tasks, position: int) -> Hashable:
    return position


def _learning(tasks: Tasks) -> list[int]:
    return [i for i, task in enumerate(tasks) if task.call.kind is TaskKind.LEARN]


def _unread(tasks: Tasks) -> list[int]:
    read = {i for task in tasks for i in task.inputs}
    return [i for i in range(len(tasks)) if i not in read]


def _completed(tasks: Tasks, chosen: Iterable[int]) -> list[int]:
    """Return chosen tasks with their inputs and the tasks that need no other learned result."""
    masks = [0] * len(tasks)
    for position in chosen:
        masks[position] = 1
    _complete(tasks, masks)
    return [i for i, mask in enumerate(masks) if mask]


def _complete(tasks: Tasks, masks: list[int]) -> None:
    """Add to each part (a bit of every mask) its tasks' inputs and exclusive dependents."""
    learns = any(masks[i] for i in _learning(tasks))
    _add_inputs(tasks, masks)
    for i, task in enumerate(tasks):
        if learns and task.call.kind in (TaskKind.ESTIMATE, TaskKind.SCORE):
            read = [masks[j] for j in _learned(tasks, task) or task.inputs]
            masks[i] |= functools.reduce(operator.and_, read, -1) if read else 0
    _add_inputs(tasks, masks)


def _add_inputs(tasks: Tasks, masks: list[int]) -> None:
    for i in range(len(tasks) - 1, -1, -1):
        if masks[i]:
            for j in tasks[i].inputs:
                masks[j] |= masks[i]


def _learned(tasks: Tasks, task: Task) -> list[int]:
    """Return the inputs that are learned; others, such as a truth, are generated."""
    return [j for j in task.inputs if tasks[j].call.kind in _LEARNED]
