"""Stein variational gradient descent (SVGD) of DiBS's particles, and its convergence rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.dibs_graphs import (
    GraphPrior,
    acyclicity_gradient,
    latent_gradient,
    latent_products,
    off_diagonal,
    prior_gradient,
)
from dagathlon.learners.jax.dibs_likelihoods import (
    Bge,
    Linear,
    Theta,
    log_expected,
    log_expected_drawn,
)

_DECAY = 0.9
_TINY = 1e-8


class Plan(NamedTuple):
    """Compile-time constants: sizes, model, kernel and schedules."""

    p: int
    particles: int
    latent_dim: int
    latent_std: float
    alpha: float
    beta: float
    gamma_z: float
    gamma_theta: float
    step_size: float
    prior: GraphPrior
    edges_per_node: float
    likelihood: Bge | Linear
    samples: int
    """Number of parent sets sampled for each node; 0 for exact sums."""
    patience: int
    tolerance: float


class State(NamedTuple):
    """State of a run: particles, running mean squares, and averages when they last changed.

    `seen` are averages over the particles, `seen_at` the step at which they were recorded.
    """

    z: Any
    theta: Any
    squares: Any
    key: Any
    seen: Any
    seen_at: Any


def initial(plan: Plan, key: Any) -> State:
    """Draw particles from the priors of latent vectors and parameters."""
    ours, first, second, third = jax.random.split(key, 4)
    p, m = plan.p, plan.particles
    z = plan.latent_std * jax.random.normal(first, (2, p, plan.latent_dim, m))
    theta = None
    if isinstance(plan.likelihood, Linear):
        like = plan.likelihood
        coefficients = like.edge_std * jax.random.normal(second, (p, p, m)) * off_diagonal(p)
        precision = jax.random.gamma(third, like.noise_shape, (p, m)) / like.noise_rate
        theta = Theta(coefficients, -jnp.log(precision))
    squares = jax.tree_util.tree_map(jnp.zeros_like, (z, theta))
    return State(z, theta, squares, ours, _averages(z, theta), jnp.zeros((), int))


def hard_arcs(z: Any) -> Any:
    """Return the graph of each particle: arcs of probability above 1/2."""
    return latent_products(z) * off_diagonal(z.shape[1]) > 0


def _averages(z: Any, theta: Any) -> Any:
    """Return means over particles: frequencies of arcs, coefficients on arcs, log variances."""
    arcs = hard_arcs(z)
    if theta is None:
        return (jnp.mean(arcs, axis=-1),)
    return tuple(jnp.mean(x, axis=-1) for x in (arcs, arcs * theta[0], theta[1]))


def gradients(plan: Plan, fixed: Any, state: State, step: Any) -> tuple[Any, Any]:
    """Return the gradients of the log posterior density of all particles (Z, Θ) at a step.

    Derived by hand down to the arcs: automatic differentiation of the whole takes four times as
    long, since it recomputes what several parts share.
    """
    like, z, theta = plan.likelihood, state.z, state.theta
    logits = plan.alpha * step * latent_products(z)
    arcs = jax.nn.sigmoid(logits) * off_diagonal(plan.p)
    key = jax.random.fold_in(state.key, step)
    found, gradient_theta = _likelihood_gradients(plan, fixed, logits, theta, key)
    prior = prior_gradient(arcs, plan.prior, plan.edges_per_node)
    found += arcs * (1 - arcs) * (prior - plan.beta * step * acyclicity_gradient(arcs))
    gradient = latent_gradient(z, plan.alpha * step * found) - z / plan.latent_std**2
    if isinstance(like, Linear) and like.noise_variance is None:
        logs = theta.log_variances
        noise = like.noise_rate * jnp.exp(-logs) - like.noise_shape
        gradient_theta = gradient_theta._replace(log_variances=gradient_theta.log_variances + noise)
    return gradient, gradient_theta


def _likelihood_gradients(
    plan: Plan, fixed: Any, logits: Any, theta: Any, key: Any
) -> tuple[Any, Any]:
    def total(logits: Any, theta: Any) -> Any:
        if not plan.samples:
            return jnp.sum(log_expected(plan.likelihood, fixed, theta, logits))
        given = (plan.likelihood, fixed, theta, logits)
        return jnp.sum(log_expected_drawn(*given, key=key, samples=plan.samples))

    gradients: tuple[Any, Any] = jax.grad(total, argnums=(0, 1))(logits, theta)
    return gradients


def svgd_direction(plan: Plan, z: Any, theta: Any, uphill: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return the SVGD direction under a sum of two Gaussian kernels, of Z and of Θ."""
    kernel_z, push_z = _kernel(_columns(z), plan.gamma_z)
    if theta is None:
        return _moved(kernel_z, _columns(uphill[0]), push_z).reshape(z.shape), None
    parameters = _flattened(theta)
    kernel_theta, push_theta = _kernel(parameters, plan.gamma_theta)
    both = kernel_z + kernel_theta
    moved = _moved(both, _flattened(uphill[1]), push_theta)
    cells = plan.p**2
    ascent = Theta(moved[:cells].reshape(theta.coefficients.shape), moved[cells:])
    return _moved(both, _columns(uphill[0]), push_z).reshape(z.shape), ascent


