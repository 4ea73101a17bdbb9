package labeling

import (
	"testing"
	"time"
)

func TestTabTimes_CountedOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reports []struct {
			tab string
			ms  int64
		}
		elapsed time.Duration
		want    int64
	}{
		"nothing reported":         {nil, time.Minute, 0},
		"one tab grows":            {tabReports{{"a", 1000}, {"a", 5000}, {"a", 9000}}, time.Minute, 9000},
		"a late report":            {tabReports{{"a", 9000}, {"a", 5000}}, time.Minute, 9000},
		"two tabs in turn":         {tabReports{{"a", 20000}, {"b", 10000}, {"a", 30000}}, time.Minute, 40000},
		"two machines in parallel": {tabReports{{"a", 50000}, {"b", 50000}}, time.Minute, 60000},
		"more than elapsed":        {tabReports{{"a", 1 << 40}}, time.Minute, 60000},
	} {
		tabs := TabTimes{}
		for _, r := range tt.reports {
			tabs = tabs.With(r.tab, r.ms)
		}
		if got := tabs.ActiveMS(tt.elapsed); got != tt.want {
			t.Errorf("%s: %d ms, want %d", name, got, tt.want)
		}
	}
}

type tabReports = []struct {
	tab string
	ms  int64
}
