package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// prevails is from which share of all answers on one of them makes κ fall although
// people agree (Feinstein & Cicchetti 1990, Journal of Clinical Epidemiology 43).
const prevails = 0.8

// temper takes a low κ back where it says nothing of the question, and tells what
// Gwet's coefficient says beside it.
func (v *Verdict) temper(f Field, never []string, annotators int) {
	if !v.Judged() || v.Word == stats.Go {
		return
	}
	value, share := f.commonest()
	ac := f.AC()
	beside := fmt.Sprintf("People give equal answers in %s of comparisons, and %s, which does not fall for that reason, is %s", f.Get("percent_agreement", "").Percent(), acName(f), ac.Text())
	if ac.Low != nil {
		beside += ", 95 % interval " + ac.Range()
	}
	switch {
	case share >= prevails && v.endOf(ac.Low) == stats.Go:
		v.Word, v.Sure = Prevailing, false
		v.Says = fmt.Sprintf("κ cannot tell: %s of all answers are %d, and where one answer prevails κ is low even if people agree. %s %s. Read the disagreements, and look for items on which the answers should differ.",
			percent(share), value, v.figure(), beside)
	case len(never) > 0 && annotators-len(never) < 2:
		v.Word, v.Sure = Unvarying, false
		v.Says = fmt.Sprintf("κ cannot tell: %s answered %s to every shared item, and against somebody who never varies κ is 0 whatever others say. %s %s. Talk about it with them before you change the question.",
			strings.Join(never, " and "), f.always(never), v.figure(), beside)
	case share >= prevails:
		v.Says += fmt.Sprintf(" Note that %s of all answers are %d, which lowers κ by itself. %s.", percent(share), value, beside)
	}
}

func acName(f Field) string {
	if len(f.Scale) == 2 {
		return "Gwet's AC1"
	}
	return "Gwet's AC2"
}

// AC is Gwet's coefficient that suits the scale: AC1 of two answers, else AC2 with
// linear weights.
func (f Field) AC() Figure {
	if len(f.Scale) == 2 {
		return f.Get("gwet_ac1", "declared_categories")
	}
	return f.Get("gwet_ac2", "linear")
}

// commonest returns the answer given most often to shared items, and its share.
func (f Field) commonest() (value int, share float64) {
	most, all := 0, 0
	for place, row := range f.Confusion {
		n := 0
		for _, times := range row {
			n += times
		}
		if all += n; n > most {
			value, most = f.Scale[place], n
		}
	}
	return value, float64(most) / float64(max(all, 1))
}

// always says what annotators who never vary answered: “1”, or “the same”.
func (f Field) always(never []string) string {
	value, share := f.commonest()
	if share > 0.99 || len(never) == 0 {
		return fmt.Sprint(value)
	}
	return "the same"
}

// unvarying returns the annotators, in order, who gave one answer to every item
// that somebody else judged too, and how many judged such items.
func (q question) unvarying() (never []string, annotators int) {
	shared := q.table.Paired()
	for _, name := range shared.Annotators() {
		used := shared.Used(name)
		if len(used) == 1 {
			never = append(never, name)
		}
	}
	return slices.Clip(never), len(shared.Annotators())
}
