package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// WriteText writes the report as people read it in a terminal.
func (r Report) WriteText(w io.Writer) error {
	out := &page{w: w}
	out.says("%s, %s, %s", r.Project, cmp.Or(r.Batch, "all batches"), r.Protocol)
	c := r.Counts
	out.says("%d labels of %d items by %d annotators; %d items with two or more. Apart from them: %d hidden duplicates, %d of calibration, %d by models.",
		c.Work, c.Labelled, c.Annotators, c.Shared, c.Duplicates, c.Calibration, c.Models)
	if c.Work == 0 {
		out.says("There is nothing to report yet: it begins with the first label.")
		return out.err
	}
	out.agreement(r)
	out.people(r)
	out.breakdown(r.By)
	for _, m := range r.Metrics {
		out.metrics(m)
	}
	out.models(r.Models)
	out.disagreements(r.Disagreements)
	out.says("\nIntervals are at 95 %%, from resamples of seed %d. They cover the draw of items, not the choice of annotators.", r.Seed)
	return out.err
}

// A page is text being written; the first error ends it.
type page struct {
	w   io.Writer
	err error
}

func (p *page) says(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// table writes rows of cells under a heading.
func (p *page) table(title string, rows [][]string) {
	p.says("\n%s", title)
	if p.err != nil {
		return
	}
	t := tabwriter.NewWriter(p.w, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, "  "+strings.Join(row, "\t"))
	}
	p.err = t.Flush()
}

func (p *page) agreement(r Report) {
	rows := [][]string{{"FIELD", "PERCENT", "κ LINEAR", "95% INTERVAL", "TARGET", "α", "AC", "ITEMS", "VERDICT"}}
	for _, f := range r.Fields {
		alpha, ac := f.Get("alpha", "ordinal"), f.Get("gwet_ac2", "linear")
		if len(f.Scale) == 2 {
			alpha, ac = f.Get("alpha", "nominal"), f.Get("gwet_ac1", "declared_categories")
		}
		percent := f.Get("percent_agreement", "")
		rows = append(rows, []string{f.Key, percent.Percent(), f.Verdict.Kappa.Text(), f.Verdict.Kappa.Range(), short(f.Verdict.Target),
			alpha.Text(), ac.Text(), fmt.Sprint(percent.Items), f.Verdict.Short()})
	}
	p.table("Agreement", rows)
	for _, f := range r.Fields {
		p.says("  %s: %s %s", f.Key, f.Verdict.Says, f.Verdict.Enough)
	}
	p.overTime(r)
	rows = [][]string{{"FIELD", "UNANIMOUS", "MAJORITY", "MEDIAN", "TIED", "ONE ANSWER", "ADJUDICATED"}}
	for _, f := range r.Fields {
		row := []string{f.Key}
		for _, how := range []stats.Settling{stats.Unanimous, stats.Majority, stats.Median, stats.Tied, stats.Single, Adjudicated} {
			row = append(row, fmt.Sprint(f.Settled(how)))
		}
		rows = append(rows, row)
	}
	p.table("How items were settled", rows)
}

// overTime writes κ of successive stretches of items.
func (p *page) overTime(r Report) {
	rows := [][]string{{"FIELD", "FROM", "TO", "ITEMS", "κ LINEAR", "95% INTERVAL"}}
	for _, f := range r.Fields {
		for _, w := range f.Time {
			rows = append(rows, []string{f.Key, w.From.UTC().Format(time.DateOnly), w.To.UTC().Format(time.DateOnly),
				fmt.Sprint(w.Kappa.Items), w.Kappa.Text(), w.Kappa.Range()})
		}
	}
	if len(rows) > 1 {
		p.table("Over time", rows)
	}
}

// Settled returns how many items were settled that way.
func (f Field) Settled(how stats.Settling) int {
	for _, o := range f.Settling {
		if o.How == how {
			return o.Items
		}
	}
	return 0
}

func (p *page) people(r Report) {
	rows := [][]string{{"ANNOTATOR", "LABELS", "PACE", "κ WITH OTHERS", "SAME ANSWER TWICE"}}
	for _, a := range r.Annotators {
		var with []string
		for _, f := range a.Fields {
			with = append(with, f.Kappa.Text())
		}
		rows = append(rows, []string{a.Name, fmt.Sprint(a.Labels), paceText(a.Pace), strings.Join(with, " "), selfText(a.Self)})
	}
	p.table("Annotators", rows)
	p.leans(r)
	for _, a := range r.Annotators {
		for _, h := range a.Habits {
			if h.Found {
				p.says("  %s, %s: %s", a.Name, h.Name, h.Says)
			}
		}
	}
}

