"""Gradient steps on minibatches: logistic loss for the seal, squared error for the margin, sparse Adam.

Adam (Kingma and Ba 2015) keeps its moments by column and moves only the columns that the minibatch touched.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine.features import ACTIVE, COLUMNS, SCORE_ACTIVE, STAGES
from engine.network import HIDDEN_UNITS, Parameters, sigmoid

BETA1 = np.float32(0.9)
BETA2 = np.float32(0.999)
EPSILON = np.float32(1e-8)
MARGIN_LOSS = np.float32(0.25)
"""Weight of the margin's error beside the seal's."""


class Optimiser(NamedTuple):
    """Moments and work space.

    mean, square, gradient: `Parameters` each; touched: bool[COLUMNS]; steps: int64[1].
    """

    mean: Parameters
    square: Parameters
    gradient: Parameters
    touched: np.ndarray
    steps: np.ndarray


def fresh_optimiser(parameters):
    """`Optimiser` at rest for `parameters`."""
    mean, square, gradient = (Parameters(*(np.zeros_like(array) for array in parameters)) for _ in range(3))
    return Optimiser(mean, square, gradient, np.zeros(COLUMNS, np.bool_), np.zeros(1, np.int64))


@njit(cache=True, nogil=True, fastmath=True)
def _hidden_sums(parameters, columns, weights, hidden):
    for i in range(HIDDEN_UNITS):
        hidden[i] = parameters.bias[i]
    for j in range(ACTIVE):
        column, weight = columns[j], weights[j]
        for i in range(HIDDEN_UNITS):
            hidden[i] += weight * parameters.columns[column, i]


@njit(cache=True, nogil=True)
def _set_weights(weight, weights):
    """Weights of the active columns: 1, and (1 - w, w) for the pairs of score bins."""
    weights[:] = np.float32(1.0)
    for j in range(ACTIVE - SCORE_ACTIVE, ACTIVE, 2):
        weights[j] = np.float32(1.0) - weight
        weights[j + 1] = weight


@njit(cache=True, nogil=True, fastmath=True)
def _add_gradient(parameters, samples, index, scale, gradient, touched, hidden, weights):
    """Add the gradient of one sample, times `scale`; returns the squared error of its seal."""
    columns = samples.columns[index]
    _set_weights(samples.weight[index], weights)
    _hidden_sums(parameters, columns, weights, hidden)
    head = samples.stage[index] * parameters.out.shape[0] // STAGES
    logit, margin = parameters.out_bias[head, 0], parameters.out_bias[head, 1]
    for i in range(HIDDEN_UNITS):
        unit = max(hidden[i], np.float32(0.0))
        logit += unit * parameters.out[head, 0, i]
        margin += unit * parameters.out[head, 1, i]
    seal = sigmoid(logit)
    target = samples.target[index, 0]
    d_logit = scale * (seal - target)
    d_margin = scale * MARGIN_LOSS * (margin - samples.target[index, 1])
    gradient.out_bias[head, 0] += d_logit
    gradient.out_bias[head, 1] += d_margin
    for i in range(HIDDEN_UNITS):
        unit = max(hidden[i], np.float32(0.0))
        gradient.out[head, 0, i] += d_logit * unit
        gradient.out[head, 1, i] += d_margin * unit
        slope = d_logit * parameters.out[head, 0, i] + d_margin * parameters.out[head, 1, i]
        hidden[i] = slope if hidden[i] > np.float32(0.0) else np.float32(0.0)
        gradient.bias[i] += hidden[i]
    for j in range(ACTIVE):
        column, weight = columns[j], weights[j]
        touched[column] = True
        for i in range(HIDDEN_UNITS):
            gradient.columns[column, i] += weight * hidden[i]
    return (seal - target) ** 2


@njit(cache=True, nogil=True, fastmath=True)
def adam_step(values, means, squares, gradients, rate, scale1, scale2):
    """One Adam step on flat float32 arrays; the gradients are cleared.

    scale1, scale2: what makes up for moments that began at 0, 1 / (1 - BETA^step).
    """
    for i in range(values.size):
        g = gradients[i]
        means[i] = BETA1 * means[i] + (np.float32(1.0) - BETA1) * g
        squares[i] = BETA2 * squares[i] + (np.float32(1.0) - BETA2) * g * g
        values[i] -= rate * (means[i] * scale1) / (np.sqrt(squares[i] * scale2) + EPSILON)
        gradients[i] = np.float32(0.0)


@njit(cache=True, nogil=True, fastmath=True)
def learn(parameters, optimiser, samples, order, batch, rate, used):
    """Pass once over the samples in `order` (int64[n]), a step for each `batch` of them.

    rate: learning rate; used: bool[COLUMNS], the columns that may change. Returns the mean squared error of the seal.
    """
    hidden = np.empty(HIDDEN_UNITS, np.float32)
    weights = np.empty(ACTIVE, np.float32)
    gradient, mean, square = optimiser.gradient, optimiser.mean, optimiser.square
    touched = optimiser.touched
    error = 0.0
    for start in range(0, order.size - batch + 1, batch):
        for i in range(start, start + batch):
            error += _add_gradient(
                parameters, samples, order[i], np.float32(1.0 / batch), gradient, touched, hidden, weights
            )
        optimiser.steps[0] += 1
        step = min(optimiser.steps[0], 100000)  # beyond, the powers vanish
        scale1 = np.float32(1.0 / (1.0 - 0.9**step))
        scale2 = np.float32(1.0 / (1.0 - 0.999**step))
        for column in range(COLUMNS):
            if touched[column]:
                touched[column] = False
                if used[column]:
                    adam_step(
                        parameters.columns[column], mean.columns[column], square.columns[column],
                        gradient.columns[column], rate, scale1, scale2,
                    )  # fmt: skip
        adam_step(parameters.bias, mean.bias, square.bias, gradient.bias, rate, scale1, scale2)
        adam_step(
            parameters.out.reshape(-1), mean.out.reshape(-1), square.out.reshape(-1), gradient.out.reshape(-1),
            rate, scale1, scale2,
        )  # fmt: skip
        adam_step(
            parameters.out_bias.reshape(-1), mean.out_bias.reshape(-1), square.out_bias.reshape(-1),
            gradient.out_bias.reshape(-1), rate, scale1, scale2,
        )  # fmt: skip
    return error / (order.size // batch * batch)
