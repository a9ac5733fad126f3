"""Training of a GFlowNet over DAGs, and sampling from it."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

from dagathlon.learners.jax.adam import Averages, adam_step, zero_averages
from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.gflownet_policy import Policy, imbalance, log_odds, network
from dagathlon.learners.jax.gflownet_states import Graphs, Reward, with_arc
from dagathlon.learners.jax.loop import Compiled, compile_steps

# Steps over which the share of random moves falls from one half to its final value.
_EXPLORING = 1000
# Share of the training with falling step size.
_SLOWING = 2 / 3
# Number of steps in the mean loss of the convergence rule.
_REMEMBERED = 100


class Training(NamedTuple):
    """Compile-time constants of the training."""

    policy: Policy
    steps: int
    walkers: int
    batch: int
    buffer: int
    rate: float
    exploration: float
    tolerance: float


class Buffer(NamedTuple):
    """Replay buffer of moves: the graphs before, the arcs, and the number of moves ever stored."""

    graphs: Graphs
    moves: Any
    stored: Any


class State(NamedTuple):
    """State of a run."""

    weights: Any
    averages: Averages
    walkers: Graphs
    buffer: Buffer
    key: Any
    loss: Any


def initial(training: Training, key: Any, reward: Reward, leads: Any) -> State:
    """Return a network with random weights and walkers at the start.

    Parameters
    ----------
    training
        The settings.
    key
        Random numbers of this run.
    reward
        The data set.
    leads
        Reflexive transitive closure of the start graph.
    """
    ours, first = jax.random.split(key)
    weights = network(training.policy, first)
    room = _repeated(Graphs(reward.start, leads), training.buffer)
    walkers = _repeated(Graphs(reward.start, leads), training.walkers)
    empty = Buffer(room, jnp.zeros(training.buffer, jnp.int32), jnp.zeros((), jnp.int32))
    return State(
        weights, zero_averages(weights), walkers, empty, ours, jnp.array(jnp.inf, jnp.float32)
    )


def _repeated(graph: Graphs, count: int) -> Graphs:
    return Graphs(*(jnp.broadcast_to(part, (count, *part.shape)) for part in graph))


def step(training: Training, state: State, fixed: tuple[Reward, Any], number: Any) -> State:
    """Move the walkers once, and train the network on moves of the buffer."""
    reward, _ = fixed
    key, walk, choose = jax.random.split(state.key, 3)
    exploring = jnp.maximum(training.exploration, 0.5 * (1 - number / _EXPLORING))
    walkers, buffer = _walked(training, state, reward, (walk, exploring))
    # Before the buffer is filled these moves may be illegal: they have weight 0.
    known = jnp.minimum(buffer.stored, training.buffer)
    rows = jax.random.randint(choose, (training.batch,), 0, jnp.maximum(known, 1))
    graphs = Graphs(*(part[rows] for part in buffer.graphs))
    chosen = jnp.where(known > 0, 1.0, 0.0)
    loss, gradients = jax.value_and_grad(
        lambda w: chosen * _loss(training, w, graphs, buffer.moves[rows], reward)
    )(state.weights)
    share_left = (training.steps - number) / (training.steps * _SLOWING)
    rate = training.rate * jnp.minimum(share_left, 1.0)
    weights, averages = adam_step(state.weights, gradients, state.averages, number, rate)
    share = jnp.maximum(1 / (number + 1.0), 1 / _REMEMBERED)
    seen = jnp.where(jnp.isinf(state.loss), loss, state.loss)
    return State(weights, averages, walkers, buffer, key, seen + share * (loss - seen))


def _loss(training: Training, weights: Any, graphs: Graphs, moves: Any, reward: Reward) -> Any:
    """Return the Huber loss of the imbalances: quadratic up to one nat, then linear."""
    imbalances = jax.vmap(lambda g, m: imbalance(training.policy, weights, g, m, reward))(
        graphs, moves
    )
    size = jnp.abs(imbalances)
    return jnp.mean(jnp.where(size < 1, size**2 / 2, size - 0.5))


def _walked(
    training: Training, state: State, reward: Reward, how: tuple[Any, Any]
) -> tuple[Graphs, Buffer]:
    """Let every walker add an arc, which is stored, or stop and restart."""
    key, exploring = how
    first, second, third = jax.random.split(key, 3)
    odds = _all_odds(training.policy, state.weights, state.walkers, reward)
    anywhere = jnp.where(odds > -jnp.inf, 0.0, -jnp.inf)
    astray = jax.random.uniform(first, (training.walkers, 1)) < exploring
    drawn = jax.random.categorical(second, jnp.where(astray, anywhere, odds))
    stopped = drawn == odds.shape[1] - 1
    move = jnp.where(stopped, 0, drawn)
    buffer = _stored(training, state.buffer, state.walkers, move, ~stopped)
    after = jax.vmap(with_arc)(state.walkers, move)
    fresh = _fewer_arcs(state.walkers.arcs, reward.start, third)
    kept = stopped[:, None, None]
    pairs = zip(fresh, after, strict=True)
    return Graphs(*(jnp.where(kept, new, old) for new, old in pairs)), buffer


def _fewer_arcs(arcs: Any, start: Any, key: Any) -> Graphs:
    """Return new positions of stopped walkers: half at the start, others on the way to it.

    They lose a uniform number of their arcs, and may continue elsewhere from there: so all ways
    to a probable graph are explored, and graphs that are nearly the same.
    """
    first, second = jax.random.split(key)
    share = 2 * jax.random.uniform(first, (len(arcs), 1, 1)) - 1
    remaining = start | (arcs & (jax.random.uniform(second, arcs.shape) < share))
    p = arcs.shape[-1]
    leads = remaining | jnp.eye(p, dtype=bool)
    for _ in range(max(p - 1, 1).bit_length()):
        steps = leads.astype(jnp.float32)
        leads = (steps @ steps) > 0
    return Graphs(remaining, leads)


def _all_odds(policy: Policy, weights: Any, graphs: Graphs, reward: Reward) -> Any:
    """Return the log odds of the moves of many graphs, with stopping as the last one."""
    odds, _ = jax.vmap(lambda graph: log_odds(policy, weights, graph, reward))(graphs)
    return jnp.concatenate([odds, jnp.zeros((len(odds), 1))], axis=1)


def _stored(training: Training, buffer: Buffer, graphs: Graphs, move: Any, made: Any) -> Buffer:
    """Store the newest moves in place of the oldest."""
    place = (buffer.stored + jnp.cumsum(made) - 1) % training.buffer
    place = jnp.where(made, place, training.buffer)  # past the end: not stored
    stored = Graphs(
        *(
            old.at[place].set(new, mode="drop")
            for old, new in zip(buffer.graphs, graphs, strict=True)
        )
    )
    chosen = buffer.moves.at[place].set(move.astype(jnp.int32), mode="drop")
    return Buffer(stored, chosen, buffer.stored + jnp.sum(made).astype(jnp.int32))


def draws(policy: Policy, weights: Any, fixed: tuple[Reward, Any], key: Any, count: int) -> Any:
    """Sample independent DAGs, from row to column."""
    reward, leads = fixed

    def grown(number: Any, now: tuple[Graphs, Any]) -> tuple[Graphs, Any]:
        graphs, done = now
        odds = _all_odds(policy, weights, graphs, reward)
        drawn = jax.random.categorical(jax.random.fold_in(key, number), odds)
        done = done | (drawn == odds.shape[1] - 1)
        after = jax.vmap(with_arc)(graphs, jnp.where(done, 0, drawn))
        kept = done[:, None, None]
        return Graphs(*(jnp.where(kept, a, b) for a, b in zip(graphs, after, strict=True))), done

    most = policy.p * (policy.p - 1) // 2 + 1
    begin = (_repeated(Graphs(reward.start, leads), count), jnp.zeros(count, bool))
    return jax.lax.fori_loop(0, most, grown, begin)[0].arcs


@cache
def compiled(training: Training, count: int) -> Compiled:
    """Compile the functions for these settings and this number of draws."""

    def drawn(state: State, fixed: Any, key: Any) -> Any:
        return draws(training.policy, state.weights, fixed, key, count)

    return Compiled(
        jax.jit(jax.vmap(lambda key, fixed: initial(training, key, *fixed))),
        compile_steps(partial(step, training)),
        jax.jit(lambda state, fixed, number: (state, state.loss < training.tolerance)),
        jax.jit(jax.vmap(drawn)),
    )
