package prose

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
)

// AgreementNotes says what is the matter with the fields that do not meet the target: a text for each annotator, each
// other
// reason and each kind of open verdict, over all fields that have it.
func (w Writer) AgreementNotes(fields []agreement.Field) (notes []string) {
	notes = w.AnnotatorNotes(fields)
	n := noteWriter{w, fields}
	n.add(&notes, func(f agreement.Field) bool { return causeOf(f, agreement.SwappedScale, "") != nil },
		func(on string) string {
			return w.T("The two annotators answer against each other on %s: one may have mistaken the ends of the scale for each other.", on)
		})
	n.add(&notes, func(f agreement.Field) bool { return hasCause(f, agreement.OneAnswer) }, func(on string) string {
		least := 1.0
		for _, f := range fields {
			if c := causeOf(f, agreement.OneAnswer, ""); c != nil {
				least = min(least, *c.Share)
			}
		}
		return w.T("At least %s%% of the answers are the same on %s, which lowers κ: read the agreement on each answer instead.", w.Decimal(100*min(least, 0.99), 0), on)
	})
	n.add(&notes, func(f agreement.Field) bool { return f.Verdict == agreement.BelowTarget && len(f.Causes) == 0 },
		func(on string) string {
			return w.T("On %s, no single annotator is the reason.", on)
		})
	return append(notes, n.openNotes()...)
}

// AnnotatorNotes says how annotators lower agreement.
func (w Writer) AnnotatorNotes(fields []agreement.Field) (notes []string) {
	var names []string
	for _, f := range fields {
		for _, name := range f.CausingAnnotators() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		notes = append(notes, w.annotatorCauses(fields, name)...)
	}
	return notes
}

// annotatorCauses says how an annotator lowers agreement.
func (w Writer) annotatorCauses(fields []agreement.Field, name string) (notes []string) {
	n := noteWriter{w, fields}
	n.add(&notes, func(f agreement.Field) bool { return causeOf(f, agreement.SwappedScale, name) != nil },
		func(on string) string {
			return w.T("%s answers against the others on %s, and may have mistaken the ends of the scale for each other.",
				name, on)
		})
	n.add(&notes, func(f agreement.Field) bool { return causeOf(f, agreement.ConstantAnnotator, name) != nil },
		func(on string) string {
			return w.T("%s gave every shared item the same answer on %s.", name, on)
		})
	n.add(&notes, func(f agreement.Field) bool { return causeOf(f, agreement.OneAnnotator, name) != nil },
		func(on string) string {
			var without []float64
			for _, f := range fields {
				if c := causeOf(f, agreement.OneAnnotator, name); c != nil {
					without = append(without, *c.KappaWithout)
				}
			}
			low, high := w.number(study.Number{}, slices.Min(without)), w.number(study.Number{}, slices.Max(without))
			if low == high {
				return w.T("Without %s, κ is %s on %s.", name, low, on)
			}
			return w.T("Without %s, κ is %s to %s on %s.", name, low, high, on)
		})
	return notes
}

// openNotes says what open verdicts lack.
func (n noteWriter) openNotes() (notes []string) {
	w := n.Writer
	isOpen := func(f agreement.Field) bool {
		return f.Verdict == agreement.Open && f.Kappa.Value != nil && f.MeetsProbability != nil &&
			len(f.CausingAnnotators()) == 0
	}
	n.add(&notes, func(f agreement.Field) bool { return isOpen(f) && f.MoreItems != nil && !lacksOtherAnswers(f) },
		func(on string) string {
			most := 0
			for _, f := range n.fields {
				if isOpen(f) && f.MoreItems != nil && !lacksOtherAnswers(f) {
					most = max(most, *f.MoreItems)
				}
			}
			return w.T("About %d more shared items would decide on %s, if κ stays as it is.", most, on)
		})
	n.add(&notes, func(f agreement.Field) bool { return isOpen(f) && f.MoreItems == nil && !lacksOtherAnswers(f) },
		func(on string) string {
			return w.T("More labels will not decide on %s: κ is at the target.", on)
		})
	n.add(&notes, func(f agreement.Field) bool { return isOpen(f) && lacksOtherAnswers(f) }, func(on string) string {
		return w.T("Too few items have another answer to rely on κ on %s.", on)
	})
	n.add(&notes, func(f agreement.Field) bool {
		return f.Verdict == agreement.Open && f.Kappa.Value != nil && f.MeetsProbability == nil
	}, func(on string) string {
		return w.T("Too few answers differ for an interval on %s.", on)
	})
	n.add(&notes, func(f agreement.Field) bool { return f.Verdict == agreement.Open && f.Kappa.Value == nil },
		func(on string) string {
			return w.T("The answers to shared items do not vary on %s, so there is no κ.", on)
		})
	n.add(&notes, func(f agreement.Field) bool { return f.Verdict == agreement.TooFewItems }, func(string) string {
		return w.T("A verdict needs %d items with two labels.", agreement.MinItems)
	})
	return notes
}

// A noteWriter writes notes that are about several fields.
type noteWriter struct {
	Writer
	fields []agreement.Field
}

// add adds the note on the fields that it is true of, if there are any.
func (n noteWriter) add(notes *[]string, isTrue func(f agreement.Field) bool, write func(on string) string) {
	var titles []string
	for _, f := range n.fields {
		if isTrue(f) {
			titles = append(titles, f.Title)
		}
	}
	if len(titles) > 0 {
		*notes = append(*notes, write(n.joinFields(titles, len(n.fields))))
	}
}

// causeOf returns the cause of a kind that is about an annotator, or about none; nil without one.
func causeOf(f agreement.Field, kind agreement.CauseKind, annotator string) *agreement.Cause {
	for i, c := range f.Causes {
		if c.Kind == kind && c.Annotator == annotator {
			return &f.Causes[i]
		}
	}
	return nil
}
