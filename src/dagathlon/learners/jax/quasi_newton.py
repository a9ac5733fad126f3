"""L-BFGS with an L1 penalty (OWL-QN).

Without a penalty it is L-BFGS. Andrew and Gao 2007, ICML: steps stay in an orthant, and so entries
become exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from dagathlon.learners.jax.backend import jax, jnp

Objective: TypeAlias = Callable[[Any], Any]
# L-BFGS memory length; largest number of halvings; Armijo constant of the line search.
_MEMORY, _HALVINGS, _DESCENT = 10, 15, 1e-4


class Memory(NamedTuple):
    """L-BFGS memory for parameters flattened to a vector.

    Parameters
    ----------
    value, slopes
        The objective without its L1 penalty, and its gradient.
    moves, turns
        Changes of parameters and of gradients in the last steps, the latest last.
    curvatures
        One over the inner products of the two; 0 for none.
    """

    value: Any
    slopes: Any
    moves: Any
    turns: Any
    curvatures: Any


def remembered(objective: Objective, found: Any) -> Memory:
    """Return the memory at a starting point."""
    value, slopes = jax.value_and_grad(objective)(found)
    none = jnp.zeros((_MEMORY, found.size), found.dtype)
    return Memory(value, slopes, none, none, jnp.zeros(_MEMORY, found.dtype))


def stepped(
    objective: Objective, found: Any, memory: Memory, penalty: Any
) -> tuple[Any, Memory, Any]:
    """Take one step; return the new parameters, the memory, and the penalised objective.

    If no step descends, the parameters stay and the memory is cleared.

    Parameters
    ----------
    objective
        The objective without its L1 penalty.
    found
        Flattened parameters.
    memory
        Memory of the previous step.
    penalty
        Factor of the L1 penalty of each parameter.
    """
    uphill = _with_penalty(memory.slopes, found, penalty)
    along = -_scaled(memory, uphill)
    along = jnp.where((penalty > 0) & (along * uphill >= 0), 0.0, along)
    along = jnp.where(jnp.sum(along * uphill) < 0, along, -uphill)
    side = jnp.where(found == 0, -jnp.sign(uphill), jnp.sign(found))
    place, value, slopes, better = _searched(
        objective, found, memory, (along, uphill, side, penalty)
    )
    after = _with_step(memory, place - found, slopes - memory.slopes)
    after = after._replace(value=value, slopes=slopes)
    empty = memory._replace(curvatures=jnp.zeros_like(memory.curvatures))
    chosen = jax.tree_util.tree_map(lambda a, b: jnp.where(better, a, b), after, empty)
    place = jnp.where(better, place, found)
    return place, chosen, chosen.value + jnp.sum(penalty * jnp.abs(place))


def _with_penalty(slopes: Any, found: Any, penalty: Any) -> Any:
    """Return the minimum-norm subgradient of the objective with its L1 penalty."""
    at_zero = jnp.sign(slopes) * jnp.maximum(jnp.abs(slopes) - penalty, 0.0)
    return jnp.where(found == 0, at_zero, slopes + penalty * jnp.sign(found))


def _scaled(memory: Memory, slopes: Any) -> Any:
    """Return the gradient times the L-BFGS approximation of the inverse Hessian."""
    shares: list[Any] = [None] * _MEMORY
    for k in reversed(range(_MEMORY)):
        shares[k] = memory.curvatures[k] * jnp.sum(memory.moves[k] * slopes)
        slopes = slopes - shares[k] * memory.turns[k]
    squares = jnp.sum(memory.turns[-1] ** 2)
    known = memory.curvatures[-1] > 0
    size = jnp.sqrt(jnp.sum(slopes**2))
    first = 1 / jnp.maximum(size, 1.0)
    slopes = slopes * jnp.where(
        known, 1 / jnp.maximum(memory.curvatures[-1] * squares, 1e-30), first
    )
    for k in range(_MEMORY):
        share = memory.curvatures[k] * jnp.sum(memory.turns[k] * slopes)
        slopes = slopes + memory.moves[k] * (shares[k] - share)
    return slopes


def _searched(
    objective: Objective, found: Any, memory: Memory, path: tuple[Any, Any, Any, Any]
) -> tuple[Any, Any, Any, Any]:
    """Run a backtracking line search; return place, value, gradient, and whether it succeeded."""
    along, uphill, side, penalty = path
    begin = memory.value + jnp.sum(penalty * jnp.abs(found))

    def tried(length: Any) -> tuple[Any, Any, Any, Any]:
        place = found + length * along
        place = jnp.where((penalty > 0) & (place * side <= 0), 0.0, place)
        value, slopes = jax.value_and_grad(objective)(place)
        total = value + jnp.sum(penalty * jnp.abs(place))
        better = total < begin + _DESCENT * jnp.minimum(jnp.sum(uphill * (place - found)), 0.0)
        return place, value, slopes, better

    def again(state: tuple[Any, Any]) -> tuple[Any, Any]:
        return state[0] + 1, tried(0.5 ** state[0])

    def going_on(state: tuple[Any, Any]) -> Any:
        return (state[0] <= _HALVINGS) & ~state[1][3]

    nowhere = (found, memory.value, memory.slopes, jnp.zeros((), bool))
    begun = (jnp.zeros(()), nowhere)
    return jax.lax.while_loop(going_on, again, begun)[1]  # type: ignore[no-any-return]


def _with_step(memory: Memory, move: Any, turn: Any) -> Memory:
    """Add a step to the memory, unless its curvature is not positive."""
    product = jnp.sum(move * turn)
    useful = product > 1e-8 * jnp.sqrt(jnp.sum(move**2) * jnp.sum(turn**2))
    grown = Memory(
        memory.value,
        memory.slopes,
        jnp.concatenate([memory.moves[1:], move[None]]),
        jnp.concatenate([memory.turns[1:], turn[None]]),
        jnp.concatenate([memory.curvatures[1:], (1 / jnp.where(useful, product, 1.0))[None]]),
    )
    return jax.tree_util.tree_map(  # type: ignore[no-any-return]
        lambda a, b: jnp.where(useful, a, b), grown, memory
    )
