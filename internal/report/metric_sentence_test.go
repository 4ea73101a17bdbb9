package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A randomJudged is random labels of up to two annotators, and the answers by item and field.
type randomJudged struct {
	*dataBuilder
	answers map[project.ItemID][][]int // by field; several without a majority
}

func (d *randomJudged) addRandomItem(r *rand.Rand, points int, missing float64,
	change func(*study.ItemData)) project.ItemID {
	id := d.addItem(change)
	d.answers[id] = make([][]int, len(d.Protocol.Fields))
	for _, name := range []string{"ada", "bo"}[:r.IntN(3)] {
		values := make([]int, len(d.Protocol.Fields))
		for f := range values {
			if values[f] = r.IntN(points); r.Float64() < missing {
				values[f] = -1
			} else {
				d.answers[id][f] = append(d.answers[id][f], values[f])
			}
		}
		d.addLabel(id, name, study.Work, values...)
	}
	return id
}

func (d *randomJudged) isLabeled(id project.ItemID) bool {
	return slices.ContainsFunc(d.Labels, func(l study.Label) bool { return l.ItemID == id })
}

func (d *randomJudged) isTied(id project.ItemID, field int) bool {
	a := d.answers[id][field]
	return len(a) == 2 && a[0] != a[1]
}

func count(n int, one, many string) string {
	return fmt.Sprint(n, " ", map[bool]string{true: one, false: many}[n == 1])
}

const tieSentence = " Where no answer has a majority, each counts by its share: one yes and one no count as half."

// joinTexts joins the basis of metrics with the sources of their labels, each on a line.
func joinTexts(m report.MetricGroup) string {
	w := prose.Writer{Locale: locale.English}
	return strings.TrimSuffix(w.MetricBasis(m)+"\n"+w.MetricSources(m), "\n")
}

// addLabelNote adds the note on the sources of labels and on ties, if there is any, to the basis of rates.
func addLabelNote(basis, note string, hasTie bool) string {
	if hasTie {
		note += tieSentence
	}
	if note == "" {
		return basis
	}
	return basis + "\n" + strings.TrimPrefix(note, " ")
}

func newRandomJudged(t *testing.T, key string) *randomJudged {
	return &randomJudged{newDataBuilder(t, key), map[project.ItemID][][]int{}}
}

// A query is the chunks that count.
type query struct {
	chunks    []project.ItemID
	isLabeled bool
	isRanked  bool
}

// retrievalFields are the fields of the figures, as numbers.
var retrievalFields = [][]int{{0}, {1}, {2}, {0, 1}}

// describeRetrieval states the basis of the metrics of retrieval.
func (d *randomJudged) describeRetrieval(queries []query, topK int) (message string, isComplete []bool) {
	based, unlabeled, unranked, hasTie := 0, 0, 0, false
	isComplete = make([]bool, len(retrievalFields))
	var items []project.ItemID
	for _, q := range queries {
		isCounted, lacksLabel, lacksRank := false, false, false
		for n, fields := range retrievalFields {
			hasMissing, isTied := false, false
			for _, id := range q.chunks {
				for _, f := range fields {
					hasMissing, isTied = hasMissing || len(d.answers[id][f]) == 0, isTied || d.isTied(id, f)
				}
			}
			switch {
			case !q.isLabeled:
			case hasMissing:
				lacksLabel = true
			case !q.isRanked:
				lacksRank = true
			default:
				isCounted, isComplete[n], hasTie = true, true, hasTie || isTied
			}
		}
		if isCounted {
			based, items = based+1, append(items, q.chunks...)
		}
		unlabeled, unranked = unlabeled+boolToInt(lacksLabel), unranked+boolToInt(lacksRank)
	}
	message = fmt.Sprintf("Based on %s and all chunks of each.", count(based, "query", "queries"))
	if topK > 0 {
		message = fmt.Sprintf("Based on %s and the first %s of each.", count(based, "query", "queries"),
			count(topK, "chunk", "chunks"))
	}
	var excluded []string
	if unlabeled > 0 {
		excluded = append(excluded, count(unlabeled, "query", "queries")+" with unlabeled chunks")
	}
	if unranked > 0 {
		excluded = append(excluded, count(unranked, "query", "queries")+" with missing ranks")
	}
	if len(excluded) > 0 {
		message += " Left out of one or more rates: " + strings.Join(excluded, ", ") + "."
	}
	return addLabelNote(message, d.describeSources(items), hasTie), isComplete
}

func buildMetrics(t *testing.T, d study.Data, name report.MetricName, topK int) report.MetricGroup {
	t.Helper()
	r, err := report.Build(d, report.BuildOptions{Resamples: 2, Seed: 1, TopK: topK})
	if err != nil {
		t.Fatal(err)
	}
	return r.Metrics[slices.IndexFunc(r.Metrics, func(m report.MetricGroup) bool { return m.Name == name })]
}

// requireBoth checks that each part was in some messages and not in others.
func requireBoth(t *testing.T, messages []string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		n := 0
		for _, m := range messages {
			n += boolToInt(strings.Contains(m, part))
		}
		if n == 0 || n == len(messages) {
			t.Errorf("%q is in %d of %d messages; want some", part, n, len(messages))
		}
	}
}

