"""Recomputes scorecards of model judges from an export alone, with the published formulas and
without the code of the report, and compares them with the report at 1e-9.

Usage: recompute_judges.py EXPORT REPORT.json. The export is JSONL in the long shape with labels. It
prints how many figures of each kind it compared. It does not recompute intervals, the alternative
annotator test, items that share records and pairs that are declared.
"""

import collections
import itertools
import json
import pathlib
import statistics
import sys

TOLERANCE = 1e-9


class Export:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.labels = collections.defaultdict(list)  # by field and item
        self.annotators = collections.defaultdict(list)  # in the order of labels
        for row in self.rows("annotations"):
            if row["current"] and row["value"] is not None:
                self.labels[row["dimension"], row["item"]].append(row["value"])
                self.annotators[row["dimension"], row["item"]].append(row["annotator"])
        self.judgments = collections.defaultdict(dict)  # by judge and field
        for row in self.rows("judgments"):
            if row["value"] is not None:
                self.judgments[row["judge"], row["dimension"]][row["item"]] = row["value"]
        self.decisions = {(r["item"], r["dimension"]): r["value"] for r in self.rows("adjudications") if r["current"] and r["value"] is not None}
        self.draws = collections.defaultdict(dict)  # by batch: item -> (probability, drawn)
        for row in self.rows("draws"):
            self.draws[row["batch"]][row["item"]] = (row["probability"], row["drawn"])
        self.items = {row["item"]: row for row in self.rows("items")}

    def clusters(self, items, column):
        """Items with the same input in several groups vary together, and so do not count one by one."""
        groups = collections.defaultdict(set)
        for item in items:
            groups[self.items[item]["match_key"]].add(self.items[item]["meta." + column])
        key = {item: self.items[item]["match_key"] for item in items}
        return {item: key[item] if key[item] and len(groups[key[item]]) > 1 else "item " + item for item in items}

    def rows(self, table):
        path = self.folder / (table + ".jsonl")
        return [json.loads(line) for line in open(path)] if path.exists() else []


