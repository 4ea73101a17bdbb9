package prose

import "github.com/labelwright/labelwright/internal/stats"

// ConsensusMethod names how a consensus came about.
func (w Writer) ConsensusMethod(m stats.ConsensusMethod) string {
	switch m {
	case stats.Adjudicated:
		return w.T("adjudicated")
	case stats.Majority:
		return w.T("majority")
	case stats.MedianAnswer:
		return w.T("median")
	case stats.TieRuled:
		return w.T("tie rule")
	case stats.DawidSkene:
		return w.T("Dawid–Skene")
	}
	return w.T("tie")
}
