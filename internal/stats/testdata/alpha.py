"""Computes ordinal Krippendorff's alpha of 100,000 items and 10 annotators in numpy, for
comparison with BenchmarkAlpha. It uses the coincidence algorithm of Krippendorff (2011).
The time excludes building the table; there is no interval.

    python3 internal/stats/testdata/alpha.py
"""

import time

import numpy as np


def alpha(data, scale):
    """Ordinal alpha of annotators x items; a missing label is nan."""
    counts = (data.T[:, :, None] == scale).sum(axis=1)  # items x points
    ratings = counts.sum(axis=1)
    counts, ratings = counts[ratings > 1], ratings[ratings > 1]
    weighted = counts / (ratings - 1)[:, None]
    coincide = counts.T @ weighted - np.diag(weighted.sum(axis=0))
    n = coincide.sum(axis=0)
    middle = np.cumsum(n) - n / 2
    apart = (middle[:, None] - middle[None, :]) ** 2
    expected = np.outer(n, n) / (n.sum() - 1)
    return 1 - (coincide * apart).sum() / (expected * apart).sum()


def table(items, annotators, seed=11):
    rng = np.random.default_rng(seed)
    own = rng.integers(1, 6, items)
    slip = rng.choice([-1, 0, 1], p=[0.2, 0.6, 0.2], size=(annotators, items))
    return np.clip(own + slip, 1, 5).astype(float)


if __name__ == "__main__":
    nan = np.nan
    known = np.array([[1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
                      [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
                      [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
                      [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan]])
    scale = np.arange(1, 6)
    assert abs(alpha(known, scale) - 0.815) < 0.0005, "this is not Krippendorff's example C"
    data, seconds = table(100_000, 10), []
    for _ in range(10):
        start = time.perf_counter()
        value = alpha(data, scale)
        seconds.append(time.perf_counter() - start)
    print(f"alpha {value:.4f}; fastest of 10 runs: {1000 * min(seconds):.0f} ms")