class Scorecard:
    """The answers of a judge to a field, with the labels of its items and their weights."""

    def __init__(self, x, judge, field, items=None, clusters=None):
        self.judged = {item: v for item, v in x.judgments[judge, field].items() if items is None or item in items}
        self.clusters = clusters or {item: item for item in self.judged}
        self.humans = {item: x.labels[field, item] for item in self.judged if x.labels.get((field, item))}
        self.means = {item: statistics.fmean(values) for item, values in self.humans.items()}
        self.y = {item: x.decisions.get((item, field), mean) for item, mean in self.means.items()}
        self.draws = [d for d in x.draws.values() if any(drawn and item in self.y for item, (_, drawn) in d.items())]
        self.waiting = self.leave_out_few_drawn()
        self.weights = self.weigh()

    def leave_out_few_drawn(self):
        """Fewer than 30 labels of drawn items do not count if as many items that could not be drawn have labels."""
        drawn = {item for d in self.draws for item, (_, is_drawn) in d.items() if is_drawn and item in self.y}
        outside = [item for item in self.y if not any(item in d for d in self.draws)]
        if not self.draws or len(drawn) >= 30 or len(outside) < 30:
            return 0
        self.y, self.draws = {item: self.y[item] for item in outside}, []
        self.humans, self.means = {i: self.humans[i] for i in self.y}, {i: self.means[i] for i in self.y}
        return len(drawn)

    def weigh(self):
        if not self.draws:
            return dict.fromkeys(self.y, 1.0)
        weights, counts = dict.fromkeys(self.y, 0.0), []
        for draw in self.draws:
            counts.append(sum(item in self.y and draw.get(item, (0, False))[1] for item in self.judged))
        for draw, count in zip(self.draws, counts):
            share = count / sum(counts)
            represented = sum(item in draw or item not in self.y for item in self.judged)
            drawn = {item: 1 / draw[item][0] for item in self.y if item in draw and draw[item][1]}
            for item in self.y:
                if item in drawn:
                    weights[item] += share * represented * drawn[item] / sum(drawn.values())
                elif item not in draw:
                    weights[item] += share
        return {item: w for item, w in weights.items() if w > 0}

    def mean(self, values):
        return sum(w * values[item] for item, w in self.weights.items()) / sum(self.weights.values())

    def effective_size(self):
        return sum(self.weights.values()) ** 2 / sum(w * w for w in self.weights.values())

    def other_judgments(self):
        return [v for item, v in self.judged.items() if item not in self.weights]

    def power(self):
        """Lambda: by PPI++ for labels of a random sample; else the one with the smallest variance. Without
        judgments of other items it is 0."""
        if len(self.other_judgments()) < 2:
            return 0
        if self.draws:
            slope = [b - a for a, b in zip(self.influences(0), self.influences(1))]
            return clip(-sum(a * s for a, s in zip(self.influences(0), slope)) / sum(s * s for s in slope))
        n, rest = len(self.y), self.other_judgments()
        f = [self.judged[item] for item in self.y]
        covariance = statistics.fmean(y * f for y, f in zip(self.y.values(), f)) - statistics.fmean(self.y.values()) * statistics.fmean(f)
        return clip(covariance / ((1 + n / len(rest)) * statistics.variance(f + rest)))

    def influences(self, power):
        f, total, count = self.judged, sum(self.weights.values()), len(self.judged)
        center = statistics.fmean(f.values())
        residual = {item: self.y[item] - power * f[item] for item in self.weights}
        middle = self.mean(residual)
        sums = collections.Counter()
        for item in f:
            sums[self.clusters[item]] += power * (f[item] - center) / count + (self.weights[item] * (residual[item] - middle) / total if item in self.weights else 0)
        return [sums[cluster] for cluster in dict.fromkeys(self.clusters[item] for item in f)]

    def with_judge(self):
        power = self.power()
        if power == 0:
            return self.mean(self.y)
        others = self.judged.values() if self.draws else self.other_judgments()
        return power * statistics.fmean(others) + self.mean({item: self.y[item] - power * self.judged[item] for item in self.weights})


def clip(value):
    return min(max(value, 0), 1)


def kappa(pairs):
    """Linear weights; pairs are (first, second, weight)."""
    total, p, q = sum(w for _, _, w in pairs), collections.Counter(), collections.Counter()
    for a, b, w in pairs:
        p[a] += w
        q[b] += w
    chance = sum(p[a] * q[b] * abs(a - b) for a in p for b in q) / total**2
    return 1 - sum(w * abs(a - b) for a, b, w in pairs) / total / chance


def shared_kappa(items):
    """Kappa of the shared items with linear weights; items are lists of (annotator, value)."""
    shared, shares = [i for i in items if len(i) > 1], collections.defaultdict(collections.Counter)
    observed = statistics.fmean(statistics.fmean(abs(a - b) for (_, a), (_, b) in itertools.combinations(i, 2)) for i in shared)
    for annotator, value in itertools.chain(*shared):
        shares[annotator][value] += 1
    pairs = list(itertools.permutations(shares.values(), 2))
    expected = sum(p[a] * q[b] * abs(a - b) for p, q in pairs for a in p for b in q) / sum(p.total() * q.total() for p, q in pairs)
    return 1 - observed / expected


