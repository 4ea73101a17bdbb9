"""Writes ten data sets and the mixed models that statsmodels fits to them by REML, for TestFit_EqualsStatsmodels:
python3 mixed_model.py > mixed_model.json

Needs: pip install statsmodels
"""

import json
import random
import sys
import warnings

import numpy as np
import pandas as pd
from statsmodels.regression.mixed_linear_model import MixedLM

# name, conditions, records, items per record and condition, annotators, labels per item,
# standard deviations of annotators, records, items and errors, points of the scale (0: not rounded)
DESIGNS = [
    ("two conditions, all annotators label all", 2, 20, 1, 3, 3, 0.5, 0.0, 0.8, 0.6, 0),
    ("two of four annotators", 2, 25, 1, 4, 2, 0.6, 0.0, 0.7, 0.5, 0),
    ("records with an item per condition", 2, 25, 1, 4, 2, 0.5, 0.7, 0.5, 0.5, 0),
    ("records with two items per condition", 2, 15, 2, 5, 2, 0.4, 0.6, 0.5, 0.6, 0),
    ("three conditions", 3, 15, 1, 5, 2, 0.5, 0.6, 0.6, 0.5, 0),
    ("five-point scale", 2, 30, 1, 4, 2, 0.5, 0.6, 0.6, 0.6, 5),
    ("three-point scale, three conditions", 3, 20, 1, 6, 2, 0.4, 0.0, 0.6, 0.5, 3),
    ("one or two of five annotators", 2, 25, 1, 5, 0, 0.6, 0.6, 0.6, 0.4, 0),
    ("severe annotators see one condition more often", 2, 30, 1, 4, 2, 1.0, 0.0, 0.6, 0.5, 0),
    ("eight annotators", 2, 20, 1, 8, 3, 0.7, 0.5, 0.5, 0.5, 0),
]


def pick(r, name, annotators, labels, condition):
    count = labels or r.choice([1, 2])
    if not name.startswith("severe"):
        return sorted(r.sample(range(annotators), count))
    weights = [1 + 4 * ((g < annotators / 2) == (condition == 0)) for g in range(annotators)]
    chosen = set()
    while len(chosen) < count:
        chosen.add(r.choices(range(annotators), weights)[0])
    return sorted(chosen)


def make(design, r):
    name, conditions, records, per_record, annotators, labels, sa, sr, si, se, points = design
    severity = [r.gauss(0, sa) for _ in range(annotators)]
    rows = []
    for record in range(records):
        level = r.gauss(0, sr)
        for condition in range(conditions):
            for n in range(per_record):
                item = f"i{record:02d}-{condition}-{n}"
                quality = 3 + 0.4 * condition + level + r.gauss(0, si)
                for g in pick(r, name, annotators, labels, condition):
                    value = quality + severity[g] + r.gauss(0, se)
                    if points:
                        value = min(points, max(1, round(value)))
                    rows.append((item, f"r{record:02d}" if sr else item, g, condition, round(value, 4)))
    return rows


def fit(rows):
    data = pd.DataFrame(rows, columns=["item", "record", "annotator", "condition", "value"])
    components = {"annotator": "0 + C(annotator)", "item": "0 + C(item)"}
    if (data["item"] != data["record"]).any():
        components["record"] = "0 + C(record)"
    found = fit_components(data, components)
    found["severities"], found["errors"] = predict(data, found)
    return found


def fit_components(data, components):
    best = None
    for method in ("lbfgs", "powell", "bfgs"):
        model = MixedLM.from_formula("value ~ 0 + C(condition)", data, groups=np.ones(len(data)), vc_formula=components)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = model.fit(reml=True, method=[method], maxiter=2000, **({"gtol": 1e-9} if method != "powell" else {"xtol": 1e-10, "ftol": 1e-12}))
        if best is None or found.llf > best.llf:
            best, names = found, list(model.exog_vc.names)
    variances = dict(zip(names, (float(v) for v in best.vcomp)))
    return {
        "means": [float(v) for v in best.fe_params],
        "covariance": [[float(v) for v in row] for row in np.asarray(best.cov_params())[: len(best.fe_params), : len(best.fe_params)]],
        "annotator": variances["annotator"],
        "item": variances.get("item", 0.0),
        "record": variances.get("record", 0.0),
        "residual": float(best.scale),
    }


def predict(data, found):
    """Returns the predictions of the annotators' severities and their standard errors, by the mixed model equations."""
    columns, ridge = [pd.get_dummies(data["condition"]).to_numpy(float)], [0.0] * data["condition"].nunique()
    for name in ("annotator", "item", "record"):
        if found[name] > 1e-6:
            columns.append(pd.get_dummies(data[name]).to_numpy(float))
            ridge += [found["residual"] / found[name]] * data[name].nunique()
    design = np.hstack(columns)
    inverse = np.linalg.inv(design.T @ design + np.diag(ridge))
    solution = inverse @ design.T @ data["value"].to_numpy()
    first, count = data["condition"].nunique(), data["annotator"].nunique()
    errors = np.sqrt(found["residual"] * np.diag(inverse))
    return [float(v) for v in solution[first : first + count]], [float(v) for v in errors[first : first + count]]


def main():
    r = random.Random(4)
    sets = []
    for design in DESIGNS:
        rows = make(design, r)
        sets.append({"name": design[0], "labels": rows, **fit(rows)})
        print(design[0], len(rows), file=sys.stderr)
    json.dump(sets, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


main()
