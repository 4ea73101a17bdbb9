"""Recomputes figures of a report from an export alone, with the published formulas and without
the code of the report, and compares them with the report at 1e-9.

Usage: recompute_report.py EXPORT REPORT.json. The export is JSONL in the long shape with labels and
consensus. It prints how many figures of each kind it compared.
"""

import collections
import csv
import itertools
import json
import math
import pathlib
import statistics
import sys

TOLERANCE = 1e-9
# What it does not recompute: intervals and everything that is simulated or fitted.
NOT_RECOMPUTED = [
    "intervals (low, high), verdicts and their probabilities: jackknife, bootstrap and simulation",
    "adjusted means, rater effects, consensus by a model: fitted models",
    "model judges: recompute_judges.py has them",
    "agreement with the other annotators, drift and pace: defined by windows of the report",
    "conditional_fabrication_rate and rates of verdicts where a tie decides: expected over the ways to break it",
]


class Export:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.labels = [r for r in self.rows("annotations") if r["current"]]
        self.scales = collections.defaultdict(list)
        with open(self.folder / "codebook.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["value"] != "":
                    self.scales[row["key"]].append(int(row["value"]))
        self.decisions = {(r["item"], r["dimension"]): r["value"] for r in self.rows("adjudications") if r["current"]}

    def rows(self, table):
        path = self.folder / (table + ".jsonl")
        return [json.loads(line) for line in open(path)] if path.exists() else []

    def values(self, field, rows=None):
        """The answers to a field: a list of (item, annotator, value)."""
        rows = self.labels if rows is None else rows
        return [(r["item"], r["annotator"], r["value"]) for r in rows if r["dimension"] == field and r["value"] is not None]

    def expected(self, field):
        """The probability of a yes by item: a decision, else the majority, else one half."""
        votes = collections.defaultdict(list)
        for item, _, value in self.values(field):
            votes[item].append(value)
        chance = {}
        for item, given in votes.items():
            share = sum(given) / len(given)
            chance[item] = float(share > 0.5) if share != 0.5 else 0.5
            if self.decisions.get((item, field)) is not None:
                chance[item] = float(self.decisions[item, field])
        return chance


def by_item(values):
    items = collections.defaultdict(dict)
    for item, annotator, value in values:
        items[item][annotator] = value
    return items


def weight(kind, categories, a, b):
    if kind in ("", "unweighted", "nominal") or len(categories) < 2:
        return float(a == b)
    span = categories[-1] - categories[0]
    return 1 - abs(a - b) / span if kind == "linear" else 1 - (a - b) ** 2 / span**2


def observed(items, kind, categories):
    shares = []
    for answers in items.values():
        pairs = list(itertools.permutations(answers.values(), 2))
        if pairs:
            shares.append(statistics.fmean(weight(kind, categories, a, b) for a, b in pairs))
    return statistics.fmean(shares)


def chance_from(p, q, kind, categories):
    return sum(p[a] * q[b] * weight(kind, categories, a, b) for a in categories for b in categories)


def shares_of(answers, categories):
    return {c: sum(v == c for v in answers) / len(answers) for c in categories}


def corrected(agreed, chance):
    return (agreed - chance) / (1 - chance)


def cohen(pairs, kind, categories):
    agreed = statistics.fmean(weight(kind, categories, a, b) for a, b in pairs)
    p, q = shares_of([a for a, _ in pairs], categories), shares_of([b for _, b in pairs], categories)
    return corrected(agreed, chance_from(p, q, kind, categories))


def shared_pairs(items, first, second):
    return [(answers[first], answers[second]) for answers in items.values() if first in answers and second in answers]


def light(items, kind, categories):
    annotators = sorted({a for answers in items.values() for a in answers})
    pairs = [shared_pairs(items, a, b) for a, b in itertools.combinations(annotators, 2)]
    return statistics.fmean(cohen(p, kind, categories) for p in pairs if p)


def conger(items, kind, categories):
    answers = collections.defaultdict(list)
    for given in items.values():
        for annotator, value in given.items():
            answers[annotator].append(value)
    margins = [shares_of(given, categories) for given in answers.values()]
    chance = statistics.fmean(chance_from(p, q, kind, categories) for p, q in itertools.permutations(margins, 2))
    return corrected(observed(items, kind, categories), chance)


def shared_kappa(items, kind, categories):
    """Chance of every two annotators, by the product of their numbers of answers to shared items."""
    answers, chance, pairs = collections.defaultdict(list), 0, 0
    for given in items.values():
        for annotator, value in given.items() if len(given) > 1 else ():
            answers[annotator].append(value)
    for p, q in itertools.permutations(answers.values(), 2):
        chance += len(p) * len(q) * chance_from(shares_of(p, categories), shares_of(q, categories), kind, categories)
        pairs += len(p) * len(q)
    return corrected(observed(items, kind, categories), chance / pairs)


def mean_shares(items, categories):
    shares = [shares_of(list(answers.values()), categories) for answers in items.values()]
    return {c: statistics.fmean(s[c] for s in shares) for c in categories}


def fleiss(items, variant, categories):
    counted = items if variant == "all_items" else {i: a for i, a in items.items() if len(a) > 1}
    return corrected(observed(items, "", categories), sum(p**2 for p in mean_shares(counted, categories).values()))


def gwet(items, kind, categories):
    q, shares = len(categories), mean_shares(items, categories)
    total = sum(weight(kind, categories, a, b) for a in categories for b in categories)
    chance = total / (q * (q - 1)) * sum(p * (1 - p) for p in shares.values())
    return corrected(observed(items, kind, categories), chance)


def alpha(items, variant, categories):
    coincidences = collections.Counter()
    for answers in items.values():
        for a, b in itertools.permutations(answers.values(), 2):
            coincidences[a, b] += 1 / (len(answers) - 1)
    totals = collections.Counter()
    for (a, _), n in coincidences.items():
        totals[a] += n

    def distance(a, b):
        if variant == "nominal":
            return float(a != b)
        if variant == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(totals[c] for c in categories if low <= c <= high)
        return (between - (totals[a] + totals[b]) / 2) ** 2

    n = sum(totals.values())
    disagreed = sum(count * distance(a, b) for (a, b), count in coincidences.items())
    chance = sum(totals[a] * totals[b] * distance(a, b) for a in totals for b in totals)
    return 1 - (n - 1) * disagreed / chance


def specific(items, value):
    both = either = 0.0
    for answers in items.values():
        for a, b in itertools.permutations(answers.values(), 2):
            both += (a == b == value) / (len(answers) - 1)
            either += (a == value) / (len(answers) - 1)
    return both / either


COEFFICIENTS = {
    "percent_agreement": lambda items, variant, c: observed(items, "", c), "cohen_kappa": light, "conger_kappa": conger, "shared_kappa": shared_kappa, "fleiss_kappa": fleiss,
    "alpha": alpha, "gwet_ac1": lambda items, variant, c: gwet(items, "", c), "gwet_ac2": gwet,
}


class Comparison:
    def __init__(self):
        self.counts, self.errors = collections.Counter(), []

    def check(self, kind, where, reported, compute):
        """Compares a figure unless the report has none."""
        if reported is None:
            return
        try:
            got = compute()
        except (ZeroDivisionError, statistics.StatisticsError) as error:
            got = math.nan
            where = f"{where} ({error})"
        self.counts[kind] += 1
        if not abs(got - reported) <= TOLERANCE:
            self.errors.append(f"{kind} {where}: the report has {reported!r}, the export gives {got!r}")

    def figure(self, where, figure, items, categories):
        name = figure["coefficient"]
        if figure["value"] is None:
            return
        if name.startswith("specific_agreement["):
            self.check("specific_agreement", where, figure["value"], lambda: specific(items, int(name[len("specific_agreement[") : -1])))
        else:
            self.check(name, where + " " + figure["variant"], figure["value"], lambda: COEFFICIENTS[name](items, figure["variant"], categories))


def compare_fields(x, report, c):
    for field in report["fields"]:
        key, categories = field["key"], x.scales[field["key"]]
        items = by_item(x.values(key))
        for figure in field["figures"] + [field["kappa"]]:
            c.figure(key, figure, items, categories)
        for pair in field["pairs"]:
            both = {i: {a: v for a, v in given.items() if a in (pair["first"], pair["second"])} for i, given in items.items()}
            shared = {i: given for i, given in both.items() if len(given) == 2}
            for figure in (pair["percent_agreement"], pair["kappa"]):
                c.figure(f"{key} {pair['first']} {pair['second']}", figure, shared, categories)
            for row, a in enumerate(categories):
                for column, b in enumerate(categories):
                    cells = shared_pairs(shared, pair["first"], pair["second"])
                    c.check("confusion", key, pair["confusion"][row][column], lambda: cells.count((a, b)))


def compare_annotators(x, report, c):
    labels = {(r["item"], r["annotator"], r["dimension"]): r["value"] for r in x.labels}
    references = {(r["item"], r["dimension"]): r["value"] for r in x.rows("references")}
    calibration = [r for r in x.rows("calibration") if r["current"]]
    duplicates = [r for r in x.rows("duplicates") if r["current"]]
    for annotator in report["annotators"]:
        name = annotator["annotator"]
        own = [r for r in x.labels if r["annotator"] == name]
        c.check("labels", name, annotator["labels"], lambda: len({r["annotation"] for r in own}))
        for field in annotator["fields"]:
            values = [v for _, _, v in x.values(field["field"], own)]
            c.check("mean", name, field["mean"], lambda: statistics.fmean(values))
            for value, count in zip(x.scales[field["field"]], field["counts"] or []):
                c.check("answers", name, count, lambda: values.count(value))
        for s in annotator["self_consistency"]:
            key, categories = s["field"], x.scales[s["field"]]
            pairs = [(labels[r["item"], name, key], r["value"]) for r in duplicates if r["annotator"] == name and r["dimension"] == key and r["value"] is not None]
            c.check("self_consistency", key, s["exact"]["value"], lambda: statistics.fmean(a == b for a, b in pairs))
            c.check("self_consistency", key, s["within_one_point"]["value"], lambda: statistics.fmean(abs(a - b) <= 1 for a, b in pairs))
            if s["kappa"]["value"] is not None:
                c.check("self_consistency", key, s["kappa"]["value"], lambda: cohen(pairs, "linear", categories))
        for b in annotator["calibration_bias"]:
            differences = [r["value"] - references[r["item"], b["field"]] for r in calibration if r["annotator"] == name and r["dimension"] == b["field"] and r["value"] is not None]
            c.check("calibration_bias", b["field"], b["value"], lambda: statistics.fmean(differences))
            c.check("calibration_bias", b["field"], b["matches"], lambda: differences.count(0))


def compare_breakdown(x, report, c):
    breakdown = report["breakdown"]
    if not breakdown:
        return
    column = "meta." + breakdown["column"]
    for group in breakdown["groups"]:
        rows = [r for r in x.labels if str(r[column]) == group["value"]]
        for field in group["fields"]:
            categories, items = x.scales[field["field"]], by_item(x.values(field["field"], rows))
            c.check("group_mean", field["field"], field["mean"]["value"], lambda: statistics.fmean(statistics.fmean(a.values()) for a in items.values()))


def observation_rate(x, rows, key):
    """The share of labels with an observation. On adjudicated items, the decision has it."""
    decided = {r["item"]: r["obs." + key] for r in x.rows("adjudications") if r["current"]}
    by_label = {r["annotation"]: decided.get(r["item"], r["obs." + key]) for r in rows}
    return statistics.fmean(by_label.values())


RATES = {
    "proper_action_rate": "proper_action", "on_topic_rate": "response_on_topic", "helpfulness_rate": "helpful", "incompleteness_rate": "incomplete",
    "unsafe_content_rate": "unsafe_content", "grounding_presence_rate": "support_present", "unsupported_claim_rate": "unsupported_claim_present",
    "contradiction_rate": "contradicted_claim_present", "citation_presence_rate": "source_cited",
}


def compare_metrics(x, report, c):
    for metric in report["metrics"]:
        for rate in metric["rates"]:
            name, value = rate["name"], rate["value"]
            if metric["name"] == "observations":
                c.check("observation_rate", name, value, lambda: observation_rate(x, x.labels, name))
            elif metric["name"] == "verdicts":
                labeled = {r["item"] for r in x.labels}
                holds = {r["item"]: r["verdict." + name] for r in x.rows("consensus") if r["item"] in labeled}
                if None not in holds.values():
                    c.check("pass_rate", name, value, lambda: statistics.fmean(holds.values()))
            elif metric["name"] == "retrieval":
                c.check("retrieval_metric", name, value, lambda: retrieval(x, name))
            elif name in RATES:
                c.check("answer_rate", name, value, lambda: statistics.fmean(x.expected(RATES[name]).values()))
            elif name == "conditional_fabrication_rate":
                cited, fabricated = x.expected("source_cited"), x.expected("fabricated_source")
                if 0.5 not in cited.values() and 0.5 not in fabricated.values():
                    c.check("answer_rate", name, value, lambda: statistics.fmean(fabricated[i] for i, yes in cited.items() if yes))


def retrieval(x, name):
    """The mean over queries of a figure of their chunks, over all resolutions of ties."""
    labels = {key: x.expected(key) for key in ("topically_relevant", "evidence_sufficient", "misleading")}
    queries = collections.defaultdict(list)
    for item in x.rows("items"):
        if item["item"] in labels["topically_relevant"]:
            queries[item["record"]].append(item)
    scores = []
    for chunks in queries.values():
        chunks = [i["item"] for i in sorted(chunks, key=lambda i: i["rank"])]
        relevant, sufficient, misleading = ([labels[key][i] for i in chunks] for key in labels)
        scores.append(score(name, relevant, sufficient, misleading))
    return statistics.fmean(scores)


def score(name, relevant, sufficient, misleading):
    if name == "topical_precision_at_k":
        return statistics.fmean(relevant)
    if name == "sufficiency_rate_at_k":
        return statistics.fmean(sufficient)
    if name == "misleading_context_rate_at_k":
        return statistics.fmean(misleading)
    if name == "sufficiency_hit_at_k":
        return 1 - math.prod(1 - p for p in sufficient)
    if name == "mrr_at_k":
        return sum(p / (i + 1) * math.prod(1 - q for q in relevant[:i]) for i, p in enumerate(relevant))
    chances = [[(1 - max(r, s), 0), (max(0, r - s), 1), (s, 3)] for r, s in zip(relevant, sufficient)]
    total = 0.0
    for resolution in itertools.product(*chances):
        chance, gains = math.prod(p for p, _ in resolution), [gain for _, gain in resolution]
        best = gain_of(sorted(gains, reverse=True))
        total += chance * (gain_of(gains) / best if best else 0)
    return total


def gain_of(gains):
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def compare_consensus(x, report, c):
    for field in report["fields"]:
        methods = collections.Counter(r["how"] for r in x.rows("consensus") if r["dimension"] == field["key"])
        for count in field["consensus_counts"]:
            c.check("consensus", f"{field['key']} {count['method']}", count["items"], lambda: methods[count["method"]])


def main():
    x, report, c = Export(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text()), Comparison()
    for compare in (compare_fields, compare_annotators, compare_breakdown, compare_metrics, compare_consensus):
        compare(x, report, c)
    print(json.dumps({"compared": c.counts, "not_recomputed": NOT_RECOMPUTED}, indent=1))
    if c.errors:
        sys.exit("\n".join(c.errors))


main()
