package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// summarize returns what the comparison of a group with the baseline shows, by field; empty for
// the baseline.
func (g Group) summarize(titleOf map[string]string) string {
	return g.describeDifferences(titleOf).summarize()
}

// describeDifferences returns what the summary says.
func (g Group) describeDifferences(titleOf map[string]string) (text differenceText) {
	var differences []FieldDifference
	for _, f := range g.Fields {
		if f.Difference != nil {
			differences = append(differences, FieldDifference{f.Field, f.Difference})
		}
	}
	if len(differences) == 0 {
		return text
	}
	return describeFields(g.Value, differences, titleOf)
}

// A differenceText is what the comparison of a group with its baseline shows, as clauses.
type differenceText struct {
	shown, warning, dependent, unclear string   // empty without such fields; warning is about those that are shown
	exceptions                         []string // about fields without a conclusion
}

// summarize returns all in at most two sentences.
func (d differenceText) summarize() string {
	return joinSentences(joinClauses(keepTexts(d.shown, d.warning, d.dependent, d.unclear)), joinClauses(d.exceptions))
}

// split returns the first clause as the finding, and the others in at most two sentences.
func (d differenceText) split() (finding, others string) {
	switch {
	case d.shown != "":
		return joinClauses([]string{d.shown}), joinSentences(joinClauses(keepTexts(d.warning, d.dependent, d.unclear)), joinClauses(d.exceptions))
	case d.dependent != "":
		return joinClauses([]string{d.dependent}), joinSentences(joinClauses(keepTexts(d.unclear)), joinClauses(d.exceptions))
	case d.unclear != "":
		return joinClauses([]string{d.unclear}), joinClauses(d.exceptions)
	}
	return joinClauses(d.exceptions), ""
}

// joinClauses makes a sentence of clauses; empty without any.
func joinClauses(clauses []string) string { return study.Sentence(strings.Join(clauses, "; ")) }

