"""Writes the differences of two prediction-powered means that ppi-python gives for the ten data sets of
judges.json, for TestEstimateDifference_EqualsPPI: python3 difference.py > difference.json

The conditions are every other item; the first third of the items of each has labels. The two means are
independent, so the variance of their difference is the sum of theirs.

Needs: pip install ppi-python
"""

import json
import os
import sys

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from scipy.stats import norm


def mean(s, items):
    third = len(items) // 3
    labels = np.array([np.mean([p[i] for p in s["people"].values() if i in p]) for i in items[:third]])
    judged = np.array([s["judge"][i] for i in items], dtype=float)
    sample = (labels, judged[:third], judged[third:])
    low, high = (float(np.squeeze(v)) for v in ppi_mean_ci(*sample, alpha=0.05))
    return float(np.squeeze(ppi_mean_pointestimate(*sample))), (high - low) / 2 / norm.ppf(0.975), third


def compute(s):
    items = sorted(s["judge"])
    first, second = mean(s, items[::2]), mean(s, items[1::2])
    return {"difference": second[0] - first[0], "errors": [first[1], second[1]], "labels": [first[2], second[2]]}


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "judges.json")) as f:
        sets = json.load(f)
    json.dump([compute(s) for s in sets], sys.stdout, indent=0)
    print()


main()
