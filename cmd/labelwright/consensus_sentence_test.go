package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// TestConsensus_Text_IsTrue checks that each note on a consensus is printed if and only if the labels
// and the options of a random table give it.
func TestConsensus_Text_IsTrue(t *testing.T) {
	t.Parallel()
	r, holds := rand.New(rand.NewPCG(38, 0)), map[string]int{}
	const tables = 200
	for n := range tables {
		values := [][]string{{"1", "2", "3"}, {"cold", "kind", "warm"}}[r.IntN(2)]
		annotators := 2 + r.IntN(2)
		text, hasThree := "item,annotator,dimension,value\n", false
		for i := range 2 + r.IntN(8) {
			answers := 0
			for g := range annotators {
				if g < 2 || r.IntN(2) == 0 {
					text += fmt.Sprintf("u%d,%s,tone,%s\n", i, []string{"ada", "bo", "cy"}[g],
						values[(i+r.IntN(5)/4)%3])
					answers++
				}
			}
			hasThree = hasThree || answers > 2
		}
		method := []string{"majority", "median", "dawid-skene"}[r.IntN(3)]
		isModel := method == "dawid-skene"
		code, out, stderr := runCommand(t, text, "consensus", "-", "--method", method, "--converge")
		if code != exitOK {
			t.Fatalf("table %d: exit %d: %s", n, code, stderr)
		}
		for part, want := range map[string]bool{
			"No item has labels from three annotators, ": isModel && !hasThree,
			"ANNOTATOR  CORRECT":                         isModel && hasThree,
			"converged after":                            isModel && hasThree,
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
	if len(holds) != 3 {
		t.Errorf("of three sentences only these are printed: %v", holds)
	}
}

// computeConsensus fits a table by Dawid–Skene, and returns the result and what is printed of it.
func computeConsensus(t *testing.T, table string, args ...string) (r consensus.Report, text string) {
	t.Helper()
	args = append([]string{"consensus", "-", "--method", "dawid-skene"}, args...)
	code, out, stderr := runCommand(t, table, append(args, "--format", "json")...)
	if err := json.Unmarshal([]byte(out), &r); code != exitOK || err != nil {
		t.Fatalf("exit %d: %s %v", code, stderr, err)
	}
	_, text, _ = runCommand(t, table, args...)
	return r, text
}

// TestConsensus_Converged_IsTrue checks that a fit that is said to have converged has the posteriors of the
// longest fit, and that of the others some have not.
func TestConsensus_Converged_IsTrue(t *testing.T) {
	t.Parallel()
	r, converged, others, changed := rand.New(rand.NewPCG(62, 0)), 0, 0, 0
	for n := range 60 {
		table := "item,annotator,dimension,value\n"
		for i := range 6 + r.IntN(20) {
			for _, name := range []string{"ada", "bo", "cy"} {
				table += fmt.Sprintf("u%d,%s,tone,%d\n", i, name, (i+r.IntN(5)/[]int{3, 4}[n%2])%3)
			}
		}
		short, text := computeConsensus(t, table)
		long, _ := computeConsensus(t, table, "--converge")
		difference := 0.0
		for i, item := range short.Items {
			for value, p := range item.Posterior {
				difference = math.Max(difference, math.Abs(p-long.Items[i].Posterior[value]))
			}
		}
		isConverged := strings.Contains(text, ", converged after ")
		if isConverged && difference > 0.001 {
			t.Fatalf("table %d: the longest fit changes a posterior by %v:\n%s", n, difference, text)
		}
		for _, part := range []string{", not converged after ", "The fit ended before it converged"} {
			if strings.Contains(text, part) == isConverged {
				t.Fatalf("table %d: %q is %t:\n%s", n, part, !isConverged, text)
			}
		}
		if isConverged {
			converged++
		} else if others++; difference > 0.001 {
			changed++
		}
	}
	if converged < 5 || others < 5 || changed == 0 {
		t.Errorf("%d fits converged; of %d others the longest fit changes %d", converged, others, changed)
	}
}
