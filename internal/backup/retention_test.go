package backup

import (
	"slices"
	"testing"
	"time"
)

// After a year of daily backups, the last 7 days, 4 weeks and 12 months have one.
func TestFilterExpired_DailyForAYear_KeepsDaysWeeksMonths(t *testing.T) {
	t.Parallel()
	var files []time.Time
	day := time.Date(2025, 11, 1, 2, 0, 0, 0, time.UTC)
	for ; day.Before(time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)); day = day.AddDate(0, 0, 1) {
		files = append(files, day)
		expired := FilterExpired(files)
		files = slices.DeleteFunc(files, func(t time.Time) bool { return slices.Contains(expired, t) })
	}
	var kept []string
	for _, file := range files {
		kept = append(kept, file.Format("01-02"))
	}
	want := []string{"12-31", "01-31", "02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31",
		"11-08", "11-15", "11-22", "11-23", "11-24", "11-25", "11-26", "11-27", "11-28"}
	if !slices.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}
