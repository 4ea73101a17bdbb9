"""Computes Conger's kappa from its definition, in exact fractions and independently of
package stats. Agreement is the mean weighted share of agreeing pairs of ratings, over
items with at least two ratings. Chance is the mean, over every two annotators, of the
agreement that their own shares of each answer give (Conger 1980; weights and missing
ratings: Gwet 2014, ch. 2-3).

Reads {"scale": [...], "items": [{annotator: value, ...}, ...]} and writes a kappa for each
weighting.
"""

import json
import sys
from fractions import Fraction
from itertools import combinations


def weight(kind, a, b, span):
    if a == b:
        return Fraction(1)
    apart = Fraction(abs(a - b), span)
    return {"unweighted": Fraction(0), "linear": 1 - apart, "quadratic": 1 - apart**2}[kind]


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def conger(kind, items, scale):
    span = max(scale) - min(scale)
    observed = mean(
        mean(weight(kind, a, b, span) for a, b in combinations(item.values(), 2))
        for item in items
        if len(item) > 1
    )
    given = {}
    for item in items:
        for who, value in item.items():
            given.setdefault(who, []).append(value)
    chance = mean(
        mean(weight(kind, a, b, span) for a in given[one] for b in given[other])
        for one, other in combinations(sorted(given), 2)
    )
    return float((observed - chance) / (1 - chance))


asked = json.load(sys.stdin)
print(json.dumps({kind: conger(kind, asked["items"], asked["scale"]) for kind in ("unweighted", "linear", "quadratic")}))
