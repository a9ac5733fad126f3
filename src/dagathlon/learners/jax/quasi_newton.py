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
    value, gradients
        The objective without its L1 penalty, and its gradient.
    moves, turns
        Changes of parameters and of gradients in the last steps, the latest last.
    curvatures
        One over the inner products of the two; 0 for none.
    """

    value: Any
    gradients: Any
    moves: Any
    turns: Any
    curvatures: Any


def initial_memory(objective: Objective, params: Any) -> Memory:
    """Return the memory at a starting point."""
    value, gradients = jax.value_and_grad(objective)(params)
    none = jnp.zeros((_MEMORY, params.size), params.dtype)
    return Memory(value, gradients, none, none, jnp.zeros(_MEMORY, params.dtype))


def lbfgs_step(
    objective: Objective, params: Any, memory: Memory, penalty: Any
) -> tuple[Any, Memory, Any]:
    """Take one step; return the new parameters, the memory, and the penalised objective.

    If no step descends, the parameters stay and the memory is cleared.

    Parameters
    ----------
    objective
        The objective without its L1 penalty.
    params
        Flattened parameters.
    memory
        Memory of the previous step.
    penalty
        Factor of the L1 penalty of each parameter.
    """
    uphill = _penalised_gradient(memory.gradients, params, penalty)
    along = -_search_direction(memory, uphill)
    along = jnp.where((penalty > 0) & (along * uphill >= 0), 0.0, along)
    along = jnp.where(jnp.sum(along * uphill) < 0, along, -uphill)
    side = jnp.where(params == 0, -jnp.sign(uphill), jnp.sign(params))
    place, value, gradients, better = _line_search(
        objective, params, memory, (along, uphill, side, penalty)
    )
    after = _with_step(memory, place - params, gradients - memory.gradients)
    after = after._replace(value=value, gradients=gradients)
    empty = memory._replace(curvatures=jnp.zeros_like(memory.curvatures))
    chosen = jax.tree_util.tree_map(lambda a, b: jnp.where(better, a, b), after, empty)
    place = jnp.where(better, place, params)
    return place, chosen, chosen.value + jnp.sum(penalty * jnp.abs(place))


def _penalised_gradient(gradients: Any, params: Any, penalty: Any) -> Any:
    """Return the minimum-norm subgradient of the objective with its L1 penalty."""
    at_zero = jnp.sign(gradients) * jnp.maximum(jnp.abs(gradients) - penalty, 0.0)
    return jnp.where(params == 0, at_zero, gradients + penalty * jnp.sign(params))


def _search_direction(memory: Memory, gradients: Any) -> Any:
    """Return the gradient times the L-BFGS approximation of the inverse Hessian."""
    shares: list[Any] = [None] * _MEMORY
    for k in reversed(range(_MEMORY)):
        shares[k] = memory.curvatures[k] * jnp.sum(memory.moves[k] * gradients)
        gradients = gradients - shares[k] * memory.turns[k]
    squares = jnp.sum(memory.turns[-1] ** 2)
    known = memory.curvatures[-1] > 0
    size = jnp.sqrt(jnp.sum(gradients**2))
    first = 1 / jnp.maximum(size, 1.0)
    gradients = gradients * jnp.where(
        known, 1 / jnp.maximum(memory.curvatures[-1] * squares, 1e-30), first
    )
    for k in range(_MEMORY):
        share = memory.curvatures[k] * jnp.sum(memory.turns[k] * gradients)
        gradients = gradients + memory.moves[k] * (shares[k] - share)
    return gradients


def _line_search(
    objective: Objective, params: Any, memory: Memory, path: tuple[Any, Any, Any, Any]
) -> tuple[Any, Any, Any, Any]:
    """Run a backtracking line search; return place, value, gradient, and whether it succeeded."""
    along, uphill, side, penalty = path
    begin = memory.value + jnp.sum(penalty * jnp.abs(params))

    def tried(length: Any) -> tuple[Any, Any, Any, Any]:
        place = params + length * along
        place = jnp.where((penalty > 0) & (place * side <= 0), 0.0, place)
        value, gradients = jax.value_and_grad(objective)(place)
        total = value + jnp.sum(penalty * jnp.abs(place))
        better = total < begin + _DESCENT * jnp.minimum(jnp.sum(uphill * (place - params)), 0.0)
        return place, value, gradients, better

    def again(state: tuple[Any, Any]) -> tuple[Any, Any]:
        return state[0] + 1, tried(0.5 ** state[0])

    def going_on(state: tuple[Any, Any]) -> Any:
        return (state[0] <= _HALVINGS) & ~state[1][3]

    nowhere = (params, memory.value, memory.gradients, jnp.zeros((), bool))
    initial = (jnp.zeros(()), nowhere)
    return jax.lax.while_loop(going_on, again, initial)[1]  # type: ignore[no-any-return]


def _with_step(memory: Memory, move: Any, turn: Any) -> Memory:
    """Add a step to the memory, unless its curvature is not positive."""
    product = jnp.sum(move * turn)
    useful = product > 1e-8 * jnp.sqrt(jnp.sum(move**2) * jnp.sum(turn**2))
    grown = Memory(
        memory.value,
        memory.gradients,
        jnp.concatenate([memory.moves[1:], move[None]]),
        jnp.concatenate([memory.turns[1:], turn[None]]),
        jnp.concatenate([memory.curvatures[1:], (1 / jnp.where(useful, product, 1.0))[None]]),
    )
    return jax.tree_util.tree_map(  # type: ignore[no-any-return]
        lambda a, b: jnp.where(useful, a, b), grown, memory
    )
