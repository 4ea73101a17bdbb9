package simulated

import (
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Run calls study for numbers from 0, on all processors.
func Run(studies int, study func(n int)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for n := range studies {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			study(n)
		})
	}
	wait.Wait()
}

// WriteResults writes results.md to a folder, and ends the program if that fails.
func WriteResults(dir, text string) {
	if err := os.WriteFile(filepath.Join(dir, "results.md"), []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
}

// Share returns the share that n is of all; 0 of none.
func Share(n, all int) float64 { return float64(n) / float64(max(all, 1)) }

// DescribeBar says that a bar is met, or where it is missed.
func DescribeBar(missed []string) string {
	if len(missed) == 0 {
		return "met"
	}
	return "missed: " + strings.Join(missed, "; ")
}
