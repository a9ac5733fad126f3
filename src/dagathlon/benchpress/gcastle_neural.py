"""gCastle's learners that train neural networks: gCastle itself, in an environment of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, cast

from dagathlon.benchpress.gcastle import GCASTLE
from dagathlon.external.learner import ExternalLearner
from dagathlon.external.manifest import read_manifest
from dagathlon.learners.background import ConstraintFile
from dagathlon.learners.base import Gpu, Output
from dagathlon.modules import Count, NonNegative, Probability

_ORIGINAL = read_manifest(Path(__file__).with_name("gcastle_original"))


@dataclass(frozen=True, kw_only=True)
class GcastleNeural(ExternalLearner):
    """A learner of gCastle that trains neural networks.

    All of them share one program (``gcastle_original`` beside this file), whose parameters are
    theirs.

    Parameters
    ----------
    edgeConstraints
        Must be null: gCastle takes no constraints.
    device_type
        Where to compute.
    device_ids
        Which devices; null is the default one.

    Attributes
    ----------
    honours_constraints
        As in Benchpress's other modules: whether edge constraints are obeyed.
    """

    manifest = _ORIGINAL
    version = _ORIGINAL.version
    takes = _ORIGINAL.takes
    gives = cast(Output, _ORIGINAL.gives)
    implementation = _ORIGINAL.implementation
    honours_constraints: ClassVar[bool] = False

    edgeConstraints: ConstraintFile | None = None
    device_type: Literal["cpu", "gpu"] = "cpu"
    device_ids: Count | str | None = 0

    @property
    def gpu(self) -> Gpu:  # type: ignore[override]  # a parameter decides
        """A card where the parameters ask for one."""
        return "yes" if self.device_type == "gpu" else "no"

    def problem(self) -> str:
        """Constraints that nobody would obey are refused."""
        if self.edgeConstraints is not None:
            return f"{self.name} cannot honour edge constraints; set edgeConstraints to null"
        return ""


@dataclass(frozen=True, kw_only=True)
class GcastleNotearsNonlinear(GcastleNeural):
    """NOTEARS with perceptrons or Sobolev functions in place of linear terms.

    Parameters
    ----------
    lambda1
        Factor of the L1 penalty.
    lambda2
        Factor of the L2 penalty.
    max_iter
        Largest number of dual ascent steps.
    h_tol
        Stop when the acyclicity constraint is below this.
    rho_max
        Stop when the penalty of the constraint is above this.
    w_threshold
        Weights below this in absolute value are no edges.
    bias
        Whether the units have an intercept.
    model_type
        Perceptrons (mlp) or Sobolev basis functions (sob).
    """

    name = "gcastle_notears_nonlinear"
    references = ("Zheng, Dan, Aragam, Ravikumar and Xing 2020, AISTATS", GCASTLE)

    lambda1: NonNegative = 0.01
    lambda2: NonNegative = 0.01
    max_iter: Count = 100
    h_tol: NonNegative = 1e-8
    rho_max: NonNegative = 1e16
    w_threshold: NonNegative = 0.3
    bias: bool = True
    model_type: Literal["mlp", "sob"] = "mlp"


@dataclass(frozen=True, kw_only=True)
class GcastleGrandag(GcastleNeural):
    """GraN-DAG: one network per variable, with acyclic paths through the networks.

    Parameters
    ----------
    hidden_num, hidden_dim
        Number and width of the hidden layers.
    batch_size
        Rows per step.
    lr
        Learning rate.
    iterations
        Number of steps.
    model_name
        Noise model.
    nonlinear
        Activation of the hidden layers.
    optimizer
        Optimiser.
    h_threshold
        Stop when the acyclicity constraint is below this.
    use_pns
        Whether candidate neighbours are selected first.
    pns_thresh
        Threshold of that selection.
    num_neighbors
        Ignored, as in Benchpress.
    normalize
        Whether the data are standardised first.
    precision
        Whether to compute in double precision.
    random_seed
        Ignored, as in Benchpress: the seed of the replicate is used.
    jac_thresh
        Whether edges are cut by the mean Jacobian.
    lambda_init, mu_init
        First Lagrange multiplier and first penalty of the constraint.
    omega_lambda, omega_mu
        When the multiplier and the penalty are raised.
    stop_crit_win
        Number of steps over which progress is judged.
    edge_clamp_range
        Edges below this are fixed to none during training.
    norm_prod
        How path products are normalised.
    square_prod
        Whether weights are squared rather than taken in absolute value.
    """

    name = "gcastle_grandag"
    references = ("Lachapelle, Brouillard, Deleu and Lacoste-Julien 2020, ICLR", GCASTLE)

    hidden_num: Count = 2
    hidden_dim: Count = 10
    batch_size: Count = 64
    lr: NonNegative = 0.001
    iterations: Count = 10_000
    model_name: Literal["NonLinGaussANM", "NonLinGauss"] = "NonLinGaussANM"
    nonlinear: Literal["leaky-relu", "sigmoid"] = "leaky-relu"
    optimizer: Literal["rmsprop", "sgd"] = "rmsprop"
    h_threshold: NonNegative = 1e-8
    use_pns: bool = False
    pns_thresh: NonNegative = 0.75
    num_neighbors: Count | None = None
    normalize: bool = False
    precision: bool = False
    random_seed: Count = 42
    jac_thresh: bool = True
    lambda_init: NonNegative = 0.0
    mu_init: NonNegative = 0.001
    omega_lambda: NonNegative = 0.0001
    omega_mu: NonNegative = 0.9
    stop_crit_win: Count = 100
    edge_clamp_range: NonNegative = 0.0001
    norm_prod: Literal["paths", "none"] = "paths"
    square_prod: bool = False


@dataclass(frozen=True, kw_only=True)
class GcastleMcsl(GcastleNeural):
    """Masked gradient-based structure learning: a soft mask over the possible edges.

    Parameters
    ----------
    model_type
        Networks (nn) or quadratic regression (qr).
    hidden_dim
        Width of the hidden layers.
    graph_thresh
        Mask values above this are edges.
    l1_graph_penalty
        Factor of the L1 penalty on the mask.
    learning_rate
        Learning rate.
    max_iter, iter_step, init_iter
        Number of outer steps, of steps in each of them, and of outer steps before any check.
    h_tol, h_thresh
        Stop when the acyclicity constraint is below the first; the second is for progress.
    init_rho, rho_thresh, rho_multiply
        Penalty of the constraint: first value, largest value, factor.
    temperature
        Temperature of the Gumbel-sigmoid mask.
    """

    name = "gcastle_mcsl"
    references = ("Ng, Zhu, Fang, Li, Chen and Wang 2022, SDM", GCASTLE)

    model_type: Literal["nn", "qr"] = "nn"
    hidden_dim: Count = 16
    graph_thresh: NonNegative = 0.5
    l1_graph_penalty: NonNegative = 2e-3
    learning_rate: NonNegative = 3e-2
    max_iter: Count = 25
    iter_step: Count = 1000
    init_iter: Count = 2
    h_tol: NonNegative = 1e-10
    init_rho: NonNegative = 1e-5
    rho_thresh: NonNegative = 1e14
    h_thresh: NonNegative = 0.25
    rho_multiply: NonNegative = 10.0
    temperature: NonNegative = 0.2


@dataclass(frozen=True, kw_only=True)
class GcastleGae(GcastleNeural):
    """A graph auto-encoder with an acyclic adjacency matrix.

    Parameters
    ----------
    input_dim
        Dimension of each variable.
    hidden_layers, hidden_dim
        Number and width of the hidden layers.
    epochs, update_freq, init_iter
        Number of outer steps, of steps in each of them, and of outer steps before any check.
    lr
        Learning rate.
    alpha, beta, gamma
        First multiplier, growth of the penalty, and how much progress avoids that growth.
    init_rho, rho_thresh
        Penalty of the constraint: first and largest value.
    penalty_lambda
        Factor of the L1 penalty.
    h_thresh
        Stop when the acyclicity constraint is below this.
    graph_thresh
        Weights below this in absolute value are no edges.
    early_stopping, early_stopping_thresh
        Whether to stop when the loss grows, and by which factor.
    """

    name = "gcastle_gae"
    references = ("Ng, Zhu, Chen and Fang 2019, arXiv 1911.07420", GCASTLE)

    input_dim: Count = 1
    hidden_layers: Count = 1
    hidden_dim: Count = 4
    epochs: Count = 10
    update_freq: Count = 3000
    init_iter: Count = 3
    lr: NonNegative = 1e-3
    alpha: NonNegative = 0.0
    beta: NonNegative = 2.0
    init_rho: NonNegative = 1.0
    rho_thresh: NonNegative = 1e30
    gamma: NonNegative = 0.25
    penalty_lambda: NonNegative = 0.0
    h_thresh: NonNegative = 1e-8
    graph_thresh: NonNegative = 0.3
    early_stopping: bool = False
    early_stopping_thresh: NonNegative = 1.0


@dataclass(frozen=True, kw_only=True)
class GcastleRl(GcastleNeural):
    """Search by reinforcement learning: a policy that draws graphs and is paid by their score.

    Parameters
    ----------
    encoder_type, hidden_dim, num_heads, num_stacks, residual
        The encoder: type, width, heads, stacked blocks, residual connections.
    decoder_type, decoder_activation, decoder_hidden_dim
        The decoder: type, activation, width.
    use_bias, use_bias_constant, bias_initial_value
        Whether the logits have a bias, whether it is constant, and its first value.
    batch_size, input_dimension
        Graphs per step, and rows of data per graph.
    normalize, transpose
        Whether the data are standardised and transposed first.
    score_type, reg_type
        Score (BIC or BIC_different_var) and regression (LR, QR or GPR).
    lambda_iter_num, lambda_flag_default, score_bd_tight, lambda2_update
        How the penalties of cycles are set and updated.
    score_lower, score_upper
        Bounds of the score that scale the penalties.
    nb_epoch
        Number of steps.
    lr1_start, lr1_decay_step, lr1_decay_rate
        Learning rate of the actor: first value, steps between decays, factor.
    alpha, init_baseline
        Moving average of the baseline and its first value.
    l1_graph_reg
        Factor of the L1 penalty on the graphs.
    verbose
        Ignored: nothing is printed.
    """

    name = "gcastle_rl"
    references = ("Zhu, Ng and Chen 2020, Causal discovery with reinforcement learning, ICLR",)

    encoder_type: Literal["TransformerEncoder", "GATEncoder"] = "TransformerEncoder"
    hidden_dim: Count = 64
    num_heads: Count = 16
    num_stacks: Count = 6
    residual: bool = False
    decoder_type: Literal[
        "SingleLayerDecoder", "TransformerDecoder", "BilinearDecoder", "NTNDecoder"
    ] = "SingleLayerDecoder"
    decoder_activation: Literal["tanh", "relu", "none"] = "tanh"
    decoder_hidden_dim: Count = 16
    use_bias: bool = False
    use_bias_constant: bool = False
    bias_initial_value: bool | float = False
    batch_size: Count = 64
    input_dimension: Count = 64
    normalize: bool = False
    transpose: bool = False
    score_type: Literal["BIC", "BIC_different_var"] = "BIC"
    reg_type: Literal["LR", "QR", "GPR"] = "LR"
    lambda_iter_num: Count = 1000
    lambda_flag_default: bool = True
    score_bd_tight: bool = False
    lambda2_update: NonNegative = 10.0
    score_lower: float = 0.0
    score_upper: float = 0.0
    nb_epoch: Count = 20
    lr1_start: NonNegative = 0.001
    lr1_decay_step: Count = 5000
    lr1_decay_rate: NonNegative = 0.96
    alpha: Probability = 0.99
    init_baseline: float = -1.0
    l1_graph_reg: NonNegative = 0.0
    verbose: bool = False


@dataclass(frozen=True, kw_only=True)
class GcastleCorl(GcastleNeural):
    """Search over orders by reinforcement learning, then a graph inside the best order.

    Parameters
    ----------
    batch_size
        Orders per step.
    input_dim, embed_dim
        Rows of data per order, and width of their embedding.
    normalize
        Whether the data are standardised first.
    encoder_name, encoder_heads, encoder_blocks, encoder_dropout_rate
        The encoder: type, heads, blocks, dropout.
    decoder_name
        Type of the decoder.
    reward_mode
        Whether an order is paid at its end (episodic) or at every step (dense).
    reward_score_type, reward_regression_type, reward_gpr_alpha
        Score, regression (LR, QR, GPR), and noise of the Gaussian process.
    iteration
        Number of steps.
    actor_lr, critic_lr
        Learning rates.
    alpha, init_baseline
        Moving average of the baseline and its first value.
    random_seed
        Ignored, as in Benchpress: the seed of the replicate is used.
    """

    name = "gcastle_corl"
    references = ("Wang, Du, Zhu, Ke, Chen, Hao and Wang 2021, IJCAI", GCASTLE)

    batch_size: Count = 64
    input_dim: Count = 100
    embed_dim: Count = 256
    normalize: bool = False
    encoder_name: Literal["transformer", "lstm", "mlp"] = "transformer"
    encoder_heads: Count = 8
    encoder_blocks: Count = 3
    encoder_dropout_rate: Probability = 0.1
    decoder_name: Literal["lstm", "mlp"] = "lstm"
    reward_mode: Literal["episodic", "dense"] = "episodic"
    reward_score_type: Literal["BIC", "BIC_different_var"] = "BIC"
    reward_regression_type: Literal["LR", "QR", "GPR"] = "LR"
    reward_gpr_alpha: NonNegative = 1.0
    iteration: Count = 10_000
    actor_lr: NonNegative = 1e-4
    critic_lr: NonNegative = 1e-3
    alpha: Probability = 0.99
    init_baseline: float = -1.0
    random_seed: Count = 0