def compare(x, judge, field, check):
    card, name = Scorecard(x, judge, field["field"]), judge + " " + field["field"]
    check("shared_items", name, field["shared_items"], len(card.y))
    estimate = field["estimate"]
    check("labels", name, estimate["labels"], len(card.weights))
    check("judgments", name, estimate["judgments"], len(card.judged) - len(card.weights))
    if estimate["labels_alone"]["value"] is not None:
        check("labels_alone", name, estimate["labels_alone"]["value"], card.mean(card.y))
    if not estimate["undefined"]:
        check("with_judge", name, estimate["with_judge"]["value"], card.with_judge())
    if field["bland_altman"]["bias"]["value"] is not None:
        check("bias", name, field["bland_altman"]["bias"]["value"], card.mean({i: card.judged[i] - mean for i, mean in card.means.items()}))
    if not field["human_judge"]["undefined"]:
        pairs = [(h, card.judged[item], w) for item, w in card.weights.items() for h in card.humans[item]]
        check("kappa", name, field["human_judge"]["value"], kappa(pairs))
    if not field["human_human"]["undefined"]:
        pairs = [(*pair, w) for item, w in card.weights.items() for pair in itertools.permutations(card.humans[item], 2)]
        items = [list(zip(x.annotators[field["field"], item], values)) for item, values in card.humans.items()]
        check("kappa", name, field["human_human"]["value"], kappa(pairs) if card.draws else shared_kappa(items))
    design = estimate["design"]
    check("weighted", name, design is not None, bool(card.draws))
    if design:
        total = sum(sum(row) for row in field["weighted_confusion"])
        check("weighted_confusion", name, total, sum(card.weights.values()))
        values = sorted({v for v in card.judged.values()} | {v for item in card.weights for v in card.humans[item]})
        for value in values:
            if len(values) == len(field["confusion"]):
                share = sum(w * card.humans[item].count(value) / len(card.humans[item]) for item, w in card.weights.items())
                check("weighted_confusion", name, sum(field["weighted_confusion"][values.index(value)]), share)
    if design:
        check("effective_size", name, design["effective_size"], card.effective_size())
        drawn = {item for d in card.draws for item, (_, is_drawn) in d.items() if is_drawn and item in card.weights}
        check("drawn_labels", name, design["drawn_labels"], len(drawn))
        check("earlier_labels", name, design["earlier_labels"], len(card.weights) - len(drawn))
        check("unused_labels", name, design["unused_labels"], len(card.y) - len(card.weights))
        check("uncovered", name, design["uncovered"], max(sum(i not in d and i not in card.y for i in card.judged) for d in card.draws))


def compare_groups(x, judge, comparison, check):
    """Differences of groups, each weighted for itself."""
    column = comparison["column"]
    everything = {item for (name, _), answers in x.judgments.items() if name == judge for item in answers if x.items[item]["meta." + column] is not None}
    clusters = x.clusters(everything, column)
    for d in comparison["differences"] + (comparison["all_pairs"] or []):
        name, cards = f"{judge} {d['field']} {d['value']} - {d['baseline']}", []
        for side, count in ((d["baseline"], d["baseline_items"]), (d["value"], d["group_items"])):
            items = {item for item in everything if str(x.items[item]["meta." + column]) == side}
            card = Scorecard(x, judge, d["field"], items, clusters)
            check("group_labels", name, count["labels"], len(card.weights))
            check("group_judgments", name, count["judgments"], len(card.judged) - len(card.weights))
            cards.append(card)
        if d["labels_alone"]["value"] is not None:
            check("difference_of_labels", name, d["labels_alone"]["value"], cards[1].mean(cards[1].y) - cards[0].mean(cards[0].y))
        if d["with_judge"]["value"] is not None:
            check("difference_with_judge", name, d["with_judge"]["value"], cards[1].with_judge() - cards[0].with_judge())


def main():
    x, report = Export(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    counts, errors = collections.Counter(), []

    def check(kind, name, reported, computed):
        counts[kind] += 1
        if abs(reported - computed) > TOLERANCE:
            errors.append(f"{kind} of {name}: the report has {reported}, the export gives {computed}")

    for judge in report["judges"]:
        if judge["comparison"]:
            compare_groups(x, judge["judge"], judge["comparison"], check)
        for field in judge["fields"]:
            if field["shared_items"]:
                compare(x, judge["judge"], field, check)
    print(json.dumps({"compared": counts}, indent=1))
    if errors:
        sys.exit("\n".join(errors))


main()
