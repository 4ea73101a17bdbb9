"""Writes ten data sets and the posteriors that crowd-kit gives them, for
TestFitDawidSkene_EqualsCrowdKit: python3 dawid_skene.py > dawid_skene.json

Needs: pip install crowd-kit
"""

import json
import random
import sys

import pandas as pd
from crowdkit.aggregation import DawidSkene

# name, values, items, annotators, labels per item, accuracy, share of the first value
DESIGNS = [
    ("three annotators, yes or no", 2, 80, 3, 3, 0.85, None),
    ("five annotators, yes or no", 2, 60, 5, 5, 0.75, None),
    ("rare value", 2, 150, 4, 4, 0.9, 0.9),
    ("three values", 3, 90, 4, 4, 0.8, None),
    ("five values", 5, 120, 5, 5, 0.7, None),
    ("five values, three of eight annotators", 5, 160, 8, 3, 0.8, None),
    ("two or three of six annotators", 3, 120, 6, 0, 0.85, None),
    ("twelve annotators", 2, 40, 12, 12, 0.65, None),
    ("seven values", 7, 140, 6, 5, 0.75, None),
    ("few items", 3, 12, 4, 4, 0.8, None),
]


def make(design, r):
    _, values, items, annotators, labels, accuracy, first = design
    skill = [min(0.98, max(0.4, r.gauss(accuracy, 0.1))) for _ in range(annotators)]
    rows = []
    for item in range(items):
        true = r.randrange(values)
        if first is not None:
            true = 0 if r.random() < first else 1
        for g in sorted(r.sample(range(annotators), labels or r.choice([2, 3]))):
            given = true if r.random() < skill[g] else r.randrange(values)
            rows.append((f"i{item:03d}", f"a{g:02d}", given))
    return rows


def posteriors(rows):
    data = pd.DataFrame(rows, columns=["task", "worker", "label"])
    found = DawidSkene(n_iter=5000, tol=1e-14).fit_predict_proba(data)
    found = found.reindex(sorted(found.columns), axis=1).sort_index()
    return [[float(f"{p:.12g}") for p in row] for row in found.to_numpy()]


def main():
    r = random.Random(12)
    sets = []
    for design in DESIGNS:
        rows = make(design, r)
        sets.append({"name": design[0], "values": design[1], "ratings": rows, "posteriors": posteriors(rows)})
    json.dump(sets, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


main()
