"""Writes the weighted prediction-powered means that ppi-python gives for the ten data sets of
judges.json, for TestEstimateMean_Weighted_EqualsPPI: python3 weighted.py > weighted.json

Needs: pip install ppi-python
"""

import json
import os
import sys

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

LAMBDAS = [0, 0.3, 0.7, 1]


def interval(y, f, judged, lam, w):
    """Interval at the origin of the scale at which the weighted mean of y - lam * f is 0. There the
    variance of ppi-python, of w * r, is that of a ratio estimator, of w * (r - mean)."""
    shift = float(np.sum(w * (y - lam * f)) / np.sum(w))
    low, high = ppi_mean_ci(y - shift, f, judged, alpha=0.05, lam=lam, w=w)
    return [float(np.squeeze(v)) + shift for v in (low, high)]


def compute(s):
    items = sorted(s["judge"])
    third = len(items) // 3
    labels = np.array([np.mean([p[i] for p in s["people"].values() if i in p]) for i in items])[:third]
    judged = np.array([s["judge"][i] for i in items], dtype=float)
    w = np.array([s["weights"][i] for i in items[:third]], dtype=float)
    rest, everything, results = judged[third:], judged, []
    for lam in LAMBDAS:
        row = {"lambda": lam}
        for name, others in (("rest", rest), ("all", everything)):
            row[name] = float(np.squeeze(ppi_mean_pointestimate(labels, judged[:third], others, lam=lam, w=w)))
        row["rest_interval"] = interval(labels, judged[:third], rest, lam, w)
        if lam == 0:
            row["all_interval"] = interval(labels, judged[:third], everything, lam, w)
        results.append(row)
    return results


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "judges.json")) as f:
        sets = json.load(f)
    json.dump([compute(s) for s in sets], sys.stdout, indent=0)
    print()


main()
