"""Compares the plain model of main.go with that of statsmodels on the same data: python3 check.py data.json

Needs: pip install statsmodels
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd
from statsmodels.regression.mixed_linear_model import MixedLM

largest = 0.0
for study in json.load(open(sys.argv[1])):
    data = pd.DataFrame(study["Labels"])
    components = {"annotator": "0 + C(Annotator)", "item": "0 + C(Item)"}
    if (data["Item"] != data["Record"]).any():
        components["record"] = "0 + C(Record)"
    best = None
    for method in ("lbfgs", "bfgs"):
        model = MixedLM.from_formula("Value ~ C(Condition)", data, groups=np.ones(len(data)), vc_formula=components)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = model.fit(reml=True, method=[method], maxiter=500)
        if best is None or found.llf > best.llf:
            best = found
    difference, error = float(best.fe_params.iloc[1]), float(best.bse_fe.iloc[1])
    change = abs(difference / error - study["Difference"] / study["Error"])
    largest = max(largest, change)
    print(f"{study['Name']}: {difference:.4f} ± {error:.4f}, here {study['Difference']:.4f} ± {study['Error']:.4f}", flush=True)
print(f"largest difference of z: {largest:.4f}")
