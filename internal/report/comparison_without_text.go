package report

import (
	"cmp"
	"fmt"
	"slices"
)

// direction returns the side of the main estimate.
func (d *GroupDifference) direction() Conclusion {
	if *d.main().Value > 0 {
		return Higher
	}
	return Lower
}

// describeDependence says whether a difference is there with the answers of questioned annotators, or without them.
func describeDependence(group, baseline string, questioned []string, all, without Conclusion) string {
	direction, clause := all, "with the answers of %s, but not clearly without them"
	switch {
	case shownSide(all) == 0:
		direction, clause = without, "without the answers of %s, but not clearly with them"
	case shownSide(without) != 0:
		clause = fmt.Sprintf("with the answers of %%s, and %s without them", without)
	}
	return fmt.Sprintf("“%s” scores %s than “%s” ", group, direction, baseline) + fmt.Sprintf(clause, nameSome(questioned))
}

// QuestionedText names the annotators whose answers are in question, of many the first ones.
func (d *GroupDifference) QuestionedText() string { return nameSome(d.Questioned) }

// describeWithout states the difference without the answers of questioned annotators.
func (d *GroupDifference) describeWithout() string {
	e := d.Without.main()
	text := d.describeValue(e, "without "+nameSome(d.Questioned), d.Without.basis())
	switch d.Without.Conclusion {
	case NotAfterHolm:
		text += ", which can be chance (p " + e.PText() + ")"
	case NotAdjusted:
		text += ", which depends on the adjustment for annotators"
	case Confounded:
		text += ", but with different annotators"
	}
	return text
}

// describeWithout says how large the differences that are shown are without the answers of questioned annotators, one text for
// each of them who are questioned together; none without such, or if differences are of different units.
func (g Group) describeWithout(titleOf map[string]string) (texts []string) {
	shown, groups := 0, map[string][]FieldDifference{}
	var names []string
	for _, f := range g.Fields {
		d := f.Difference
		if d == nil || !d.IsShown() {
			continue
		}
		if shown++; d.Without != nil && d.Without.main().Value != nil {
			name := nameSome(d.Questioned)
			if groups[name] == nil {
				names = append(names, name)
			}
			groups[name] = append(groups[name], FieldDifference{f.Field, d})
		}
	}
	for _, name := range names {
		var titles []string
		var all, without []*GroupDifference
		for _, f := range groups[name] {
			titles, all, without = append(titles, titleOf[f.Field]), append(all, f.Difference), append(without, f.Difference.Without)
		}
		if slices.ContainsFunc(all, func(d *GroupDifference) bool { return d.IsShare != all[0].IsShare }) {
			continue
		}
		place, noun := "", "difference%s is"
		if len(all) < shown {
			place = " on " + quoteTitles(titles)
		}
		if len(all) > 1 {
			noun = "differences%s are"
		}
		texts = append(texts, fmt.Sprintf("Without the answers of %s, the "+noun+" %s instead of %s.", name, place, formatDifferences(without), formatDifferences(all)))
	}
	return texts
}

// formatDifferences formats the smallest and the largest of some differences of one unit.
func formatDifferences(list []*GroupDifference) string {
	compare := func(a, b *GroupDifference) int { return cmp.Compare(*a.main().Value, *b.main().Value) }
	least, most := slices.MinFunc(list, compare), slices.MaxFunc(list, compare)
	low, high := least.Format(least.main().Number), most.Format(most.main().Number)
	if low == high {
		return low
	}
	return low + " to " + high
}

// warnUnreliable warns of a difference in answers that show little; empty without a reason.
func warnUnreliable(reason string) string {
	if reason == "" {
		return ""
	}
	return fmt.Sprintf("But %s, so it is not clear what differs.", reason)
}
