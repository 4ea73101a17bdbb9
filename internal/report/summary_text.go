package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/effects"
	"github.com/labelwright/labelwright/internal/report/study"
)

// The clauses on agreement, each for the fields with one outcome.
const (
	farBelowText     = "agreement on %s is far below the target"
	belowText        = "agreement on %s is below the target"
	perhapsFarText   = "agreement on %s is below the target, and perhaps far below"
	likelyBelowText  = "agreement on %s is most likely below the target, but not far below"
	closeText        = "agreement on %s is close to the target"
	noVerdictText    = "there is not enough data for a verdict on %s"
	cannotDecideText = "κ cannot decide on %s"
)

// isOpen reports whether there is no verdict on the fields.
func (g fieldGroup) isOpen() bool { return g.text == noVerdictText || g.text == cannotDecideText }

// The next steps.
const (
	exportText          = "Export the dataset."
	labelMoreText       = "Get labels of two annotators on more items."
	addItemsText        = "Add items on which the answers can differ."
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

	labelRecordsOfJudgeText = "Label items of more records that the judge has answered, with two annotators."
)

const noRatesText = "There are not enough labels yet for a metric."

// effectTexts writes English sentences on rater effects.
func (r Report) effectTexts() effects.Writer {
	return effects.Writer{Texts: effects.English{}, ScaleSpan: r.RaterEffects.ScaleSpan}
}

func titlesOf(fields []FieldReport) (titles []string) {
	for _, f := range fields {
		titles = append(titles, f.Title)
	}
	return titles
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

// describe names the fields; all of them as “all” where the sentence is about each.
func (g fieldGroup) describe(all int) string {
	if len(g.fields) == all && all > 1 && !g.isOpen() {
		return fmt.Sprintf(g.text, fmt.Sprintf("all %d fields", all))
	}
	return fmt.Sprintf(g.text, quoteTitles(titlesOf(g.fields)))
}

// meetsText says as a clause on which of all fields agreement meets the target; empty if on none.
func meetsText(meeting, all int, titles []string) string {
	switch {
	case meeting == 0:
		return ""
	case meeting == all && all > 1:
		return fmt.Sprintf("agreement meets the target on all %d fields", all)
	case meeting > 2:
		return fmt.Sprintf("agreement meets the target on %d of %d fields", meeting, all)
	}
	return fmt.Sprintf("agreement meets the target on %s", quoteTitles(titles))
}

func adjudicateText(ties int) string {
	return fmt.Sprintf("Adjudicate %s without a majority.", study.Pluralize(ties, "answer"))
}

func rewriteStepText(title string) string {
	return fmt.Sprintf("Read the disagreements on “%s”, then rewrite the question.", title)
}

func reviseStepText(title string) string {
	return fmt.Sprintf("Read the disagreements on “%s”, then make its anchors more specific.", title)
}

func clarifyStepText(title string) string {
	return fmt.Sprintf("Clarify the question on “%s”, then test the judge again.", title)
}

func seeAnnotatorText(name string) string { return fmt.Sprintf("Look at the answers of %s.", name) }

// shortageText says how many items a verdict lacks, or how certain it is. Advice on labels that made a
// verdict uncertain is long enough without it.
func (v Verdict) shortageText() string {
	if v.shared < minSharedItems {
		return notEnoughDataText(v.shared)
	}
	if v.Overlap == OverlapUncertainAgain {
		return ""
	}
	return v.describeKappa()
}

func causeText(kind CauseKind, fields string) string {
	text := map[CauseKind]string{OneAnnotator: "lowers agreement on %s", ConstantAnswers: "the same answer to every shared item on %s",
		SwappedScale: "answers against the others on %s"}[kind]
	return fmt.Sprintf(text, fields)
}

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

func moreGroupsText(n int) string {
	if n == 1 {
		return "One more group is compared on the page of details."
	}
	return fmt.Sprintf("%d more groups are compared on the page of details.", n)
}

func moreDifferText(n int, baseline string) string {
	if n == 1 {
		return fmt.Sprintf("1 more group differs from “%s”.", baseline)
	}
	return fmt.Sprintf("%d more groups differ from “%s”.", n, baseline)
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
