package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// describe returns what the estimates show, in at most two sentences.
func (d *GroupDifference) describe(group string) string {
	main := ""
	if d.main().Value != nil {
		main = d.describeMain()
	}
	if d.Without != nil && d.Without.main().Value != nil {
		main += "; " + d.describeWithout()
	}
	switch d.Conclusion {
	case DependsOnAnnotators:
		if d.Without.main().Value == nil {
			return fmt.Sprintf("No conclusion, because nearly all answers in one of the groups are those of %s, which are in question: %s.", nameSome(d.Questioned), main)
		}
		return fmt.Sprintf("%s: %s. Look at the answers of %s before you draw a conclusion.", describeDependence(group, d.Baseline, d.Questioned, d.concludeFromAll(), d.Without.Conclusion), main, nameSome(d.Questioned))
	case UnreliableAnswers:
		return fmt.Sprintf("No conclusion, because %s: %s.", d.unreliable, main)
	case Higher, Lower:
		return joinSentences(fmt.Sprintf("“%s” scores %s than “%s”: %s.", group, d.Conclusion, d.Baseline, main), cmp.Or(warnUnreliable(d.unreliable), d.describeFewPairs()))
	case EstimatesDisagree:
		return fmt.Sprintf("The estimates point in opposite directions: %s. Draw no conclusion until you know why: look at which items are paired and which annotators labeled which group.", d.describeAll())
	case NotAdjusted:
		return fmt.Sprintf("“%s” scores %s than “%s”, but not clearly when adjusted for annotators: %s.", group, d.direction(), d.Baseline, d.describeAll())
	case OnlyAdjusted:
		direction := Higher
		if d.Adjusted.side() < 0 {
			direction = Lower
		}
		basis := "over all items"
		if d.isMainPaired() {
			basis = "within pairs"
		}
		return fmt.Sprintf("“%s” scores %s than “%s” when adjusted for annotators, but not %s: %s. %s", group, direction, d.Baseline, basis, d.describeAll(), d.adviseOnlyAdjusted())
	case Confounded:
		return fmt.Sprintf("“%s” scores %s than “%s”: %s. But %s annotators link the groups, so more lenient annotators would look the same: let the same annotators label both.", group, d.direction(), d.Baseline, main, d.countLinking())
	case NotAfterHolm:
		if d.IsTooClose() {
			return fmt.Sprintf("%s. The interval excludes 0, but the p-value is %s: too close for a conclusion.", capitalize(main), formatP(*d.main().P))
		}
		return fmt.Sprintf("%s. The interval excludes 0, but adjusted for %s this can be chance (p %s).", capitalize(main), study.Pluralize(d.main().Tested, "comparison"), formatP(*d.main().HolmP))
	case NoDifferenceShown:
		if d.isWidened() {
			main = d.describeAll()
		}
		if d.isConfounded() {
			return fmt.Sprintf("No difference is shown: %s. But %s annotators link the groups, so a difference can be hidden: let the same annotators label both.", main, d.countLinking())
		}
		return fmt.Sprintf("No difference is shown: %s. Differences of %s remain possible.", main, d.FormatRange(d.possible()))
	}
	if e := d.main(); e.Value == nil {
		return fmt.Sprintf("No conclusion: %s.", e.Undefined)
	}
	return fmt.Sprintf("No conclusion without an interval: %s, but %s.", main, d.main().IntervalNote)
}

// adviseOnlyAdjusted says what shows whether there is a difference.
func (d *GroupDifference) adviseOnlyAdjusted() string {
	if d.isUneven {
		return "Let annotators label equal shares of both groups to be sure."
	}
	return "Label more items to be sure."
}

// countLinking says how many annotators link groups that are confounded.
func (d *GroupDifference) countLinking() string {
	if d.Adjusted.Reason == study.WeaklyLinked {
		return "too few"
	}
	return "no"
}

// basis says how many items or pairs the main estimate is based on.
func (d *GroupDifference) basis() string {
	if d.isMainPaired() {
		return study.Pluralize(d.Paired.Pairs, "pair")
	}
	return study.Pluralize(d.AllItems.Items, "item")
}

func (d *GroupDifference) describeMain() string {
	if d.isMainPaired() {
		return d.describePairs()
	}
	return d.describeAllItems()
}

func (d *GroupDifference) describePairs() string {
	return d.describeValue(d.Paired, "within pairs", study.Pluralize(d.Paired.Pairs, "pair"))
}

func (d *GroupDifference) describeAllItems() string {
	return d.describeValue(&d.AllItems, "over all items", study.Pluralize(d.AllItems.Items, "item"))
}

func (d *GroupDifference) describeValue(e *DifferenceEstimate, name, basis string) string {
	if e.Low == nil {
		return fmt.Sprintf("%s %s (%s)", name, d.Format(e.Number), basis)
	}
	return fmt.Sprintf("%s %s (95%% CI %s, %s)", name, d.Format(e.Number), d.FormatRange(e.Number), basis)
}

// Format formats a difference with its sign: in points, or on a yes/no field as a share in percent.
func (d *GroupDifference) Format(n study.Number) string {
	if d.IsShare {
		return n.SignedPercent()
	}
	return n.Signed()
}

