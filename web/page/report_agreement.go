package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/ui"
)

// kappaWords names the κ that verdicts rest on.
func kappaWords(d ReportData) string {
	words := "Cohen's, linear-weighted, the mean over every two annotators who share items (Light's)"
	if slices.ContainsFunc(d.Report.Fields, func(f report.Field) bool {
		return f.Verdict.Kappa.Coefficient == "conger_kappa" && f.Verdict.Kappa.Value != nil
	}) {
		words += ", or Conger's where some pair has no variation"
	}
	return words
}

// coefficientName and variantName are the field's names for what files and
// programs call otherwise.
func coefficientName(key string) string {
	return cmp.Or(map[string]string{"percent_agreement": "Equal answers", "cohen_kappa": "Cohen's κ, mean of pairs", "conger_kappa": "Conger's κ",
		"fleiss_kappa": "Fleiss' κ", "alpha": "Krippendorff's α", "gwet_ac1": "Gwet's AC1", "gwet_ac2": "Gwet's AC2"}[key], key)
}

func variantName(key string) string {
	return cmp.Or(map[string]string{"all_items": "all items", "items_2plus": "items with two answers or more", "declared_categories": "the scale's categories"}[key], key)
}

// pairsListed is up to how many pairs a table lists them all.
const pairsListed = 30

// lowestPairs returns the pairs to list, and what the table is: all, or those
// who agree least, where they share enough to say so.
func lowestPairs(pairs []report.Pair) (list []report.Pair, caption string) {
	if len(pairs) <= pairsListed {
		return pairs, "Every two annotators who share items"
	}
	for _, p := range pairs {
		if p.Kappa.Value != nil && p.Kappa.Items >= leastListed {
			list = append(list, p)
		}
	}
	if len(list) < pairsListed {
		caption = fmt.Sprintf("Of %s pairs, those who share %d items or more, the lowest first", figure(len(pairs)), leastListed)
	} else {
		caption = fmt.Sprintf("Of %s pairs, the %d who agree least, among those who share %d items or more", figure(len(pairs)), pairsListed, leastListed)
	}
	slices.SortStableFunc(list, func(a, b report.Pair) int { return cmp.Compare(*a.Kappa.Value, *b.Kappa.Value) })
	return list[:min(len(list), pairsListed)], caption
}

// leastListed is how many items a pair shares before its κ is set among others.
const leastListed = 10

// course draws κ of successive stretches of items.
func course(f report.Field) ui.Picture {
	c := ui.Course{ID: "course-" + f.Key, Title: f.Title + ": κ over time", Target: &f.Verdict.Target,
		Desc: "Conger's κ, linear-weighted, on " + f.Title + " in successive stretches of as many items each, with 95 % intervals as upright lines. The broken line is the target."}
	for _, w := range f.Time {
		c.Stretches = append(c.Stretches, ui.Stretch{From: shortDay(w.From), To: shortDay(w.To), Value: w.Kappa.Value, Low: w.Kappa.Low, High: w.Kappa.High,
			Missing: w.Kappa.Undefined, N: count(w.Kappa.Items, "item")})
	}
	return c.Picture()
}

// means draws the mean answer of successive stretches.
func means(f report.Field) ui.Picture {
	c := ui.Course{ID: "means-" + f.Key, Title: f.Title + ": mean over time", Scale: f.Scale,
		Desc: "Mean answer of everybody on " + f.Title + " in successive stretches of as many answers each, with 95 % intervals as upright lines. A broken upright line marks a new wording of the protocol."}
	for _, m := range f.Means {
		c.Stretches = append(c.Stretches, ui.Stretch{From: shortDay(m.From), To: shortDay(m.To), Value: m.Mean.Value, Low: m.Mean.Low, High: m.Mean.High,
			Missing: m.Mean.Undefined, N: count(m.Items, "item"), Mark: newWording(m.Reworded)})
	}
	return c.Picture()
}

// newWording names the revisions that began; empty where none did.
func newWording(revisions []int) string {
	var names []string
	for _, n := range revisions {
		names = append(names, "revision "+strconv.Itoa(n))
	}
	return strings.Join(names, ", ")
}

// unbroken keeps a figure and its per cent on one line.
func unbroken(text string) string { return strings.ReplaceAll(text, " %", "\u00a0%") }

// wordClass is the class of a verdict's word.
func wordClass(v report.Verdict) string {
	if !v.Judged() {
		return "unsaid"
	}
	return string(v.Word)
}

// alphaOf and acOf are the variants that suit a field's scale.
func alphaOf(f report.Field) report.Figure {
	if len(f.Scale) == 2 {
		return f.Get("alpha", "nominal")
	}
	return f.Get("alpha", "ordinal")
}

