"""Constrained minimisation of many runs at once, each with its own multipliers.

A run minimises an objective by steps of Adam or L-BFGS until it converges; then its multipliers are
raised, and it minimises again, until the constraint holds. Runs are data sets times starts. The
objective is a `Problem`; a `Lagrangian` is one with an augmented Lagrangian.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from dagathlon.learners.jax.adam import Averages, adam_step, zero_averages
from dagathlon.learners.jax.backend import flatten_util, jax, jnp
from dagathlon.learners.jax.loop import (
    Compiled,
    Ended,
    compile_steps,
    over_runs,
    run_until_converged,
)
from dagathlon.learners.jax.quasi_newton import Memory, Objective, initial_memory, lbfgs_step


@dataclass(frozen=True)
class Inner(ABC):
    """Base class of the inner minimisers.

    Parameters
    ----------
    steps
        Largest number of steps until the multipliers are raised.
    every
        Number of steps between two convergence checks of the mean objective.
    tolerance
        Change of the mean objective, relative to its size or to 1, whichever is larger, up to which
        the minimisation has converged.
    """

    steps: int
    every: int
    tolerance: float

    @abstractmethod
    def initial(self, problem: Problem, params: Any, facts: Any, multipliers: Any) -> Any:
        """Return the memory of the minimiser before its first step."""

    @abstractmethod
    def step(self, problem: Problem, state: State, facts: Any, key: Any) -> tuple[Any, Any, Any]:
        """Return parameters and memory after a step, and the objective with its L1 penalty."""


@dataclass(frozen=True)
class Adam(Inner):
    """Minimiser by Adam: for stochastic objectives and rough minima.

    Parameters
    ----------
    rate
        Initial step size.
    slowing
        Number of steps after which the step size is halved; after twice as many it is a third.
    """

    rate: float = 0.01
    slowing: float = math.inf

    def initial(self, problem: Problem, params: Any, facts: Any, multipliers: Any) -> Averages:
        """Return empty running means."""
        return zero_averages(params)

    def step(self, problem: Problem, state: State, facts: Any, key: Any) -> tuple[Any, Any, Any]:
        """Take one Adam step; the subgradient of the L1 penalty at 0 is 0."""

        def objective(params: Any) -> Any:
            rest = problem.objective(params, facts, state.multipliers, key)
            return rest + _sizes(params, problem.sparsity(params, facts))

        value, gradients = jax.value_and_grad(objective)(state.params)
        rate = self.rate / (1 + state.made / self.slowing)
        after, averages = adam_step(state.params, gradients, state.memory, state.made, rate)
        return problem.projected(state.params, after, facts), averages, value


@dataclass(frozen=True)
class QuasiNewton(Inner):
    """Minimiser by L-BFGS, with exact zeros under an L1 penalty, for deterministic objectives."""

    def initial(self, problem: Problem, params: Any, facts: Any, multipliers: Any) -> Memory:
        """Return the memory at the starting point."""
        row, objective = _in_a_row(problem, params, facts, multipliers)
        return initial_memory(objective, row)

    def step(self, problem: Problem, state: State, facts: Any, key: Any) -> tuple[Any, Any, Any]:
        """Take one L-BFGS step with its line search."""
        row, objective = _in_a_row(problem, state.params, facts, state.multipliers)
        flat, back = flatten_util.ravel_pytree(state.params)
        factors = problem.sparsity(state.params, facts)
        penalty = 0.0 * flat if factors is None else flatten_util.ravel_pytree(factors)[0]
        row, memory, value = lbfgs_step(objective, row, state.memory, penalty)
        return back(row), memory, value


def _in_a_row(problem: Problem, params: Any, facts: Any, multipliers: Any) -> tuple[Any, Objective]:
    row, back = flatten_util.ravel_pytree(params)
    key = jax.random.PRNGKey(0)  # unused by deterministic objectives
    return row, lambda at: problem.objective(back(at), facts, multipliers, key)


def _sizes(params: Any, factors: Any) -> Any:
    """Return the L1 penalty."""
    if factors is None:
        return 0.0
    each = jax.tree_util.tree_map(lambda x, f: jnp.sum(f * jnp.abs(x)), params, factors)
    return sum(jax.tree_util.tree_leaves(each))


@dataclass(frozen=True, kw_only=True)
class Problem(ABC):
    """Base class of objectives, with all compile-time constants; methods are for a single run.

    Parameters
    ----------
    inner
        The minimiser.
    outer_steps
        Largest number of inner minimisations.
    """

    inner: Inner
    outer_steps: int

    @abstractmethod
    def initial(self, key: Any, facts: Any) -> Any:
        """Return the initial parameters: a tree of arrays."""

    @abstractmethod
    def multipliers(self) -> Any:
        """Return the initial multipliers: a tree of arrays."""

    @abstractmethod
    def objective(self, params: Any, facts: Any, multipliers: Any, key: Any) -> Any:
        """Return the objective without an L1 penalty; each step has another random key."""

    @abstractmethod
    def raised(self, params: Any, facts: Any, multipliers: Any) -> tuple[Any, Any]:
        """Return new multipliers at a minimum, and whether the run ends there."""

    def sparsity(self, params: Any, facts: Any) -> Any:
        """Return the L1 penalty factor of each parameter as a tree; None for no penalty."""
        return None

    def projected(self, before: Any, after: Any, facts: Any) -> Any:
        """Project the result of an Adam step, given the parameters before and after it."""
        return after


class Multipliers(NamedTuple):
    """Multipliers of an augmented Lagrangian.

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


