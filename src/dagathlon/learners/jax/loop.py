"""The training loop: compiled steps of many runs, each of which ends by its own rule."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import OutOfTimeError
from dagathlon.learners.jax.backend import jax, on_gpu
from dagathlon.pulse import beat, stop_early, time_left, until_deadline

Advance: TypeAlias = Callable[[Any, Any, int, int], Any]
Settled: TypeAlias = Callable[[Any, Any, int], tuple[Any, Any]]
# A GPU needs the same time for so many runs as for one, and compiling takes seconds.
_FEWEST_ON_CARD = 256
# Target duration of a compiled call, which cannot be interrupted.
_PIECE_SECONDS = 0.1


class Ended(NamedTuple):
    """Final states of the runs.

    Parameters
    ----------
    state
        The state of all runs, as arrays of NumPy.
    steps
        Number of steps of each run.
    settled
        Whether each run converged; the others reached the last step or a deadline.
    """

    state: Any
    steps: npt.NDArray[np.int64]
    settled: npt.NDArray[np.bool_]


class Compiled(NamedTuple):
    """Compiled functions for many runs, one compilation per shape."""

    initial: Any
    advance: Any
    settled: Any
    draws: Any = None


def require_steps(ended: Ended) -> None:
    """Raise an error if a run was stopped before its first step."""
    if not ended.steps.all():
        raise OutOfTimeError("the time limit came before the first step")


def over_runs(function: Callable[..., Any], in_axes: Any = 0) -> Callable[..., Any]:
    """Vectorise a function of one run over runs: `jax.vmap`, except for a single run.

    A CPU multiplies matrices ten times faster than arrays of a single matrix.
    """

    def mapped(*given: Any) -> Any:
        axes = (in_axes,) * len(given) if isinstance(in_axes, int) else in_axes
        runs = len(jax.tree_util.tree_leaves(given[axes.index(0)])[0])
        if runs > 1:
            return jax.vmap(function, in_axes=axes)(*given)
        first = [
            part if axis is None else jax.tree_util.tree_map(lambda x: x[0], part)
            for part, axis in zip(given, axes, strict=True)
        ]
        return jax.tree_util.tree_map(lambda x: x[None], function(*first))

    return mapped


def compile_steps(step: Callable[[Any, Any, Any], Any], over: Any = None) -> Advance:
    """Compile a function that advances many runs at once from one step number to another.

    Parameters
    ----------
    step
        Function of one run: (state, fixed, number of the step) to a state.
    over
        Function that vectorises over runs: null is `jax.vmap`.
    """

    def one(state: Any, fixed: Any, first: Any, last: Any) -> Any:
        return jax.lax.fori_loop(first, last, lambda number, now: step(now, fixed, number), state)

    steps: Advance = jax.jit((over or jax.vmap)(one, in_axes=(0, 0, None, None)), donate_argnums=0)
    return steps


def run_until_converged(
    advance: Advance, settled: Settled, state: Any, fixed: Any, *, steps: int, every: int
) -> Ended:
    """Advance all runs until each has converged, or to the last step.

    What a run returns does not depend on the others: its state is stored when it has converged,
    and once half of the runs have, the others continue in a smaller batch.

    Parameters
    ----------
    advance
        Function that makes the steps between two numbers: (state, fixed, first, last) to a state.
        Compiled, with the step numbers as arguments.
    settled
        The convergence rule, compiled: (state, fixed, step) to a state, which may record what the
        rule needs, and a truth value for each run.
    state, fixed
        Trees of arrays whose first axis is the run.
    steps
        Largest number of steps.
    every
        Number of steps between two convergence checks.
    """
    batch = _Batch(state, fixed)
    step = 0
    with until_deadline():
        pieces = _Pieces(every)
        while step < steps and batch.alive.size:
            if time_left() <= 0:  # beats have no effect once an earlier batch has stopped
                stop_early()
                break
            target = min(step + every, steps)
            while step < target:
                beat(step, steps)
                last = min(step + pieces.length, target)
                batch.state = pieces.timed(advance, batch.state, batch.fixed, step, last)
                step = last
            batch.state, done = settled(batch.state, batch.fixed, step)
            batch.store_converged(np.asarray(done), step)
    return batch.ended(step)


class _Pieces:
    """Number of steps between two beats, adapted so that they take at most a tenth of a second."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.length = 1
        self._compiled = False

    def timed(self, advance: Advance, state: Any, fixed: Any, first: int, last: int) -> Any:
        start = time.perf_counter()
        # In this thread: abandoned JAX threads would crash the process.
        state = jax.block_until_ready(advance(state, fixed, first, last))
        taken = (time.perf_counter() - start) / (last - first)
        if self._compiled:  # the first time includes compiling
            self.length = int(np.clip(_PIECE_SECONDS / taken, 1, min(self._most, 4 * self.length)))
        self._compiled = True
        return state


def _compiled_size(runs: int) -> int:
    """Return the smallest power of two for so many runs, so that few sizes are compiled."""
    return 1 << max(runs - 1, 0).bit_length()


class _Batch:
    """The active runs, and the results of the others."""

    def __init__(self, state: Any, fixed: Any) -> None:
        self._found = jax.tree_util.tree_map(np.array, state)
        runs = len(jax.tree_util.tree_leaves(state)[0])
        self._steps = np.zeros(runs, dtype=np.int64)
        self._settled = np.zeros(runs, dtype=np.bool_)
        self.state, self.fixed = state, fixed
        self._place = np.arange(runs)  # the run of each row of the batch
        self.alive = np.arange(runs)  # rows of the batch that go on
        self._take(_compiled_size(runs))

    def store_converged(self, done: npt.NDArray[np.bool_], step: int) -> None:
        """Store the results of converged runs; shrink the batch once half of it has converged."""
        ended = self.alive[done[self.alive]]
        if not ended.size:
            return
        self._keep(ended, step)
        self._settled[self._place[ended]] = True
        self.alive = self.alive[~done[self.alive]]
        size = max(_compiled_size(self.alive.size), _FEWEST_ON_CARD if on_gpu() else 1)
        if self.alive.size and size < len(self._place):
            self._take(size)

    def _take(self, size: int) -> None:
        """Continue with a batch of another size, padded by repeated runs."""
        if size == len(self._place):
            return
        rows = np.resize(self.alive, size)
        self.state, self.fixed = jax.tree_util.tree_map(lambda x: x[rows], (self.state, self.fixed))
        self._place = self._place[rows]
        self.alive = np.arange(self.alive.size)

    def _keep(self, rows: npt.NDArray[np.intp], step: int) -> None:
        places = self._place[rows]
        self._steps[places] = step

        def copy(found: Any, state: Any) -> None:
            found[places] = np.asarray(state)[rows]

        jax.tree_util.tree_map(copy, self._found, self.state)

    def ended(self, step: int) -> Ended:
        """Return all runs; the active ones in their present state."""
        if self.alive.size:
            self._keep(self.alive, step)
        return Ended(self._found, self._steps, self._settled)