// TestRetrieval_Basis_IsTrue checks the basis, the sources, the ties and the exclusions that metrics
// of random queries state, and the reason for each missing one.
func TestRetrieval_Basis_IsTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(33, 0))
	var messages []string
	for n := range 150 {
		d, topK, missing := newRandomJudged(t, "rag-retrieval"), r.IntN(3), []float64{0, 0.1}[r.IntN(2)]
		var queries []query
		for number := range 1 + r.IntN(3) {
			q := query{isRanked: true}
			for rank := range 1 + r.IntN(3) {
				id := d.addRandomItem(r, 2, missing, func(i *study.ItemData) {
					if i.RecordID, i.Rank = fmt.Sprint("q", number), rank+1; r.IntN(12) == 0 {
						i.Rank = 0
					}
				})
				q.isLabeled = q.isLabeled || d.isLabeled(id)
				if given := d.Items[len(d.Items)-1].Rank; topK == 0 || given <= topK {
					q.chunks, q.isRanked = append(q.chunks, id), q.isRanked && given > 0
				}
			}
			queries = append(queries, q)
		}
		m := buildMetrics(t, d.Data, report.RetrievalMetrics, topK)
		want, isComplete := d.describeRetrieval(queries, topK)
		if got := joinTexts(m); got != want {
			t.Fatalf("study %d: %q, want %q", n, got, want)
		}
		messages = append(messages, want)
		if precision := m.Rates[0]; (precision.Value != nil) != isComplete[0] ||
			isComplete[0] == (precision.Reason == stats.NoCompleteQuery) {
			t.Fatalf("study %d: precision is %v: %s", n, precision.Value, precision.Reason)
		}
	}
	requireBoth(t, messages, "all chunks of each", "Based on 0", "no answer has a majority", "unlabeled chunks",
		"missing ranks", "Of 1", " without a majority")
}

// canDiffer reports whether the answers that an item can get give different verdicts; it lists all.
func canDiffer(possible [][]int, verdict func(values []int) bool) bool {
	var found [2]bool
	values := make([]int, len(possible))
	var list func(f int)
	list = func(f int) {
		if f == len(possible) {
			found[boolToInt(verdict(values))] = true
			return
		}
		for _, values[f] = range possible[f] {
			list(f + 1)
		}
	}
	list(0)
	return found[0] && found[1]
}

// TestVerdictRates_Basis_IsTrue checks the numbers of items that verdicts count and exclude against
// all answers that each item can get.
func TestVerdictRates_Basis_IsTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(35, 0))
	verdicts := []func([]int) bool{func(v []int) bool { return slices.Min(v) == 0 }, func(v []int) bool {
		return slices.Min(v) > 0
	}, func(v []int) bool { return slices.Min(v) == 2 }}
	var messages []string
	for n := range 150 {
		d, missing := newRandomJudged(t, "ambiguity"), []float64{0, 0.1, 0.6}[r.IntN(3)]
		counted, excluded, hasTie := []project.ItemID{}, 0, false
		for range 1 + r.IntN(4) {
			isMultiTurn := r.IntN(2) == 0
			id := d.addRandomItem(r, 3, missing, func(
				i *study.ItemData) {
				i.Facts = protocol.Facts{"multi_turn": isMultiTurn}
			})
			if !isMultiTurn {
				d.leaveOut(id, 3)
			}
			if !d.isLabeled(id) {
				continue
			}
			var possible [][]int
			lacksAnswer := false
			for f, answers := range d.answers[id] {
				switch {
				case f == 3 && !isMultiTurn:
					continue
				case len(answers) == 0:
					answers, lacksAnswer = []int{0, 1, 2}, true
				}
				possible = append(possible, answers)
			}
			isCounted, isExcluded := false, false
			for _, verdict := range verdicts {
				differs := canDiffer(possible, verdict)
				isExcluded = isExcluded || lacksAnswer && differs
				isCounted = isCounted || !lacksAnswer || !differs
				hasTie = hasTie || !lacksAnswer && differs
			}
			if excluded += boolToInt(isExcluded); isCounted {
				counted = append(counted, id)
			}
		}
		want := fmt.Sprintf("Based on %s.", count(len(counted), "item", "items"))
		if excluded > 0 {
			want += " Left out of one or more rates: " + count(excluded, "item", "items") +
				" without labels of all fields."
		}
		want = addLabelNote(want, d.describeSources(counted), hasTie)
		if got := joinTexts(buildMetrics(t, d.Data, report.VerdictMetrics, 0)); got != want {
			t.Fatalf("study %d: %q, want %q", n, got, want)
		}
		messages = append(messages, want)
	}
	requireBoth(t, messages, "Based on 0", "Based on 1", "no answer has a majority", "Left out of")
}

// leaveOut removes the answers to a field that does not apply to an item.
func (d *randomJudged) leaveOut(id project.ItemID, field int) {
	d.answers[id][field] = nil
	for _, l := range d.Labels {
		if l.ItemID == id {
			delete(l.Values, d.Protocol.Fields[field].Key)
		}
	}
}
