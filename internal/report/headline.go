package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report/study"
)

// headline says what a lead needs to know first: on which fields annotators agree, and then only what
// is noticeable about annotators, groups and judges.
func (r Report) headline() []string {
	texts := []string{r.summarizeAgreement().Text, r.weakHeadline(), r.annotatorHeadline(), r.comparisonHeadline()}
	if r.hasTestedJudge() {
		judges := r.summarizeJudges()
		texts = append(append(texts, judges.Text), judges.Notes...)
	}
	return keepTexts(texts...)
}

// comparisonHeadline says which groups differ from the first one; empty without any.
func (r Report) comparisonHeadline() string {
	if r.Breakdown == nil {
		return ""
	}
	var texts []string
	for group := range r.Breakdown.Groups {
		texts = append(texts, inEnglish.ShownGroup(&r.Breakdown.Result, group, r.titleOf))
	}
	if texts = keepTexts(texts...); len(texts) > maxSummaryGroups {
		texts = append(texts[:maxSummaryGroups], moreDifferText(len(texts)-maxSummaryGroups, r.Breakdown.Groups[0].Value))
	}
	return strings.Join(texts, " ")
}

func (r Report) hasTestedJudge() bool {
	return slices.ContainsFunc(r.Judges, func(j Judge) bool {
		return slices.ContainsFunc(j.Fields, func(f JudgeField) bool { return f.Use != JudgeUntested })
	})
}

// annotatorHeadline names the annotators without whom agreement is higher, or meets the target, and the
// others who need a look; empty without any.
func (r Report) annotatorHeadline() string {
	var without, others []string
	var found []annotatorFinding
	for _, a := range r.Annotators {
		f := r.findProblems(a)
		if len(f.problems) == 0 {
			continue
		}
		found = append(found, f)
		if titles := r.loweredBy(a.Name); len(titles) > 0 {
			rise := "is higher"
			if r.meetTargetWithout(a.Name) {
				rise = "meets the target"
			}
			without = append(without, fmt.Sprintf("without %s, agreement on %s %s", a.Name, r.nameFields(titles), rise))
		} else {
			others = append(others, a.Name)
		}
	}
	if len(without) > maxNamedAnnotators {
		return joinSentences(fmt.Sprintf("%d annotators lower agreement.", len(without)), needLookText(others))
	}
	if r.isOpenPair(found) {
		return "The two annotators label differently, and either can be right."
	}
	return joinSentences(joinClauses(without), needLookText(others))
}

// meetTargetWithout reports whether agreement is shown to meet the target on each field that an annotator
// lowers, without the annotator.
func (r Report) meetTargetWithout(name string) bool {
	return !slices.ContainsFunc(r.Fields, func(f FieldReport) bool {
		return slices.ContainsFunc(f.Verdict.Causes, func(c Cause) bool { return c.Kind == OneAnnotator && c.Annotator == name && !c.MeetsTarget })
	})
}

// loweredBy returns the titles of the fields whose agreement rises without an annotator.
func (r Report) loweredBy(name string) (titles []string) {
	for _, f := range r.Fields {
		if slices.ContainsFunc(f.Verdict.Causes, func(c Cause) bool { return c.Kind == OneAnnotator && c.Annotator == name }) {
			titles = append(titles, f.Title)
		}
	}
	return titles
}

// nameFields names some of the fields of a report.
func (r Report) nameFields(titles []string) string {
	if len(titles) == len(r.Fields) && len(titles) > 1 {
		return fmt.Sprintf("all %d fields", len(titles))
	}
	return quoteTitles(titles)
}

func needLookText(names []string) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return names[0] + " needs a look."
	case n > maxNamedAnnotators:
		return fmt.Sprintf("%d annotators need a look.", n)
	}
	return joinNames(names) + " need a look."
}

// noteFields says why fields do not meet the target, and where a field that does has a weak boundary. Fields with the same reason, or that the same
// annotator lowers, share a note.
func (r Report) noteFields() (notes []FieldNote) {
	_, groups := r.groupByOutcome()
	lowered := map[string][]FieldReport{} // by annotator
	for _, g := range groups {
		for _, f := range g.fields {
			if name := f.LoweringAnnotator(); name != "" {
				lowered[name] = append(lowered[name], f)
			}
		}
	}
	for _, g := range groups {
		for _, f := range g.fields {
			text := f.note()
			if fields := lowered[f.LoweringAnnotator()]; len(fields) > 1 {
				text = oneAnnotatorNote(f.LoweringAnnotator(), fields)
			}
			if i := slices.IndexFunc(notes, func(n FieldNote) bool { return n.Text == text }); i >= 0 {
				notes[i].Titles = append(notes[i].Titles, f.Title)
			} else {
				notes = append(notes, FieldNote{[]string{f.Title}, text})
			}
		}
	}
	for _, f := range r.weakFields() {
		notes = append(notes, FieldNote{[]string{f.Title}, f.WeakBoundary.Message})
	}
	return notes
}

// LoweringAnnotator returns the annotator without whom agreement rises; empty without one, or
// if another cause comes first.
func (f FieldReport) LoweringAnnotator() string {
	if causes := f.Verdict.Causes; len(causes) > 0 && causes[0].Kind == OneAnnotator {
		return causes[0].Annotator
	}
	return ""
}

// oneAnnotatorNote describes an annotator without whom agreement on several fields rises.
func oneAnnotatorNote(name string, fields []FieldReport) string {
	with, without, details := []float64{}, []float64{}, map[string]bool{}
	for _, f := range fields {
		cause := f.Verdict.Causes[0]
		with, without = append(with, *f.Verdict.Kappa.Value), append(without, *cause.KappaWithout)
		_, detail, _ := strings.Cut(cause.Message, riseText)
		details[strings.TrimSpace(detail)] = true
	}
	limits := study.Number{Limits: fields[0].Verdict.limits()}
	text := fmt.Sprintf("Without %s, κ is %s instead of %s, a significant rise on each.", name, limits.DescribeRange(without), limits.DescribeRange(with))
	for detail := range details {
		if len(details) == 1 {
			text = joinSentences(text, detail)
		}
	}
	return text
}

// DescribeRise describes the rise of κ without an annotator who lowers agreement on several fields; empty if
// the annotator is not a cause of low agreement on at least two.
func (r Report) DescribeRise(name string) string {
	var fields []FieldReport
	for _, f := range r.Fields {
		if f.LoweringAnnotator() == name {
			fields = append(fields, f)
		}
	}
	if len(fields) < 2 {
		return ""
	}
	return oneAnnotatorNote(name, fields)
}