// describeFields returns what the comparison of a group with its baseline shows, by field. Of many
// fields it names two.
func describeFields(group string, differences []FieldDifference, titleOf map[string]string) (text differenceText) {
	fields, baseline := map[Conclusion][]string{}, differences[0].Difference.Baseline
	nameFields := func(titles []string) string {
		if len(titles) == len(differences) && len(titles) > 2 {
			return fmt.Sprintf("all %d fields", len(titles))
		}
		return quoteTitles(titles)
	}
	var unclear, hidden, questioned []string // of fields that differ, but whose answers are unreliable; that do not, but with other annotators; annotators
	for _, f := range differences {
		d := f.Difference
		fields[d.Conclusion] = append(fields[d.Conclusion], titleOf[f.Field])
		if d.IsShown() && d.unreliable != "" {
			unclear = append(unclear, titleOf[f.Field])
		}
		if d.Conclusion == NoDifferenceShown && d.isConfounded() {
			hidden = append(hidden, titleOf[f.Field])
		}
		if d.Conclusion == DependsOnAnnotators {
			questioned = append(questioned, d.Questioned...)
		}
	}
	var parts []string
	for _, c := range []Conclusion{Higher, Lower} {
		if len(fields[c]) > 0 {
			parts = append(parts, fmt.Sprintf("%s than “%s” on %s", c, baseline, nameFields(fields[c])))
		}
	}
	if len(parts) > 0 {
		text.shown = fmt.Sprintf("“%s” scores %s", group, strings.Join(parts, " and "))
	}
	switch equal := fields[NoDifferenceShown]; {
	case len(equal) > 0 && len(equal) == len(differences):
		text.unclear = fmt.Sprintf("no difference between “%s” and “%s” is shown", group, baseline)
	case len(equal) > 0:
		text.unclear = fmt.Sprintf("no difference is shown on %s", quoteTitles(equal))
	}
	if possible := possibleText(differences); possible != "" {
		text.exceptions = append(text.exceptions, possible)
	}
	if titles := fields[DependsOnAnnotators]; len(titles) > 0 {
		text.dependent = fmt.Sprintf("it depends on the answers of %s whether “%s” and “%s” differ on %s", nameSome(slices.Compact(slices.Sorted(slices.Values(questioned)))), group, baseline, nameFields(titles))
	}
	if titles := fields[UnreliableAnswers]; len(titles) > 0 {
		text.exceptions = append(text.exceptions, fmt.Sprintf("on %s the answers are too unreliable to compare “%s” and “%s”", nameFields(titles), group, baseline))
	}
	if len(unclear) > 0 {
		text.warning = fmt.Sprintf("what the difference on %s means is not clear, because the answers are unreliable", nameFields(unclear))
	}
	if len(hidden) > 0 {
		text.exceptions = append(text.exceptions, fmt.Sprintf("too few annotators labeled both groups, so a difference on %s can be hidden", nameFields(hidden)))
	}
	if titles := fields[NotAfterHolm]; len(titles) > 0 {
		text.exceptions = append(text.exceptions, fmt.Sprintf("on %s the difference between “%s” and “%s” can be chance", nameFields(titles), group, baseline))
	}
	if titles := slices.Concat(fields[NotAdjusted], fields[OnlyAdjusted]); len(titles) > 0 {
		text.exceptions = append(text.exceptions, fmt.Sprintf("on %s it depends on the adjustment for annotators whether “%s” and “%s” differ", nameFields(titles), group, baseline))
	}
	if titles := fields[EstimatesDisagree]; len(titles) > 0 {
		text.exceptions = append(text.exceptions, fmt.Sprintf("on %s the estimates point in opposite directions", nameFields(titles)))
	}
	if titles := fields[Confounded]; len(titles) > 0 {
		text.exceptions = append(text.exceptions, fmt.Sprintf("on %s the groups differ, but so do their annotators", nameFields(titles)))
	}
	if titles := fields[NoInterval]; len(titles) > 0 {
		text.exceptions = append(text.exceptions, fmt.Sprintf("on %s the uncertainty of the difference cannot be estimated", nameFields(titles)))
	}
	return text
}

// possibleText says as a clause which differences remain possible where none is shown, and by which estimates if it is not the
// main ones; empty if nothing says so, if some fields are in points and others are not, or if different annotators can hide a difference.
func possibleText(differences []FieldDifference) string {
	var all *GroupDifference
	var possible [3]study.Number
	var questioned []string
	for _, f := range differences {
		d := f.Difference
		if d.Conclusion != NoDifferenceShown || d.main().Low == nil {
			continue
		}
		if d.isConfounded() || all != nil && all.IsShare != d.IsShare {
			return ""
		}
		ranges := d.possibleRanges()
		for i := range ranges {
			if all != nil {
				ranges[i] = ranges[i].WidenTo(possible[i])
			}
		}
		all, possible, questioned = d, ranges, append(questioned, d.Questioned...)
	}
	if all == nil {
		return ""
	}
	place, unit := "", " points"
	if slices.ContainsFunc(differences, func(f FieldDifference) bool { return f.Difference.Conclusion != NoDifferenceShown }) {
		place = " there"
	}
	if all.IsShare {
		unit = ""
	}
	var sources []string
	if all.FormatRange(possible[1]) != all.FormatRange(possible[0]) {
		sources = append(sources, "adjusted for annotators or not")
	}
	if all.FormatRange(possible[2]) != all.FormatRange(possible[1]) {
		sources = append(sources, "with or without the answers of "+nameSome(slices.Compact(slices.Sorted(slices.Values(questioned)))))
	}
	text := fmt.Sprintf("differences of %s%s remain possible%s", all.FormatRange(possible[2]), unit, place)
	if len(sources) > 0 {
		text += ", " + strings.Join(sources, " and ")
	}
	return text
}
