package labeling

import (
	"testing"
	"time"
)

func TestTimeIsCountedOnceHoweverManyTabs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reports []struct {
			tab string
			ms  int64
		}
		passed time.Duration
		want   int64
	}{
		"nothing reported":             {nil, time.Minute, 0},
		"one tab grows":                {reports{{"a", 1000}, {"a", 5000}, {"a", 9000}}, time.Minute, 9000},
		"a late report":                {reports{{"a", 9000}, {"a", 5000}}, time.Minute, 9000},
		"one after another":            {reports{{"a", 20000}, {"b", 10000}, {"a", 30000}}, time.Minute, 40000},
		"two at once, on two machines": {reports{{"a", 50000}, {"b", 50000}}, time.Minute, 60000},
		"a page that boasts":           {reports{{"a", 1 << 40}}, time.Minute, 60000},
	} {
		tabs := Tabs{}
		for _, r := range tt.reports {
			tabs = tabs.With(r.tab, r.ms)
		}
		if got := tabs.Worked(tt.passed); got != tt.want {
			t.Errorf("%s: %d ms, want %d", name, got, tt.want)
		}
	}
}

type reports = []struct {
	tab string
	ms  int64
}
