"""Writes ten data sets with the figures of other software, for the tests of this package:
python3 judges.py alt_test_example.ipynb > judges.json

The notebook is that of https://github.com/nitaytech/AltTest, the authors' implementation of
the alternative annotator test. Prediction-powered means come from ppi-python.
Needs: pip install ppi-python scipy
"""

import json
import random
import sys

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

# values, items, annotators, labels per item, noise of annotators, noise of the judge, epsilon
DESIGNS = [
    (2, 90, 3, 3, 0.1, 0.1, 0.1),
    (2, 120, 3, 3, 0.2, 0.1, 0.2),
    (2, 150, 6, 3, 0.15, 0.3, 0.15),
    (3, 100, 4, 4, 0.3, 0.2, 0.0),
    (5, 100, 3, 3, 0.3, 0.3, 0.2),
    (5, 160, 8, 3, 0.4, 0.2, 0.1),
    (5, 60, 3, 3, 0.2, 0.6, 0.2),
    (7, 110, 5, 2, 0.5, 0.4, 0.15),
    (4, 140, 5, 4, 0.25, 0.25, 0.0),
    (2, 80, 2, 2, 0.1, 0.05, 0.1),
]


def authors_code(path):
    with open(path) as f:
        cells = [c for c in json.load(f)["cells"] if c["cell_type"] == "code"]
    found = {}
    for cell in cells[:2]:  # the imports and the functions
        exec("".join(cell["source"]), found)
    return found["alt_test"]


def observe(r, true, values, noise):
    if r.random() >= noise:
        return true
    return min(values - 1, max(0, true + r.choice([-1, 1])))


def make(design, r):
    values, items, annotators, labels, noise, judge_noise, _ = design
    people, judge, weights = {}, {}, {}
    for i in range(items):
        item, true = f"i{i:03d}", r.randrange(values)
        for g in sorted(r.sample(range(annotators), labels)):
            people.setdefault(f"a{g}", {})[item] = observe(r, true, values, noise)
        judge[item] = observe(r, true, values, judge_noise)
        weights[item] = r.choice([1, 1, 2, 4])
    return people, judge, weights


def main():
    alt_test, r, sets = authors_code(sys.argv[1]), random.Random(7), []
    output, sys.stdout = sys.stdout, sys.stderr  # the authors' code prints
    for design in DESIGNS:
        people, judge, weights = make(design, r)
        score = "accuracy" if design[0] < 4 else "neg_rmse"
        wins, advantage = alt_test(judge, people, score, epsilon=design[6])
        items = sorted(judge)
        third = len(items) // 3
        labels = np.array([np.mean([p[i] for p in people.values() if i in p]) for i in items])
        judged = np.array([judge[i] for i in items], dtype=float)
        w = np.array([weights[i] for i in items[:third]], dtype=float)
        ppi = {}
        for name, weight in (("plain", None), ("weighted", w)):
            sample = (labels[:third], judged[:third], judged[third:])
            low, high = ppi_mean_ci(*sample, alpha=0.05, w=weight)
            ppi[name] = [float(np.squeeze(v)) for v in (ppi_mean_pointestimate(*sample, w=weight), low, high)]
        sets.append({"values": design[0], "epsilon": design[6], "people": people, "judge": judge, "weights": weights,
                     "winning_rate": wins, "advantage_probability": advantage, "ppi": ppi})
    json.dump(sets, output, separators=(",", ":"))
    output.write("\n")


main()
