package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/effects"
	"github.com/labelwright/labelwright/internal/report/study"
)

// The next steps.
const (
	shareMoreText       = "Let annotators share more items."
	seeComparisonText   = "Read the differences by field."
	otherColumnText     = "Compare by another column."
	readDifferencesText = "Look together at items on which the annotators differ."
	sameAnnotatorsText  = "Let the same annotators label all groups."
	labelRecordsText    = "Label more whole records."
	narrowBoundsText    = "Adjudicate the ties to narrow the range."
	labelJudgedText     = "Label items that the judge has answered, with two annotators."
	judgeMoreText       = "Let the judge answer more items, and have two annotators label them."
	judgeRecordsText    = "Let the judge answer items of more records, and have two annotators label them."
)

const noRatesText = "There are not enough labels yet for a metric."

// effectTexts writes English sentences on rater effects.
func (r Report) effectTexts() effects.Writer {
	return effects.Writer{Texts: effects.English{}, ScaleSpan: r.RaterEffects.ScaleSpan}
}

// quoteTitles lists titles of fields, of many the first two and the number of the others.
func quoteTitles(titles []string) string { return quoteSome(titles, "fields") }

// quoteSome lists names, of many the first two and the number of the others.
func quoteSome(names []string, plural string) string {
	quoted := make([]string, len(names))
	for i, t := range names {
		quoted[i] = "“" + t + "”"
	}
	if len(quoted) > 3 {
		quoted = append(quoted[:2:2], fmt.Sprintf("%d other %s", len(names)-2, plural))
	}
	return joinNames(quoted)
}

func seeAnnotatorText(name string) string { return fmt.Sprintf("Look at the answers of %s.", name) }

// maxNamedAnnotators is the number of annotators that a summary names.
const maxNamedAnnotators = 3

// namedAnnotatorsText names the annotators who need a look, and why. Of two who only differ from each other, either can.
func (r Report) namedAnnotatorsText(found []annotatorFinding) string {
	var parts []string
	for _, f := range found[:min(len(found), maxNamedAnnotators)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", f.name, strings.Join(f.problems, "; ")))
	}
	if more := len(found) - maxNamedAnnotators; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if r.isOpenPair(found) {
		return fmt.Sprintf("Compared with each other, the two annotators differ: %s.", joinNames(parts))
	}
	verb := "needs"
	if len(found) > 1 {
		verb = "need"
	}
	return fmt.Sprintf("%d of %s %s a look: %s.", len(found), study.Pluralize(len(r.Annotators), "annotator"), verb, joinNames(parts))
}

// isOpenPair reports whether there are two annotators, and nothing shows who of them is right.
func (r Report) isOpenPair(found []annotatorFinding) bool {
	return len(r.Annotators) == 2 && len(found) > 0 && !slices.ContainsFunc(found, func(f annotatorFinding) bool { return !f.isOpen })
}

// openAnnotatorsText names the annotators of whom nothing shows that they rather than the others are wrong; empty without any.
func (r Report) openAnnotatorsText(found []annotatorFinding) string {
	if r.isOpenPair(found) {
		return fmt.Sprintf("Nothing shows yet whether %s or %s is right.", r.Annotators[0].Name, r.Annotators[1].Name)
	}
	var names []string
	for _, f := range found {
		if f.isOpen {
			names = append(names, f.name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > maxNamedAnnotators:
		names = append(names[:maxNamedAnnotators-1:maxNamedAnnotators-1], study.Pluralize(len(names)-maxNamedAnnotators+1, "other annotator"))
	}
	return fmt.Sprintf("Nothing shows yet whether %s or the annotators they are compared with are right.", joinNames(names))
}

// describeRate states a rate with its interval and its size.
func (m MetricGroup) describeRate(r Rate) string {
	if m.Name == ObservationMetrics && *r.Value == 0 {
		return fmt.Sprintf("No observation was ticked in %s.", study.Pluralize(r.SampleSize, "label"))
	}
	value, interval := r.Text(), r.Range()
	text := fmt.Sprintf("%s: %s", r.Title, value)
	if m.HasShares() {
		text, interval = fmt.Sprintf("%s: %s", r.Title, r.Percent()), r.PercentRange()
	}
	if r.Low != nil {
		text += fmt.Sprintf(" (95%% CI %s)", interval)
	}
	text += fmt.Sprintf(", based on %s.", m.Name.countUnits(r.SampleSize))
	if m.Name == ObservationMetrics {
		text = "Most frequent: " + text
	}
	return text
}

// describeRange states the range that ties leave; empty without one.
func (m MetricGroup) describeRange(r Rate) string {
	if !r.hasRange() {
		return ""
	}
	bounds := study.Number{Low: r.Lowest, High: r.Highest}
	width := bounds.Range()
	if m.HasShares() {
		width = bounds.PercentRange()
	}
	return fmt.Sprintf("With the ties in %s decided one way or the other it is %s.", m.Name.countUnits(r.Ties), width)
}

// countUnits counts what the rates of a group are based on.
func (n MetricName) countUnits(count int) string {
	switch n {
	case RetrievalMetrics:
		return Queries.pluralize(count)
	case GroundingMetrics, GenerationMetrics:
		return SystemAnswers.pluralize(count)
	case ObservationMetrics:
		return study.Pluralize(count, "label")
	}
	return JudgedItems.pluralize(count)
}

func incompleteText(queries int) string {
	if queries == 1 {
		return "Label the remaining chunks of 1 query."
	}
	return fmt.Sprintf("Label the remaining chunks of %s.", Queries.pluralize(queries))
}

// nameFields lists titles of fields; all of them as their number.
func (r Report) nameFields(titles []string) string {
	if len(titles) == len(r.Fields) && len(titles) > 1 {
		return fmt.Sprintf("all %d fields", len(titles))
	}
	return quoteTitles(titles)
}
