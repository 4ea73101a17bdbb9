package report_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
)

// BenchmarkBuild_ManyAnnotators builds the report of 20 items, each labeled by 300 annotators, who
// are 44,850 pairs.
func BenchmarkBuild_ManyAnnotators(b *testing.B) {
	d, r := newDataBuilder(b, "empathy"), rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		id := d.addItem(nil)
		for a := range 300 {
			answer := func() int { return min(max(i%5+r.IntN(3), 1), 5) }
			d.addLabel(id, fmt.Sprintf("a%03d", a), study.Work, answer(), answer(), answer(), answer(), answer())
		}
	}
	for b.Loop() {
		if _, err := report.Build(d.Data, report.BuildOptions{Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// A largeStudy has three labels of five fields for each of its items, and two conditions.
type largeStudy struct {
	protocol   string
	items      int
	annotators int
	perRecord  int // items
	careless   int // annotators who give every item the same answer
}

// data returns the study. Labels with equal answers share them, as the store returns them.
func (l largeStudy) data(b *testing.B) study.Data {
	d, r := study.Data{Project: "large", Protocol: builtinProtocol(b, l.protocol)}, rand.New(rand.NewPCG(1, 2))
	conditions, known := []map[string]string{{"condition": "base"}, {"condition": "new"}}, map[[5]int]map[string]int{}
	names := make([]string, l.annotators)
	for n := range names {
		names[n] = fmt.Sprintf("a-%03d", n)
	}
	for i := range l.items {
		id := project.ItemID(i + 1)
		item := study.ItemData{ID: id, SourceID: fmt.Sprint("item-", id), Meta: conditions[i%2],
			TextLength: 50 + i*37%400}
		item.Rank = 1 + i%l.perRecord
		if item.RecordID = fmt.Sprint("r", i/l.perRecord); l.perRecord == 1 {
			item.RecordID = ""
		}
		d.Items = append(d.Items, item)
		for a := range 3 {
			var key [5]int
			values := map[string]int{}
			annotator := (i + a*(1+i%3)) % l.annotators
			for n, f := range d.Protocol.Fields {
				points := f.Scale.Values()
				key[n] = points[min(max(i*(n+1)%len(points)+r.IntN(3)-1, 0), len(points)-1)]
				if r.IntN(10) == 0 {
					key[n] = points[r.IntN(len(points))]
				}
				if annotator < l.careless {
					key[n] = points[len(points)/2]
				}
				values[f.Key] = key[n]
			}
			if known[key] == nil {
				known[key] = values
			}
			number := len(d.Labels)
			d.Labels = append(d.Labels, study.Label{ID: int64(number + 1), ItemID: id, Annotator: names[annotator],
				Kind: study.Work, Values: known[key],
				ItemsSinceBreak: number / l.annotators % 30, ActiveMS: 20_000 + int64(number)*7919%40_000,
				SubmittedAt: time.Unix(1_790_000_000+int64(number)/10, 0).UTC()})
		}
	}
	return d
}

// BenchmarkBuild_Million builds the report of 1,000,000 labels of five fields and writes it as
// JSON. peak-MiB is the largest memory of the process, with the data. Run it with
//
//	LABELWRIGHT_SLOW=1 go test ./internal/report -run '^$' -bench Million -benchtime 1x
func BenchmarkBuild_Million(b *testing.B) {
	if !require.FullSize() {
		b.Skip("A report of a million labels takes a minute: LABELWRIGHT_SLOW=1 runs it.")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(330 << 20))
	for _, l := range []largeStudy{
		{"empathy", 333_334, 10, 1, 0}, {"empathy", 333_334, 40, 3, 0}, {"rag-generation", 333_334, 10, 1, 0},
		{"empathy", 333_334, 10, 1, 1}, {"empathy", 333_334, 40, 3, 2},
	} {
		b.Run(fmt.Sprintf("%s/annotators=%d/record=%d/careless=%d", l.protocol, l.annotators, l.perRecord, l.careless),
			func(b *testing.B) {
				for b.Loop() {
					d := l.data(b)
					debug.FreeOSMemory()
					if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
						b.Skipf("memory is measured on Linux: %v", err)
					}
					startedAt, step := time.Now(), ""
					r, err := report.Build(d, report.BuildOptions{Seed: 1, OnProgress: func(p study.BuildProgress) {
						b.Logf("%6.1f s %4.0f MiB %s", time.Since(startedAt).Seconds(), peakMiB(b), step)
						step = string(p.Step) + " " + p.Subject
					}})
					if err != nil {
						b.Fatal(err)
					}
					if err := r.WriteJSON(io.Discard); err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(peakMiB(b), "peak-MiB")
				}
			})
	}
}

func peakMiB(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kilobytes / 1024
}
