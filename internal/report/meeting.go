package report

import "github.com/labelwright/labelwright/internal/stats"

// A meeting is answers of one side against answers of another to the same items.
type meeting struct {
	met      []stats.Met
	items    map[int64]bool
	clusters map[string]int32
}

func (m *meeting) add(item *Item, clustered bool, one, other int) {
	if m.items == nil {
		m.items, m.clusters = map[int64]bool{}, map[string]int32{}
	}
	cluster := item.Source
	if clustered && item.Record != "" {
		cluster = item.Record
	}
	n, known := m.clusters[cluster]
	if !known {
		n = int32(len(m.clusters))
		m.clusters[cluster] = n
	}
	m.items[item.ID] = true
	m.met = append(m.met, stats.Met{First: one, Other: other, Cluster: n})
}

// kappa is Cohen's κ between the two sides.
func (m *meeting) kappa(scale stats.Scale, o stats.Options, w stats.Weighting) (Figure, error) {
	t, err := stats.MetTable(scale, m.met)
	if err != nil {
		return Figure{}, err
	}
	f := figureOf(stats.Estimates(t, o, stats.LightKappa(w))[0])
	f.Items = len(m.items)
	return f, nil
}

// withOthers is Cohen's linear-weighted κ of one annotator's answers against
// every answer that another gave to the same item, items drawn whole.
func (s *study) withOthers(name string, q question) (Figure, error) {
	m := meeting{met: make([]stats.Met, 0, 2*len(s.of[name]))}
	for _, l := range s.of[name] {
		own, ok := s.work[l].Values[q.Key]
		if !ok {
			continue
		}
		for _, o := range s.on[s.work[l].ItemID] {
			if other, ok := s.work[o].Values[q.Key]; ok && s.work[o].Annotator != name {
				m.add(s.items[s.work[l].ItemID], s.clustered, own, other)
			}
		}
	}
	f, err := m.kappa(q.scale, s.o, stats.Linear)
	if len(m.met) == 0 {
		f.Undefined = "nobody else has judged the same items: there is nothing to compare"
		f.Covers = f.Undefined
	}
	return f, err
}
