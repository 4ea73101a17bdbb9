package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/study"
)

// readRisksText is the next step where nothing shows who is right.
const readRisksText = "Read the items on which only one of two annotators reports a risk."

// An effectTally counts the tests for rater effects of all annotators.
type effectTally struct {
	tests, found         int
	untested, untestable int          // untested: not enough data
	lacking, impossible  []string     // names of the effects that lack data, and that cannot be tested
	noticeable           []missedRisk // that no test finds, but that need a look
}

// A missedRisk is how many risks that others report an annotator does not.
type missedRisk struct {
	annotator string
	ratereffect.Result
}

func tallyEffects(annotators []Annotator) (t effectTally) {
	for _, a := range annotators {
		for _, e := range a.RaterEffects {
			t.tests++
			switch e.State {
			case ratereffect.Found:
				t.found++
			case ratereffect.NotEnoughData:
				t.untested++
				if name := e.Name.Text(); !slices.Contains(t.lacking, name) {
					t.lacking = append(t.lacking, name)
				}
			case ratereffect.Untestable:
				t.untestable++
				if name := e.Name.Text(); !slices.Contains(t.impossible, name) {
					t.impossible = append(t.impossible, name)
				}
			}
			if e.Result.IsNoticeable() {
				t.noticeable = append(t.noticeable, missedRisk{a.Name, e.Result})
			}
		}
	}
	slices.SortStableFunc(t.noticeable, func(a, b missedRisk) int {
		return cmp.Or(study.BoolToInt(a.Others == ratereffect.OneOther)-study.BoolToInt(b.Others == ratereffect.OneOther), cmp.Compare(b.Misses*a.ItemCount, a.Misses*b.ItemCount))
	})
	return t
}

// describe returns what the tests show where they find nothing: first whether an annotator needs a look all the same.
func (t effectTally) describe() Finding {
	if len(t.noticeable) > 0 {
		name := t.noticeable[0].annotator
		if !slices.ContainsFunc(t.noticeable, func(m missedRisk) bool { return m.Others != ratereffect.OneOther }) {
			return Finding{describeMissedRisks(t.noticeable), keepTexts(t.openText()), NextStep{Kind: StepSeeDetails, Text: readRisksText}}
		}
		return Finding{describeMissedRisks(t.noticeable), keepTexts(t.openText()), NextStep{Kind: StepSeeAnnotator, Subject: name, Text: seeAnnotatorText(name)}}
	}
	text, next := tooEarlyText, NextStep{Kind: StepSeeDetails, Text: "Compare the annotators."}
	switch {
	case t.negative() == 0:
		return Finding{Text: text + ": " + strings.ToLower(t.openText()[:1]) + t.openText()[1:], Next: next}
	case t.isMostlyDone():
		text = "No annotator needs a look"
	}
	return Finding{fmt.Sprintf("%s: %s of %s found no rater effect.", text, study.FormatCount(t.negative()), study.Pluralize(t.tests, "test")), keepTexts(t.openText()), next}
}

// negative returns the number of tests that found nothing.
func (t effectTally) negative() int { return t.tests - t.found - t.untested - t.untestable }

// isMostlyDone reports whether most of the tests could be done.
func (t effectTally) isMostlyDone() bool { return 2*t.negative() > t.tests }

// openText says how many tests lack data, and which no labels like these allow; empty if all were done.
func (t effectTally) openText() string {
	var clauses []string
	if t.untested > 0 {
		clauses = append(clauses, fmt.Sprintf("%s of %s lack data: %s", study.FormatCount(t.untested), study.Pluralize(t.tests, "test"), nameKinds(t.lacking)))
	}
	if t.untestable > 0 {
		clauses = append(clauses, fmt.Sprintf("%s of %s cannot be done with these labels: %s", study.FormatCount(t.untestable), study.Pluralize(t.tests, "test"), joinNames(t.impossible)))
	}
	return joinClauses(clauses)
}

// nameKinds names effects, of many the first ones.
func nameKinds(names []string) string {
	if more := len(names) - 3; more > 0 {
		names = append(names[:3:3], study.Pluralize(more, "other effect"))
	}
	return joinNames(names)
}

// minKnownAnswers is the number of known answers from which they show all effects; some need fewer.
const minKnownAnswers = 30

// SharedEffectText says that tests which compare annotators with each other cannot show what most of them
// share; empty if there are enough known answers of every annotator. Straight-lining and speeding have a test of
// their own, and so has a scale whose ends are never used.
func SharedEffectText(annotators []Annotator) string {
	labeling := 0
	isRelative := false
	for _, a := range annotators {
		labeling += study.BoolToInt(a.Labels > 0)
		isRelative = isRelative || slices.ContainsFunc(a.RaterEffects, func(e RaterEffect) bool {
			isDone := e.State == ratereffect.Found || e.State == ratereffect.NotFound
			return isDone && a.KnownAnswers < minKnownAnswers && e.Basis != "absolute" && !slices.Contains(inattentionEffects, e.Name)
		})
	}
	if !isRelative {
		return ""
	}
	sharers := "most annotators share"
	switch labeling {
	case 2:
		sharers = "both annotators share"
	case 3:
		sharers = "two or all three annotators share"
	}
	return fmt.Sprintf("An effect that %s cannot be seen without known answers to %d items of each annotator: adjudicate items, or add a calibration set.", sharers, minKnownAnswers)
}

// OpenEffectText says which tests lack data or cannot be done with these labels; empty if all were done.
func OpenEffectText(annotators []Annotator) string { return tallyEffects(annotators).openText() }

// EffectDefinitions say what the effects are that were found, each once.
func (r Report) EffectDefinitions() (texts []string) {
	for _, a := range r.Annotators {
		for _, e := range a.RaterEffects {
			if text := e.Name.Definition(); e.Detected && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// IsOpen reports whether a test leaves open something that needs a look.
func (e RaterEffect) IsOpen() bool {
	return e.State == ratereffect.Untestable || e.Result.Undefined == ratereffect.UnverifiedItems || e.Result.IsNoticeable()
}

// describeMissedRisks names the annotators who missed risks, and how many; empty without one.
func describeMissedRisks(list []missedRisk) string {
	if len(list) == 0 {
		return ""
	}
	if len(list) == 1 {
		return list[0].describe()
	}
	var parts []string
	for _, m := range list[:min(len(list), maxNamedAnnotators)] {
		parts = append(parts, fmt.Sprintf("%s (%s of %s)", m.annotator, study.FormatCount(m.Misses), study.Pluralize(m.ItemCount, "item")))
	}
	if more := len(list) - maxNamedAnnotators; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s reported no risk in some items where %s did: read these items.", joinNames(parts), whoReported(list))
}

// whoReported says who reported the risks that annotators missed.
func whoReported(list []missedRisk) string {
	isKnown := func(m missedRisk) bool { return m.Others == "" }
	switch hasKnown := slices.ContainsFunc(list, isKnown); {
	case hasKnown && slices.ContainsFunc(list, func(m missedRisk) bool { return !isKnown(m) }):
		return "others or known answers"
	case hasKnown:
		return "known answers"
	}
	return "others"
}

// describe states the misses of one annotator, and what their test shows.
func (m missedRisk) describe() string {
	text := m.Message()
	return m.annotator + " " + strings.ToLower(text[:1]) + text[1:]
}
