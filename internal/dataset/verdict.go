package dataset

import (
	"fmt"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// verdictHolds reports whether v follows from the answers.
func verdictHolds(v protocol.VerdictRule, a protocol.Answers) bool {
	hasAny := v.Any == nil
	for _, value := range a.Values {
		hasAny = hasAny || slices.Contains(v.Any, value)
		if slices.Contains(v.None, value) || v.All != nil && !slices.Contains(v.All, value) {
			return false
		}
	}
	return hasAny
}

// A truth is what is known of a verdict.
type truth int

const (
	unknown truth = iota
	holds
	fails
)

// certainVerdict returns whether v holds for every way to decide the fields that are not
// decided: each has one of its possible values.
func certainVerdict(v protocol.VerdictRule, fields [][]int) truth {
	if len(fields) == 0 {
		return unknown
	}
	certain, possible := v.Any == nil, v.Any == nil
	for _, values := range fields {
		isAny := func(value int) bool { return slices.Contains(v.Any, value) }
		certain = certain || !slices.ContainsFunc(values, func(value int) bool { return !isAny(value) })
		possible = possible || slices.ContainsFunc(values, isAny)
	}
	for _, values := range fields {
		isExcluded := func(value int) bool {
			return slices.Contains(v.None, value) || v.All != nil && !slices.Contains(v.All, value)
		}
		certain = certain && !slices.ContainsFunc(values, isExcluded)
		possible = possible && slices.ContainsFunc(values, func(value int) bool { return !isExcluded(value) })
	}
	switch {
	case certain:
		return holds
	case !possible:
		return fails
	}
	return unknown
}

// ConsensusVerdicts returns the verdicts that follow from the consensus on the fields that apply to an item, whatever
// becomes of
// its ties; open ones are left out.
func ConsensusVerdicts(p protocol.Protocol, consensus map[string]FieldConsensus) map[string]bool {
	verdicts := map[string]bool{}
	for _, v := range p.Verdicts {
		if found := certainVerdict(v, possibleValues(p, consensus)); found != unknown {
			verdicts[v.Key] = found == holds
		}
	}
	return verdicts
}

// consensusVerdictColumns returns the verdicts that follow from the consensus.
func consensusVerdictColumns(p protocol.Protocol) (columns []exportColumn) {
	for _, v := range p.Verdicts {
		columns = append(columns, cellColumn("verdict."+v.Key, typeInteger,
			fmt.Sprintf("%s, derived from the consensus. 1 = yes, 0 = no. Empty: open until ties are decided.",
				v.Title),
			func(r *exportRow) cell {
				switch certainVerdict(v, possibleValues(p, r.consensus)) {
				case holds:
					return bitCell(true)
				case fails:
					return bitCell(false)
				}
				return cell{}
			}))
	}
	return columns
}

// possibleValues returns the values that each field of an item can still get.
func possibleValues(p protocol.Protocol, consensus map[string]FieldConsensus) (fields [][]int) {
	for _, f := range p.Fields {
		switch c, isAsked := consensus[f.Key]; {
		case !isAsked:
		case c.IsResolved():
			fields = append(fields, []int{c.Value})
		case len(c.TiedValues) > 0:
			fields = append(fields, c.TiedValues)
		default:
			fields = append(fields, f.Scale.Values())
		}
	}
	return fields
}
