package web

import (
	"cmp"
	"sync"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

const (
	// maxSourceLabels bounds the labels that are kept for the next reports, about 120 MB with their items.
	maxSourceLabels = 1_500_000
	// maxSourceAge is how long they are kept after a report.
	maxSourceAge = 10 * time.Minute
)

// A sourceKey identifies the labels of a report. Reports by different groups have the same.
type sourceKey struct {
	projectID project.ID
	batch     string
	view      string // of the accounts that may see the report
}

// reportSources keep the labels of large reports in memory while their batches run, so that the next
// report reads only those that were submitted since. The zero value keeps none yet.
type reportSources struct {
	mu        sync.Mutex
	kept      []keptSource // the last used at the end
	maxLabels int          // 0: maxSourceLabels
}

type keptSource struct {
	key    sourceKey
	source *postgres.ReportSource
	expiry *time.Timer
}

// take returns the labels of a report and no longer keeps them; nil if there are none.
func (s *reportSources) take(key sourceKey) *postgres.ReportSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, k := range s.kept {
		if k.key == key {
			s.remove(i)
			return k.source
		}
	}
	return nil
}

// keep keeps the labels of a report instead of earlier ones, and drops those that were not used for
// the longest time if there are too many.
func (s *reportSources) keep(key sourceKey, source *postgres.ReportSource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total, maxLabels := source.Len(), cmp.Or(s.maxLabels, maxSourceLabels)
	for i := len(s.kept) - 1; i >= 0; i-- {
		if total += s.kept[i].source.Len(); s.kept[i].key == key || total > maxLabels {
			total -= s.kept[i].source.Len()
			s.remove(i)
		}
	}
	if source.Len() > maxLabels {
		return
	}
	s.kept = append(s.kept, keptSource{key, source, time.AfterFunc(maxSourceAge, func() { s.drop(source) })})
}

// drop drops labels that are still kept.
func (s *reportSources) drop(source *postgres.ReportSource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, k := range s.kept {
		if k.source == source {
			s.remove(i)
			return
		}
	}
}

func (s *reportSources) remove(i int) {
	s.kept[i].expiry.Stop()
	s.kept = append(s.kept[:i:i], s.kept[i+1:]...)
}
