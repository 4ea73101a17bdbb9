package project

import (
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// FindConsensus returns the consensus on a field from the labels of an item, and the adjudicated answer if there is
// one.
// Without labels the method is empty.
func FindConsensus(f protocol.Field, ties stats.TieRule, labels []int, decision map[string]int) stats.ItemConsensus {
	c := stats.ConsensusRule{Scale: stats.NewNumericScale(f.Scale.Values()...), Ties: ties}.Find(labels)
	if decided, ok := decision[f.Key]; ok && c.Labels > 0 {
		c.Method, c.Value, c.TiedValues = stats.Adjudicated, decided, nil
	}
	return c
}
