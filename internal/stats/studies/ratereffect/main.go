// Command ratereffect simulates studies, and writes how often each rater effect is found in an annotator who has it, and how
// often annotators without any are named.
//
//	go run ./internal/stats/studies/ratereffect -studies 200
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/ratereffect"
)

func main() {
	studies := flag.Int("studies", 200, "simulated studies per cell")
	flag.Parse()
	for _, d := range designs {
		fmt.Printf("%-42s", d.name)
		for _, b := range behaviors {
			t := run(d, b, *studies)
			fmt.Printf(" | %3.0f%% %3.0f%%", 100*t.found, 100*t.falsely)
		}
		fmt.Println()
	}
}

// A tally is the share of studies in which the effect is found in the first annotator, and in which another annotator is named.
type tally struct {
	found, falsely float64
	other          map[ratereffect.Effect]float64
}

func run(d design, b behavior, studies int) (t tally) {
	found, falsely := make([]bool, studies), make([]bool, studies)
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2)
	for n := range studies {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			s := simulate(d, b, rand.New(rand.NewPCG(77, uint64(n))))
			first := s.labels.Annotators[0]
			for _, f := range ratereffect.Detect(s.fields, s.labels, s.known).Findings {
				isFirst := f.Annotator == first || f.IsEither && f.Other == first
				found[n] = found[n] || isFirst && slices.Contains(b.effects, f.Effect)
				falsely[n] = falsely[n] || len(b.effects) == 0 || !isFirst
			}
		})
	}
	wait.Wait()
	for n := range studies {
		if found[n] {
			t.found += 1 / float64(studies)
		}
		if falsely[n] {
			t.falsely += 1 / float64(studies)
		}
	}
	return t
}
