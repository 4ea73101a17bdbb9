package page

import (
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report/round"
	"github.com/labelwright/labelwright/internal/report/study"
)

func roundVerdict(l *locale.Locale, v round.Verdict) string {
	switch v {
	case round.Kept:
		return l.T("the same")
	case round.Moved:
		return l.T("moved")
	}
	return l.T("not decided")
}

func (d RoundData) intro(l *locale.Locale) string {
	c := d.Comparison
	if len(c.FirstVersions) == 1 && c.FirstVersions[0] != c.Version {
		return l.T("The labels of the round “%s”, under version %d of the protocol, next to the first labels of its items under version %d. Only fields that both versions have are compared.",
			d.Batch.Name, c.Version, c.FirstVersions[0])
	}
	return l.T("The labels of the round “%s” next to the first labels of its items.", d.Batch.Name)
}

// verdict says whether the first labels can be kept.
func (d RoundData) verdict(l *locale.Locale) string {
	counts := map[round.Verdict]int{}
	for _, f := range d.Comparison.Fields {
		counts[f.Verdict]++
	}
	switch {
	case counts[round.Moved] > 0:
		return l.T("%d fields moved: do not mix their first labels with labels like those of the round.",
			counts[round.Moved])
	case counts[round.Open] > 0:
		return l.T("On %d fields, more items of a round would decide whether the first labels can be kept.",
			counts[round.Open])
	}
	return l.T("The first labels can be kept: on every field, the shift is within a tenth of the scale.")
}

// shifts lists how far an item moved on each field, in the order of the protocol.
func (d RoundData) shifts(m round.MovedItem) string {
	var parts []string
	for _, f := range d.Project.Protocol.Fields {
		if s, hasMoved := m.Shifts[f.Key]; hasMoved {
			parts = append(parts, f.Title+" "+study.FormatSigned(s))
		}
	}
	return strings.Join(parts, ", ")
}