@dataclass(frozen=True, kw_only=True)
class Lagrangian(Problem):
    """Minimise `loss` where `constraint` is 0, by an augmented Lagrangian.

    Parameters
    ----------
    rho, rho_max
        Initial penalty of the constraint, and the one above which a run ends.
    tolerance
        A run ends when the constraint is not above this.
    progress
        Largest ratio of the constraint to its last value for which the penalty is not raised.
    factor
        Factor by which the penalty is raised.
    """

    rho: float = 1.0
    rho_max: float = 1e16
    tolerance: float = 1e-8
    progress: float = 0.25
    factor: float = 10.0

    @abstractmethod
    def loss(self, params: Any, facts: Any, key: Any) -> Any:
        """Return the loss, which is minimised subject to the constraint."""

    @abstractmethod
    def constraint(self, params: Any, facts: Any) -> Any:
        """Return the constraint: a non-negative number that is 0 where the constraint holds."""

    def multipliers(self) -> Multipliers:
        """Return a multiplier of zero and a small penalty."""
        return Multipliers(
            jnp.asarray(self.rho, jnp.float32), jnp.zeros(()), jnp.asarray(jnp.inf, jnp.float32)
        )

    def objective(self, params: Any, facts: Any, multipliers: Multipliers, key: Any) -> Any:
        """Return the augmented Lagrangian."""
        value = self.constraint(params, facts)
        penalty = (multipliers.alpha + 0.5 * multipliers.rho * value) * value
        return self.loss(params, facts, key) + penalty

    def raised(self, params: Any, facts: Any, multipliers: Multipliers) -> tuple[Multipliers, Any]:
        """Take one step of dual ascent."""
        value = self.constraint(params, facts)
        rho, alpha, last = multipliers
        after = Multipliers(
            jnp.where(value > self.progress * last, rho * self.factor, rho),
            alpha + rho * value,
            value,
        )
        return after, (value <= self.tolerance) | (after.rho > self.rho_max)


class State(NamedTuple):
    """State of a run.

    Parameters
    ----------
    params, memory, key
        Parameters, memory of the minimiser, random key.
    multipliers, outer, made
        Multipliers, number of times they were raised, and steps since then.
    total, objective
        Sum of the objective since the last check, and its mean before that.
    minimum
        The objective at the last minimum.
    """

    params: Any
    memory: Any
    key: Any
    multipliers: Any
    outer: Any
    made: Any
    total: Any
    objective: Any
    minimum: Any


def initial(problem: Problem, key: Any, facts: Any) -> State:
    """Return the state before the first step."""
    ours, first = jax.random.split(key)
    params, multipliers = problem.initial(first, facts), problem.multipliers()
    memory = problem.inner.initial(problem, params, facts, multipliers)
    none, zero = jnp.zeros((), jnp.int32), jnp.zeros(())
    unknown = jnp.asarray(jnp.inf, jnp.float32)
    return State(params, memory, ours, multipliers, none, none, zero, unknown, unknown)


def step(problem: Problem, state: State, facts: Any, number: Any) -> State:
    """Take one step of the inner minimisation."""
    key = jax.random.fold_in(state.key, number)
    params, memory, value = problem.inner.step(problem, state, facts, key)
    return state._replace(
        params=params, memory=memory, made=state.made + 1, total=state.total + value
    )


def check_convergence(problem: Problem, state: State, facts: Any) -> tuple[State, Any]:
    """Raise the multipliers if the inner minimisation converged; return whether the run ends."""
    inner = problem.inner
    mean = state.total / inner.every
    change = jnp.abs(state.objective - mean)
    resting_now = change <= inner.tolerance * jnp.maximum(jnp.abs(mean), 1.0)
    # The next check must not come after the last step.
    at_minimum = resting_now | (state.made + inner.every > inner.steps)
    going_on = state._replace(total=jnp.zeros(()), objective=mean)
    multipliers, last = problem.raised(state.params, facts, state.multipliers)
    turned = going_on._replace(
        memory=inner.initial(problem, state.params, facts, multipliers),
        multipliers=multipliers,
        outer=state.outer + 1,
        made=jnp.zeros_like(state.made),
        objective=jnp.asarray(jnp.inf, jnp.float32),
        minimum=mean,
    )
    after = jax.tree_util.tree_map(partial(jnp.where, at_minimum), turned, going_on)
    return after, at_minimum & (last | (turned.outer >= problem.outer_steps))


@cache
def compiled(problem: Problem) -> Compiled:
    """Compile the functions for a problem."""
    judge = over_runs(partial(check_convergence, problem))

    return Compiled(
        jax.jit(over_runs(partial(initial, problem))),
        compile_steps(partial(step, problem), over_runs),
        jax.jit(lambda state, facts, number: judge(state, facts)),
    )


def minimise(problem: Problem, keys: Any, facts: Any) -> Ended:
    """Run until every run has ended; `Ended.state` is a `State`.

    Parameters
    ----------
    problem
        The objective.
    keys
        A random key for each run.
    facts
        A tree of arrays whose first axis is the run: data, masks.
    """
    functions = compiled(problem)
    return run_until_converged(
        functions.advance,
        functions.settled,
        functions.initial(keys, facts),
        facts,
        steps=problem.outer_steps * problem.inner.steps,
        every=problem.inner.every,
    )
