package prose

import (
	"strings"

	"github.com/labelwright/labelwright/internal/report"
)

// maxNamedEffects is the number of effects that a summary says could have been found.
const maxNamedEffects = 3

// maxNamedAnnotators is the number of annotators that a summary names.
const maxNamedAnnotators = 3

// Annotators says which annotators need a look and why, or that none does, and what to do next.
func (w Writer) Annotators(r report.Report) Finding {
	found := r.AnnotatorFindings()
	switch {
	case len(r.Annotators) == 0:
		return Finding{}
	case len(found) > 0:
		finding := Finding{Text: w.namedAnnotators(r, found), IsShown: true,
			Next: NextStep{Kind: report.StepSeeAnnotator, Subject: found[0].Name, Text: w.T("Look at the answers of %s",
				found[0].Name)}}
		if found[0].IsOpen {
			finding.Next = NextStep{Kind: report.StepReadDisagreements,
				Text: w.T("Look together at items on which the annotators differ")}
		}
		if note := w.openAnnotators(r, found); note != "" {
			finding.Notes = []string{note}
		}
		return finding
	}
	powers := r.RaterEffects.Powers
	return Finding{Text: w.Effects(r.RaterEffects).NothingFound(powers[:min(len(powers), maxNamedEffects)])}
}

// namedAnnotators names the annotators who need a look, and why. Of two who only differ from each other, either can.
func (w Writer) namedAnnotators(r report.Report, found []report.AnnotatorFinding) string {
	var parts []string
	for _, f := range found[:min(len(found), maxNamedAnnotators)] {
		var problems []string
		if len(f.Fields) > 0 {
			problems = append(problems, w.T("lowers agreement"))
		}
		for _, e := range f.Effects {
			problems = append(problems, w.Effect(e))
		}
		parts = append(parts, f.Name+" ("+strings.Join(problems, "; ")+")")
	}
	if more := len(found) - maxNamedAnnotators; more > 0 {
		parts = append(parts, w.T("%d more", more))
	}
	if isOpenPair(r, found) {
		return w.T("Compared with each other, the two annotators differ: %s.", w.join(parts))
	}
	return w.T("%d of %d annotators need a look: %s.", len(found), len(r.Annotators), w.join(parts))
}

// isOpenPair reports whether there are two annotators, and nothing shows who of them is right.
func isOpenPair(r report.Report, found []report.AnnotatorFinding) bool {
	for _, f := range found {
		if !f.IsOpen {
			return false
		}
	}
	return len(r.Annotators) == 2
}

// openAnnotators names the annotators of whom nothing shows that they rather than the others are wrong; empty without
// any.
func (w Writer) openAnnotators(r report.Report, found []report.AnnotatorFinding) string {
	if isOpenPair(r, found) {
		return w.T("Nothing shows yet whether %s or %s is right.", r.Annotators[0].Name, r.Annotators[1].Name)
	}
	var names []string
	for _, f := range found {
		if f.IsOpen {
			names = append(names, f.Name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > maxNamedAnnotators:
		names = append(names[:maxNamedAnnotators-1:maxNamedAnnotators-1],
			w.T("%d others", len(names)-maxNamedAnnotators+1))
	}
	return w.T("Nothing shows yet whether %s or the annotators they are compared with are right.", w.join(names))
}