func paceText(seconds float64) string {
	if seconds <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// leans writes how far each annotator was from the reference in calibration.
func (p *page) leans(r Report) {
	rows := [][]string{{"ANNOTATOR", "FIELD", "ITEMS", "OWN − REFERENCE", "95% INTERVAL", "EQUAL", "FAR APART"}}
	for _, a := range r.Annotators {
		for _, l := range a.Lean {
			rows = append(rows, []string{a.Name, l.Field, fmt.Sprint(l.N), l.Signed(), l.SignedRange(), fmt.Sprint(l.Equal), fmt.Sprint(l.Far)})
		}
	}
	if len(rows) > 1 {
		p.table("Lean in calibration. Far apart: 2 points or more; of a yes or no, answered otherwise", rows)
	}
}

// selfText is the share of fields within one point, over all of them.
func selfText(self []Self) string {
	hits, n := 0.0, 0
	for _, s := range self {
		if s.Within.Value != nil {
			hits, n = hits+*s.Within.Value*float64(s.N), n+s.N
		}
	}
	if n == 0 {
		return "–"
	}
	return percent(hits/float64(n)) + " within one point"
}

func (p *page) breakdown(b *Breakdown) {
	if b == nil {
		return
	}
	rows := [][]string{{"FIELD", strings.ToUpper(b.Column), "ITEMS", "MEAN", "95% INTERVAL", "LESS " + strings.ToUpper(b.Groups[0].Value), "95% INTERVAL", "ITEMS IN PAIRS", "κ LINEAR"}}
	for i := range b.Groups[0].Fields {
		for _, g := range b.Groups {
			f, against, span, paired := g.Fields[i], "", "", ""
			if f.Difference != nil {
				against, span, paired = f.Difference.Signed(), f.Difference.SignedRange(), fmt.Sprint(f.Difference.Paired)
			}
			rows = append(rows, []string{f.Field, g.Value, fmt.Sprint(g.Items), f.Mean.Text(), f.Mean.Range(), against, span, paired, f.Kappa.Text()})
		}
	}
	p.table("By "+b.Column, rows)
	if b.Left > 0 {
		p.says("  Left out: %d labelled items without a value there.", b.Left)
	}
	p.groupRates(b, "Verdicts", func(g Group) []Rate { return g.Verdicts })
	p.groupRates(b, "Observations", func(g Group) []Rate { return g.Observed })
}

// groupRates writes rates that each group has, one column for each group.
func (p *page) groupRates(b *Breakdown, title string, of func(Group) []Rate) {
	head, rows := []string{strings.ToUpper(title)}, [][]string{}
	for i, r := range of(b.Groups[0]) {
		row, any := []string{r.Title}, false
		for _, g := range b.Groups {
			rate := of(g)[i]
			any = any || rate.Value != nil && *rate.Value > 0
			row = append(row, rate.Percent(), rate.PercentRange(), fmt.Sprint(rate.N))
		}
		if any {
			rows = append(rows, row)
		}
	}
	for _, g := range b.Groups {
		head = append(head, strings.ToUpper(g.Value), "95% INTERVAL", "OF")
	}
	if len(rows) > 0 {
		p.table(title+" by "+b.Column, append([][]string{head}, rows...))
	}
}

func (p *page) metrics(m Metrics) {
	head := []string{"RATE", "VALUE", "95% INTERVAL", "OF"}
	if m.Sources.All() > 0 {
		head = append(head, "ADJUDICATED", "CONSENSUS", "ALONE")
	}
	rows := [][]string{head}
	for _, r := range m.Rates {
		value, span := r.Text(), r.Range()
		if m.Shares() {
			value, span = r.Percent(), r.PercentRange()
		}
		row := []string{r.Title, value, span, fmt.Sprint(r.N), fmt.Sprint(r.Sources.Adjudicated), fmt.Sprint(r.Sources.Consensus), fmt.Sprint(r.Sources.Single)}
		rows = append(rows, row[:len(head)])
	}
	p.table(m.Title+". "+m.Says, rows)
}

func (p *page) models(models []Model) {
	for _, m := range models {
		rows := [][]string{{"FIELD", "ITEMS", "κ OF PEOPLE", "κ WITH THE MODEL", "95% INTERVAL", "BIAS", "95% INTERVAL", "LIMITS OF AGREEMENT"}}
		for _, f := range m.Fields {
			rows = append(rows, []string{f.Field, fmt.Sprint(f.Shared), f.HumanHuman.Text(), f.HumanModel.Text(), f.HumanModel.Range(),
				f.BlandAltman.Bias.Signed(), f.BlandAltman.Bias.SignedRange(), limitsText(f.BlandAltman)})
		}
		p.table("The model "+m.Name+", beside people", rows)
		rows = [][]string{{"FIELD", "POINT", "ITEMS", "BIAS", "95% INTERVAL"}}
		for _, f := range m.Fields {
			for _, b := range f.Bias {
				rows = append(rows, []string{f.Field, fmt.Sprint(b.Point), fmt.Sprint(b.N), b.Signed(), b.SignedRange()})
			}
		}
		p.table("Where people settled on a point, the model less it", rows)
	}
}

func limitsText(b BlandAltman) string {
	if b.Low == nil {
		return "–"
	}
	return signed(*b.Low) + " to " + signed(*b.High)
}

// textDisagreements is how many of the worst a terminal shows.
const textDisagreements = 10

func (p *page) disagreements(all []Disagreement) {
	if len(all) == 0 {
		return
	}
	rows := [][]string{{"ITEM", "FIELD", "ANSWERS"}}
	for _, d := range all[:min(len(all), textDisagreements)] {
		var answers []string
		for _, a := range d.Answers {
			answers = append(answers, fmt.Sprintf("%s %d", a.Annotator, a.Value))
		}
		rows = append(rows, []string{d.Item, d.Field, strings.Join(answers, ", ")})
	}
	p.table(fmt.Sprintf("The widest of %d disagreements", len(all)), rows)
}