func acOf(f report.Field) report.Figure {
	if len(f.Scale) == 2 {
		return f.Get("gwet_ac1", "declared_categories")
	}
	return f.Get("gwet_ac2", "linear")
}

// A saying is a verdict and the titles of the fields that it is given on.
type saying struct {
	Titles  []string
	Verdict report.Verdict
}

// sayings are the verdicts in the order of the fields. Where the overlap does not
// do, fields of which the same is said share one.
func (d ReportData) sayings() (all []saying) {
	for _, f := range d.Report.Fields {
		same := func(s saying) bool { return f.Verdict.Word == stats.NotEnough && s.Verdict.Says == f.Verdict.Says }
		if at := slices.IndexFunc(all, same); at >= 0 {
			all[at].Titles = append(all[at].Titles, f.Title)
			continue
		}
		all = append(all, saying{[]string{f.Title}, f.Verdict})
	}
	return all
}

// drawn reports whether any field has the overlap to be drawn.
func (d ReportData) drawn() bool {
	return slices.ContainsFunc(d.Report.Fields, func(f report.Field) bool { return f.Verdict.Word != stats.NotEnough })
}

// againstTarget draws κ of every field with its interval.
func (d ReportData) againstTarget() ui.Picture {
	s := ui.Spans{ID: "against-target", Title: "Agreement per field, against the target", To: 1}
	for _, f := range d.Report.Fields {
		v := f.Verdict
		s.Target = &v.Target
		row := ui.Span{Label: f.Title, N: count(f.Get("percent_agreement", "").Items, "item")}
		if v.Word == stats.NotEnough {
			row.Missing = "not enough overlap"
		} else {
			row.Value, row.Low, row.High, row.Missing = v.Kappa.Value, v.Kappa.Low, v.Kappa.High, v.Kappa.Undefined
		}
		s.Rows = append(s.Rows, row)
	}
	s.Desc = "κ of each field as a dot with its 95 % interval as a line. The broken line is the target"
	if s.Target != nil {
		s.Desc += fmt.Sprintf(", %.2f", *s.Target)
	}
	s.Desc += "."
	return s.Picture()
}

// matrix draws κ of every two annotators, of many those who agree least with
// the others; false where there is one pair at most.
func matrix(f report.Field) (ui.Picture, bool) {
	names, all := leastAgreeing(f.Pairs, ui.MostInMatrix)
	if len(names) < 3 {
		return ui.Picture{}, false
	}
	desc := "Linear-weighted κ of each pair of annotators on " + f.Title + ". Darker is more agreement; a line means that it cannot be said."
	if all > len(names) {
		desc += fmt.Sprintf(" Shown are the %d of %d annotators who agree least with all others.", len(names), all)
	}
	values := make([][]*float64, len(names))
	for i := range values {
		values[i] = make([]*float64, len(names))
	}
	for _, p := range f.Pairs {
		if i, j := slices.Index(names, p.First), slices.Index(names, p.Second); i >= 0 && j >= 0 {
			values[i][j], values[j][i] = p.Kappa.Value, p.Kappa.Value
		}
	}
	return ui.Matrix{ID: "pairs-" + f.Key, Title: f.Title + ": κ of every two annotators", Names: names, Values: values, Desc: desc}.Picture(), true
}

// leastAgreeing returns, in order, the names of at most so many annotators, those
// of the lowest mean κ with the others, and how many annotators there are.
func leastAgreeing(pairs []report.Pair, most int) (names []string, all int) {
	sums, known := map[string]float64{}, map[string]float64{}
	for _, p := range pairs {
		for _, n := range []string{p.First, p.Second} {
			if sums[n] += 0; p.Kappa.Value != nil {
				sums[n], known[n] = sums[n]+*p.Kappa.Value, known[n]+1
			}
		}
	}
	mean := func(name string) float64 {
		if known[name] == 0 {
			return math.Inf(1) // nothing can be said: nothing to look at
		}
		return sums[name] / known[name]
	}
	names = slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(cmp.Compare(mean(a), mean(b)), cmp.Compare(a, b)) })
	all = len(names)
	names = names[:min(all, most)]
	slices.Sort(names)
	return names, all
}

// together draws what people said where another said something.
func together(f report.Field) ui.Picture {
	return ui.Confusion{ID: "confusion-" + f.Key, Title: f.Title + ": what one said, and what another said", First: "one", Second: "another", Scale: f.Scale, Counts: f.Confusion,
		Desc: "Answers of every two annotators to the same item on " + f.Title + ", both ways around. On the diagonal they agree; darker is more often."}.Picture()
}
