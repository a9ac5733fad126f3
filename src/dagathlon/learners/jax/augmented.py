"""Minimising under a constraint: many runs at once, each with multipliers and an end of its own.

A run minimises an objective by steps of Adam until it changes little; then its multipliers are
raised, and it minimises again, until the constraint holds. Runs are data sets times starts. What
is minimised is a `Problem`; `Lagrangian` is one with an augmented Lagrangian.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from dagathlon.learners.jax.adam import descended, resting
from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.loop import Ended, advancing, run_until_settled


@dataclass(frozen=True)
class Inner:
    """How each minimum is sought.

    Parameters
    ----------
    steps
        Number of steps at most until the multipliers are raised.
    every
        Number of steps between two looks at the mean objective of the steps since the last one.
    tolerance
        The minimum is taken for found when the mean has changed by no more than this, relative to
        its size or to 1, whichever is larger.
    rate
        Size of the steps.
    slowing
        After so many steps to one minimum the step size is a half, after twice as many a third.
    """

    steps: int
    every: int = 100
    tolerance: float = 1e-4
    rate: float = 0.01
    slowing: float = float("inf")


@dataclass(frozen=True)
class Problem(ABC):
    """What is minimised, with all numbers that are compiled in. Methods are of a single run.

    Parameters
    ----------
    inner
        How each minimum is sought.
    outer_steps
        Number of minima that are sought at most.
    """

    inner: Inner
    outer_steps: int

    @abstractmethod
    def begun(self, key: Any, facts: Any) -> Any:
        """Parameters before the first step: a tree of arrays."""

    @abstractmethod
    def multipliers(self) -> Any:
        """Multipliers before the first step: a tree of arrays."""

    @abstractmethod
    def objective(self, found: Any, facts: Any, multipliers: Any, key: Any) -> Any:
        """What is minimised; the key is another one in each step."""

    @abstractmethod
    def raised(self, found: Any, facts: Any, multipliers: Any) -> tuple[Any, Any]:
        """New multipliers at a minimum, and whether the run ends there."""

    def moved(self, before: Any, after: Any, facts: Any, rate: Any) -> Any:
        """Where a step ends that would lead from one place to another: a proximal step, a mask."""
        return after


class Multipliers(NamedTuple):
    """Of an augmented Lagrangian.

    Parameters
    ----------
    rho, alpha
        Penalty and multiplier of the constraint.
    value
        The constraint at the last minimum.
    """

    rho: Any
    alpha: Any
    value: Any


@dataclass(frozen=True)
class Lagrangian(Problem):
    """Minimise `loss` where `constraint` is 0, by an augmented Lagrangian.

    Parameters
    ----------
    rho, rho_max
        Penalty of the constraint at first; a run ends when it is above the largest.
    tolerance
        A run ends when the constraint is not above this.
    progress
        The penalty is raised unless the constraint is at most so many times its last value.
    factor
        By how much the penalty is raised.
    """

    rho: float = 1.0
    rho_max: float = 1e16
    tolerance: float = 1e-8
    progress: float = 0.25
    factor: float = 10.0

    @abstractmethod
    def loss(self, found: Any, facts: Any, key: Any) -> Any:
        """What is minimised where the constraint holds."""

    @abstractmethod
    def constraint(self, found: Any, facts: Any) -> Any:
        """A number above 0 that is 0 where the constraint holds."""

    def multipliers(self) -> Multipliers:
        """No multiplier, and a small penalty."""
        return Multipliers(
            jnp.asarray(self.rho, jnp.float32), jnp.zeros(()), jnp.asarray(jnp.inf, jnp.float32)
        )

    def objective(self, found: Any, facts: Any, multipliers: Multipliers, key: Any) -> Any:
        """The augmented Lagrangian."""
        value = self.constraint(found, facts)
        penalty = (multipliers.alpha + 0.5 * multipliers.rho * value) * value
        return self.loss(found, facts, key) + penalty

    def raised(self, found: Any, facts: Any, multipliers: Multipliers) -> tuple[Multipliers, Any]:
        """A step of dual ascent."""
        value = self.constraint(found, facts)
        rho, alpha, last = multipliers
        after = Multipliers(
            jnp.where(value > self.progress * last, rho * self.factor, rho),
            alpha + rho * value,
            value,
        )
        return after, (value <= self.tolerance) | (after.rho > self.rho_max)


class State(NamedTuple):
    """A run.

    Parameters
    ----------
    found, averages, key
        Parameters, the averages of Adam, random numbers.
    multipliers, outer, made
        Multipliers, how often they were raised, and steps since then.
    total, objective
        Sum of the objective since the last look, and its mean before that.
    """

    found: Any
    averages: Any
    key: Any
    multipliers: Any
    outer: Any
    made: Any
    total: Any
    objective: Any


def begun(problem: Problem, key: Any, facts: Any) -> State:
    """The state before the first step."""
    ours, first = jax.random.split(key)
    found = problem.begun(first, facts)
    none, zero = jnp.zeros((), jnp.int32), jnp.zeros(())
    unknown = jnp.asarray(jnp.inf, jnp.float32)
    return State(
        found, resting(found), ours, problem.multipliers(), none, none, zero, unknown
    )


def step(problem: Problem, state: State, facts: Any, number: Any) -> State:
    """A step of Adam."""
    key = jax.random.fold_in(state.key, number)
    value, slopes = jax.value_and_grad(problem.objective)(
        state.found, facts, state.multipliers, key
    )
    rate = problem.inner.rate / (1 + state.made / problem.inner.slowing)
    after, averages = descended(state.found, slopes, state.averages, state.made, rate)
    return state._replace(
        found=problem.moved(state.found, after, facts, rate),
        averages=averages,
        made=state.made + 1,
        total=state.total + value,
    )


def judged(problem: Problem, state: State, facts: Any) -> tuple[State, Any]:
    """Raise the multipliers where a minimum is found, and say whether the run ends."""
    inner = problem.inner
    mean = state.total / inner.every
    change = jnp.abs(state.objective - mean)
    resting_now = change <= inner.tolerance * jnp.maximum(jnp.abs(mean), 1.0)
    at_minimum = resting_now | (state.made >= inner.steps)
    going_on = state._replace(total=jnp.zeros(()), objective=mean)
    multipliers, last = problem.raised(state.found, facts, state.multipliers)
    turned = going_on._replace(
        averages=resting(state.found),
        multipliers=multipliers,
        outer=state.outer + 1,
        made=jnp.zeros_like(state.made),
        objective=jnp.asarray(jnp.inf, jnp.float32),
    )
    after = jax.tree_util.tree_map(partial(jnp.where, at_minimum), turned, going_on)
    return after, at_minimum & (last | (turned.outer >= problem.outer_steps))


class Compiled(NamedTuple):
    """The functions of many runs, compiled once for each shape."""

    begun: Any
    advance: Any
    settled: Any


@cache
def compiled(problem: Problem) -> Compiled:
    """The functions for a problem."""

    def settled(state: Any, facts: Any, number: int) -> tuple[Any, Any]:
        return jax.vmap(partial(judged, problem))(state, facts)  # type: ignore[no-any-return]

    return Compiled(
        jax.jit(jax.vmap(partial(begun, problem))),
        advancing(partial(step, problem)),
        jax.jit(settled),
    )


def minimised(problem: Problem, keys: Any, facts: Any) -> Ended:
    """Run all until each has ended; `Ended.state` is a `State`.

    Parameters
    ----------
    problem
        What is minimised.
    keys
        A key of random numbers for each run.
    facts
        A tree of arrays whose first axis is the run: data, masks.
    """
    functions = compiled(problem)
    return run_until_settled(
        functions.advance,
        functions.settled,
        functions.begun(keys, facts),
        facts,
        steps=problem.outer_steps * problem.inner.steps,
        every=problem.inner.every,
    )
