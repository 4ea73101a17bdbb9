package report

import (
	"encoding/json"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A snapshot is a report as it is stored, with what its JSON has not.
type snapshot struct {
	Report  Report
	ItemIDs [][][]project.ItemID // of the disagreements with judges, by judge and field
	HardIDs []project.ItemID
}

// MarshalSnapshot returns the report as it is stored.
func (r Report) MarshalSnapshot() ([]byte, error) {
	s := snapshot{Report: r}
	for _, h := range r.HardItems {
		s.HardIDs = append(s.HardIDs, h.ItemID)
	}
	for _, j := range r.Judges {
		ids := make([][]project.ItemID, len(j.Fields))
		for i, f := range j.Fields {
			for _, d := range f.Disagreements {
				ids[i] = append(ids[i], d.ItemID)
			}
		}
		s.ItemIDs = append(s.ItemIDs, ids)
	}
	return json.Marshal(s)
}

// UnmarshalSnapshot returns the report of MarshalSnapshot.
func UnmarshalSnapshot(text []byte) (Report, error) {
	var s snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return Report{}, err
	}
	r := s.Report
	r.restoreLimits()
	for i, id := range s.HardIDs {
		r.HardItems[i].ItemID = id
	}
	for j, fields := range s.ItemIDs {
		for i, ids := range fields {
			for n, id := range ids {
				r.Judges[j].Fields[i].Disagreements[n].ItemID = id
			}
		}
	}
	return r, nil
}

// SetTitles gives what the protocol names the titles of p, which is the protocol in the language of a reader.
func (r *Report) SetTitles(p protocol.Protocol) {
	titles := map[string]string{}
	for _, f := range p.Fields {
		titles[f.Key] = f.Title
	}
	for _, o := range p.Observations {
		titles[o.Key] = o.Title
	}
	for _, v := range p.Verdicts {
		titles[v.Key] = v.Title
	}
	set := func(key string, title *string) {
		if translated, ok := titles[key]; ok && *title != "" {
			*title = translated
		}
	}
	for i := range r.Fields {
		set(r.Fields[i].Key, &r.Fields[i].Title)
	}
	for _, group := range r.Metrics {
		for i := range group.Rates {
			set(group.Rates[i].Name, &group.Rates[i].Title)
		}
	}
	for i := range r.DisagreementsByObservation {
		set(r.DisagreementsByObservation[i].Key, &r.DisagreementsByObservation[i].Title)
	}
}
