package report

import (
	"encoding/json"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A snapshot is a report as it is stored: without the rows of its long lists.
type snapshot struct {
	Report        Report
	Disagreements int                  // rows
	Points        [][][]pointCount     // by judge and field
	ItemIDs       [][][]project.ItemID // of the disagreements with judges, by judge and field
}

// A pointCount is a point of a Bland–Altman analysis and the number of items that have it.
type pointCount struct {
	Mean, Difference float64
	Items            int
}

// WithoutRows returns the report without the rows of its long lists, which keep the labels in
// memory. The lists keep their lengths.
func (r Report) WithoutRows() Report {
	r.Disagreements = study.NewEmptyList[FieldDisagreement](r.Disagreements.Len())
	return r
}

// MarshalSnapshot returns the report without the rows of its long lists.
func (r Report) MarshalSnapshot() ([]byte, error) {
	s := snapshot{Report: r, Disagreements: r.Disagreements.Len()}
	s.Report.Disagreements = study.List[FieldDisagreement]{}
	for _, j := range r.Judges {
		fields, ids := make([][]pointCount, len(j.Fields)), make([][]project.ItemID, len(j.Fields))
		for i, f := range j.Fields {
			fields[i] = countPoints(f.BlandAltman.Points)
			for _, d := range f.Disagreements {
				ids[i] = append(ids[i], d.ItemID)
			}
		}
		s.Points, s.ItemIDs = append(s.Points, fields), append(s.ItemIDs, ids)
	}
	return json.Marshal(s)
}

func countPoints(points []stats.BlandAltmanPoint) (counts []pointCount) {
	numbers := map[stats.BlandAltmanPoint]int{}
	for _, p := range points {
		n, known := numbers[p]
		if !known {
			n = len(counts)
			numbers[p], counts = n, append(counts, pointCount{p.Mean, p.Difference, 0})
		}
		counts[n].Items++
	}
	return counts
}

// UnmarshalSnapshot returns the report of MarshalSnapshot.
func UnmarshalSnapshot(text []byte) (Report, error) {
	var s snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return Report{}, err
	}
	r := s.Report
	r.Disagreements = study.NewEmptyList[FieldDisagreement](s.Disagreements)
	for i := range r.Fields {
		r.Fields[i].Kappa.Number = r.Fields[i].Kappa.Against(r.Fields[i].Target)
	}
	for j, fields := range s.ItemIDs {
		for i, ids := range fields {
			for n, id := range ids {
				r.Judges[j].Fields[i].Disagreements[n].ItemID = id
			}
		}
	}
	for j, fields := range s.Points {
		for i, counts := range fields {
			for _, c := range counts {
				points := &r.Judges[j].Fields[i].BlandAltman.Points
				*points = append(*points, slices.Repeat([]stats.BlandAltmanPoint{{Mean: c.Mean, Difference: c.Difference}}, c.Items)...)
			}
		}
	}
	return r, nil
}