// FormatRange formats the interval of a difference as Format does its value.
func (d *GroupDifference) FormatRange(n study.Number) string {
	if d.IsShare {
		return n.SignedPercentRange()
	}
	return n.SignedRange()
}

// possible returns the range of the differences that the estimates leave possible, which need an interval.
func (d *GroupDifference) possible() study.Number { return d.possibleRanges()[2] }

// possibleRanges returns the differences that the main estimate leaves possible, those of the adjusted one included, and those
// without questioned annotators included.
func (d *GroupDifference) possibleRanges() (ranges [3]study.Number) {
	ranges[0] = study.Number{Low: d.main().Low, High: d.main().High}
	if ranges[1] = ranges[0]; d.Adjusted.Low != nil {
		ranges[1] = ranges[0].WidenTo(d.Adjusted.Number)
	}
	if ranges[2] = ranges[1]; d.Without != nil && d.Without.main().Low != nil {
		ranges[2] = ranges[1].WidenTo(d.Without.possible())
	}
	return ranges
}

// isWidened reports whether the possible differences are more than those of the main estimate, or whether the adjusted one excludes 0.
func (d *GroupDifference) isWidened() bool {
	return d.Adjusted.Low != nil && (d.Adjusted.side() != 0 || d.FormatRange(d.possible()) != d.FormatRange(d.main().Number))
}

// describeAll lists the estimates that have an interval.
func (d *GroupDifference) describeAll() string {
	var parts []string
	if d.AllItems.Low != nil {
		parts = append(parts, d.describeAllItems())
	}
	if d.Paired != nil && d.Paired.Low != nil {
		parts = append(parts, d.describePairs())
	}
	if d.Adjusted.Low == nil && d.Adjusted.Value != nil && d.isUneven {
		parts = append(parts, fmt.Sprintf("adjusted for annotators %s without an interval", d.Format(d.Adjusted.Number)))
	}
	if d.Adjusted.Low != nil {
		text := fmt.Sprintf("adjusted for annotators %s (95%% CI %s", d.Format(d.Adjusted.Number), d.FormatRange(d.Adjusted.Number))
		if d.Adjusted.side() != 0 && (!d.Adjusted.isSignificant() || d.Conclusion == NoDifferenceShown) {
			text += ", p " + d.Adjusted.PText()
		}
		parts = append(parts, text+")")
	}
	if d.Without != nil && d.Without.main().Value != nil {
		parts = append(parts, d.describeWithout())
	}
	return strings.Join(parts, ", ")
}

// describeFewPairs names pairs that point the other way but are too few to count.
func (d *GroupDifference) describeFewPairs() string {
	if d.Paired == nil || d.Paired.Pairs >= minMainPairs || *d.Paired.Value**d.AllItems.Value >= 0 {
		return ""
	}
	return fmt.Sprintf("Within %s it is %s: too few to count.", study.Pluralize(d.Paired.Pairs, "pair"), d.Format(d.Paired.Number))
}

// DescribePairs returns what the comparisons of all pairs show together.
func (b *Breakdown) DescribePairs() string {
	comparisons, shown := b.CountPairDifferences()
	text := fmt.Sprintf("%d of %s show a difference.", shown, study.Pluralize(comparisons, "comparison"))
	switch shown {
	case 0:
		text = fmt.Sprintf("None of %s shows a difference, which does not mean that the groups are equal.", study.Pluralize(comparisons, "comparison"))
	case 1:
		text = fmt.Sprintf("1 of %s shows a difference.", study.Pluralize(comparisons, "comparison"))
	}
	if confounded := b.countPairs(Confounded); confounded > 0 {
		text += fmt.Sprintf(" In %d the scores differ, but so do the annotators: let the same annotators label all groups.", confounded)
	}
	return text
}

// joinNames returns "a", "a and b", or "a, b and c".
func joinNames(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// PText formats the p-value that is adjusted for the number of comparisons.
func (e DifferenceEstimate) PText() string { return study.FormatOptional(e.HolmP, formatP) }

// FormatP formats a p-value.
func FormatP(p float64) string { return formatP(p) }

// formatP formats a p-value so that it stays on its side of the limit.
func formatP(p float64) string {
	switch {
	case p < 0.001:
		return "< 0.001"
	case p < 0.1:
		return study.FormatPlaces(math.Ceil(p*1000)/1000, 3)
	}
	return study.FormatPlaces(p, 2)
}

func capitalize(clause string) string { return strings.TrimSuffix(study.Sentence(clause), ".") }

// Text returns what the items of a pair share, as a clause.
func (p Pairing) Text() string {
	return map[Pairing]string{PairedByColumn: "pairs have the same pair_id", PairedByRecord: "pairs are of the same record",
		PairedByInput: "pairs have the same input"}[p]
}

const modelIntervalNote = "accounts for the sampling of items and of annotators, by a linear mixed model"

// hasModelInterval reports whether some interval of a comparison is that of the mixed model.
func (b *Breakdown) hasModelInterval() bool {
	return b != nil && slices.ContainsFunc(b.Groups, func(g Group) bool {
		return slices.ContainsFunc(g.Fields, func(f GroupField) bool {
			return f.AdjustedMean.Low != nil && f.AdjustedMean.IntervalNote == modelIntervalNote
		})
	})
}