def _columns(values: Any) -> Any:
    """Flatten values to one column for each particle."""
    return values.reshape(-1, values.shape[-1])


def _flattened(theta: Theta) -> Any:
    """Flatten all parameters to one column for each particle."""
    return jnp.concatenate([_columns(theta.coefficients), theta.log_variances])


def _kernel(columns: Any, bandwidth: float) -> tuple[Any, Any]:
    """Return the kernel exp(−distance²/bandwidth) of all pairs, and its repulsive term."""
    squares = jnp.sum(columns**2, axis=0)
    distances = squares[:, None] + squares[None, :] - 2 * columns.T @ columns
    kernel = jnp.exp(-jnp.maximum(distances, 0) / bandwidth)
    push = 2 / bandwidth * (columns * jnp.sum(kernel, axis=0) - columns @ kernel)
    return kernel, push


def _moved(kernel: Any, uphill: Any, push: Any) -> Any:
    return (uphill @ kernel + push) / len(kernel)


def _step(plan: Plan, fixed: Any, step: Any, state: State) -> State:
    """Take one SVGD step with RMSprop step lengths."""
    ascent = svgd_direction(plan, state.z, state.theta, gradients(plan, fixed, state, step))
    tree_map = jax.tree_util.tree_map
    squares = tree_map(lambda s, a: _DECAY * s + (1 - _DECAY) * a * a, state.squares, ascent)
    z, theta = tree_map(
        lambda x, a, s: x + plan.step_size * a / jnp.sqrt(s + _TINY),
        (state.z, state.theta),
        ascent,
        squares,
    )
    return state._replace(z=z, theta=theta, squares=squares)


def _converged(plan: Plan, state: State, step: Any) -> tuple[State, Any]:
    """Return whether the averages over particles have been constant for `patience` steps."""
    now = _averages(state.z, state.theta)
    moved = [jnp.max(jnp.abs(a - b)) for a, b in zip(now, state.seen, strict=True)]
    rests = jnp.max(jnp.stack(moved)) <= plan.tolerance
    seen = tuple(jnp.where(rests, b, a) for a, b in zip(now, state.seen, strict=True))
    since = jnp.where(rests, state.seen_at, step)
    return state._replace(seen=seen, seen_at=since), rests & (step - since >= plan.patience)


@cache
def compiled(plan: Plan, together: bool) -> tuple[Any, Any, Any]:
    """Compile the initialisation, the steps between two numbers, and the convergence rule.

    Parameters
    ----------
    plan
        The compile-time constants.
    together
        Whether runs are computed in one batch, as suits a GPU; a CPU is faster with one after
        another. The first axis of all arrays is the run either way.
    """
    over = jax.vmap if together else _alone

    def advance(state: Any, fixed: Any, first: Any, last: Any) -> Any:
        def whole(one: Any, data: Any) -> Any:
            return jax.lax.fori_loop(first, last, lambda t, s: _step(plan, data, t, s), one)

        return over(whole)(state, fixed)

    def settled(state: Any, fixed: Any, step: Any) -> Any:
        return over(lambda one: _converged(plan, one, step))(state)

    start = over(lambda key: initial(plan, key))
    return jax.jit(start), jax.jit(advance), jax.jit(settled)


def _alone(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of one run for arrays whose first axis has that run alone."""

    def called(*given: Any) -> Any:
        result = function(*jax.tree_util.tree_map(lambda x: x[0], given))
        return jax.tree_util.tree_map(lambda x: x[None], result)

    return called
