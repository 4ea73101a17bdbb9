package prose

import (
	"math"
	"strings"

	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// Judge says in a sentence or two how a judge agrees with people, field by field.
func (w Writer) Judge(j judging.Judge, titleOf func(field string) string) string {
	byConclusion, biases := map[judge.Conclusion][]string{}, []string{}
	for _, f := range j.Fields {
		byConclusion[f.Conclusion] = append(byConclusion[f.Conclusion], titleOf(f.Dimension))
		if f.Conclusion == judge.AsPeople && isShown(f.Bias) {
			biases = append(biases, w.T("on “%s” it scores %s", titleOf(f.Dimension), w.bias(*f.Bias.Value)))
		}
		if f.Conclusion == judge.Biased {
			biases = append(biases, w.T("on “%s” it scores %s than people", titleOf(f.Dimension),
				w.bias(*f.Bias.Value)))
		}
	}
	var clauses []string
	name := w.T("“%s”", j.Name)
	if titles := byConclusion[judge.AsPeople]; len(titles) > 0 {
		clauses = append(clauses, w.T("%s agrees with people as they do with each other on %s", name,
			w.joinFields(titles, len(j.Fields))))
	}
	if titles := byConclusion[judge.LessThanPeople]; len(titles) > 0 {
		clauses = append(clauses, w.T("%s agrees with people less than they do with each other on %s", name,
			w.joinFields(titles, len(j.Fields))))
	}
	if titles := byConclusion[judge.Biased]; len(titles) > 0 {
		clauses = append(clauses, w.T("%s is biased on %s", name, w.joinFields(titles, len(j.Fields))))
	}
	text := strings.Join(append(clauses, biases...), "; ")
	if titles := byConclusion[judge.TooFewItems]; len(titles) > 0 {
		few := w.T("There are too few items to tell on %s.", w.joinFields(titles, len(j.Fields)))
		if text == "" {
			return few
		}
		return text + ". " + few
	}
	return text + "."
}

// JudgeField says the same of one field, with the figures that it rests on.
func (w Writer) JudgeField(f judging.Field) string {
	if f.People.Value == nil || f.WithPeople.Value == nil || f.Items < judge.MinItems {
		return w.T("Items with a judgment and two labels: %d. This needs %d.", f.Items, judge.MinItems)
	}
	figures := w.T("κ with people is %s, among people %s", w.interval(*f.WithPeople.Value, f.WithPeople.Low,
		f.WithPeople.High), w.interval(*f.People.Value, f.People.Low, f.People.High))
	switch f.Conclusion {
	case judge.AsPeople:
		if isShown(f.Bias) {
			return w.T("It agrees with people as they do with each other, and scores %s: %s.",
				w.bias(*f.Bias.Value), figures)
		}
		return w.T("It agrees with people as they do with each other: %s.", figures)
	case judge.LessThanPeople:
		return w.T("It agrees with people less than they do with each other: %s.", figures)
	case judge.Biased:
		return w.T("It scores %s than people, more than any of them differs from the others: %s.",
			w.bias(*f.Bias.Value), figures)
	}
	return w.T("These items are too few to tell: %s.", figures)
}

// JudgeConclusion names a conclusion.
func (w Writer) JudgeConclusion(c judge.Conclusion) string {
	switch c {
	case judge.AsPeople:
		return w.T("As people")
	case judge.LessThanPeople:
		return w.T("Less than people")
	case judge.Biased:
		return w.T("Biased")
	}
	return w.T("Too few items")
}

// JudgeNextStep says what to do next, the most urgent first, and which conclusion asks for it.
func (w Writer) JudgeNextStep(judges []judging.Judge, titleOf func(field string) string) (string, judge.Conclusion) {
	byConclusion, total := map[judge.Conclusion][]string{}, 0
	for _, f := range judges[0].Fields {
		c := bestConclusion(judges, f.Dimension)
		byConclusion[c], total = append(byConclusion[c], titleOf(f.Dimension)), total+1
	}
	if titles := byConclusion[judge.LessThanPeople]; len(titles) > 0 {
		return w.T("Keep annotators on %s, or test another judge", w.joinFields(titles, total)), judge.LessThanPeople
	}
	if titles := byConclusion[judge.Biased]; len(titles) > 0 {
		return w.T("Show the judge the anchors of the scale of %s", w.joinFields(titles, total)), judge.Biased
	}
	if len(byConclusion[judge.TooFewItems]) > 0 {
		return w.T("Have two annotators label more items that the judge has answered"), judge.TooFewItems
	}
	return w.T("Read the items on which the judge differs most"), judge.AsPeople
}

// bestConclusion returns that of the judge that is closest to people on a field.
func bestConclusion(judges []judging.Judge, field string) judge.Conclusion {
	found := map[judge.Conclusion]bool{}
	for _, j := range judges {
		for _, f := range j.Fields {
			found[f.Conclusion] = found[f.Conclusion] || f.Dimension == field
		}
	}
	for _, c := range []judge.Conclusion{judge.AsPeople, judge.TooFewItems, judge.Biased} {
		if found[c] {
			return c
		}
	}
	return judge.LessThanPeople
}

// JudgeReason says why a figure of a judge is missing.
func (w Writer) JudgeReason(r judge.ReasonCode) string {
	switch r {
	case judge.FewSharedItems:
		return w.T("No annotator has 30 items that the judge and another annotator answered too.")
	case judge.FewLabels:
		return w.T("Fewer than two items or records have labels and a judgment.")
	case judge.FewUnits:
		return w.T("An interval needs 10 items or records with labels and a judgment.")
	case judge.FewUnitsOfGroup:
		return w.T("An interval needs 10 items or records with labels and a judgment in each group.")
	case judge.FewUnitsForGain:
		return w.T("This needs 30 items or records with labels and a judgment.")
	case judge.FewRarerLabels, judge.FewRarerOfGroup:
		return w.T("Fewer than 3 labels have the rarer answer, so the estimate is that of the labels alone.")
	case judge.SelectedLabels:
		return w.T("The judge answers labeled items differently from the others, so the labels look like no random sample.")
	case judge.NoJudgedItems:
		return w.T("Fewer than two items have a judgment and no label.")
	case judge.UnorderedValues:
		return w.T("The values have no declared order, so they have no mean.")
	case judge.NoVariation:
		return w.T("The labels do not vary.")
	}
	return ""
}

// isShown reports whether an interval excludes 0 and the value is large enough to write.
func isShown(f judge.Figure) bool {
	return f.Low != nil && (*f.Low > 0 || *f.High < 0) && math.Abs(*f.Value) >= 0.05
}

// bias writes a difference in points: 0.3 higher.
func (w Writer) bias(value float64) string {
	if value < 0 {
		return w.T("%s lower", w.Decimal(-value, 1))
	}
	return w.T("%s higher", w.Decimal(value, 1))
}
