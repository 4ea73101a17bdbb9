package protocol

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// largeDefinition returns a definition of the maximum size, with these rules.
func largeDefinition(values int, rules ...string) string {
	var b strings.Builder
	b.WriteString("protocol: large\nversion: 1\ntitle: Large\nsummary: Large.\n")
	b.WriteString("unit: {noun: a unit, parts: [{key: turns, title: T, kind: conversation, judged: yes}]}\nfacts:\n")
	for i := range maxFacts {
		fmt.Fprintf(&b, "  - {key: f%d, title: F, part: turns, role: r%d, at least: 1}\n", i, i)
	}
	b.WriteString("fields:\n")
	for i := range maxFields {
		fmt.Fprintf(&b, "  - {key: v%d, title: V, question: V, scale: {%s}}\n", i,
			strings.TrimSuffix(strings.ReplaceAll(repeatLine(values, "%d: x,"), "\n", " "), ", "))
	}
	b.WriteString("observations:\n" + repeatLine(maxObservations,
		"  - {key: o%d, title: O, subject: it, guidance: O.}"))
	b.WriteString("rules:\n  - {" + strings.Join(rules, "}\n  - {") + "}\n")
	b.WriteString("plan: {calibration: 1, duplicates: 1, break every: 1, break minutes: 1, pace: 1..2, target: 0.4}\n")
	return b.String()
}

func TestRead_LargeDefinition_Accepted(t *testing.T) {
	t.Parallel()
	rules := []string{"id: 'note_on_{each}', for each: every field, when: {each: [0, 4]}, then: {note: written}, message: Why."}
	for i := range maxObservations - 2 {
		rules = append(rules, fmt.Sprintf(
			"id: low_%d, when: {o%d: ticked, f%d: yes}, then: {v%d: 0..%d, v%d: 0..2}, message: Low.", i, i, i%maxFacts,
			i, 1+i%3, i+1),
			fmt.Sprintf("id: alone_a_%d, when: {o18: ticked}, then: {o%d: not ticked}, message: Alone.", i, i),
			fmt.Sprintf("id: alone_b_%d, when: {o19: ticked}, then: {o%d: not ticked}, message: Alone.", i, i))
	}
	rules = append(rules, "id: all_high, when: {o18: ticked}, then: {every field: 4}, message: High.",
		"id: all_low, when: {o19: ticked, o18: not ticked}, then: {every field: 0}, message: Low.",
		"id: not_both, when: {o18: ticked}, then: {o19: not ticked}, message: One of them.")
	started := time.Now()
	if _, err := Read("large.yaml", []byte(largeDefinition(5, rules...))); err != nil {
		t.Error(err)
	}
	t.Log(time.Since(started))
}

func TestRead_TooComplexRules_FailsFast(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2} {
		random := rand.New(rand.NewPCG(seed, 1))
		var rules []string
		for i := range 120 {
			rules = append(rules, fmt.Sprintf(
				"id: r%d, when: {o%d: ticked, v%d: %d, f%d: yes}, then: {v%d: %d, v%d: %d}, message: R.", i,
				random.IntN(maxObservations), random.IntN(8), random.IntN(3), random.IntN(maxFacts),
				8+random.IntN(8), random.IntN(3), 16+random.IntN(8), random.IntN(3)))
		}
		started := time.Now()
		_, err := Read("large.yaml", []byte(largeDefinition(3, rules...)))
		if err == nil || len(err.Error()) > 300 || !strings.Contains(err.Error(), "too complex to check") {
			t.Errorf("got %v", err)
		}
		t.Log(time.Since(started))
	}
}
