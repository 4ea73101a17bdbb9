package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestConsensus_Text_IsTrue checks that each note on a consensus is printed if and only if the labels
// and the options of a random table give it.
func TestConsensus_Text_IsTrue(t *testing.T) {
	t.Parallel()
	r, holds := rand.New(rand.NewPCG(38, 0)), map[string]int{}
	const tables = 200
	for n := range tables {
		values := [][]string{{"1", "2", "3"}, {"cold", "kind", "warm"}}[r.IntN(2)]
		isOrdered, annotators := values[0] == "1", 2+r.IntN(2)
		text, hasThree := "item,annotator,dimension,value\n", false
		for i := range 2 + r.IntN(8) {
			answers := 0
			for g := range annotators {
				if g < 2 || r.IntN(2) == 0 {
					text += fmt.Sprintf("u%d,%s,tone,%s\n", i, []string{"ada", "bo", "cy"}[g], values[(i+r.IntN(5)/4)%3])
					answers++
				}
			}
			hasThree = hasThree || answers > 2
		}
		method := []string{"majority", "median", "dawid-skene", "dawid-skene-ordinal"}[r.IntN(4)]
		isModel := strings.HasPrefix(method, "dawid")
		code, out, stderr := runCommand(t, text, "consensus", "-", "--method", method, "--converge")
		if code != exitOK {
			t.Fatalf("table %d: exit %d: %s", n, code, stderr)
		}
		for part, want := range map[string]bool{
			"No item has labels from three annotators.": isModel && !hasThree,
			"The values have no declared order":         !isOrdered && (method == "median" || method == "dawid-skene-ordinal" && hasThree),
			"ANNOTATOR  CORRECT":                        isModel && hasThree,
			"converged after":                           isModel && hasThree,
		} {
			if got := strings.Contains(out, part); got != want {
				t.Fatalf("table %d, %s: %q is %t, want %t:\n%s%s", n, method, part, got, want, text, out)
			}
			if want {
				holds[part]++
			}
		}
	}
	for part, count := range holds {
		if count < 10 || count > tables-10 {
			t.Errorf("%q is printed for %d of %d tables; want some", part, count, tables)
		}
	}
	if len(holds) != 4 {
		t.Errorf("of four sentences only these are printed: %v", holds)
	}
}
